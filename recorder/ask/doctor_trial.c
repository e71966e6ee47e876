/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recorder/ask/doctor_trial.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "parsers/pages/raw_page.h"
#include "recorder/tracefs/owner.h"
#include "recorder/tracefs/removal.h"
#include "src/base/memory.h"

#define WAIT_TRIES	100		/* polls until an event arrives */
/* our sleep is what causes the event: a switch of this task */
#define WAIT_PAUSE_NS	5000000
/* the bits above are flags of lost events: kernel/trace/ring_buffer.c */
#define COMMIT_MASK	0xfffffu
#define TRIAL_KB	64		/* temporary size of the buffers */

/* How a trigger of another event enables it: see event_on(). */
#define EVENT		"events/sched/sched_switch/enable"
#define TRIGGER_FILE	"events/sched/sched_waking/trigger"
#define TRIGGER		"enable_event:sched:sched_switch"

struct trial {
	struct doctor_report	 *report;
	const struct tracefs_dir *top;
	struct tracefs_dir	  instance;
	char			  name[OWNER_NAME_BYTES];
	int			  held;		/* one of its files, open: so the kernel lets
						 * nobody remove it */
	struct name_list  tracers, instance_tracers;
	struct raw_page_layout	  layout;
	/*
	 * Kernels before 6.7 have a single flag for all instances that a buffer was expanded.  The
	 * top instance starts with 7 KiB: some uses of any instance expand it, others keep it at 7
	 * KiB for good.  None of these is tried then.
	 */
	bool			  pins_top;
};

/* --- the instance ----------------------------------------------------------- */

static void read_page_layout(struct trial *t)
{
	struct text header = { 0 };

	tracefs_dir_read(&t->instance, "events/header_page", &header, NULL);
	if (!header.len)
		tracefs_dir_read(t->top, "events/header_page", &header, NULL);
	t->layout = raw_page_layout(text_str(&header));
	if (!t->layout.size)
		t->layout = (struct raw_page_layout){ .size = 4096, .data = 16 };
	text_fini(&header);
}

static bool is_unexpanded(const struct tracefs_dir *dir)
{
	char *size = tracefs_dir_line(dir, "buffer_size_kb");
	bool found = size && strstr(size, "(expanded:");

	free(size);
	return found;
}

static bool make_instance(struct trial *t)
{
	struct doctor_report *report = t->report;

	if (owner_name(t->name, sizeof(t->name), NULL)) {
		doctor_say(report, DOCTOR_INSTANCE, DOCTOR_UNTRIED, "/proc is not mounted");
		return false;
	}
	if (tracefs_dir_make_instance(t->top, t->name)) {
		doctor_refused(report, DOCTOR_INSTANCE, t->top, "instances", errno, "TRACING");
		return false;
	}
	if (tracefs_dir_open_below(&t->instance, t->top, TRACEFS_TEXT("instances/%s", t->name),
				   NULL)) {
		doctor_refused(report, DOCTOR_INSTANCE, t->top, "instances", errno, NULL);
		removal_of_instance(t->top, t->name, REMOVAL_OURS, NULL);
		return false;
	}
	t->held = tracefs_dir_file(&t->instance, "tracing_on", O_RDONLY, NULL);
	doctor_say(report, DOCTOR_INSTANCE, DOCTOR_OK, "created and removed again");
	/* a new instance has tracing on */
	if (tracefs_dir_write(&t->instance, "tracing_on", "0", TRACEFS_DIR_REPLACE, NULL))
		doctor_refused(report, DOCTOR_INSTANCE, &t->instance, "tracing_on", errno, NULL);
	t->pins_top = is_unexpanded(&t->instance) && is_unexpanded(t->top);
	tracefs_dir_read_words(t->top, "available_tracers", &t->tracers, NULL);
	if (tracefs_dir_read_words(&t->instance, "available_tracers", &t->instance_tracers, NULL))
		name_list_fini(&t->instance_tracers);
	read_page_layout(t);
	return true;
}

static void remove_instance(struct trial *t)
{
	struct ft_error err;

	tracefs_dir_write(&t->instance, "tracing_on", "0", TRACEFS_DIR_REPLACE, NULL);
	tracefs_dir_close(&t->instance);
	if (t->held >= 0)
		close(t->held);
	if (!removal_of_instance(t->top, t->name, REMOVAL_OURS, &err))
		return;
	doctor_say(t->report, DOCTOR_INSTANCE, DOCTOR_PARTLY, "created, but not removed: %s",
		   err.message);
	doctor_remedy(t->report, DOCTOR_INSTANCE, "ftop-trace doctor --fix");
}

