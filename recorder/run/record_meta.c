/* SPDX-License-Identifier: GPL-2.0-or-later */
/* record_meta - the machine's metadata in the file: formats, symbols, names, clocks, counters. */
#include "recorder/run/record_state.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/wait.h>

#include "parsers/pages/raw_page.h"
#include "recorder/plan/plan_modules.h"
#include "recorder/run/machine_lines.h"
#include "src/base/memory.h"
#include "src/base/small_file.h"

/* bytes of a CPU that go through a ring (-m): a screen follows as much, with pages of 4 KiB */
#define RING_ROOM	(1ull << 40)
#define MAX_SYMBOLS	(256u << 20)	/* bytes of kallsyms, of BTF; both have some MiB */
/* interval for looking up names, if those of ended tasks do not arrive by themselves */
#define COMMS_TICKS	5

/* --check makes no instances. */
static bool is_recorded_to(const struct recording *r, size_t b)
{
	return r->plan->check_only ? record_uses(r->plan, b) : r->instances[b].name != NULL;
}

/* The buffer with the unnamed one's format: the first one in use. */
static size_t first_buffer(const struct recording *r)
{
	for (size_t b = 0; b < r->plan->nr_buffers; b++)
		if (is_recorded_to(r, b))
			return b;
	return 0;
}

static const struct tracefs_dir *first_dir(const struct recording *r)
{
	const struct instance *inst = &r->instances[first_buffer(r)];

	return inst->name ? &inst->dir : r->root;
}

void record_meta_format(struct recording *r, const char *system, const char *name)
{
	struct text format = { 0 };

	tracefs_dir_read(r->root, TRACEFS_TEXT("events/%s/%s/format", system, name), &format, NULL);
	if (format.len)
		output_event_format(r->output, system, &format);
	text_fini(&format);
}

/* "enable_event:sched:sched_switch:3 if ..." */
static bool is_enabled_by(const char *trigger, const struct plan_catalog_event *e)
{
	size_t system = strlen(e->system), name = strlen(e->name);

	if (strncmp(trigger, "enable_event:", 13))
		return false;
	trigger += 13;
	return !strncmp(trigger, e->system, system) && trigger[system] == ':' &&
	       !strncmp(trigger + system + 1, e->name, name) &&
	       (!trigger[system + 1 + name] || strchr(": ", trigger[system + 1 + name]));
}

/* May a buffer contain the event: is it enabled by the plan, by a trigger, or by a function's? */
static bool is_wanted(const struct plan_buffer *b, size_t i, const struct plan_catalog_event *e)
{
	bool wanted = b->enabled[i];

	for (size_t k = 0; k < b->functions.nr; k++) {
		const char *command = strchr(b->functions.names[k], ':');

		wanted |= command && is_enabled_by(command + 1, e);
	}
	for (size_t k = 0; k < b->nr_events; k++)
		for (size_t t = 0; t < b->events[k].triggers.nr; t++)
			wanted |= is_enabled_by(b->events[k].triggers.names[t], e);
	return wanted;
}

/* May any of the buffers contain it? */
static bool is_recorded(const struct recording *r, size_t event)
{
	const struct plan_catalog_event *e = &r->plan->catalog.events[event];
	bool wanted = false;

	for (size_t b = 0; b < r->plan->nr_buffers; b++)
		wanted |= is_wanted(&r->plan->buffers[b], event, e);
	return wanted;
}

/*
 * Lines of set_event, "system:event": what is on though the plan does not name it.  That is what
 * others enabled in the top instance, which --force records, too; and what is of modules.
 */
static void others_events(const struct recording *r, struct text *lines)
{
	struct text t = { 0 };

	for (size_t b = 0; b < r->plan->nr_buffers; b++)
		if (r->instances[b].name &&
		    (r->instances[b].top || plan_modules_have(&r->plan->buffers[b])) &&
		    !tracefs_dir_read(&r->instances[b].dir, "set_event", &t, NULL))
			text_add(lines, text_str(&t));
	text_fini(&t);
}

