/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/latency/latency_parts.h"

#include "src/base/time_math.h"

bool latency_parts_begin(struct cpu_parts *parts, const struct sched *sched,
			 const struct latency_instance *i)
{
	const struct sched_pass *pass = sched_pass_of(sched);
	unsigned int cpu = 0, nr = i->to == TRACE_REF_NONE ? 0 : sched_nr_cpus(sched);

	while (cpu < nr && sched_pass_stream(pass, cpu) != trace_ref_stream(i->to))
		cpu++;
	if (cpu < nr)
		cpu_parts_begin_wait(parts, sched,
				     sched_rules_find(sched_pass_rules(pass), i->pid, i->start),
				     cpu, i->start, i->end, i->end);
	return cpu < nr;
}

bool latency_parts_add(struct culprits *culprits, const struct sched *sched,
		       const struct latency_instance *i)
{
	struct cpu_parts parts;
	struct cpu_part part;

	if (latency_is_doubtful(i) || !latency_parts_begin(&parts, sched, i))
		return false;
	while (cpu_parts_next(&parts, &part))
		culprits_add(culprits, &part);
	return true;
}

struct latency_part_row latency_part_row(const struct latency_instance *i,
					 const struct cpu_part *part)
{
	return (struct latency_part_row){
		.what = "",
		.words = "",
		.start = i->start,
		.from = part->from,
		.to = part->to,
		.length = time_between(part->from, part->to),
		.all = (int64_t)latency_duration(i),
		.doubtful = part->doubtful || latency_is_doubtful(i),
	};
}

#define PART(member)	TABLE_MEMBER(struct latency_part_row, member)

static const struct table_column columns[] = {
	{ "start_ns", PART(start), .kind = TABLE_NUMBER },
	TABLE_CLOCK_AT(0),
	{ "part_start_ns", "part starts", PART(from), .kind = TABLE_MOMENT, .width = 15,
	  .align = TABLE_LEFT },
	{ "part_end_ns", PART(to), .kind = TABLE_NUMBER },
	{ .title = "length", PART(length), .kind = TABLE_TIME, .width = 12,
	  TABLE_DOUBT(struct latency_part_row, doubtful) },
	{ .title = "%", .kind = TABLE_PERCENT, PART(length),
	  TABLE_WHOLE(struct latency_part_row, all), .width = 5 },
	{ "what", PART(what) },
	{ .title = "what", PART(words), .width = 1, .align = TABLE_LEFT },
};

const struct table_columns latency_part_columns = { TABLE_COLUMNS(columns), .gap = 1 };
