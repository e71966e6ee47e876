/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recorder/run/instance.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tracefs.h>
#include <unistd.h>

#include "recorder/plan/plan_cpus.h"
#include "recorder/plan/plan_limits.h"
#include "recorder/plan/plan_modules.h"
#include "recorder/tracefs/dynamic_event.h"
#include "recorder/tracefs/monitors.h"
#include "recorder/tracefs/others.h"
#include "recorder/tracefs/refusal.h"
#include "recorder/tracefs/removal.h"
#include "src/base/memory.h"

#define DEFAULT_SIZE_KB		4096u
#define DEFAULT_TOTAL_KB	(1u << 20)	/* for all CPUs, if no size is given */
#define BUFFER_PERCENT		"25"		/* readers wake early: three quarters are reserve */

/* --- writing ---------------------------------------------------------------------------------- */

/* Write a file of the instance.  The top one is shared, so that goes through the journal. */
static int write_file(struct instance *inst, enum journal_kind kind, const char *file,
		      const char *value, bool append, struct ft_error *err)
{
	int ret;

	if (inst->top)
		ret = journal_write(inst->journal, kind, file, value, append, err);
	else
		ret = tracefs_dir_write(&inst->dir, file, value,
					append ? TRACEFS_DIR_APPEND : TRACEFS_DIR_REPLACE, err);
	return ret ? refusal_add(err, &inst->dir, file, errno, NULL) : 0;
}

int instance_set(struct instance *inst, const char *file, const char *value, struct ft_error *err)
{
	return write_file(inst, JOURNAL_VALUE, file, value, false, err);
}

void instance_error_log(const struct tracefs_dir *dir, struct text *out)
{
	struct text t = { 0 };
	const char *last = NULL;

	if (tracefs_dir_read(dir, "error_log", &t, NULL)) {
		text_fini(&t);
		return;
	}
	/* "[  12.3] event filter parse error: error: …\n  Command: …\n            ^\n" */
	for (const char *p = text_str(&t); *p;
	     p += strcspn(p, "\n") + (p[strcspn(p, "\n")] != '\0'))
		if (*p == '[')
			last = p;
	if (last)
		text_add(out, strchr(last, ']') ? strchr(last, ']') + 2 : last);
	text_fini(&t);
}

/*
 * Add what the kernel wrote to error_log about its last refusal; @before: the whole error_log
 * before that.  Return: false if it wrote nothing, because older entries are about other refusals.
 * Keeps errno.
 */
static bool add_new_error(const struct tracefs_dir *dir, const struct text *before,
			  struct text *notes)
{
	struct text after = { 0 };
	int errnum = errno;
	bool is_new;

	/* entries have a time, so that a repeated mistake differs, too */
	is_new = !tracefs_dir_read(dir, "error_log", &after, NULL) &&
		 strcmp(text_str(before), text_str(&after)) != 0;
	if (is_new)
		instance_error_log(dir, notes);
	text_fini(&after);
	errno = errnum;
	return is_new;
}

/* --- making and taking ------------------------------------------------------------------------ */

static void reset_instance(struct instance *inst)
{
	free(inst->name);
	free(inst->top_size);
	tracefs_dir_close(&inst->dir);
	*inst = (struct instance)INSTANCE_UNUSED;
}

int instance_make(struct instance *inst, const struct tracefs_dir *root, const char *name,
		  struct ft_error *err)
{
	const char *folder = TRACEFS_TEXT("instances/%s", name);

	*inst = (struct instance)INSTANCE_UNUSED;
	inst->root = root;
	if (tracefs_dir_make_instance(root, name)) {
		tracefs_dir_refused(err, errno, "%s/%s: making it", root->path, folder);
		return refusal_add(err, root, "instances", errno, NULL);
	}
	inst->name = mem_strdup(name);
	inst->top_size = tracefs_dir_line(root, "buffer_size_kb");
	if (tracefs_dir_open_below(&inst->dir, root, folder, err))
		return -1;
	/* a new instance has tracing on; while this file is open, nobody can remove the instance */
	inst->tracing_on = tracefs_dir_file(&inst->dir, "tracing_on", O_RDWR, err);
	if (inst->tracing_on < 0)
		return refusal_add(err, &inst->dir, "tracing_on", errno, NULL);
	instance_stop(inst);
	inst->free_fd = tracefs_dir_file(&inst->dir, "free_buffer", O_WRONLY, NULL);
	tracefs_dir_write(&inst->dir, "options/disable_on_free", "1", TRACEFS_DIR_REPLACE, NULL);
	return 0;
}

