/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/perf/perf_index.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/perf/perf_stream.h"
#include "parsers/source/page_maker.h"
#include "parsers/source/source.h"
#include "src/base/bisect.h"
#include "src/base/memory.h"
#include "src/base/pid_bits.h"

#define PAGE_MADE	(32u << 10)	/* bytes of records that a page is to have */
#define GAP_BYTES	(4u << 10)	/* others' records that a piece may have in the middle */
#define MOST_WAITING	(1u << 20)	/* records of all CPUs that wait for a mark */
#define MISC_SWITCH_OUT	(1u << 13)

/* A record that will be a row. */
struct waiting_row {
	uint64_t	ts, offset;
	uint32_t	nr;		/* counts the rows of its CPU in the file */
	uint32_t	made;		/* bytes that it takes in a page, at most */
	uint32_t	lost;		/* events, of LOST */
	int32_t		pid;		/* of a tracepoint's raw data */
	uint16_t	type;
	uint16_t	size;
	bool		is_lost;
	bool		is_raw;		/* pid and type are known */
};

struct perf_lane {			/* a CPU */
	struct waiting_row *waiting;	/* owned, [nr] */
	struct waiting_row *page;	/* owned, [nr_page]: of the page that is being made */
	unsigned int	 nr, cap, nr_page, cap_page;
	uint32_t	 next;		/* its next row's number */
	uint32_t	 made;		/* bytes of the page's records */
	bool		 is_unsorted;	/* what waits */
};

struct perf_pass {
	struct perf_file *file;
	struct perf_index *index;
	struct perf_stream stream;
	struct perf_lane	*lanes;		/* owned, [nr_lanes] by CPU */
	unsigned int	 nr_lanes;
	unsigned int	 nr_waiting;	/* of all lanes */
	uint64_t	 latest;	/* highest stamp so far */
	uint64_t	 latest_then;	/* at the last mark */
	uint64_t	 lost, lost_in_all;	/* events, by LOST, and by what perf counted */
	uint64_t	 unknown;	/* samples of events that have no attributes */
	uint64_t	 without_cpu;
};

/* --- rows ----------------------------------------------------------------------------------- */

uint32_t perf_index_lost(const struct perf_file *file, const struct perf_record *record)
{
	/* LOST has the id of an event before it */
	unsigned int at = PERF_HEADER_BYTES + (record->type == PERF_RECORD_LOST ? 8 : 0);
	uint64_t lost = record->size >= at + 8 ? load_u64(record->data + at, file->swap) : 0;

	return lost < UINT32_MAX ? (uint32_t)lost : UINT32_MAX;
}

int perf_index_cpu(const struct perf_file *file, const struct perf_record *record,
		   const struct perf_attr **attr, struct perf_stamp *stamp)
{
	switch (record->type) {
	case PERF_RECORD_SAMPLE:
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
		break;
	case PERF_RECORD_SWITCH_CPU_WIDE:	/* two tell of a switch: the first one is enough */
		if (!(record->misc & MISC_SWITCH_OUT))
			return -1;
		break;
	default:
		return -1;
	}
	*attr = perf_file_attr(file, record);
	if (!*attr || !perf_record_stamp(*attr, record, file->swap, stamp))
		return -1;
	/* what perf counted at the end has no time */
	if (record->type == PERF_RECORD_LOST_SAMPLES && !stamp->ts)
		return -1;
	if (file->is_untimed)
		stamp->ts = record->offset;
	if (stamp->cpu < 0)
		stamp->cpu = 0;
	return stamp->cpu < (int)PERF_MAX_CPUS ? stamp->cpu : -1;
}

