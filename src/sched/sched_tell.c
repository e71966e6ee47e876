/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/sched/sched_tell.h"

#include <inttypes.h>
#include <string.h>

#include "src/events/verdicts.h"
#include "src/sched/kept_tasks.h"
#include "src/sched/limits/sched_limits.h"
#include "src/sched/wait_parts.h"
#include "src/trace/warnings.h"

void sched_tell_missing(const struct trace *trace, uint64_t missing)
{
	if (missing)
		warnings_tell("missing switches: at least %" PRIu64
			      ", %s: what tasks did meanwhile may be wrong",
			      missing, trace_missing_words(trace, -1));
}

void sched_tell_left_out(const char *left_out)
{
	if (left_out)
		warnings_tell("%s", left_out);
}

void sched_tell_lost(const struct sched_pass *pass)
{
	const char *lost = sched_pass_lost(pass);

	if (lost && !sched_pass_left_out(pass))
		warnings_tell("%s", lost);
}

void sched_tell_absence(const char *absent)
{
	if (absent && *absent)
		warnings_tell("%s: " SCHED_ABSENT_WORDS, absent);
}

/* What was not recorded, so that figures are not known. */
static void tell_lacks(const struct sched_pass *pass)
{
	struct trace *trace = sched_pass_trace(pass);
	struct sched_feed_totals totals = sched_pass_totals(pass);
	bool is_seen = sched_pass_is_seen(pass);

	if (trace_is_of_tasks(trace, 0))
		warnings_tell(TRACE_OF_TASKS);
	else if (!totals.sched_records && source_nr_warnings(trace_file_of(trace, 0)))
		warnings_tell("what can be read of the trace has no sched events");
	else if (!totals.sched_records)
		warnings_tell(
			"the trace has no sched events%s; to record them: "
			"ftop-trace record -e sched_switch -e sched_waking -e sched_wakeup -e sched_wakeup_new COMMAND",
			is_seen ? ", so CPUs show where events are, not what ran" : "");
	else if (!totals.switches)
		warnings_tell(
			"the trace has no sched_switch events: who ran, and for how long, is unknown%s",
			is_seen ? "; CPUs show where events are, not what ran" : "");
	else if (sched_pass_lacks(pass))
		warnings_tell("%s; to record them: -e sched_waking", sched_pass_lacks(pass));
}

void sched_tell_queues(const struct sched_pass *pass)
{
	struct sched_feed_totals totals = sched_pass_totals(pass);

	if (totals.wakings && totals.wakes == totals.wakings)
		warnings_tell("%s; to record: -e sched_wakeup -e sched_migrate_task",
			      verdict_words(VERDICT_GUESSED_QUEUES, false));
}

static void tell_limit(void *arg, const struct who_cgroup *c)
{
	const struct sched_limits *limits = arg;
	int64_t times = who_cgroup_growth(c, c->first.throttled, c->last.throttled);
	struct text path = { 0 };

	if (times <= 0 || (limits && sched_limits_places(limits, c->path)))
		return;
	text_printable(&path, c->path, strlen(c->path));
	warnings_tell("%s was throttled %" PRId64
		      " times, and records do not tell when%s: its tasks may have waited for that "
		      "where others are named%s",
		      text_str(&path), times, limits ? " each time" : "",
		      limits ? "" : "; to record: -e sched -e timer:hrtimer_expire_entry");
	text_fini(&path);
}

void sched_tell_limits(const struct sched_pass *pass, unsigned int file)
{
	trace_cgroups(sched_pass_trace(pass), file, tell_limit, (void *)sched_pass_limits(pass));
}

void sched_tell_unexplained(const struct sched_pass *pass, unsigned int file)
{
	struct text words = { 0 };

	wait_unexplained_text(sched_pass_trace(pass), file, &words);
	warnings_tell("CPUs were idle while tasks waited for them: %s", text_str(&words));
	text_fini(&words);
}

int sched_tell_full(struct trace *trace, unsigned int file, struct ft_error *err)
{
	return ft_error_set(err, FT_E_LIMIT, -1, "%s: more than %u tasks, the limit of the kernel",
			    trace_path(trace, file), SCHED_MAX_TASKS);
}

static void tell_none(const struct sched_pass *pass, const struct filter_given *given, bool any)
{
	if (!any && sched_pass_totals(pass).sched_records && (given->nr_tasks || given->cpus))
		warnings_tell("%s%s%s: the trace has no sched events of %s",
			      given->nr_tasks ? "--task" : "",
			      given->nr_tasks && given->cpus ? " and " : "",
			      given->cpus ? "--cpu" : "",
			      given->nr_tasks ? "this task" : "these CPUs");
}

void sched_tell(const struct sched_pass *pass, const struct filter_given *given, bool any)
{
	struct text absent = { 0 }, others = { 0 };

	sched_tell_missing(sched_pass_trace(pass), sched_rules_missing(sched_pass_rules(pass)));
	sched_pass_absent(pass, &absent);
	sched_tell_absence(text_str(&absent));
	text_fini(&absent);
	sched_tell_left_out(sched_pass_left_out(pass));
	if (sched_pass_other_buffers(pass, &others))
		warnings_tell("%s; cut --buffer takes one alone", text_str(&others));
	text_fini(&others);
	tell_lacks(pass);
	tell_none(pass, given, any);
}

void sched_tell_nothing_kept(const struct sched_pass *pass, const struct event_sweep_options *what)
{
	struct kept_tasks kept = { 0 };

	if (!what->nr_filters)
		return;
	kept_tasks_begin(&kept, sched_pass_trace(pass), what->file, sched_pass_buffer(pass),
			 what->filters, what->nr_filters);
	kept_tasks_take(&kept, true);
	if (!kept_tasks_any(&kept))
		warnings_tell("nothing matches");
	kept_tasks_fini(&kept);
}