static int set_busy(struct ft_error *err, const struct tracefs_dir *root, const char *what,
		    const char *value)
{
	return ft_error_set(err, FT_E_IO, -1,
			    "%s: the top instance is in use (%s is %s), and these options need it; "
			    "--force uses it, and restores it afterwards",
			    root->path, what, value);
}

int instance_take_top(struct instance *inst, const struct tracefs_dir *root,
		      struct journal *journal, bool force, struct ft_error *err)
{
	char *tracer = tracefs_dir_line(root, "current_tracer");
	char *events = others_top_event(root);
	char *on = tracefs_dir_line(root, "tracing_on");
	int ret = journal_lock_top(journal, err);

	if (!ret && !force && tracer && strcmp(tracer, "nop"))
		ret = set_busy(err, root, "current_tracer", tracer);
	else if (!ret && !force && on && *on == '1' && events)
		ret = set_busy(err, root, "set_event", events);
	free(tracer);
	free(events);
	free(on);
	if (ret)
		return ret;
	*inst = (struct instance)INSTANCE_UNUSED;
	if (tracefs_dir_open_below(&inst->dir, root, ".", err))
		return -1;
	inst->root = root;
	inst->journal = journal;
	inst->name = mem_strdup("");
	inst->top = true;
	inst->tracing_on = tracefs_dir_file(&inst->dir, "tracing_on", O_RDWR, NULL);
	/* later it is switched by its descriptor, and by triggers */
	return write_file(inst, JOURNAL_MEASURED, "tracing_on", "0", false, err);
}

bool instance_has_tracer(const struct instance *inst, const char *tracer)
{
	struct name_list tracers;
	bool has;

	tracefs_dir_read_words(&inst->dir, "available_tracers", &tracers, NULL);
	has = name_list_has(&tracers, tracer);
	name_list_fini(&tracers);
	return has;
}

/*
 * Before 6.7, once another instance was resized or freed, the kernel no longer expands the top
 * buffer on first use: it stays at 7 KiB.  Write the size that its first user would have got.
 */
static void expand_top(const struct tracefs_dir *root, const char *before)
{
	uint64_t kb;
	char *now;

	if (!before || !strstr(before, "expanded"))
		return;
	kb = tracefs_dir_size_kb(before);
	now = tracefs_dir_line(root, "buffer_size_kb");
	if (now && !strstr(now, "expanded") &&
	    tracefs_dir_size_kb(now) == strtoull(before, NULL, 10))
		tracefs_dir_write_number(root, "buffer_size_kb", (long long)kb, NULL);
	free(now);
}

int instance_end(struct instance *inst, struct ft_error *err)
{
	int ret = 0;

	if (!inst->name)
		return 0;
	instance_stop(inst);
	/* closing it shrinks the buffer, so everything must have been read */
	if (inst->free_fd >= 0)
		close(inst->free_fd);
	expand_top(inst->root, inst->top_size);
	if (inst->tracing_on >= 0)
		close(inst->tracing_on);
	if (!inst->top)
		ret = removal_of_instance(inst->root, inst->name, REMOVAL_OURS, err);
	reset_instance(inst);
	return ret;
}

/* --- sizes ------------------------------------------------------------------------------------ */

uint64_t instance_size_kb(const struct instance *inst)
{
	char *line = tracefs_dir_line(&inst->dir, "buffer_size_kb");
	uint64_t kb = line ? tracefs_dir_size_kb(line) : 0;

	free(line);
	return kb;
}

int instance_resize(struct instance *inst, uint64_t kb, struct ft_error *err)
{
	int ret = write_file(inst, JOURNAL_SIZE, "buffer_size_kb", TRACEFS_TEXT("%" PRIu64, kb),
			     false, err);

	expand_top(inst->root, inst->top_size);
	return ret;
}

/* Set a number that the kernel rounds, or limits, and note what it has set then. */
static int apply_rounded(struct instance *inst, const char *file, long long value,
			 const char *option, const char *unit, struct text *notes,
			 struct ft_error *err)
{
	const char *number = TRACEFS_TEXT("%lld", value);
	char *now = tracefs_dir_line(&inst->dir, file);
	int ret = 0;