static bool has_modules(const struct recording *r)
{
	for (size_t b = 0; b < r->plan->nr_buffers; b++)
		if (plan_modules_have(&r->plan->buffers[b]))
			return true;
	return false;
}

void record_meta_late_formats(struct recording *r)
{
	struct ft_error err = { 0 };
	struct name_list names = { 0 };
	struct text now = { 0 };

	if (has_modules(r))
		others_events(r, &now);
	if (strcmp(text_str(&now), text_str(&r->events_seen)) != 0) {
		name_list_lines(&names, text_str(&now));
		text_clear(&r->events_seen);
		text_add(&r->events_seen, text_str(&now));
	}
	for (size_t i = 0; i < names.nr; i++) {
		char *colon = strchr(names.names[i], ':');

		if (!colon || strstr(names.names[i], PLAN_MODULE))
			continue;
		*colon = '\0';
		record_meta_format(r, names.names[i], colon + 1);
	}
	if (output_late_formats(r->output, &err))
		text_printf(&r->result->notes, "%s\n", err.message);
	name_list_fini(&names);
	text_fini(&now);
}

/* Does a line of set_event still wait for the event's module? */
static bool waits(const struct plan_event *event, const struct name_list *lines)
{
	const char *module = event->of_module ? strstr(event->pattern, PLAN_MODULE) : NULL;

	for (size_t i = 0; i < lines->nr && module && !event->negated; i++) {
		const char *waiting = strstr(lines->names[i], PLAN_MODULE);

		if (waiting && !strcmp(waiting, module))
			return true;
	}
	return false;
}

static void tell_modules(struct recording *r)
{
	struct name_list lines = { 0 };

	name_list_lines(&lines, text_str(&r->events_seen));
	for (size_t b = 0; b < r->plan->nr_buffers; b++)
		for (size_t k = 0; k < r->plan->buffers[b].nr_events; k++)
			if (waits(&r->plan->buffers[b].events[k], &lines))
				text_printf(&r->result->notes,
					    "-e %s: the module was not loaded: nothing of it is "
					    "recorded\n",
					    r->plan->buffers[b].events[k].pattern);
	name_list_fini(&lines);
}

static void add_system(struct recording *r, const char *system)
{
	struct name_list events = { 0 };

	tracefs_dir_folders(r->root, TRACEFS_TEXT("events/%s", system), &events, NULL);
	for (size_t i = 0; i < events.nr; i++)
		record_meta_format(r, system, events.names[i]);
	name_list_fini(&events);
}

/* Are formats and symbols of now none of the boot that filled the buffer? */
static bool is_of_then(const struct recording *r)
{
	return r->last_boot && !r->same_kernel;
}

/* What that boot had; nothing if that is not known. */
static void read_then(const struct recording *r, const char *name, struct text *out)
{
	text_clear(out);
	if (r->saved_boot)
		saved_boot_file(r->saved_boot, name, out);
}

static void add_saved_format(void *arg, const char *system, const struct text *format)
{
	struct recording *r = arg;

	output_event_format(r->output, system, format);
}

/* The kernel's own types whose numbers and fields are the same since it has persistent buffers. */
static void add_formats_of_then(struct recording *r)
{
	static const char *const same[] = { "function", "kernel_stack", "print" };
	unsigned int unsure;

	if (r->saved_boot) {
		unsure = saved_boot_formats(r->saved_boot, add_saved_format, r);
		saved_boot_tell(r->saved_boot, unsure, &r->unsure);
		return;
	}
	for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++)
		record_meta_format(r, "ftrace", same[i]);
	text_add(
		&r->unsure,
		"formats of another boot: nothing that record --boot --save kept fits the buffer, so "
		"only function, kernel_stack and print are decoded, without symbols\n");
}