static int by_time(const void *a, const void *b)
{
	const struct waiting_row *x = a, *y = b;

	if (x->ts != y->ts)
		return x->ts < y->ts ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static int by_offset(const void *a, const void *b)
{
	const struct waiting_row *x = a, *y = b;

	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* --- pages ---------------------------------------------------------------------------------- */

static void count_type(struct perf_index *index, struct page_sum *sum, uint16_t type)
{
	uint64_t i = sum->counts;

	while (i < index->nr_counts && index->counts[i].type != type)
		i++;
	if (i == index->nr_counts) {
		mem_grow(&index->counts, index->nr_counts, &index->cap_counts);
		index->counts[index->nr_counts++] = (struct type_count){ .type = type };
		sum->nr_counts++;
	}
	index->counts[i].nr++;
}

/* What a page has; nothing: it has to be read. */
static struct page_sum sum_page(struct perf_index *index, const struct perf_lane *lane,
				unsigned int cpu)
{
	struct page_sum sum = { .first = lane->page[0].ts, .counts = index->nr_counts,
				.cpu = (uint16_t)cpu };

	for (unsigned int i = 0; i < lane->nr_page; i++) {
		const struct waiting_row *row = &lane->page[i];

		/* stamps of records have 59 bits; what comes late stands elsewhere in the page */
		if ((!row->is_raw && !row->is_lost) || row->ts > PAGE_MAKER_MAX_TS ||
		    (i && row->ts < row[-1].ts)) {
			index->nr_counts = sum.counts;
			return (struct page_sum){ 0 };
		}
		if (row->is_lost) {
			sum.is_lost = true;
			sum.lost += row->lost;
			continue;
		}
		if (!sum.events++)
			sum.first = row->ts;
		sum.last = row->ts;
		sum.pids |= pid_bits(row->pid);
		count_type(index, &sum, row->type);
	}
	return sum;
}

static void end_page(struct perf_index *index, struct perf_lane *lane, unsigned int nr)
{
	struct perf_cpu *cpu = &index->cpus[nr];
	const struct waiting_row *last = NULL;
	struct perf_piece *piece = NULL;

	if (!lane->nr_page)
		return;
	mem_grow(&cpu->sums, cpu->nr_pages, &cpu->cap_sums);
	cpu->sums[cpu->nr_pages] = sum_page(index, lane, nr);
	mem_grow(&cpu->pages, cpu->nr_pages, &cpu->cap_pages);
	cpu->pages[cpu->nr_pages++] = cpu->nr_pieces;
	for (unsigned int i = 1; i < lane->nr_page; i++)
		if (lane->page[i].offset < lane->page[i - 1].offset) {
			qsort(lane->page, lane->nr_page, sizeof(*lane->page), by_offset);
			break;
		}
	for (unsigned int i = 0; i < lane->nr_page; i++) {
		const struct waiting_row *row = &lane->page[i];

		if (!last || row->nr != last->nr + 1 ||
		    row->offset - (last->offset + last->size) > GAP_BYTES) {
			mem_grow(&cpu->pieces, cpu->nr_pieces, &cpu->cap_pieces);
			piece = &cpu->pieces[cpu->nr_pieces++];
			piece->offset = row->offset;
		}
		piece->bytes = (uint32_t)(row->offset + row->size - piece->offset);
		last = row;
	}
	lane->nr_page = 0;
	lane->made = 0;
}

static void add_to_page(struct perf_index *index, struct perf_lane *lane, unsigned int cpu,
			const struct waiting_row *row)
{
	bool is_behind = lane->nr_page && !lane->page[lane->nr_page - 1].is_lost;

	/* lost events come first in a page */
	if ((lane->nr_page && lane->made + row->made > PAGE_MADE) || (row->is_lost && is_behind))
		end_page(index, lane, cpu);
	mem_grow(&lane->page, lane->nr_page, &lane->cap_page);
	lane->page[lane->nr_page++] = *row;
	lane->made += row->made;
}

/* What waits in a lane and is not later than @until goes into pages. */
static void settle_lane(struct perf_pass *pass, unsigned int nr, uint64_t until)
{
	struct perf_lane *lane = &pass->lanes[nr];
	unsigned int ready;

	if (lane->is_unsorted)
		qsort(lane->waiting, lane->nr, sizeof(*lane->waiting), by_time);
	lane->is_unsorted = false;
	ready = bisect(lane->nr, i, lane->waiting[i].ts <= until);
	for (unsigned int i = 0; i < ready; i++)
		add_to_page(pass->index, lane, nr, &lane->waiting[i]);
	lane->nr -= ready;
	pass->nr_waiting -= ready;
	if (ready && lane->nr)
		memmove(lane->waiting, lane->waiting + ready, lane->nr * sizeof(*lane->waiting));
}

/* A mark: what was before the last one is complete. */
static void end_round(struct perf_pass *pass)
{
	for (unsigned int i = 0; i < pass->nr_lanes; i++)
		if (pass->lanes[i].nr)
			settle_lane(pass, i, pass->latest_then);
	pass->latest_then = pass->latest;
}

/* A record that the page will have as it is. */
static void take_raw(const struct perf_file *file, const struct perf_record *record,
		     const struct perf_attr *attr, struct waiting_row *row)
{
	uint32_t bytes;
	const uint8_t *raw = attr->type == PERF_TYPE_TRACEPOINT ?
				     perf_sample_raw(attr, record, file->swap, &bytes) :
				     NULL;

	row->is_raw = raw && bytes >= 8;
	if (!row->is_raw)
		return;
	row->type = load_u16(raw, file->swap);
	row->pid = (int32_t)load_u32(raw + 4, file->swap);
}

static void add_row(struct perf_pass *pass, const struct perf_record *record,
		    const struct perf_attr *attr, const struct perf_stamp *stamp)
{
	unsigned int cpu = (unsigned int)stamp->cpu, extra = PERF_OWN_BYTES;
	struct perf_lane *lane;
	struct waiting_row *row;

	mem_reach(&pass->lanes, &pass->nr_lanes, cpu);
	mem_reach(&pass->index->cpus, &pass->index->cap_cpus, cpu);
	if (pass->index->nr_cpus <= cpu)
		pass->index->nr_cpus = cpu + 1;
	lane = &pass->lanes[cpu];
	mem_grow(&lane->waiting, lane->nr, &lane->cap);
	/* a tracepoint's raw data is its record, with a header of 16 bytes instead of 20 or more */
	if (attr->type == PERF_TYPE_TRACEPOINT && !(attr->sample_type >> PERF_CALLCHAIN & 1))
		extra = 0;
	lane->is_unsorted |= lane->nr && stamp->ts < lane->waiting[lane->nr - 1].ts;
	row = &lane->waiting[lane->nr++];
	*row = (struct waiting_row){ .ts = stamp->ts, .offset = record->offset,
				     .nr = lane->next++, .made = record->size + extra,
				     .size = record->size };
	if (record->type == PERF_RECORD_SAMPLE)
		take_raw(pass->file, record, attr, row);
	row->is_lost = record->type == PERF_RECORD_LOST || record->type == PERF_RECORD_LOST_SAMPLES;
	if (row->is_lost)
		row->lost = perf_index_lost(pass->file, record);
	pass->latest = stamp->ts > pass->latest ? stamp->ts : pass->latest;
	if (++pass->nr_waiting >= MOST_WAITING)
		end_round(pass);
}

/* --- the pass ------------------------------------------------------------------------------- */

static void take_row(struct perf_pass *pass, const struct perf_record *record)
{
	const struct perf_attr *attr = NULL;
	struct perf_index *index = pass->index;
	struct perf_stamp stamp;
	int cpu = perf_index_cpu(pass->file, record, &attr, &stamp);
	uint64_t lost;

	if (record->type == PERF_RECORD_SAMPLE) {
		pass->unknown += cpu < 0;
		pass->without_cpu += cpu >= 0 && !attr->in_sample.cpu;
	} else if (record->type == PERF_RECORD_SWITCH_CPU_WIDE) {
		index->has_switches |= cpu >= 0;
	} else {
		lost = perf_index_lost(pass->file, record);
		*(cpu < 0 ? &pass->lost_in_all : &pass->lost) += lost;
	}
	if (cpu < 0)
		return;
	if (record->type == PERF_RECORD_SAMPLE) {
		mem_reach(&index->has_samples, &index->nr_sampled,
			  (size_t)(attr - pass->file->attrs));
		index->has_samples[attr - pass->file->attrs] = true;
		perf_tasks_see(&index->tasks, stamp.tid, stamp.pid);
	}
	add_row(pass, record, attr, &stamp);
}

static void take(struct perf_pass *pass, const struct perf_record *record)
{
	switch (record->type) {
	case PERF_RECORD_SAMPLE:
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		take_row(pass, record);
		break;
	case PERF_RECORD_COMM:
	case PERF_RECORD_FORK:
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		perf_tasks_take(&pass->index->tasks, pass->file, record);
		break;
	case PERF_RECORD_FINISHED_ROUND:
		end_round(pass);
		break;
	case PERF_RECORD_TRACING_DATA:
		if (record->size >= PERF_HEADER_BYTES + 4)
			perf_file_take_tracing(pass->file, record->offset + record->size,
					       load_u32(record->data + PERF_HEADER_BYTES,
							pass->file->swap));
		break;
	default:
		perf_file_take(pass->file, record);
	}
}

/* Records behind damage are no longer of the pieces before it. */
static void see_damage(struct perf_pass *pass)
{
	if (pass->stream.damaged_at == UINT64_MAX)
		return;
	source_add_warning(pass->file->source, (int64_t)pass->stream.damaged_at,
			   "no record of perf is here: goes on at byte %" PRIu64, pass->stream.pos);
	pass->stream.damaged_at = UINT64_MAX;
	for (unsigned int i = 0; i < pass->nr_lanes; i++)
		pass->lanes[i].next++;
}

static void add_warnings(const struct perf_pass *pass)
{
	const struct source *source = pass->file->source;

	if (pass->unknown)
		source_add_warning(source, -1,
				   "%" PRIu64 " samples are of events that the file does not name, "
				   "or of impossible CPUs: they are left out",
				   pass->unknown);
	if (pass->without_cpu)
		source_add_warning(source, -1,
				   "samples do not tell their CPU: all are shown on CPU 0 "
				   "(perf record --sample-cpu records it)");
	if (pass->file->is_untimed)
		source_add_warning(
			source, -1,
			"samples of an event have no times: rows are in the order of the "
			"file, and times are its bytes (perf record -T records times)");
	if (pass->lost_in_all > pass->lost)
		source_add_warning(source, -1,
				   "perf lost %" PRIu64 " samples; it is known of %" PRIu64
				   " where",
				   pass->lost_in_all, pass->lost);
}

int perf_index_init(struct perf_index *index, struct perf_file *file, struct ft_error *err)
{
	struct perf_pass pass = { .file = file, .index = index };
	struct perf_record record;

	memset(index, 0, sizeof(*index));
	perf_tasks_init(&index->tasks);
	perf_stream_init(&pass.stream, file->fd, file->swap);
	perf_stream_begin(&pass.stream, file->from, file->to);
	while (perf_stream_next(&pass.stream, &record)) {
		see_damage(&pass);
		take(&pass, &record);
	}
	see_damage(&pass);
	for (unsigned int i = 0; i < pass.nr_lanes; i++) {
		settle_lane(&pass, i, UINT64_MAX);
		end_page(index, &pass.lanes[i], i);
		free(pass.lanes[i].waiting);
		free(pass.lanes[i].page);
	}
	perf_tasks_settle(&index->tasks);
	add_warnings(&pass);
	free(pass.lanes);
	perf_stream_fini(&pass.stream);
	return pass.stream.errnum ? ft_error_errno(err, pass.stream.errnum,
						   (int64_t)pass.stream.pos, "cannot read") :
				    0;
}

void perf_index_fini(struct perf_index *index)
{
	for (unsigned int i = 0; i < index->nr_cpus; i++) {
		free(index->cpus[i].pieces);
		free(index->cpus[i].pages);
		free(index->cpus[i].sums);
	}
	free(index->cpus);
	free(index->has_samples);
	free(index->counts);
	perf_tasks_fini(&index->tasks);
}
