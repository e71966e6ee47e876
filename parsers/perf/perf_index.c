/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/perf/perf_index.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/perf/perf_stream.h"
#include "parsers/perf/perf_types.h"
#include "parsers/source/page_maker.h"
#include "parsers/source/source.h"
#include "src/base/bisect.h"
#include "src/base/memory.h"
#include "src/base/pid_bits.h"

#define PAGE_MADE	(32u << 10)	/* bytes of records that a page is to have */
#define GAP_BYTES	(4u << 10)	/* others' records that a piece may have in the middle */
#define MOST_WAITING	(1u << 20)	/* records of all CPUs that wait for a mark */
#define MOST_OF_SAMPLE	(PERF_PAGE_BYTES / 2)	/* bytes of the records that counts become */
#define MISC_SWITCH_OUT	(1u << 13)

/* What is counted in a page: these, or events by their index.  Their types are not known yet. */
enum row_kind {
	ROW_OWN = UINT16_MAX - 15,	/* and those behind it: enum perf_own */
	ROW_SWITCH = UINT16_MAX - 2, ROW_KERNEL_STACK, ROW_USER_STACK
};

/* A record that will be a row. */
struct waiting_row {
	uint64_t	ts, offset;
	uint64_t	grown_at;	/* in the CPU's .grown: where what it has is, or would be */
	uint32_t	nr;		/* counts the rows of its CPU in the file */
	uint32_t	made;		/* bytes that its records have, at most */
	union {
		int32_t	 pid;		/* of a tracepoint's raw data */
		uint32_t lost;		/* events, of LOST */
	};
	uint16_t	kind;		/* enum row_kind, or the index of a sample's event */
	uint16_t	size;
	bool		is_lost;
	bool		is_known;	/* what its records will be */
	bool		has_kernel, has_user;	/* stacks */
};

struct perf_lane {			/* a CPU */
	struct waiting_row *rows;	/* owned, [nr]: of the page that is being made, [nr_page];
					 * then those that wait */
	unsigned int	 nr, cap, nr_page;
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
	struct number_set counted;	/* events, and tasks if these count each for themselves */
	uint64_t	*counts;	/* owned, [nr_counts]: their last ones */
	unsigned int	 nr_counts;
	uint64_t	 lost, lost_in_all;	/* events, by LOST, and by what perf counted */
	uint64_t	 unknown;	/* samples of events that have no attributes */
	uint64_t	 without_cpu;
	uint64_t	 without_chains;	/* of user space, that were to come later */
};

/* --- rows ----------------------------------------------------------------------------------- */

uint32_t perf_index_lost(const struct perf_file *file, const struct perf_record *record)
{
	/* LOST has the id of an event before it */
	unsigned int at = PERF_HEADER_BYTES + (record->type == PERF_RECORD_LOST ? 8 : 0);
	uint64_t lost = record->size >= at + 8 ? load_u64(record->data + at, file->swap) : 0;

	return lost < UINT32_MAX ? (uint32_t)lost : UINT32_MAX;
}

