/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/sched/sched_filter.h"

#include <stdlib.h>
#include <string.h>

#include "parsers/types/field.h"
#include "src/base/memory.h"
#include "src/trace/trace_streams.h"

#define TAIL_BYTES	256u		/* after a record, readable for filters */

struct sched_filter {
	struct trace		*trace;		/* borrowed */
	struct filter_runs	 runs;
	bool			 of_other, of_leaving;	/* values that the filters use */
	bool			 never;		/* nothing in the stream can match */
	const struct common_layout *common;	/* borrowed: common fields of the file */
	bool			 swap;
	uint8_t			*copy;		/* owned: a record, with another task's pid */
	uint32_t		 cap;
};

struct sched_filter *sched_filter_new(struct trace *trace, const struct filter *const *filters,
				      unsigned int nr)
{
	struct sched_filter *f;

	if (!nr)
		return NULL;
	f = mem_alloc(sizeof(*f));
	f->trace = trace;
	filter_runs_init(&f->runs, filters, nr);
	for (unsigned int i = 0; i < nr; i++) {
		f->of_other |= filter_is_of_other(filters[i]);
		f->of_leaving |= filter_is_of_leaving(filters[i]);
	}
	return f;
}

void sched_filter_free(struct sched_filter *f)
{
	if (!f)
		return;
	filter_runs_fini(&f->runs);
	free(f->copy);
	free(f);
}

void sched_filter_stream(struct sched_filter *f, unsigned int stream)
{
	const struct trace_stream *s = trace_stream_at(f->trace, stream);

	f->never = !filter_runs_stream(&f->runs, stream);
	f->common = &trace_source_at(f->trace, s->source)->kinds.common;
	f->swap = s->layout->swap;
}

/* Match with another common_pid. */
static bool matches_as(struct sched_filter *f, uint32_t pid, trace_ref ref, int type,
		       const uint8_t *data, uint32_t size, uint32_t room, int64_t ts)
{
	uint32_t at = f->common->pid_offset, bytes = f->common->pid_size;
	int32_t own = field_pid(f->common, data, size, f->swap);
	bool hit;

	if (at > size || bytes > size - at)
		return filter_runs_match(&f->runs, ref, type, data, size, room, ts);
	room = room - size > TAIL_BYTES ? size + TAIL_BYTES : room;
	if (room > f->cap) {
		f->cap = room * 2;
		f->copy = mem_resize(f->copy, f->cap, 1);
	}
	memcpy(f->copy, data, room);
	for (uint32_t i = 0; i < bytes; i++)
		f->copy[at + (f->swap == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) ?
				      bytes - 1 - i :
				      i)] = (uint8_t)(i < 4 ? pid >> 8 * i : 0);
	filter_runs_own_pid(&f->runs, &own);
	hit = filter_runs_match(&f->runs, ref, type, f->copy, size, room, ts);
	filter_runs_own_pid(&f->runs, NULL);
	return hit;
}

unsigned int sched_filter_record(struct sched_filter *f, const struct sched_shape *shape,
				 uint32_t other, trace_ref ref, const uint8_t *data, uint32_t size,
				 uint32_t room, int64_t ts)
{
	/* types of system calls share a shape */
	int type = (int)(uint16_t)field_load(data, size, f->common->type_offset,
					     f->common->type_size, f->swap);
	bool is_switch = shape->op == SCHED_SWITCH,
	     tells = is_switch || (shape->op >= SCHED_WAKING && shape->op <= SCHED_MIGRATE);
	unsigned int not = 0;

	if (f->never)
		return SCHED_NOT_CPU | SCHED_NOT_ITS | SCHED_NOT_OTHER;
	if (!filter_runs_match(&f->runs, ref, type, data, size, room, ts))
		not |= SCHED_NOT_CPU | SCHED_NOT_ITS;
	if (f->of_other && !(is_switch && f->of_leaving))
		not |= SCHED_NOT_ITS;
	if (!tells || (is_switch && f->of_leaving && !f->of_other) ||
	    !matches_as(f, other, ref, type, data, size, room, ts))
		not |= SCHED_NOT_OTHER;
	return not ;
}