	if (!now || strcmp(now, number) != 0)
		ret = instance_set(inst, file, number, err);
	free(now);
	now = ret ? NULL : tracefs_dir_line(&inst->dir, file);
	if (now && strcmp(now, number) != 0)
		text_printf(notes, "%s: the kernel set %s %s\n", option, now, unit);
	free(now);
	return ret;
}

static int apply_sizes(struct instance *inst, const struct record_plan *plan,
		       const struct plan_buffer *b, struct text *notes, struct ft_error *err)
{
	uint64_t kb = b->size_kb ? b->size_kb : DEFAULT_SIZE_KB;

	/* to a power of two of pages */
	if (plan->subbuf_kb && apply_rounded(inst, "buffer_subbuf_size_kb", plan->subbuf_kb,
					     "--subbuf-size", "KiB", notes, err))
		return -1;
	if (plan->syscall_bytes >= 0 && apply_rounded(inst, PLAN_SYSCALL_BYTES, plan->syscall_bytes,
						      "--syscall-bytes", "bytes", notes, err))
		return -1;
	if (!b->size_kb && kb * plan->nr_cpus > DEFAULT_TOTAL_KB)
		kb = DEFAULT_TOTAL_KB / plan->nr_cpus;
	if (instance_resize(inst, kb, err))
		return -1;
	if (b->size_kb && instance_size_kb(inst) < kb)
		text_printf(notes, "-b: the kernel allocated only %" PRIu64 " KiB for each CPU\n",
			    instance_size_kb(inst));
	/* older kernels have no such file: readers wake more often there */
	instance_set(inst, "buffer_percent", BUFFER_PERCENT, NULL);
	return 0;
}

/* --- CPUs, options ---------------------------------------------------------------------------- */

static int apply_cpus(struct instance *inst, const struct record_plan *plan,
		      const struct plan_buffer *b, struct ft_error *err)
{
	struct text mask = { 0 };
	int ret;

	if (!b->cpus)
		return 0;
	plan_cpus_text(plan, b->cpus, &mask);
	ret = instance_set(inst, "tracing_cpumask", text_str(&mask), err);
	text_fini(&mask);
	return ret;
}

/*
 * options/NAME accepts 0 and 1 at any time; trace_options knows a tracer's options only while the
 * tracer is set.
 */
static int set_option(struct instance *inst, const char *name, bool on, struct ft_error *err)
{
	return instance_set(inst, TRACEFS_TEXT("options/%s", name), on ? "1" : "0", err);
}

/* Set an option of the plan.  On older kernels all instances share a tracer's options. */
static int set_asked_option(struct instance *inst, const char *name, bool on, struct ft_error *err)
{
	const char *file = TRACEFS_TEXT("options/%s", name);
	int ret;

	if (inst->top)
		return set_option(inst, name, on, err);
	if (!tracefs_dir_has(&inst->dir, file) && tracefs_dir_has(inst->root, file))
		return ft_error_set(
			err, FT_E_UNSUPPORTED, -1,
			"-O %s%s: only the top instance has this option; --top records there",
			on ? "" : "no", name);
	if (journal_save(inst->journal, JOURNAL_VALUE, file, err))
		return -1;
	ret = set_option(inst, name, on, err);
	return journal_note(inst->journal, file, ret ? NULL : err) || ret ? -1 : 0;
}

static bool has_option(const struct instance *inst, const char *name)
{
	return tracefs_dir_has(&inst->dir, TRACEFS_TEXT("options/%s", name));
}

/* @missing: receives options that do not exist yet; NULL: such an option is an error. */
static int apply_options(struct instance *inst, const struct name_list *options,
			 struct name_list *missing, struct ft_error *err)
{
	for (size_t i = 0; i < options->nr; i++) {
		const char *name = options->names[i];
		bool off = !has_option(inst, name) && !strncmp(name, "no", 2);

		if (missing && !has_option(inst, off ? name + 2 : name))
			name_list_add(missing, name);
		else if (set_asked_option(inst, off ? name + 2 : name, !off, err))
			return -1;
	}
	return 0;
}

/* --- pids, functions -------------------------------------------------------------------------- */

static bool traces_functions(const struct plan_buffer *b)
{
	return b->tracer && !strncmp(b->tracer, "function", 8);
}