/* Nobody knows which events are in a buffer of others. */
static void add_all_formats(struct recording *r)
{
	struct name_list systems = { 0 };

	tracefs_dir_folders(r->root, "events", &systems, NULL);
	for (size_t i = 0; i < systems.nr; i++)
		add_system(r, systems.names[i]);
	name_list_fini(&systems);
}

static void add_formats(struct recording *r)
{
	const struct plan_catalog *c = &r->plan->catalog;
	struct name_list others = { 0 };
	struct text lines = { 0 };

	if (is_of_then(r))
		add_formats_of_then(r);
	else if (r->extracts)
		add_all_formats(r);
	if (r->extracts)
		return;
	others_events(r, &lines);
	name_list_lines(&others, text_str(&lines));
	text_fini(&lines);
	/* written by tracers, markers and stacks; they cannot be switched off */
	add_system(r, "ftrace");
	for (size_t i = 0; i < c->nr; i++) {
		bool wanted = name_list_has(&others, TRACEFS_TEXT("%s:%s", c->events[i].system,
								  c->events[i].name));

		wanted |= is_recorded(r, i);
		/* readers take names and the common fields from it, and need at least one system */
		wanted |= !strcmp(c->events[i].system, "sched") &&
			  !strcmp(c->events[i].name, "sched_switch");
		if (wanted)
			record_meta_format(r, c->events[i].system, c->events[i].name);
	}
	name_list_fini(&others);
}

static void option_string(struct recording *r, uint16_t id, const char *s)
{
	output_option(r->output, id, s, (uint32_t)strlen(s) + 1);
}

/*
 * The difference from this clock's nanoseconds to wall time, in µs, as trace-cmd's --date stores
 * it.
 */
static void add_date(struct recording *r, const char *clock)
{
	const struct clock_reading *reading = &r->clock_at_start;
	uint64_t offset_us;

	if (!reading->known || reading->realtime_ns < reading->ts_ns) {
		text_printf(&r->result->notes,
			    "--date: times of the clock %s cannot be converted to wall time\n",
			    clock);
		return;
	}
	offset_us = (reading->realtime_ns - reading->ts_ns + 500) / 1000;
	option_string(r, TRACE_OPTION_DATE, TRACEFS_TEXT("0x%" PRIx64, offset_us));
}

static void add_options(struct recording *r, const char *clock)
{
	uint32_t nr_cpus = r->plan->nr_cpus;
	struct text then = { 0 };
	struct utsname uts;

	if (is_of_then(r))
		read_then(r, "uname", &then);
	else if (!uname(&uts))
		text_printf(&then, "%s %s %s %s", uts.sysname, uts.nodename, uts.release,
			    uts.machine);
	if (then.len)
		option_string(r, TRACE_OPTION_UNAME, text_str(&then));
	text_fini(&then);
	option_string(r, TRACE_OPTION_VERSION, PACKAGE_STRING);
	output_option(r->output, TRACE_OPTION_CPUCOUNT, &nr_cpus, sizeof(nr_cpus));
	if (r->plan->date)
		add_date(r, clock);
}

static char *clock_of(const struct recording *r, size_t b)
{
	const struct instance *inst = &r->instances[b];
	char *line, *clock;

	if (r->plan->check_only)
		return mem_strdup(instance_clock(&r->plan->buffers[b]));
	line = tracefs_dir_line(inst->name ? &inst->dir : r->root, "trace_clock");
	clock = line ? mem_strdup(tracefs_dir_chosen(line)) : mem_strdup("local");

	free(line);
	return clock;
}