/* --- an event, and its page ------------------------------------------------- */

/*
 * Enable the event like a recorder, unless that would fix the size of the top instance's buffer
 * (pins_top).  Then let a trigger of another event, the sleeper's wakeup, enable it: this way the
 * kernel does not touch the buffers.
 */
static int event_on(struct trial *t, const char **file)
{
	const char *pid = TRACEFS_TEXT("%ld", (long)syscall(SYS_gettid));

	/* Only this thread, so that no events of others get in.  This also allocates the buffer. */
	if (!t->report->facts.own_pid_ns && !t->pins_top)
		tracefs_dir_write(&t->instance, "set_event_pid", pid, TRACEFS_DIR_REPLACE, NULL);
	*file = t->pins_top ? TRIGGER_FILE : EVENT;
	if (t->pins_top ?
		    tracefs_dir_write(&t->instance, *file, TRIGGER, TRACEFS_DIR_APPEND, NULL) :
		    tracefs_dir_write(&t->instance, *file, "1", TRACEFS_DIR_REPLACE, NULL))
		return -1;
	*file = "tracing_on";
	return tracefs_dir_write(&t->instance, *file, "1", TRACEFS_DIR_REPLACE, NULL);
}

static void event_off(struct trial *t)
{
	tracefs_dir_write(&t->instance, "tracing_on", "0", TRACEFS_DIR_REPLACE, NULL);
	if (t->pins_top)
		tracefs_dir_write(&t->instance, TRIGGER_FILE, "!" TRIGGER, TRACEFS_DIR_APPEND,
				  NULL);
	else
		tracefs_dir_write(&t->instance, EVENT, "0", TRACEFS_DIR_REPLACE, NULL);
}

/* The sub-buffer header: time stamp of 8 bytes, then the committed length. */
static bool page_has_data(const struct trial *t, const unsigned char *page, ssize_t got)
{
	uint64_t commit = 0;
	uint32_t half;

	if (got < 16)
		return false;
	memcpy(&half, page + 8, sizeof(half));
	if (t->layout.data == 16)
		memcpy(&commit, page + 8, sizeof(commit));
	else
		commit = half;
	commit &= COMMIT_MASK;
	return commit && commit <= t->layout.size;
}

/* 1: got a page with data from @cpu; 0: none yet; -1 with errno and the file that refused last. */
static int read_any_page(struct trial *t, unsigned char *page, const struct name_list *cpus,
			 const char **cpu)
{
	int ret = 0, errnum = 0;

	for (unsigned int i = 0; i < cpus->nr; i++) {
		const char *file = TRACEFS_TEXT("per_cpu/%s/trace_pipe_raw", cpus->names[i]);
		int fd = tracefs_dir_file(&t->instance, file, O_RDONLY | O_NONBLOCK, NULL);
		ssize_t got = fd < 0 ? -1 : read(fd, page, t->layout.size);

		if (got < 0 && errno != EAGAIN && errno != ENODEV) {
			errnum = errno;
			ret = -1;
		}
		if (fd >= 0)
			close(fd);
		*cpu = cpus->names[i];
		if (page_has_data(t, page, got))
			return 1;
	}
	errno = errnum;
	return ret;
}

static int wait_for_page(struct trial *t, char *cpu, size_t size)
{
	unsigned char *page = mem_alloc(t->layout.size);
	struct name_list cpus;
	const char *found = "";
	int ret = 0, errnum;

	if (tracefs_dir_list(&t->instance, "per_cpu", &cpus, NULL))
		ret = -1;
	for (int i = 0; !ret && i < WAIT_TRIES; i++) {
		nanosleep(&(struct timespec){ .tv_nsec = WAIT_PAUSE_NS }, NULL);
		ret = read_any_page(t, page, &cpus, &found);
	}
	errnum = errno;
	snprintf(cpu, size, "%s", found);
	name_list_fini(&cpus);
	free(page);
	errno = errnum;
	return ret;
}

static void say_events(struct trial *t)
{
	struct name_list events;
	struct text count = { 0 };

	tracefs_dir_read_words(t->top, "available_events", &events, NULL);
	text_count(&count, events.nr);
	doctor_say(t->report, DOCTOR_EVENTS, DOCTOR_OK, "separate instance, %s events",
		   text_str(&count));
	name_list_fini(&events);
	text_fini(&count);
}