static int apply_pids(struct instance *inst, const struct record_plan *plan,
		      const struct plan_buffer *b, const char *pids, struct ft_error *err)
{
	if (!*pids)
		return 0;
	if (set_option(inst, "event-fork", plan->children, plan->children ? err : NULL) &&
	    plan->children)
		return -1;
	if (write_file(inst, JOURNAL_PIDS, "set_event_pid", pids, false, err))
		return -1;
	if (!traces_functions(b))
		return 0;
	if (set_option(inst, "function-fork", plan->children, plan->children ? err : NULL) &&
	    plan->children)
		return -1;
	return write_file(inst, JOURNAL_PIDS, "set_ftrace_pid", pids, false, err);
}

static int apply_list(struct instance *inst, const char *file, const struct name_list *patterns,
		      struct ft_error *err)
{
	for (size_t i = 0; i < patterns->nr; i++)
		if (write_file(inst, JOURNAL_LIST, file, patterns->names[i], i > 0, err))
			return -1;
	return 0;
}

/*
 * Are there functions to trace?  "FUNC:traceoff" works without a tracer, "FUNC:mod:ext4" does not.
 */
static bool names_functions(const struct name_list *patterns)
{
	for (size_t i = 0; i < patterns->nr; i++)
		if (!strchr(patterns->names[i], ':') || strstr(patterns->names[i], ":mod:"))
			return true;
	return false;
}

bool instance_hides_functions(const struct record_plan *plan, const struct plan_buffer *b)
{
	return traces_functions(b) && !plan->pids.nr && !plan->only_command &&
	       !names_functions(&b->functions) && !plan->graph.nr && !plan->max_graph_depth;
}

void instance_hide_functions(struct instance *inst, const int *tids, unsigned int nr)
{
	struct text t = { 0 };

	for (unsigned int i = 0; i < nr; i++)
		text_printf(&t, "%s%d", i ? " " : "", tids[i]);
	/* kernels before 5.7 lack the file, so they are recorded */
	write_file(inst, JOURNAL_PIDS, "set_ftrace_notrace_pid", text_str(&t), false, NULL);
	text_fini(&t);
}

static int apply_functions(struct instance *inst, const struct plan_buffer *b, struct text *notes,
			   struct ft_error *err)
{
	if (apply_list(inst, "set_ftrace_filter", &b->functions, err) ||
	    apply_list(inst, "set_ftrace_notrace", &b->notrace, err))
		return -1;
	if ((!b->tracer || !strcmp(b->tracer, "nop")) &&
	    (names_functions(&b->functions) || b->notrace.nr))
		text_add(notes,
			 "-l and -n have no effect without -p function or -p function_graph\n");
	return 0;
}

/* The tracer blk records nothing from a disk unless that is enabled for the disk. */
static void note_disks(const struct plan_buffer *b, struct text *notes)
{
	struct name_list disks = { 0 };
	struct tracefs_dir block;
	bool any = false;

	if (!b->tracer || strcmp(b->tracer, "blk") != 0 ||
	    tracefs_dir_open(&block, "/sys/block", NULL))
		return;
	tracefs_dir_list(&block, "", &disks, NULL);
	for (size_t i = 0; i < disks.nr && !any; i++) {
		long long on = 0;

		tracefs_dir_read_number(&block, TRACEFS_TEXT("%s/trace/enable", disks.names[i]),
					&on, NULL);
		any = on != 0;
	}
	if (!any)
		text_add(
			notes,
			"-p blk only records disks whose /sys/block/DISK/trace/enable is 1; no disk has that (partitions have their own)\n");
	name_list_fini(&disks);
	tracefs_dir_close(&block);
}

int instance_apply_graph(struct journal *journal, const struct tracefs_dir *root,
			 const struct record_plan *plan, struct ft_error *err)
{
	/* what all share is written as to the top instance */
	struct instance shared = { .root = root, .journal = journal, .dir = *root, .top = true };

	if (apply_list(&shared, "set_graph_function", &plan->graph, err) ||
	    apply_list(&shared, "set_graph_notrace", &plan->graph_notrace, err))
		return -1;
	if (!plan->max_graph_depth)
		return 0;
	return instance_set(&shared, "max_graph_depth", TRACEFS_TEXT("%lld", plan->max_graph_depth),
			    err);
}