static int add_buffer(struct recording *r, size_t b, struct ft_error *err)
{
	const struct instance *inst = &r->instances[b];
	const struct tracefs_dir *dir = inst->name ? &inst->dir : first_dir(r);
	struct output_stream **to = r->latency ? r->max_streams : r->streams + b * r->plan->nr_cpus;
	char *clock = clock_of(r, is_recorded_to(r, b) ? b : first_buffer(r));
	struct text t = { 0 };
	uint32_t page_size;
	int buffer;

	tracefs_dir_read(dir, "events/header_page", &t, NULL);
	page_size = raw_page_layout(text_str(&t)).size;
	text_fini(&t);
	buffer = output_buffer(r->output, r->plan->buffers[b].name, clock, page_size);
	free(clock);
	if (!page_size)
		return ft_error_set(err, FT_E_FORMAT, -1,
				    "%s/events/header_page has an unknown format", dir->path);
	for (unsigned int cpu = 0; cpu < r->plan->nr_cpus && is_recorded_to(r, b); cpu++) {
		const bool *cpus = r->plan->buffers[b].cpus;

		if ((!cpus || cpus[cpu]) &&
		    tracefs_dir_has(dir, TRACEFS_TEXT("per_cpu/cpu%u", cpu)))
			to[cpu] = output_stream(r->output, buffer, (int)cpu);
	}
	return 0;
}

struct names_reader {
	pthread_t	thread;
	struct comms	comms;
};

static void *read_names(void *arg)
{
	comms_from_proc(&((struct names_reader *)arg)->comms, false);
	return NULL;
}

void record_meta_names_start(struct recording *r)
{
	r->names_reader = mem_alloc(sizeof(*r->names_reader));
	if (!pthread_create(&r->names_reader->thread, NULL, read_names, r->names_reader))
		return;
	free(r->names_reader);
	r->names_reader = NULL;
	comms_from_proc(&r->comms, false);
}

void record_meta_names_wait(struct recording *r)
{
	struct names_reader *names = r->names_reader;

	if (names && await_thread(&r->await, names->thread)) {
		comms_fini(&r->comms);
		r->comms = names->comms;
		free(names);
	} else if (names) {
		text_add(&r->result->notes,
			 "the thread that reads the names of tasks does not answer: some may be "
			 "missing\n");
	}
	r->names_reader = NULL;
}

int record_meta_begin(struct recording *r, struct ft_error *err)
{
	char *clock = clock_of(r, first_buffer(r));
	const struct record_plan *plan = r->plan;
	uint64_t room = plan->keep_kb || plan->keep_ns ? RING_ROOM : plan->max_bytes;
	struct text t = { 0 };
	int ret = 0;

	tracefs_dir_read(first_dir(r), "events/header_page", &t, NULL);
	output_text(r->output, TRACE_TEXT_HEADER_PAGE, &t);
	tracefs_dir_read(r->root, "events/header_event", &t, NULL);
	output_text(r->output, TRACE_TEXT_HEADER_EVENT, &t);
	add_formats(r);
	if (!r->last_boot)
		clock_reading_take(exit_names_idle(&r->exit_names), clock, &r->clock_at_start);
	exit_names_start(&r->exit_names);
	if (is_of_then(r)) {
		read_then(r, "printk_formats", &t);
	} else {
		tracefs_dir_read(r->root, "printk_formats", &t, NULL);
		last_boot_shift(r->last_boot, &t);
	}
	output_text(r->output, TRACE_TEXT_PRINTK, &t);
	if (plan->check_only) {
		text_clear(&t);
		text_printf(&t, "[%s]", clock);
	} else {
		tracefs_dir_read_line(first_dir(r), "trace_clock", &t, NULL);
	}
	output_clock(r->output, text_str(&t));
	add_options(r, clock);
	record_meta_names_wait(r);
	text_clear(&t);
	comms_text(&r->comms, &t);
	output_text(r->output, TRACE_TEXT_CMDLINES, &t);
	for (size_t b = 0; b < r->plan->nr_buffers && !ret; b++)
		ret = add_buffer(r, b, err);
	free(clock);
	text_fini(&t);
	return ret ? ret : output_begin(r->output, room, err);
}