static void try_event(struct trial *t)
{
	const char *file;
	char cpu[32];
	int got, errnum;

	if (event_on(t, &file)) {
		errnum = errno;
		event_off(t);
		doctor_refused(t->report, DOCTOR_EVENTS, &t->instance, file, errnum,
			       "EVENT_TRACING");
		doctor_blocked(t->report, DOCTOR_PAGES, "no event could be enabled");
		return;
	}
	got = wait_for_page(t, cpu, sizeof(cpu));
	errnum = errno;
	event_off(t);
	say_events(t);
	if (got < 0) {
		doctor_refused(t->report, DOCTOR_PAGES, &t->instance, "per_cpu/cpu0/trace_pipe_raw",
			       errnum, NULL);
	} else if (!got) {
		doctor_say(t->report, DOCTOR_EVENTS, DOCTOR_PARTLY,
			   "sched_switch was enabled, but no event was recorded in %.1f s",
			   WAIT_TRIES * (WAIT_PAUSE_NS / 1e9));
		doctor_say(t->report, DOCTOR_PAGES, DOCTOR_UNTRIED, "no event was recorded");
	} else {
		doctor_say(t->report, DOCTOR_PAGES, DOCTOR_OK, "%u bytes at a time; tried on %s",
			   t->layout.size, cpu);
	}
}

/* --- tracers ---------------------------------------------------------------- */

static void say_pinned(struct trial *t, enum doctor_check check, const char *listed)
{
	doctor_say(
		t->report, check, DOCTOR_UNTRIED,
		"%snot tried: it would permanently expand the buffer of the top instance, which is not in use yet",
		listed);
	doctor_remedy(t->report, check, "ftop-trace doctor --expand");
}

/* The first function in the list: any will do, and none is traced while tracing is off. */
static void first_function(struct trial *t, char *name, size_t size)
{
	int fd = tracefs_dir_file(t->top, "available_filter_functions", O_RDONLY, NULL);
	ssize_t got = fd < 0 ? -1 : read(fd, name, size - 1);

	name[got > 0 ? got : 0] = '\0';
	name[strcspn(name, " \t\n")] = '\0';
	if (!*name || (size_t)got == strlen(name))
		snprintf(name, size, "schedule");
	if (fd >= 0)
		close(fd);
}

static void try_filter(struct trial *t)
{
	struct text shown = { 0 };
	char name[256];

	first_function(t, name, sizeof(name));
	if (tracefs_dir_write(&t->instance, "set_ftrace_filter", name, TRACEFS_DIR_REPLACE, NULL)) {
		doctor_refused(t->report, DOCTOR_FILTER, &t->instance, "set_ftrace_filter", errno,
			       "DYNAMIC_FTRACE");
		return;
	}
	if (!tracefs_dir_read(&t->instance, "set_ftrace_filter", &shown, NULL) &&
	    strstr(text_str(&shown), name))
		doctor_say(t->report, DOCTOR_FILTER, DOCTOR_OK, "set_ftrace_filter");
	else
		doctor_say(t->report, DOCTOR_FILTER, DOCTOR_PARTLY,
			   "set_ftrace_filter accepted a function, but does not show it");
	text_fini(&shown);
}

static void say_top_only(struct trial *t, enum doctor_check check, int errnum)
{
	char *now = tracefs_dir_line(t->top, "current_tracer");
	bool is_free = now && !strcmp(now, "nop");

	doctor_say(t->report, check, DOCTOR_PARTLY,
		   "on this kernel only the top instance has it, which %s%s",
		   is_free ? "is free" : "now has the tracer ", is_free || !now ? "" : now);
	t->report->rows[check].errnum = errnum;
	doctor_cause(t->report, check, REFUSAL_NOT_IN_INSTANCE);
	free(now);
}

static void say_tracer_set(struct trial *t, enum doctor_check check)
{
	if (t->report->facts.ftrace_enabled) {
		doctor_say(t->report, check, DOCTOR_OK, "in a separate instance");
		return;
	}
	doctor_say(t->report, check, DOCTOR_PARTLY,
		   "can be set, but records nothing, because kernel.ftrace_enabled is 0");
	doctor_cause(t->report, check, REFUSAL_SWITCHED_OFF);
	doctor_remedy(t->report, check, "sysctl kernel.ftrace_enabled=1");
}