/* The kernel's error, and what it means here. */
static int enable_monitor(struct journal *journal, const struct tracefs_dir *root, const char *name,
			  struct ft_error *err)
{
	const char *file = MONITORS_FILE(name, "enable");
	struct ft_error refused = { 0 };

	if (!journal_write(journal, JOURNAL_VALUE, file, "1", false, &refused))
		return 0;
	if (errno == EBUSY)
		return ft_error_set(
			err, FT_E_IO, -1,
			"%s: the monitors of tasks that are enabled are as many as this kernel can "
			"have (CONFIG_RV_PER_TASK_MONITORS)",
			refused.message);
	if (err)
		*err = refused;
	return refusal_add(err, root, file, errno, MONITORS_CONFIG);
}

int instance_apply_monitors(struct journal *journal, const struct tracefs_dir *root,
			    const struct record_plan *plan, struct ft_error *err)
{
	struct instance shared = { .root = root, .journal = journal, .dir = *root, .top = true };
	const struct name_list *monitors = &plan->enabled_monitors;

	/* the plan has made sure that it is on, but with --force */
	if (monitors->nr && plan->force && instance_set(&shared, MONITORS_ON, "1", err))
		return -1;
	for (size_t i = 0; i < monitors->nr; i++)
		if (enable_monitor(journal, root, monitors->names[i], err))
			return -1;
	return 0;
}

/* --- events ----------------------------------------------------------------------------------- */

static int event_file(struct instance *inst, enum journal_kind kind,
		      const struct plan_catalog_event *e, const char *what, const char *value,
		      struct text *notes, struct ft_error *err)
{
	const char *file = TRACEFS_TEXT("events/%s/%s/%s", e->system, e->name, what);
	struct text before = { 0 };
	int ret;

	tracefs_dir_read(&inst->dir, "error_log", &before, NULL);
	ret = write_file(inst, kind, file, value, kind == JOURNAL_TRIGGER, err);
	/* the errno for unparsable input varies; the kernel's log says more */
	if (ret && add_new_error(&inst->dir, &before, notes))
		ft_error_set(err, FT_E_IO, -1, "%s/%s: writing '%.60s%s': %s; the reason is above",
			     inst->dir.path, file, value, strlen(value) > 60 ? "..." : "",
			     tracefs_dir_errno(errno));
	text_fini(&before);
	return ret;
}

static int apply_filters(struct instance *inst, const struct record_plan *plan,
			 const struct plan_buffer *b, struct text *notes, struct ft_error *err)
{
	const struct plan_catalog *c = &plan->catalog;

	for (size_t i = 0; i < c->nr; i++)
		if (b->enabled[i] && b->filters[i] &&
		    event_file(inst, JOURNAL_FILTER, &c->events[i], "filter", b->filters[i], notes,
			       err))
			return -1;
	return 0;
}

/*
 * A histogram of times switches its buffer to a clock of its own, "global" if it names none: give
 * it that which the file says.
 */
static char *with_clock(const struct instance *inst, const char *trigger)
{
	const char *filter = strstr(trigger, " if ");
	struct text t = { 0 };
	char *clock;

	text_bytes(&t, trigger, filter ? (size_t)(filter - trigger) : strlen(trigger));
	if (!strncmp(trigger, "hist:", 5) && strstr(text_str(&t), "common_timestamp") &&
	    !strstr(text_str(&t), ":clock=")) {
		clock = tracefs_dir_line(&inst->dir, "trace_clock");
		if (clock)
			text_printf(&t, ":clock=%s", tracefs_dir_chosen(clock));
		free(clock);
	}
	text_add(&t, filter ? filter : "");
	return t.data;
}

/* @e: one of those that the event of the plan means */
static int apply_triggers_of(struct instance *inst, const struct plan_event *event,
			     const struct plan_catalog_event *e, struct text *notes,
			     struct ft_error *err)
{
	int ret = 0;

	for (size_t t = 0; t < event->triggers.nr && !ret; t++) {
		char *trigger = with_clock(inst, event->triggers.names[t]);

		ret = event_file(inst, JOURNAL_TRIGGER, e, "trigger", trigger, notes, err);
		free(trigger);
	}
	return ret;
}