static int add_kallsyms(struct recording *r, struct ft_error *err)
{
	struct text t = { 0 };
	int ret = 0;

	if (is_of_then(r)) {
		read_then(r, "kallsyms", &t);
		ret = t.len ? output_kallsyms(r->output, &t, err) : 0;
		text_fini(&t);
		return ret;
	}
	small_file_read("/proc/kallsyms", MAX_SYMBOLS, &t, NULL);
	last_boot_shift(r->last_boot, &t);
	/* all addresses are zero if they are hidden: no symbols are better than these */
	if ((t.len && strncmp(text_str(&t), "0000000000000000 ", 17)) ||
	    strstr(text_str(&t), "\n0000000000001000 ") || strstr(text_str(&t), "\nffff"))
		ret = output_kallsyms(r->output, &t, err);
	else
		text_add(
			&r->result->notes,
			"kernel symbols are hidden (kptr_restrict): functions are shown as addresses\n");
	text_fini(&t);
	return ret;
}

/* BTF takes some megabytes, and is only needed for arguments of functions. */
static bool has_arguments(const struct recording *r)
{
	static const char *const options[] = { "options/func-args", "options/funcgraph-args" };
	bool found = false;

	for (size_t i = 0; i < 2 * r->plan->nr_buffers && !found; i++) {
		const struct instance *inst = &r->instances[i / 2];
		char *value = inst->name ? tracefs_dir_line(&inst->dir, options[i % 2]) : NULL;

		found = value && value[0] == '1';
		free(value);
	}
	return found;
}

static int add_btf(struct recording *r, struct ft_error *err)
{
	struct text btf = { 0 };
	int ret = 0;

	if (r->plan->file_version == 6 || !has_arguments(r))
		return 0;
	small_file_read("/sys/kernel/btf/vmlinux", MAX_SYMBOLS, &btf, NULL);
	if (btf.len)
		ret = output_btf(r->output, &btf, err);
	else
		text_add(
			&r->result->notes,
			"arguments will have no names: this kernel has no /sys/kernel/btf/vmlinux\n");
	text_fini(&btf);
	return ret;
}

void record_meta_symbols(struct recording *r)
{
	struct ft_error ignored = { 0 };

	if (add_kallsyms(r, &ignored))
		text_printf(&r->result->notes, "%s\n", ignored.message);
	if (add_btf(r, &ignored))
		text_printf(&r->result->notes, "%s\n", ignored.message);
}

static void saved_comms(struct recording *r)
{
	struct text t = { 0 };

	if (r->last_boot)
		read_then(r, "saved_cmdlines", &t);
	else
		tracefs_dir_read(r->root, "saved_cmdlines", &t, NULL);
	comms_from_saved(&r->comms, text_str(&t));
	text_fini(&t);
}

void record_meta_comms(struct recording *r, unsigned int ticks)
{
	if (exit_names_come(&r->exit_names)) {
		exit_names_read(&r->exit_names, &r->comms);
	} else if (ticks % COMMS_TICKS == 0) {
		comms_from_proc(&r->comms, false);
		saved_comms(r);
	}
}

/* Collect the names of living tasks, and of those that have ended, even meanwhile. */
static void last_comms(struct recording *r)
{
	saved_comms(r);
	if (r->last_boot)
		return;
	if (r->extracts) {		/* a name of now may be another one than then */
		comms_from_proc(&r->comms, false);
		return;
	}
	exit_names_read(&r->exit_names, &r->comms);
	comms_from_proc(&r->comms, true);
	exit_names_read(&r->exit_names, &r->comms);
}

/* Each line becomes a line of text, so that every reader of the trace shows it. */
void record_meta_stack(struct recording *r)
{
	struct name_list lines = { 0 };
	struct text mark = { 0 };

	tracefs_dir_read(r->root, "stack_trace", &r->stack, NULL);
	name_list_lines(&lines, text_str(&r->stack));
	for (size_t i = 0; i < lines.nr; i++) {
		text_clear(&mark);
		text_printf(&mark, "stack_trace: %s\n", lines.names[i]);
		tracefs_dir_write(first_dir(r), "trace_marker", text_str(&mark), TRACEFS_DIR_APPEND,
				  NULL);
	}
	name_list_fini(&lines);
	text_fini(&mark);
}

