/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perfetto_gaps - why nothing was recorded: tracing was off, the machine was suspended, a CPU was
 * offline.  In the whole file a pass over the states of CPUs tells it.  Of a range only its rows
 * are read, so there it is not known which CPUs were offline.
 */
#include <string.h>

#include "src/export/perfetto_private.h"
#include "src/trace/trace_streams.h"

#define RECORDS_PER_JOB	200000u

static void add_slice(struct perfetto *p, unsigned int stream, struct trace_absence absence)
{
	const char *name = trace_absent_name(absence.why, absence.inferred);
	unsigned int cpu = (unsigned int)trace_stream_info(p->trace, stream).cpu;
	const struct time_range *range = &p->what.range;
	int64_t to = absence.to < p->last ? absence.to : p->last;
	uint64_t track;

	if (range->set && absence.from < range->from)
		absence.from = range->from;
	if (absence.from >= to || (p->what.only && (cpu >= p->what.nr_only || !p->what.only[cpu])))
		return;
	track = packet_stream(p, stream);
	packet_named(p, SLICE_BEGIN, absence.from, track, name, strlen(name));
	packet_named(p, SLICE_END, to, track, name, strlen(name));
}

static bool read_some(void *arg)
{
	struct perfetto_gaps *gaps = arg;

	if (sched_pass_step(gaps->pass, RECORDS_PER_JOB) == SCHED_PASS_MORE)
		return true;
	atomic_store(&gaps->done, true);
	return false;
}

bool perfetto_gaps_step(struct perfetto *p)
{
	struct sched_pass_options options = { .file = p->what.file, .no_sums = true,
					      .nameless = true, .workers = trace_workers(p->trace),
					      .stopped = &p->absent.job.stopped };

	if (p->what.range.set)
		return false;
	if (!p->absent.pass) {
		p->absent.pass = sched_pass_new(p->trace, &options);
		sched_job_start(&p->absent.job, trace_workers(p->trace), read_some, &p->absent);
	}
	return !atomic_load(&p->absent.done);
}

static void tell_pass(struct perfetto *p)
{
	const struct sched_pass *pass = p->absent.pass;
	struct trace_absence absence = { .to = INT64_MIN };

	for (unsigned int i = 0; i < sched_pass_nr_cpus(pass); i++, absence.to = INT64_MIN)
		while (sched_rules_absence(sched_pass_rules(pass), i, absence.to, &absence))
			add_slice(p, sched_pass_stream(pass, i), absence);
}

static void tell_range(struct perfetto *p)
{
	for (unsigned int i = 0; i < trace_nr_streams(p->trace); i++) {
		struct trace_stream_info info = trace_stream_info(p->trace, i);
		const struct trace_absence *list;
		uint32_t nr;

		if (info.file != p->what.file)
			continue;
		list = trace_absences(p->trace, info.file, info.buffer, &nr);
		for (uint32_t k = 0; k < nr; k++)
			add_slice(p, i, list[k]);
	}
}

void perfetto_gaps_end(struct perfetto *p)
{
	if (p->what.range.set)
		tell_range(p);
	else if (atomic_load(&p->absent.done))
		tell_pass(p);
	sched_job_stop(&p->absent.job);
	sched_pass_free(p->absent.pass);
}