int instance_apply_triggers(struct instance *inst, const struct record_plan *plan,
			    const struct plan_buffer *b, struct text *notes, struct ft_error *err)
{
	const struct plan_catalog *c = &plan->catalog;

	for (size_t k = 0; k < b->nr_events; k++)
		for (size_t i = 0; i < c->nr; i++)
			if (record_plan_event_matches(b->events[k].pattern, &c->events[i]) &&
			    apply_triggers_of(inst, &b->events[k], &c->events[i], notes, err))
				return -1;
	return 0;
}

/* The last filter for it that it has the fields for, as of the others; NULL: none. */
static const char *filter_of(const struct instance *inst, const struct plan_buffer *b,
			     const struct plan_catalog_event *e)
{
	struct text format = { 0 };
	const char *filter = NULL;

	tracefs_dir_read(&inst->dir, TRACEFS_TEXT("events/%s/%s/format", e->system, e->name),
			 &format, NULL);
	for (size_t k = 0; k < b->nr_events; k++)
		if (b->events[k].filter && record_plan_event_matches(b->events[k].pattern, e) &&
		    record_plan_filter_fits(b->events[k].filter, text_str(&format), NULL))
			filter = b->events[k].filter;
	text_fini(&format);
	return filter;
}

int instance_add_event(struct instance *inst, const struct plan_buffer *b,
		       const struct plan_catalog_event *e, struct text *notes, struct ft_error *err)
{
	const char *filter = filter_of(inst, b, e);

	if (filter && event_file(inst, JOURNAL_FILTER, e, "filter", filter, notes, err))
		return -1;
	for (size_t k = 0; k < b->nr_events; k++)
		for (size_t t = 0; t < b->events[k].triggers.nr; t++)
			if (record_plan_event_matches(b->events[k].pattern, e) &&
			    event_file(inst, JOURNAL_TRIGGER, e, "trigger",
				       b->events[k].triggers.names[t], notes, err))
				return -1;
	return instance_set(inst, TRACEFS_TEXT("events/%s/%s/enable", e->system, e->name), "1",
			    err);
}

/* Does the plan enable all events of one system, from @first to @end? */
static bool all_enabled(const struct plan_buffer *b, size_t first, size_t end)
{
	for (size_t i = first; i < end; i++)
		if (!b->enabled[i])
			return false;
	return true;
}

/* Enable the events of one system, from @first to @end.  @err: receives the first refusal. */
static void enable_system(struct instance *inst, const struct record_plan *plan,
			  const struct plan_buffer *b, size_t first, size_t end,
			  unsigned int *refused, unsigned int *done, struct ft_error *err)
{
	const struct plan_catalog *c = &plan->catalog;
	const char *file;

	if (!inst->top && end - first > 1 && all_enabled(b, first, end)) {
		file = TRACEFS_TEXT("events/%s/enable", c->events[first].system);
		if (!tracefs_dir_write(&inst->dir, file, "1", TRACEFS_DIR_REPLACE, NULL)) {
			*done += (unsigned int)(end - first);
			return;
		}
	}
	for (size_t i = first; i < end; i++) {
		if (!b->enabled[i])
			continue;
		file = TRACEFS_TEXT("events/%s/%s/enable", c->events[i].system, c->events[i].name);
		if (instance_set(inst, file, "1", *refused ? NULL : err))
			++*refused;
		else
			++*done;
	}
}

/*
 * An event that the kernel refuses, such as one among thousands of "-e all", is left out with a
 * note.  If it refuses all of them, that is an error.
 */
static int apply_events(struct instance *inst, const struct record_plan *plan,
			const struct plan_buffer *b, struct text *notes, struct ft_error *err)
{
	const struct plan_catalog *c = &plan->catalog;
	struct ft_error first_error = { 0 };
	unsigned int refused = 0, done = 0;

	for (size_t i = 0, end; i < c->nr; i = end) {
		for (end = i + 1;
		     end < c->nr && !strcmp(c->events[i].system, c->events[end].system); end++)
			;
		enable_system(inst, plan, b, i, end, &refused, &done, &first_error);
	}
	if (refused && !done) {
		*err = first_error;
		return -1;
	}
	if (refused)
		text_printf(notes, "%u event%s could not be enabled; the first: %s\n", refused,
			    PLURAL(refused), first_error.message);
	return 0;
}