/*
 * As in trace-cmd: those of the unnamed buffer, then those of each other one after a line with its
 * name.
 */
static void add_cpustats(struct recording *r, size_t b)
{
	struct text t = { 0 }, stats = { 0 };

	if (b) {
		text_printf(&t, "\nBuffer: %s\n\n", r->plan->buffers[b].name);
		output_option(r->output, TRACE_OPTION_CPUSTAT, t.data, (uint32_t)t.len + 1);
	}
	for (unsigned int cpu = 0; cpu < r->plan->nr_cpus; cpu++) {
		tracefs_dir_read(&r->instances[b].dir, TRACEFS_TEXT("per_cpu/cpu%u/stats", cpu),
				 &stats, NULL);
		if (!stats.len)
			continue;
		text_clear(&t);
		text_printf(&t, "CPU: %u\n%s", cpu, text_str(&stats));
		output_option(r->output, TRACE_OPTION_CPUSTAT, t.data, (uint32_t)t.len + 1);
	}
	text_fini(&t);
	text_fini(&stats);
}

static void add_reading(struct text *t, const char *clock, const struct clock_reading *reading)
{
	if (reading->known)
		text_printf(t, "wall %s %" PRIu64 " realtime %" PRIu64 " within %" PRIu64 "\n",
			    clock, reading->ts_ns, reading->realtime_ns, reading->within_ns);
}

/* A reading at both ends also shows how much the wall clock was slewed in between. */
static void add_readings(struct recording *r, struct clock_reading *at_end, struct text *t)
{
	char *clock;

	if (r->last_boot)
		return;
	clock = clock_of(r, first_buffer(r));
	clock_reading_take(exit_names_idle(&r->exit_names), clock, at_end);
	add_reading(t, clock, &r->clock_at_start);
	add_reading(t, clock, at_end);
	free(clock);
}

char *record_meta_clock(const struct recording *r)
{
	return clock_of(r, first_buffer(r));
}

/* Which tasks and CPUs are recorded, where that is not all of them. */
static void add_recorded(const struct recording *r, struct text *lines)
{
	const struct record_plan *plan = r->plan;

	for (size_t i = 0; i < plan->pids.nr; i++)
		text_printf(lines, "only %s\n", plan->pids.names[i]);
	if (plan->only_command)
		text_printf(lines, "only %d\n", (int)r->command.pid);
	if (plan->children)
		text_add(lines, "only_children 1\n");
	for (size_t b = 0; b < plan->nr_buffers; b++)
		for (unsigned int cpu = 0; plan->buffers[b].cpus && cpu < plan->nr_cpus; cpu++)
			if (!plan->buffers[b].cpus[cpu])
				text_printf(lines, "without %u %s\n", cpu, plan->buffers[b].name);
}

void record_meta_recorded(struct recording *r)
{
	struct text lines = { 0 };

	add_recorded(r, &lines);
	output_tasks(r->output, &lines);
	text_fini(&lines);
}

void record_meta_census_begin(struct recording *r)
{
	char *clock = record_meta_clock(r);

	if (r->census)
		census_begin(r->census, clock, &r->clock_at_start);
	free(clock);
}

void record_meta_census_more(struct recording *r)
{
	struct text lines = { 0 };

	if (r->census)
		census_take(r->census, &lines);
	output_tasks(r->output, &lines);
	text_fini(&lines);
}

static void add_block(struct text *t, const char *name, const struct text *bytes)
{
	text_printf(t, "%s %zu\n", name, bytes->len);
	text_bytes(t, text_str(bytes), bytes->len);
}