enum perf_own perf_index_own(const struct perf_record *record)
{
	switch (record->type) {
	case PERF_RECORD_SWITCH:
		return PERF_OWN_SWITCH;
	case PERF_RECORD_THROTTLE:
		return PERF_OWN_THROTTLE;
	case PERF_RECORD_UNTHROTTLE:
		return PERF_OWN_UNTHROTTLE;
	default:
		return PERF_NR_OWN;
	}
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
		if (perf_index_own(record) == PERF_NR_OWN)
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

static void count_kind(struct perf_index *index, struct page_sum *sum, uint16_t kind)
{
	uint64_t i = sum->counts;

	while (i < index->nr_counts && index->counts[i].type != kind)
		i++;
	if (i == index->nr_counts) {
		mem_grow(&index->counts, index->nr_counts, &index->cap_counts);
		index->counts[index->nr_counts++] = (struct type_count){ .type = kind };
		sum->nr_counts++;
	}
	index->counts[i].nr++;
	sum->events++;
}

/* What a page has; nothing: it has to be read. */
static struct page_sum sum_page(struct perf_index *index, const struct waiting_row *rows,
				unsigned int nr, unsigned int cpu)
{
	struct page_sum sum = { .first = rows[0].ts, .counts = index->nr_counts,
				.cpu = (uint16_t)cpu };

	for (const struct waiting_row *row = rows; row < rows + nr; row++) {
		/* stamps of records have 59 bits; what comes late stands elsewhere in the page */
		if ((!row->is_known && !row->is_lost) || row->ts > PAGE_MAKER_MAX_TS ||
		    (row > rows && row->ts < row[-1].ts)) {
			index->nr_counts = sum.counts;
			return (struct page_sum){ 0 };
		}
		if (row->is_lost) {
			sum.is_lost = true;
			sum.lost += row->lost;
			continue;
		}
		if (!sum.events)
			sum.first = row->ts;
		sum.last = row->ts;
		sum.pids |= pid_bits(row->pid);
		count_kind(index, &sum, row->kind);
		if (row->has_kernel)
			count_kind(index, &sum, ROW_KERNEL_STACK);
		if (row->has_user)
			count_kind(index, &sum, ROW_USER_STACK);
	}
	return sum;
}

/* The parts of the file that have these rows. */
static void add_pieces(struct perf_cpu *cpu, struct waiting_row *rows, unsigned int nr)
{
	const struct waiting_row *end = rows + nr;
	struct perf_piece *piece = NULL;

	for (const struct waiting_row *row = rows + 1; row < end; row++)
		if (row->offset < row[-1].offset) {
			qsort(rows, nr, sizeof(*rows), by_offset);
			break;
		}
	for (const struct waiting_row *row = rows; row < end; row++) {
		if (row == rows || row->nr != row[-1].nr + 1 ||
		    row->offset - (row[-1].offset + row[-1].size) > GAP_BYTES) {
			mem_grow(&cpu->pieces, cpu->nr_pieces, &cpu->cap_pieces);
			piece = &cpu->pieces[cpu->nr_pieces++];
			piece->offset = row->offset;
			piece->grown_at = row->grown_at;
		}
		piece->bytes = (uint32_t)(row->offset + row->size - piece->offset);
	}
}

/* A page of these rows. */
static void add_page(struct perf_index *index, struct waiting_row *rows, unsigned int nr,
		     unsigned int nr_cpu)
{
	struct perf_cpu *cpu = &index->cpus[nr_cpu];

	if (!nr)
		return;
	mem_grow(&cpu->sums, cpu->nr_pages, &cpu->cap_sums);
	cpu->sums[cpu->nr_pages] = sum_page(index, rows, nr, nr_cpu);
	mem_grow(&cpu->pages, cpu->nr_pages, &cpu->cap_pages);
	cpu->pages[cpu->nr_pages++] = cpu->nr_pieces;
	add_pieces(cpu, rows, nr);
}

/* What waits in a lane and is not later than @until goes into pages. */
static void settle_lane(struct perf_pass *pass, unsigned int nr, uint64_t until)
{
	struct perf_lane *lane = &pass->lanes[nr];
	struct waiting_row *waiting = lane->rows + lane->nr_page, *page = lane->rows;
	unsigned int nr_waiting = lane->nr - lane->nr_page, ready;

	if (!nr_waiting)
		return;
	if (lane->is_unsorted)
		qsort(waiting, nr_waiting, sizeof(*waiting), by_time);
	lane->is_unsorted = false;
	ready = bisect(nr_waiting, i, waiting[i].ts <= until);
	for (struct waiting_row *row = waiting; row < waiting + ready; row++) {
		/* lost events come first in a page */
		if (row > page &&
		    (lane->made + row->made > PAGE_MADE || (row->is_lost && !row[-1].is_lost))) {
			add_page(pass->index, page, (unsigned int)(row - page), nr);
			page = row;
			lane->made = 0;
		}
		lane->made += row->made;
	}
	pass->nr_waiting -= ready;
	lane->nr -= (unsigned int)(page - lane->rows);
	lane->nr_page = (unsigned int)(waiting + ready - page);
	memmove(lane->rows, page, lane->nr * sizeof(*lane->rows));
}

/* A mark: what was before the last one is complete. */
static void end_round(struct perf_pass *pass)
{
	for (unsigned int i = 0; i < pass->nr_lanes; i++)
		if (pass->lanes[i].nr > pass->lanes[i].nr_page)
			settle_lane(pass, i, pass->latest_then);
	pass->latest_then = pass->latest;
}

/* By how much the count of an event has grown since its last sample. */
static uint64_t grown_by(struct perf_pass *pass, uint64_t event, uint64_t count)
{
	bool is_new;
	uint32_t at = number_set_add(&pass->counted, event, &is_new);
	uint64_t before;

	mem_reach(&pass->counts, &pass->nr_counts, at);
	before = is_new ? 0 : pass->counts[at];
	pass->counts[at] = count;
	return count - before;
}

/*
 * A sample with counts is a row for each event whose count has grown since the sample before.  Its
 * page is read to be counted.
 */
static void see_counts(struct perf_pass *pass, const struct perf_record *record,
		       const struct perf_attr *attr, struct waiting_row *row, struct text *grown)
{
	uint32_t each = record->size + PERF_OWN_BYTES, nr = 0;
	uint64_t of_task = attr->inherit ? (uint64_t)row->pid << 40 : 0;
	uint8_t bytes[2 * VARINT_BYTES], *end;
	struct perf_index *index = pass->index;
	struct perf_sample sample;

	row->is_known = false;
	each = row->made > each ? row->made : each;
	sample.nr_counts = 0;
	perf_sample_read(attr, record, pass->file->swap, &sample);
	for (uint32_t i = 0; i < sample.nr_counts; i++) {
		uint64_t id, count = perf_sample_count(&sample, i, pass->file->swap, &id);
		const struct perf_attr *of = perf_file_attr_of_id(pass->file, id);
		uint64_t by = of ? grown_by(pass, id + of_task, count) : 0;

		if (!of || (by && nr && (nr + 1) * each > MOST_OF_SAMPLE))
			index->left_out[PERF_LEFT_GROUPS]++;
		else if (by) {
			mem_reach(&index->seen, &index->nr_seen, (size_t)(of - pass->file->attrs));
			index->seen[of - pass->file->attrs].is_counted |= of != attr;
			index->seen[of - pass->file->attrs].has_samples = true;
			end = varint_put(varint_put(bytes, i + 1), by);
			text_bytes(grown, (const char *)bytes, (size_t)(end - bytes));
			nr++;
		}
	}
	text_char(grown, '\0');
	row->made = nr * each;
}

/* What the page will have of a sample: as perf_record.c makes it. */
static void see_sample(struct perf_pass *pass, const struct perf_record *record,
		       const struct perf_attr *attr, struct waiting_row *row)
{
	const struct perf_file *file = pass->file;
	bool has_cgroup = attr->sample_type >> PERF_CGROUP & 1;
	uint64_t nr = (uint64_t)(attr - file->attrs), cookie;
	struct perf_sample sample;
	uint32_t spaces;

	sample.nr_chain = 0;
	sample.raw = perf_attr_is_raw(attr) && !has_cgroup ?
			     perf_sample_raw(attr, record, file->swap, &sample.raw_bytes) :
			     NULL;
	if (nr >= ROW_OWN || (!sample.raw && !perf_sample_read(attr, record, file->swap, &sample)))
		return;
	if (has_cgroup)
		perf_tasks_in(&pass->index->tasks, row->pid, row->ts, sample.values[PERF_CGROUP]);
	if (perf_deferred_cookie(&sample, file->swap, &cookie)) {
		/* whether it has a stack of user space is told later: its page is read */
		perf_deferred_want(&pass->index->deferred, row->pid, cookie);
		row->made += 8 * PERF_DEFERRED_MOST + PERF_OWN_BYTES;
		return;
	}
	if (perf_attr_is_raw(attr)) {
		if (sample.raw_bytes < 8 || load_u16(sample.raw, file->swap) != attr->config)
			return;
		row->pid = (int32_t)load_u32(sample.raw + 4, file->swap);
	}
	spaces = perf_sample_spaces(&sample, record, file->swap);
	row->kind = (uint16_t)nr;
	row->is_known = true;
	row->has_kernel = spaces >> PERF_SPACE_KERNEL & 1;
	row->has_user = spaces >> PERF_SPACE_USER & 1;
}

static void add_row(struct perf_pass *pass, const struct perf_record *record,
		    const struct perf_attr *attr, const struct perf_stamp *stamp)
{
	unsigned int cpu = (unsigned int)stamp->cpu;
	struct perf_lane *lane;
	struct waiting_row *row;
	struct text *grown;

	mem_reach(&pass->lanes, &pass->nr_lanes, cpu);
	mem_reach(&pass->index->cpus, &pass->index->cap_cpus, cpu);
	if (pass->index->nr_cpus <= cpu)
		pass->index->nr_cpus = cpu + 1;
	lane = &pass->lanes[cpu];
	grown = &pass->index->cpus[cpu].grown;
	mem_grow(&lane->rows, lane->nr, &lane->cap);
	row = &lane->rows[lane->nr++];
	lane->is_unsorted |= lane->nr - 1 > lane->nr_page && stamp->ts < row[-1].ts;
	*row = (struct waiting_row){ .ts = stamp->ts, .offset = record->offset,
				     .nr = lane->next++, .size = record->size,
				     .pid = stamp->tid, .grown_at = grown->len,
				     .made = record->size };
	/* a tracepoint's raw data is its record, with a header of 16 bytes instead of 20 or more */
	if (!perf_attr_is_raw(attr) || attr->sample_type >> PERF_CALLCHAIN & 1)
		row->made += PERF_OWN_BYTES;
	if (record->type == PERF_RECORD_SAMPLE)
		see_sample(pass, record, attr, row);
	if (record->type == PERF_RECORD_SAMPLE && perf_attr_has_counts(attr))
		see_counts(pass, record, attr, row, grown);
	if (record->type == PERF_RECORD_SWITCH_CPU_WIDE) {
		row->kind = ROW_SWITCH;
		row->is_known = record->size >= PERF_HEADER_BYTES + 8;
	} else if (perf_index_own(record) < PERF_NR_OWN) {
		row->kind = (uint16_t)(ROW_OWN + perf_index_own(record));
		row->is_known = true;
	}
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
	} else if (perf_index_own(record) < PERF_NR_OWN) {
		index->has_own |= cpu >= 0 ? 1u << perf_index_own(record) : 0;
	} else {
		lost = perf_index_lost(pass->file, record);
		*(cpu < 0 ? &pass->lost_in_all : &pass->lost) += lost;
	}
	if (cpu < 0)
		return;
	if (record->type == PERF_RECORD_SAMPLE) {
		mem_reach(&index->seen, &index->nr_seen, (size_t)(attr - pass->file->attrs));
		index->seen[attr - pass->file->attrs].has_samples = true;
		perf_tasks_see(&index->tasks, stamp.tid, stamp.pid);
	}
	add_row(pass, record, attr, &stamp);
}