/* In the top instance: what is on there is switched on again, whatever is done by module. */
static int save_events(struct instance *inst, struct ft_error *err)
{
	struct name_list names;
	int ret = 0;

	tracefs_dir_read_lines(&inst->dir, "set_event", &names, NULL);
	for (size_t i = 0; i < names.nr && !ret; i++) {
		char *colon = strchr(names.names[i], ':');

		if (colon && !strstr(names.names[i], PLAN_MODULE)) {
			*colon = '/';
			ret = journal_save(inst->journal, JOURNAL_VALUE,
					   TRACEFS_TEXT("events/%s/enable", names.names[i]), err);
		}
	}
	name_list_fini(&names);
	return ret;
}

static int apply_module(struct instance *inst, const struct plan_event *event, struct ft_error *err)
{
	static const char file[] = "set_event";

	if (inst->top && save_events(inst, err))
		return -1;
	if (event->negated)
		return tracefs_dir_write(&inst->dir, file, TRACEFS_TEXT("!%s", event->pattern),
					 TRACEFS_DIR_APPEND, err);
	return write_file(inst, JOURNAL_EVENTS, file, event->pattern, true, err);
}

/* Events that the kernel finds by their module, in the order of the options. */
static int apply_modules(struct instance *inst, const struct plan_buffer *b, struct ft_error *err)
{
	for (size_t k = 0; k < b->nr_events; k++) {
		const struct plan_event *event = &b->events[k];
		struct ft_error refused = { 0 };

		if (!event->of_module || !apply_module(inst, event, &refused))
			continue;
		if (errno == EINVAL)
			return ft_error_set(err, FT_E_IO, -1, "%s: the module has no such event",
					    refused.message);
		*err = refused;
		return -1;
	}
	return 0;
}

/* --- all of it -------------------------------------------------------------------------------- */

static int apply_tracer(struct instance *inst, const struct plan_buffer *b,
			const struct name_list *late, struct ft_error *err)
{
	/* the maximum of an earlier run would hide ours */
	if (b->tracer && tracefs_dir_has(&inst->dir, "tracing_max_latency"))
		write_file(inst, JOURNAL_MEASURED, "tracing_max_latency", "0", false, NULL);
	if (b->tracer && instance_set(inst, "current_tracer", b->tracer, err))
		return -1;
	return apply_options(inst, late, NULL, err);
}

const char *instance_clock(const struct plan_buffer *b)
{
	if (b->clock)
		return b->clock;
	/*
	 * the times of calls always come from that clock;
	 * the branch tracer also records branches in clock reads, for which it reads the clock
	 * again: with a slow clock (hpet) the machine does nothing else
	 */
	if (b->tracer && (!strcmp(b->tracer, "function_graph") || !strcmp(b->tracer, "branch")))
		return "local";
	return "mono";
}

static int apply_clock(struct instance *inst, const struct plan_buffer *b, struct ft_error *err)
{
	char *line = tracefs_dir_line(&inst->dir, "trace_clock");
	const char *clock = instance_clock(b);
	int ret = 0;

	if (!line || strcmp(tracefs_dir_chosen(line), clock))
		ret = write_file(inst, JOURNAL_CHOICE, "trace_clock", clock, false,
				 b->clock ? err : NULL);
	free(line);
	return b->clock ? ret : 0;	/* an old kernel has no mono clock: keep its default */
}

int instance_apply(struct instance *inst, const struct record_plan *plan,
		   const struct plan_buffer *b, const char *pids, struct text *notes,
		   struct ft_error *err)
{
	struct name_list late = { 0 };
	int ret = -1;

	set_option(inst, "record-tgid", true, NULL);
	/* kernels since 6.16 can copy the marks that programs write to the top instance */
	if (!inst->top && !b->name[0])
		set_option(inst, "copy_trace_marker", true, NULL);
	if (plan->func_stack && traces_functions(b))
		name_list_add(&late, "func_stack_trace");
	if (apply_clock(inst, b, err) || apply_sizes(inst, plan, b, notes, err) ||
	    apply_cpus(inst, plan, b, err) || apply_options(inst, &b->options, &late, err) ||
	    apply_functions(inst, b, notes, err) || apply_pids(inst, plan, b, pids, err) ||
	    apply_filters(inst, plan, b, notes, err) || apply_events(inst, plan, b, notes, err) ||
	    apply_modules(inst, b, err) || apply_tracer(inst, b, &late, err))
		goto out;
	note_disks(b, notes);
	/* do not record old data of other users of the top one */
	if (inst->top)
		tracefs_dir_write(&inst->dir, "trace", "", TRACEFS_DIR_REPLACE, NULL);
	ret = 0;
out:
	name_list_fini(&late);
	return ret;
}