static void try_tracer(struct trial *t, enum doctor_check check, const char *tracer,
		       const char *config)
{
	bool known = t->tracers.nr, here = t->instance_tracers.nr;

	if (known && !name_list_has(&t->tracers, tracer)) {
		doctor_refused(t->report, check, t->top, "available_tracers", ENOENT, config);
		if (kernel_config_get(&t->report->facts.config, config) != KERNEL_CONFIG_NO)
			doctor_say(t->report, check, DOCTOR_NO,
				   "not in this kernel: available_tracers does not list it");
		return;
	}
	if (known && here && !name_list_has(&t->instance_tracers, tracer)) {
		say_top_only(t, check, 0);
		return;
	}
	if (t->pins_top) {
		say_pinned(t, check, "listed by the kernel; ");
		return;
	}
	if (!tracefs_dir_write(&t->instance, "current_tracer", tracer, TRACEFS_DIR_REPLACE, NULL))
		say_tracer_set(t, check);
	else if (errno == EINVAL && known && check == DOCTOR_GRAPH)
		say_top_only(t, check, EINVAL);
	else
		doctor_refused(t->report, check, &t->instance, "current_tracer", errno, config);
	tracefs_dir_write(&t->instance, "current_tracer", "nop", TRACEFS_DIR_REPLACE, NULL);
}

static void try_nop(struct trial *t)
{
	if (t->pins_top)
		say_pinned(t, DOCTOR_NOP, "");
	else if (tracefs_dir_write(&t->instance, "current_tracer", "nop", TRACEFS_DIR_REPLACE,
				   NULL))
		doctor_refused(t->report, DOCTOR_NOP, &t->instance, "current_tracer", errno,
			       "TRACING");
	else
		doctor_say(t->report, DOCTOR_NOP, DOCTOR_OK, "in a separate instance");
}

/* --- buffers ---------------------------------------------------------------- */

static void try_buffers(struct trial *t)
{
	double available = t->report->facts.mem_available_kb / 1048576.0;
	struct name_list cpus;
	long long size = 0;

	tracefs_dir_list(&t->instance, "per_cpu", &cpus, NULL);
	if (t->pins_top)
		say_pinned(t, DOCTOR_BUFFERS, "");
	else if (tracefs_dir_write_number(&t->instance, "buffer_size_kb", TRIAL_KB, NULL))
		doctor_refused(t->report, DOCTOR_BUFFERS, &t->instance, "buffer_size_kb", errno,
			       NULL);
	else if (tracefs_dir_read_number(&t->instance, "buffer_size_kb", &size, NULL) ||
		 size < TRIAL_KB / 2 || size > TRIAL_KB * 4)
		doctor_say(t->report, DOCTOR_BUFFERS, DOCTOR_PARTLY,
			   "buffer_size_kb accepted %d, but shows %lld", TRIAL_KB, size);
	else
		doctor_say(t->report, DOCTOR_BUFFERS, DOCTOR_OK,
			   "any size for each of %zu CPUs; %.1f GiB of memory are free%s", cpus.nr,
			   available,
			   tracefs_dir_has(&t->instance, "buffer_subbuf_size_kb") ?
				   "; the size of sub-buffers can be set" :
				   "");
	name_list_fini(&cpus);
}

/* --- all of it -------------------------------------------------------------- */

static void try_all(struct trial *t)
{
	try_event(t);
	try_nop(t);
	try_filter(t); /* before the tracer, which then patches
				   one function instead of all */
	try_tracer(t, DOCTOR_FUNCTION, "function", "FUNCTION_TRACER");
	try_tracer(t, DOCTOR_GRAPH, "function_graph", "FUNCTION_GRAPH_TRACER");
	if (t->report->rows[DOCTOR_FILTER].state != DOCTOR_NO)
		tracefs_dir_write(&t->instance, "set_ftrace_filter", "", TRACEFS_DIR_REPLACE, NULL);
	try_buffers(t);
}

void doctor_trial(struct doctor_report *report, const struct tracefs_dir *dir)
{
	static const enum doctor_check inside[] = {
		DOCTOR_EVENTS, DOCTOR_PAGES, DOCTOR_NOP, DOCTOR_FUNCTION, DOCTOR_GRAPH,
		DOCTOR_FILTER, DOCTOR_BUFFERS,
	};
	struct trial t = { .report = report, .top = dir, .instance = { .fd = -1 }, .held = -1 };
	sigset_t held, before;

	sigemptyset(&held);
	sigaddset(&held, SIGINT);
	sigaddset(&held, SIGTERM);
	sigaddset(&held, SIGHUP);
	sigaddset(&held, SIGQUIT);
	sigaddset(&held, SIGTSTP);
	pthread_sigmask(SIG_BLOCK, &held, &before);
	if (make_instance(&t)) {
		try_all(&t);
		remove_instance(&t);
	} else {
		for (size_t i = 0; i < sizeof(inside) / sizeof(inside[0]); i++)
			doctor_blocked(report, inside[i], "no instance could be made");
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	name_list_fini(&t.tracers);
	name_list_fini(&t.instance_tracers);
}