static const struct {
	uint32_t type;			/* of records; 0: they are no records */
	const char *what;
} left_out[PERF_NR_LEFT_OUT] = {
	[PERF_LEFT_COUNTS]     = { PERF_RECORD_READ, "counts of tasks" },
	[PERF_LEFT_AUX]	       = { PERF_RECORD_AUXTRACE, "blocks of AUX data" },
	[PERF_LEFT_NAMESPACES] = { PERF_RECORD_NAMESPACES, "namespaces of tasks" },
	[PERF_LEFT_KSYMBOLS]   = { PERF_RECORD_KSYMBOL, "functions made at run time" },
	[PERF_LEFT_BPF]	       = { PERF_RECORD_BPF_EVENT, "BPF programs" },
	[PERF_LEFT_TEXT_POKES] = { PERF_RECORD_TEXT_POKE, "changes of the kernel's code" },
	[PERF_LEFT_GROUPS]     = { 0, "counts in samples" },
};

static void leave_out(struct perf_index *index, uint32_t type)
{
	for (unsigned int i = 0; i < PERF_NR_LEFT_OUT; i++)
		index->left_out[i] += left_out[i].type == type;
}

void perf_index_left_out(const struct perf_index *index, struct text *out)
{
	size_t begin = out->len;

	for (unsigned int i = 0; i < PERF_NR_LEFT_OUT; i++)
		if (index->left_out[i])
			text_printf(out, "%s%s: %" PRIu64, out->len > begin ? ", " : "",
				    left_out[i].what, index->left_out[i]);
}