/* Who the tasks are; the machine.  Not of a buffer that others filled, at a time of their own. */
static void add_who(struct recording *r, const struct clock_reading *at_end, struct text *t)
{
	struct text block = { 0 };

	if (!r->extracts)
		add_recorded(r, &block);
	switch (r->census ? census_end(r->census, at_end, &block) : CENSUS_WHOLE) {
	case CENSUS_WHOLE:
		break;
	case CENSUS_FULL:
		text_add(&r->result->notes,
			 "there were too many tasks to tell who each was: their users, "
			 "programs and cgroups are known of the first ones alone\n");
		break;
	case CENSUS_LATE:
		text_add(&r->result->notes,
			 "the thread that looks up who the tasks are does not answer: their users, "
			 "programs and cgroups are not known\n");
		break;
	}
	if (block.len)
		add_block(t, "tasks", &block);
	text_clear(&block);
	if (!r->plan->no_who && !r->last_boot)
		machine_lines("", &block);
	record_steal_lines(r, at_end, &block);
	if (block.len)
		add_block(t, "machine", &block);
	text_fini(&block);
}

/* Comparisons ask whether the recording holds the whole work of a command. */
static void add_command(const struct recording *r, struct text *t)
{
	if (r->plan->command && r->command.ended && WIFEXITED(r->command.status) &&
	    !r->result->stopped_by[0] && !r->plan->keep_kb && !r->plan->keep_ns &&
	    !r->plan->pids.nr)
		text_add(t, "command ended\n");
}

/* The event's line, if its probes missed hits. */
static void add_missed(struct recording *r, struct text *t, const char *system, const char *name)
{
	uint64_t before = probe_misses_of(&r->misses_before, system, name),
		 after = probe_misses_of(&r->misses_after, system, name);

	if (after <= before)
		return;
	text_printf(t, "missed %" PRIu64 " %s:%s\n", after - before, system, name);
	text_printf(&r->result->notes, "%s:%s: the kernel's probe missed %" PRIu64 " hit%s%s\n",
		    system, name, after - before, after - before == 1 ? "" : "s",
		    r->extracts ? " since it was defined" : "");
}

/*
 * A line for each event whose probes missed hits during the recording.  The kernel also counts
 * those that a filter would have left out.  Of a buffer that somebody else filled, it is not known
 * which events were on, or since when.
 */
static void add_misses(struct recording *r, struct text *t)
{
	const struct plan_catalog *c = &r->plan->catalog;
	struct name_list events = { 0 };

	for (size_t i = 0; i < c->nr; i++)
		if (is_recorded(r, i))
			add_missed(r, t, c->events[i].system, c->events[i].name);
	if (r->extracts)
		probe_misses_events(&r->misses_after, &events);
	for (size_t i = 0; i < events.nr; i++) {
		char *name = strchr(events.names[i], ':');

		*name++ = '\0';
		add_missed(r, t, events.names[i], name);
	}
	name_list_fini(&events);
}

/* Was there a tracer, which may be one of functions, in any of the buffers? */
static bool has_tracer(const struct recording *r)
{
	char *current = tracefs_dir_line(&r->instances[0].dir, "current_tracer");
	bool has = r->extracts && current && strcmp(current, "nop") != 0;

	for (size_t b = 0; b < r->plan->nr_buffers; b++)
		has |= r->plan->buffers[b].tracer && strcmp(r->plan->buffers[b].tracer, "nop") != 0;
	free(current);
	return has;
}

/* "note WORDS", for each line. */
static void add_note_lines(struct text *t, const struct text *lines)
{
	for (const char *line = text_str(lines); *line; line += strcspn(line, "\n") + 1) {
		text_add(t, "note ");
		text_bytes(t, line, strcspn(line, "\n") + 1);
	}
}