int instance_define_probes(struct journal *journal, const struct tracefs_dir *root,
			   const struct record_plan *plan, struct text *notes, struct ft_error *err)
{
	int ret = 0;

	for (size_t i = 0; i < plan->nr_probes && !ret; i++) {
		const struct plan_probe *p = &plan->probes[i];
		const char *name = TRACEFS_TEXT("%s/%s", p->system, p->name);
		struct text before = { 0 };

		tracefs_dir_read(root, "error_log", &before, NULL);
		ret = journal_dynamic(journal, name, err);
		if (!ret) {
			ret = dynamic_event_define(root, p->system, p->name, p->definition, err);
			if (ret && !add_new_error(root, &before, notes) && errno == EINVAL)
				text_add(
					notes,
					"the kernel gives no reason; it may not support this kind of event\n");
			if (ret)
				journal_unmade(journal, name);
		}
		text_fini(&before);
	}
	return ret;
}

/* In the catalog: is it a probe of limits? */
static bool is_of_limits(const struct record_plan *plan, size_t event)
{
	return plan->nr_limit_probes &&
	       !strcmp(plan->catalog.events[event].system, PLAN_LIMITS_SYSTEM);
}

static bool enables_limits(const struct record_plan *plan)
{
	for (size_t b = 0; b < plan->nr_buffers; b++)
		for (size_t i = 0; i < plan->catalog.nr; i++)
			if (is_of_limits(plan, i) && plan->buffers[b].enabled[i])
				return true;
	return false;
}

static void leave_limits_out(const struct record_plan *plan)
{
	for (size_t b = 0; b < plan->nr_buffers; b++)
		for (size_t i = 0; i < plan->catalog.nr; i++)
			if (is_of_limits(plan, i))
				plan->buffers[b].enabled[i] = false;
}

void instance_define_limits(struct journal *journal, const struct tracefs_dir *root,
			    const struct record_plan *plan)
{
	bool any = enables_limits(plan), done = journal;
	unsigned int nr;

	for (nr = 0; any && done && nr < plan->nr_limit_probes; nr++) {
		const struct plan_probe *p = &plan->limit_probes[nr];
		const char *name = TRACEFS_TEXT("%s/%s", p->system, p->name);

		done = !journal_dynamic(journal, name, NULL) &&
		       !dynamic_event_define(root, p->system, p->name, p->definition, NULL);
		if (!done)
			journal_unmade(journal, name);
	}
	if (any && !done)
		leave_limits_out(plan);
}

int instance_start(struct instance *inst, struct ft_error *err)
{
	if (tracefs_trace_on_fd(inst->tracing_on))
		return ft_error_errno(err, errno, -1, "%s/tracing_on: cannot start tracing",
				      inst->dir.path);
	return 0;
}

void instance_stop(struct instance *inst)
{
	if (inst->tracing_on >= 0 && tracefs_trace_off_fd(inst->tracing_on))
		errno = 0;	/* tracefs is gone, and the instance with it */
}

bool instance_is_on(const struct instance *inst)
{
	char c = '0';

	return pread(inst->tracing_on, &c, 1, 0) == 1 && c == '1';
}

void instance_read_stats(const struct instance *inst, int cpu, struct instance_stats *stats)
{
	static const struct { const char *name; size_t offset; } fields[] = {
		{ "entries: ", offsetof(struct instance_stats, entries) },
		{ "\noverrun: ", offsetof(struct instance_stats, lost) },
		{ "\ncommit overrun: ", offsetof(struct instance_stats, lost) },
		{ "\nbytes: ", offsetof(struct instance_stats, bytes) },
		{ "\ndropped events: ", offsetof(struct instance_stats, lost) },
		{ "\nread events: ", offsetof(struct instance_stats, read) },
	};
	struct text t = { 0 };

	*stats = (struct instance_stats){ 0 };
	tracefs_dir_read(&inst->dir, TRACEFS_TEXT("per_cpu/cpu%d/stats", cpu), &t, NULL);
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		const char *p = strstr(text_str(&t), fields[i].name);

		if (p)
			*(uint64_t *)((char *)stats +
				      fields[i].offset) += strtoull(p + strlen(fields[i].name),
								    NULL, 10);
	}
	text_fini(&t);
}