static void take(struct perf_pass *pass, const struct perf_record *record)
{
	uint64_t tracing, bytes;

	switch (record->type) {
	case PERF_RECORD_SAMPLE:
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
		take_row(pass, record);
		break;
	case PERF_RECORD_CGROUP:
	case PERF_RECORD_COMM:
	case PERF_RECORD_FORK:
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		perf_tasks_take(&pass->index->tasks, pass->file, record);
		break;
	case PERF_RECORD_CALLCHAIN_DEFERRED:
		perf_deferred_take(&pass->index->deferred, pass->file, record);
		break;
	case PERF_RECORD_FINISHED_ROUND:
		end_round(pass);
		break;
	case PERF_RECORD_TRACING_DATA:
	case PERF_RECORD_SIMPLEPERF_TRACING:
		tracing = perf_stream_tracing(record, pass->file->swap, &bytes);
		perf_file_take_tracing(pass->file, tracing, bytes);
		break;
	default:
		perf_file_take(pass->file, record);
		leave_out(pass->index, record->type);
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

static bool has_copies(const struct perf_pass *pass)
{
	for (unsigned int i = 0; i < pass->file->nr_attrs && i < pass->index->nr_seen; i++)
		if (pass->index->seen[i].has_samples &&
		    pass->file->attrs[i].sample_type >> PERF_STACK_USER & 1)
			return true;
	return false;
}

static void add_warnings(const struct perf_pass *pass)
{
	const struct source *source = pass->file->source;

	if (pass->unknown)
		source_add_warning(source, -1,
				   "samples left out, of events that the file does not name or of "
				   "impossible CPUs: %" PRIu64,
				   pass->unknown);
	if (pass->without_cpu)
		source_add_note(source, "samples do not tell their CPU: all are shown on CPU 0 "
					"(perf record --sample-cpu records it)");
	if (has_copies(pass))
		source_add_note(source,
				"call chains end with the kernel: stacks of user space were copied "
				"(--call-graph dwarf), and only perf script unwinds these");
	if (pass->without_chains)
		source_add_note(source,
				"deferred call chains of user space that are not in the file: "
				"%" PRIu64 "; their samples have only the kernel's part",
				pass->without_chains);
	if (pass->file->is_untimed)
		source_add_note(source,
				"samples of an event have no times: rows are in the order of the "
				"file, and times are its bytes (perf record -T records times)");
	if (pass->lost_in_all > pass->lost)
		source_add_note(source,
				"samples that perf lost: %" PRIu64 "; those with a known place: "
				"%" PRIu64,
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
		add_page(index, pass.lanes[i].rows, pass.lanes[i].nr_page, i);
		free(pass.lanes[i].rows);
	}
	perf_tasks_settle(&index->tasks);
	pass.without_chains = perf_deferred_settle(&index->deferred);
	add_warnings(&pass);
	free(pass.lanes);
	number_set_fini(&pass.counted);
	free(pass.counts);
	perf_stream_fini(&pass.stream);
	return pass.stream.errnum ? ft_error_errno(err, pass.stream.errnum,
						   (int64_t)pass.stream.pos, "cannot read") :
				    0;
}

/* The type of what was counted by its kind; 0: there are no such records. */
static uint16_t type_of(const struct perf_file *file, const struct perf_types *types, uint16_t kind)
{
	switch (kind) {
	case ROW_SWITCH:
		return (uint16_t)types->sched_switch;
	case ROW_KERNEL_STACK:
		return (uint16_t)types->kernel_stack;
	case ROW_USER_STACK:
		return (uint16_t)types->user_stack;
	default:
		if (kind >= ROW_OWN)
			return (uint16_t)types->own[kind - ROW_OWN];
		return perf_attr_is_raw(&file->attrs[kind]) ? (uint16_t)file->attrs[kind].config :
							      (uint16_t)types->of_attrs[kind].id;
	}
}

void perf_index_name(struct perf_index *index, const struct perf_file *file,
		     const struct perf_types *types)
{
	for (unsigned int i = 0; i < index->nr_cpus; i++)
		for (uint64_t page = 0; page < index->cpus[i].nr_pages; page++) {
			struct page_sum *sum = &index->cpus[i].sums[page];
			struct type_count *counts = index->counts + sum->counts;

			for (unsigned int k = 0; k < sum->nr_counts; k++) {
				counts[k].type = type_of(file, types, counts[k].type);
				if (!counts[k].type)
					sum->events = 0;
			}
			if (sum->nr_counts && !sum->events)
				*sum = (struct page_sum){ 0 };
			sum->told = (uint16_t)types->user_stack;
		}
}

void perf_index_fini(struct perf_index *index)
{
	for (unsigned int i = 0; i < index->nr_cpus; i++) {
		free(index->cpus[i].pieces);
		free(index->cpus[i].pages);
		free(index->cpus[i].sums);
		text_fini(&index->cpus[i].grown);
	}
	free(index->cpus);
	free(index->seen);
	free(index->counts);
	perf_tasks_fini(&index->tasks);
	perf_deferred_fini(&index->deferred);
}