/* Which buffer of others it is, and what they had set. */
static void add_source(const struct recording *r, struct text *t)
{
	const struct instance *inst = &r->instances[0];
	char *tracer = tracefs_dir_line(&inst->dir, "current_tracer");
	struct name_list options = { 0 };

	text_printf(t, "extracted %s%s", r->snapshot ? "the snapshot of " : "",
		    *inst->name ? "instance " : "the top instance");
	text_printable(t, inst->name, strlen(inst->name));
	text_printf(t, "%s, tracer %s, options", r->last_boot ? ", of the boot before" : "",
		    tracer ? tracer : "unknown");
	tracefs_dir_read_words(&inst->dir, "trace_options", &options, NULL);
	for (size_t i = 0; i < options.nr; i++)
		if (strncmp(options.names[i], "no", 2))
			text_printf(t, " %s", options.names[i]);
	text_char(t, '\n');
	add_note_lines(t, &r->unsure);
	name_list_fini(&options);
	free(tracer);
}

static int add_max_records(void *arg, int cpu, const void *page, uint32_t size,
			   struct ft_error *err)
{
	const struct recording *r = arg;

	return r->max_streams[cpu] ?
		       output_stream_append(r->output, r->max_streams[cpu], page, size, err) :
		       0;
}

/*
 * Add the result of a latency tracer: the kernel's text, which is gone once another tracer is set,
 * and the records of its maximum.
 */
static void add_maximum(struct recording *r)
{
	struct text t = { 0 };
	struct ft_error err = { 0 };

	tracefs_dir_read(&r->instances[0].dir, "trace", &t, NULL);
	output_latency_text(r->output, &t);
	r->has_max = max_records_header(text_str(&t), &r->max);
	if (r->has_max && !r->extracts &&
	    max_records_fetch(&r->instances[0], r->plan->buffers[0].tracer, &r->max,
			      r->plan->nr_cpus, &r->await, add_max_records, r, &err))
		text_printf(&r->result->notes, "only the text of the maximum was saved: %s\n",
			    err.message);
	text_fini(&t);
}

void record_meta_end(struct recording *r)
{
	struct text t = { 0 }, tgids = { 0 };
	struct clock_reading at_end = { 0 };

	if (!r->extracts) {
		record_meta_late_formats(r);
		tell_modules(r);
	}
	last_comms(r);
	comms_text(&r->comms, &t);
	output_text(r->output, TRACE_TEXT_CMDLINES, &t);
	for (size_t b = 0; b < r->plan->nr_buffers; b++)
		if (r->instances[b].name && !r->snapshot)
			add_cpustats(r, b);
	text_clear(&t);
	if (!r->last_boot)
		tracefs_dir_read(r->root, "saved_tgids", &tgids, NULL);
	text_add(&t, TRACE_PRIVATE_MAGIC);
	add_readings(r, &at_end, &t);
	add_command(r, &t);
	add_misses(r, &t);
	text_bytes(&t, text_str(&r->hist_drops), r->hist_drops.len);
	if (has_tracer(r))
		probe_misses_recursed(&r->misses_before, &r->misses_after, &r->late_notes);
	add_note_lines(&t, &r->late_notes);
	text_add(&r->result->notes, text_str(&r->late_notes));
	if (r->hides_functions)
		text_add(&t,
			 "note functions of the recorder's tasks are not recorded, nor those of "
			 "interrupts that hit these tasks: -l and -g name functions to record\n");
	if (r->extracts)
		add_source(r, &t);
	text_bytes(&t, text_str(&r->judge.hits), r->judge.hits.len);
	add_block(&t, "saved_tgids", &tgids);
	add_who(r, &at_end, &t);
	if (r->hists.len)
		add_block(&t, "hists", &r->hists);
	record_maps_end(r, &at_end, &t);
	output_text(r->output, TRACE_TEXT_PRIVATE, &t);
	if (r->latency)
		add_maximum(r);
	text_fini(&t);
	text_fini(&tgids);
}
