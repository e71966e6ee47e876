/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace_boots - what is wrong with a buffer that outlasted a reboot.  The kernel checks the part of
 * each CPU by itself.  It may drop one; and it may leave one as it is and write behind it, so that
 * records of an older boot come first.  The clock begins anew with each boot: it goes back there.
 */
#include <string.h>

#include "parsers/source/source.h"
#include "src/trace/stream_walk.h"
#include "src/trace/trace_private.h"

/* The clock mono may go back by some us within a boot (the kernel's ktime_get_mono_fast_ns()). */
#define LEAST_STEP	1000000		/* ns */

/* --- CPUs of which nothing is left -------------------------------------------------------- */

static bool has_events(const struct trace *trace, unsigned int file, int cpu)
{
	bool any = false;

	for (unsigned int i = 0; i < trace->nr_streams; i++) {
		const struct trace_stream *stream = &trace->streams[i];

		any |= stream->source == file && !stream->buffer && stream->has_events &&
		       (cpu < 0 || stream->cpu == cpu);
	}
	return any;
}

/* What the kernel counted; cpu -1: of all. */
static uint64_t counted(const struct source *file, int cpu)
{
	return source_cpu_stat(file, 0, cpu, "\nentries:") +
	       source_cpu_stat(file, 0, cpu, "\nread events:");
}

/* Of a file that was cut, the kernel's counts tell what the cut did not do. */
static void note_lost_cpus(const struct trace *trace, unsigned int file)
{
	const struct source *source = trace->sources[file].file;
	const struct source_info *info = source_info(source);
	bool counts = counted(source, -1);
	struct text cpus = { 0 };
	unsigned int nr = 0;

	if (!has_events(trace, file, -1) || (*info->cuts && !counts))
		return;
	for (int cpu = 0; cpu < info->cpu_count; cpu++)
		if (!has_events(trace, file, cpu) && (!counts || !counted(source, cpu)))
			text_printf(&cpus, "%s%d", nr++ ? ", " : "", cpu);
	if (nr)
		source_add_note(source,
				"nothing is left of CPU%s %s: the boot before recorded no events "
				"there, or they are lost",
				nr > 1 ? "s" : "", text_str(&cpus));
	text_fini(&cpus);
}

/* --- CPUs with records of several boots --------------------------------------------------- */

struct boots {
	unsigned int	nr;		/* times that the clock went back */
	uint64_t	older;		/* events before the last time */
	int64_t		from, to;	/* what it was then */
};

static bool goes_back(const struct trace *trace, int64_t from, int64_t to)
{
	return to < from &&
	       (trace_unit(trace) != TRACE_UNIT_NS || time_between(to, from) >= LEAST_STEP);
}

static struct boots find_boots(const struct trace *trace, unsigned int nr)
{
	const struct trace_clock *clock = &trace->streams[nr].clock;
	struct stream_walk walk = { 0 };
	struct boots boots = { 0 };
	int64_t run = INT64_MIN;
	struct record rec;
	uint64_t events = 0;

	stream_walk_begin(&walk, trace, nr, 0, UINT64_MAX);
	while (stream_walk_page(&walk))
		for (; stream_walk_next(&walk, &rec, walk.native); events++) {
			int64_t ts = trace_clock_ts(clock, rec.ts);

			if (goes_back(trace, run, ts)) {
				boots = (struct boots){ boots.nr + 1, events, run, ts };
				run = ts;
			}
			run = ts > run ? ts : run;
		}
	stream_walk_end(&walk);
	return boots;
}

static void note_boots(const struct trace *trace, unsigned int nr)
{
	const struct trace_stream *stream = &trace->streams[nr];
	struct boots boots = find_boots(trace, nr);
	struct text from = { 0 }, to = { 0 }, events = { 0 };

	if (!boots.nr)
		return;
	trace_time_text(trace, boots.from, 9, &from);
	trace_time_text(trace, boots.to, 9, &to);
	text_count(&events, boots.older);
	source_add_note(trace->sources[stream->source].file,
			"CPU %d has records of %s boots: its clock goes back from %s to %s, so "
			"its first %s records are of %s",
			stream->cpu, boots.nr > 1 ? "several" : "two", text_str(&from),
			text_str(&to), text_str(&events),
			boots.nr > 1 ? "older boots" : "an older boot");
	text_fini(&from);
	text_fini(&to);
	text_fini(&events);
}

void trace_note_boots(const struct trace *trace, unsigned int file)
{
	const struct trace_source *s = &trace->sources[file];

	if (!strstr(source_info(s->file)->extracted, ", of the boot before, "))
		return;
	note_lost_cpus(trace, file);
	for (unsigned int i = s->first_stream; i < s->first_stream + s->nr_streams; i++)
		if (!trace->streams[i].buffer)
			note_boots(trace, i);
}
