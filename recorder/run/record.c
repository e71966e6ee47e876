/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recorder/run/record.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/falloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "recorder/journal/leftover.h"
#include "recorder/tracefs/others.h"
#include "recorder/tracefs/owner.h"
#include "recorder/tracefs/refusal.h"
#include "recorder/run/record_state.h"
#include "recorder/run/watcher.h"
#include "src/base/memory.h"
#include "src/base/output_names.h"

#define STACK_SWITCH		JOURNAL_SYSCTL "stack_tracer_enabled"
#define MIN_SAVED_CMDLINES	4096
#define HOLE_AT			(1 << 30)	/* nothing has been written there */
#define HOLE_BYTES		4096
#define HANGS_MS		4000u		/* a thread does nothing, and waits for no disk */
#define INIT_PID_NS		0xEFFFFFFCu	/* PROC_PID_INIT_INO */

void record_result_fini(struct record_result *result)
{
	text_fini(&result->summary);
	text_fini(&result->losses);
	text_fini(&result->notes);
}

/* --- set-up ----------------------------------------------------------------------------------- */

static void held_signals(sigset_t *mask)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGCHLD };

	sigemptyset(mask);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaddset(mask, signals[i]);
}

void record_hold_signals(sigset_t *old)
{
	sigset_t mask;

	held_signals(&mask);
	pthread_sigmask(SIG_BLOCK, &mask, old);
}

void record_wait_for(pid_t child)
{
	sigset_t mask;

	held_signals(&mask);
	while (waitpid(child, NULL, WNOHANG) == 0) {
		int signo = sigwaitinfo(&mask, NULL);

		if (signo > 0 && signo != SIGCHLD)
			kill(child, SIGKILL);
	}
}

void record_release_signals(const sigset_t *old)
{
	const struct timespec now = { 0 };
	sigset_t mask;

	held_signals(&mask);
	while (sigtimedwait(&mask, NULL, &now) > 0)
		;
	pthread_sigmask(SIG_SETMASK, old, NULL);
}

static int catch_signals(struct recording *r, struct ft_error *err)
{
	sigset_t mask;

	held_signals(&mask);
	/* exceeding a file size limit is then an error, not the end of the process */
	signal(SIGXFSZ, SIG_IGN);
	r->signal_fd = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
	if (r->signal_fd < 0)
		return ft_error_errno(err, errno, -1, "cannot wait for signals");
	return 0;
}

bool record_uses(const struct record_plan *plan, size_t b)
{
	const struct plan_buffer *buffer = &plan->buffers[b];

	return b || plan->top || buffer->nr_events || buffer->tracer || plan->nr_probes ||
	       plan->monitors.nr || plan->stack_max || plan->nr_buffers == 1;
}

/* Do not touch shared files if they could not be restored. */
static int need_journal(struct recording *r, struct ft_error *err)
{
	if (r->journal)
		return 0;
	if (err)
		*err = r->no_journal;
	return -1;
}

static bool needs_journal(const struct record_plan *plan)
{
	for (size_t b = 0; b < plan->nr_buffers; b++)
		if (plan->buffers[b].options.nr)
			return true;
	return plan->top || plan->func_stack || plan->nr_buffers > 1 || plan->nr_probes ||
	       plan->monitors.nr || plan->graph.nr || plan->graph_notrace.nr ||
	       plan->max_graph_depth || plan->stop_tracing_us || plan->stop_tracing_total_us ||
	       plan->nr_measures || plan->cmdlines_size || plan->stack_max;
}

static int make_instance(struct recording *r, size_t b, const char *name, struct ft_error *err)
{
	if (r->journal && journal_instance(r->journal, name, err))
		return -1;
	if (instance_make(&r->instances[b], r->root, name, err)) {
		if (r->journal && !r->instances[b].name)
			journal_unmade(r->journal, name);
		return -1;
	}
	r->instances[b].journal = r->journal;
	return 0;
}

/*
 * Make an instance of our own; use the top one if the user asks for it, or if only the top one has
 * the tracer.
 */
static int make_first_instance(struct recording *r, struct ft_error *err)
{
	const struct plan_buffer *b = &r->plan->buffers[0];
	struct instance *inst = &r->instances[0];
	char name[OWNER_NAME_BYTES];

	if (r->plan->top)
		return instance_take_top(inst, r->root, r->journal, r->plan->force, err);
	if (owner_name(name, sizeof(name), err) || make_instance(r, 0, name, err))
		return -1;
	if (!b->tracer || instance_has_tracer(inst, b->tracer))
		return 0;
	if (instance_end(inst, err) || need_journal(r, err))
		return -1;
	return instance_take_top(inst, r->root, r->journal, r->plan->force, err);
}

static int make_instances(struct recording *r, struct ft_error *err)
{
	if (needs_journal(r->plan) && need_journal(r, err))
		return -1;
	if (record_uses(r->plan, 0) && make_first_instance(r, err))
		return -1;
	for (size_t b = 1; b < r->plan->nr_buffers; b++)
		if (make_instance(r, b, r->plan->buffers[b].name, err))
			return -1;
	for (size_t b = 0; b < r->plan->nr_buffers; b++)
		watcher_hold(r->watcher, r->instances[b].free_fd);
	return 0;
}

/* Widening the list clears it, so do it only if nobody else traces and could lose names. */
static void widen_cmdlines(struct recording *r)
{
	char *line = tracefs_dir_line(r->root, "saved_cmdlines_size");
	long long now = line ? atoll(line) : 0, wanted = r->plan->cmdlines_size;
	size_t ours = 0;

	for (size_t b = 0; b < r->plan->nr_buffers; b++)
		ours += r->instances[b].name && !r->instances[b].top;
	if (!wanted && now < MIN_SAVED_CMDLINES)
		wanted = MIN_SAVED_CMDLINES;
	if (line && wanted && wanted != now && others_trace(r->root, ours) &&
	    !(r->plan->cmdlines_size && r->plan->force)) {
		if (r->plan->cmdlines_size)
			text_printf(
				&r->result->notes,
				"--cmdlines-size: the list stays at %lld names: others are tracing and would lose theirs; "
				"--force does it anyway\n",
				now);
		wanted = 0;
	}
	if (line && wanted && wanted != now && !need_journal(r, NULL))
		journal_write(r->journal, JOURNAL_NAMES, "saved_cmdlines_size",
			      TRACEFS_TEXT("%lld", wanted), false, NULL);
	free(line);
}

/* Pids to record, as the kernel counts them. */
static void pids_of(const struct recording *r, struct text *pids)
{
	struct stat st;

	for (size_t i = 0; i < r->plan->pids.nr; i++)
		text_printf(pids, "%s%s", i ? " " : "", r->plan->pids.names[i]);
	if (r->plan->only_command)
		text_printf(pids, "%s%d", pids->len ? " " : "", (int)r->command.pid);
	if (pids->len && !stat("/proc/self/ns/pid", &st) && st.st_ino != INIT_PID_NS)
		text_add(
			&r->result->notes,
			"in this container -P and -F do not work: the kernel filters by the host's pids, which are unknown here\n");
}

static int apply_plan(struct recording *r, struct ft_error *err)
{
	struct text pids = { 0 };
	int ret = 0;

	pids_of(r, &pids);
	if (r->plan->nr_probes)
		ret = instance_define_probes(r->journal, r->root, r->plan, &r->result->notes, err);
	instance_define_limits(r->journal, r->root, r->plan);
	if (!ret)
		ret = instance_apply_graph(r->journal, r->root, r->plan, err);
	if (!ret)
		ret = measure_apply(r->journal, r->root, r->plan, err);
	if (!ret)
		ret = instance_apply_monitors(r->journal, r->root, r->plan, err);
	for (size_t b = 0; b < r->plan->nr_buffers && !ret; b++)
		if (r->instances[b].name)
			ret = instance_apply(&r->instances[b], r->plan, &r->plan->buffers[b],
					     text_str(&pids), &r->result->notes, err);
	text_fini(&pids);
	return ret;
}

static void more_files(unsigned int nr)
{
	struct rlimit rl;

	if (getrlimit(RLIMIT_NOFILE, &rl) || rl.rlim_cur >= nr)
		return;
	rl.rlim_cur = nr < rl.rlim_max ? nr : rl.rlim_max;
	setrlimit(RLIMIT_NOFILE, &rl);
}

/* A ring turns what it drops into holes in the file. */
static void note_no_holes(struct recording *r)
{
	const int mode = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;

	if ((r->plan->keep_kb || r->plan->keep_ns) &&
	    fallocate(output_fd(r->output), mode, HOLE_AT, HOLE_BYTES) && errno == EOPNOTSUPP)
		text_printf(
			&r->result->notes,
			"-m: the file system of %s cannot free a part of a file: what is dropped stays on disk until the "
			"recording ends\n",
			output_part_name(r->output));
}

static int start_readers(struct recording *r, struct ft_error *err)
{
	struct cpu_readers_options options = {
		.rt_priority = r->plan->rt_priority, .interval_us = r->plan->interval_us,
		.keep_bytes = r->plan->keep_kb << 10, .keep_ns = r->plan->keep_ns,
		.await = &r->await,
	};
	unsigned int nr = r->plan->nr_cpus;
	struct text priority = { 0 };
	int ret = 0;

	note_no_holes(r);
	more_files((unsigned int)r->plan->nr_buffers * nr + 256);
	r->readers = cpu_readers_new(&options);
	for (size_t i = 0; i < r->plan->nr_buffers * nr && !ret; i++)
		if (r->streams[i])
			ret = cpu_readers_add(r->readers, &r->instances[i / nr].dir,
					      "trace_pipe_raw", r->streams[i], err);
	if (!ret)
		ret = cpu_readers_start(r->readers, &priority, err);
	if (!ret && r->plan->rt_priority && strncmp(text_str(&priority), "SCHED_FIFO", 10))
		text_printf(&r->result->notes, "the readers run at %s: more events may be lost\n",
			    text_str(&priority));
	text_fini(&priority);
	if (ret)
		return ret;
	return 0;
}

/* What our own tasks do is recorded; the file tells which they are. */
static void tell_ourselves(struct recording *r)
{
	int tids[34 + JUDGE_MOST_TIDS] = { getpid() };
	unsigned int nr = 1 + cpu_readers_tids(r->readers, tids + 1, 32);

	if (r->census && (tids[nr] = census_tid(r->census)))
		nr++;
	for (unsigned int i = 0; i < r->judge.nr_tids; i++)
		tids[nr++] = r->judge.tids[i];
	for (size_t b = 0; b < r->plan->nr_buffers; b++)
		if (r->instances[b].name &&
		    instance_hides_functions(r->plan, &r->plan->buffers[b])) {
			instance_hide_functions(&r->instances[b], tids, nr);
			r->hides_functions = true;
		}
	if (r->census)
		census_recorder(r->census, tids, nr);
}

/* The maximum of an earlier run would hide ours. */
static int start_stack_tracer(struct recording *r, struct ft_error *err)
{
	if (journal_write(r->journal, JOURNAL_MEASURED, "stack_max_size", "0", false, err))
		return refusal_add(err, r->root, "stack_max_size", errno, "STACK_TRACER");
	if (journal_write(r->journal, JOURNAL_VALUE, STACK_SWITCH, "1", false, err))
		return refusal_add(err, r->root, STACK_SWITCH, errno, "STACK_TRACER");
	return 0;
}

static int set_up(struct recording *r, const char *run_dir, struct ft_error *err)
{
	/*
	 * it also shows others that this recorder lives, so there is one even if nothing will have
	 * to be restored
	 */
	r->journal = journal_new(run_dir, r->root, &r->no_journal);
	record_meta_names_start(r);
	if (!r->plan->no_who)
		r->census = census_new(&r->await);
	if (make_instances(r, err))
		return -1;
	widen_cmdlines(r);
	exit_names_begin(&r->exit_names, r->root, r->journal, r->plan->nr_cpus);
	r->latency = record_plan_is_latency_tracer(r->plan->buffers[0].tracer);
	if (apply_plan(r, err) || measure_start(&r->measuring, r->root, r->plan, &r->await, err) ||
	    record_meta_begin(r, err) || start_readers(r, err))
		return -1;
	return r->plan->stack_max ? start_stack_tracer(r, err) : 0;
}

/* --- running ---------------------------------------------------------------------------------- */

static int run_recording(struct recording *r, struct ft_error *err)
{
	const bool watches = r->plan->duration_ns || r->plan->max_bytes || r->plan->until.nr ||
			     record_maps_wanted(r->plan) || r->status;

	/*
	 * Reading the kernel's symbols takes a while, during which nobody would watch a limit or
	 * see what the command maps; and who reads the file meanwhile needs them, and looks for
	 * them once.  If there is nothing to watch, tracing begins earlier.
	 */
	if (watches)
		record_meta_symbols(r);
	if (record_judge_begin(r, err))
		return -1;
	tell_ourselves(r);
	record_meta_recorded(r);
	if (record_ended_before_it_began(r, err))
		return -1;
	probe_misses_read(&r->misses_before, r->root);
	r->started_ns = record_now_ns(CLOCK_MONOTONIC);
	for (size_t b = 0; b < r->plan->nr_buffers; b++)
		if (r->instances[b].name && instance_start(&r->instances[b], err))
			return -1;
	/*
	 * The tracer has been running since it was set: a maximum of the set-up, without records,
	 * would hide ours.  So would one found before the buffer was on, after the maximum was
	 * reset.
	 */
	if (r->latency && instance_set(&r->instances[0], "tracing_max_latency", "0", err))
		return -1;
	for (size_t b = 0; b < r->plan->nr_buffers; b++)
		if (r->instances[b].name &&
		    instance_apply_triggers(&r->instances[b], r->plan, &r->plan->buffers[b],
					    &r->result->notes, err)) {
			r->nothing = true;
			return -1;
		}
	if (r->plan->command && command_release(&r->command, r->plan->command[0], &r->await, err)) {
		r->nothing = true;
		return -1;
	}
	record_meta_census_begin(r);
	record_maps_begin(r);
	record_steal_begin(r);
	record_tell_begin(r);
	if (!r->plan->quiet && !r->status)
		record_say_begin(r);
	if (!watches)
		record_meta_symbols(r);
	return record_watch(r, err);
}

/*
 * After a failure, as of a full disk.  Where nothing was read of any CPU, a snapshot was.  A CPU of
 * which nothing was written is in the file, too, so that its loss is.
 */
static void note_unread(struct recording *r, bool failed)
{
	size_t nr = r->plan->nr_buffers * r->plan->nr_cpus;
	uint64_t unread = 0, read = 0;

	for (size_t i = 0; i < nr; i++)
		read += r->streams[i] ? r->stats[i].read : 0;
	for (size_t i = 0; i < nr && read; i++) {
		struct output_stream *s = r->streams[i];

		if (!s)
			continue;
		unread += r->stats[i].entries;
		s->is_lost = failed && !s->size && r->stats[i].read + r->stats[i].entries;
	}
	if (!unread)
		return;
	text_add(&r->late_notes, "the recorder failed before the end: ");
	text_counted(&r->late_notes, unread, "event");
	text_add(&r->late_notes, " stayed in the ring buffer\n");
}

/*
 * Drain the buffers, and collect what is only known at the end.  Later steps run even after a
 * failure; the first failure is returned.
 */
static int drain_buffers(struct recording *r, struct ft_error *err)
{
	struct ft_error second = { 0 };
	int ret = 0;

	if (r->started_ns && r->plan->stack_max)
		record_meta_stack(r);
	record_stop_instances(r);
	if (r->started_ns) {
		record_hists_read(r);
		probe_misses_read(&r->misses_after, r->root);
		record_steal_look(r);
		r->result->duration_ns = record_now_ns(CLOCK_MONOTONIC) - r->started_ns;
	}
	record_tell_stopped(r);
	if (r->readers && cpu_readers_stop(r->readers, &second)) {
		*err = second;
		ret = -1;
		if (cpu_readers_are_late(r->readers))
			output_take_back(r->output);
	}
	record_status_end(r);
	if (!r->started_ns)
		return ret;
	if (!ret)
		record_judge_end(r);
	record_read_stats(r);
	note_unread(r, ret);
	record_meta_end(r);
	return ret;
}

/* Restore tracefs.  Adds notes about what could not be restored. */
static int tear_down(struct recording *r)
{
	struct ft_error err = { 0 };
	int failed = 0;

	cpu_readers_free(r->readers);
	r->readers = NULL;
	watcher_release(r->watcher);
	for (size_t b = r->plan->nr_buffers; b-- > 0;)
		if (instance_end(&r->instances[b], &err)) {
			text_printf(&r->result->notes, "%s\n", err.message);
			failed++;
		}
	if (exit_names_end(&r->exit_names, &err)) {
		text_printf(&r->result->notes, "%s\n", err.message);
		failed++;
	}
	failed += journal_end(r->journal, &r->result->notes);
	r->journal = NULL;
	return failed ? -1 : 0;
}

/* Signals that arrived while the file was finished: everything is done, so do not die from them. */
static void take_late_signals(struct recording *r)
{
	while (record_take_signal(r))
		r->result->interrupted = true;
}

static void free_recording(struct recording *r)
{
	command_fini(&r->command);
	record_meta_names_wait(r);
	census_free(r->census);
	comms_fini(&r->comms);
	if (r->signal_fd >= 0) {
		take_late_signals(r);
		close(r->signal_fd);
	}
	free(r->instances);
	free(r->streams);
	free(r->max_streams);
	free(r->stats);
	text_fini(&r->stack);
	name_list_fini(&r->late_events);
	text_fini(&r->late_notes);
	text_fini(&r->hists);
	text_fini(&r->hist_drops);
	text_fini(&r->events_seen);
	probe_misses_fini(&r->misses_before);
	probe_misses_fini(&r->misses_after);
	judge_link_fini(&r->judge);
	record_maps_fini(r);
	steal_watch_fini(&r->steal.watch);
}

struct finishing {
	struct recording	*r;
	unsigned int		 nr_signals;
	_Atomic pid_t		 tid;		/* of the thread that packs; 0: not yet known */
	struct output_file	*output;
	struct ft_error		 err;
	int			 ret;
};

static void *finish(void *arg)
{
	struct finishing *f = arg;

	f->tid = gettid();
	f->ret = output_finish(f->output, &f->err);
	return NULL;
}

/* "D" in /proc/PID/task/TID/stat: it waits for a disk. */
static bool waits_for_disk(pid_t tid)
{
	char line[512];
	const char *state;

	tracefs_dir_read_into(AT_FDCWD, TRACEFS_TEXT("/proc/self/task/%d/stat", tid), line,
			      sizeof(line));
	state = strrchr(line, ')');
	return state && !strncmp(state, ") D", 3);
}

/* Who tells a recording to end waits for a slow disk, but not for a thread that hangs. */
static unsigned int packing_idle_ms(void *arg)
{
	struct finishing *f = arg;

	return f->r->result->told_to_end && !waits_for_disk(f->tid) ? HANGS_MS : AWAIT_IDLE_MS;
}

/* A signal stops packing; with a second one, the user does not even wait for a slow disk. */
static bool stops_packing(void *arg)
{
	struct finishing *f = arg;

	for (; record_take_signal(f->r); f->nr_signals++)
		f->r->result->interrupted = true;
	atomic_store(&f->r->stop_packing, f->r->result->interrupted);
	return f->nr_signals > 1;
}

/* The threads that compress are late: what they use is not freed.  0: the file is complete. */
static int set_unpacked(struct recording *r, struct ft_error *err)
{
	static const char late[] = "the threads that compress it do not answer";
	struct text part = { 0 };
	int ret = 0;

	output_name_add(OUTPUT_PART, r->plan->output, 0, &part);
	if (access(text_str(&part), F_OK))
		text_printf(&r->result->notes, "%s is complete, but %s\n", r->plan->output, late);
	else
		ret = ft_error_set(err, FT_E_IO, -1, "%s: %s; ftop-trace recover completes it",
				   text_str(&part), late);
	text_fini(&part);
	return ret;
}

/*
 * Packing waits for threads, so it has one of its own, beside that which takes signals.  Who tells
 * a recording to end waits no longer than packing_idle_ms(); others wait until a signal comes.
 */
static int finish_output(struct recording *r, struct ft_error *err)
{
	struct finishing *f = mem_alloc(sizeof(*f));
	const struct await await = { .hurries = stops_packing, .idle_ms = packing_idle_ms,
				     .arg = f };
	pthread_t thread;
	int ret;

	f->r = r;
	f->output = r->output;
	if (r->plan->compression == TRACE_PLAIN || pthread_create(&thread, NULL, finish, f))
		finish(f);
	else
		while (!await_thread(&await, thread))
			if (r->result->interrupted || r->result->told_to_end)
				return set_unpacked(r, err);
	if (r->left_unpacked)
		text_printf(&r->result->notes, "%s is not compressed: interrupted by %s\n",
			    r->plan->output, text_signal_name(r->signal));
	ret = f->ret;
	if (ret)
		*err = f->err;
	free(f);
	return ret;
}

/* --check: would the judge let it begin?  The file has all but records; tracefs stays as it is. */
static int ask_judge(struct recording *r, struct ft_error *err)
{
	int ret = record_meta_begin(r, err);

	if (!ret) {
		record_meta_symbols(r);
		ret = record_judge_begin(r, err);
	}
	output_abort(r->output, false);
	return ret;
}

/* Everything from the first change of tracefs to the finished file. */
static int record_to_output(struct recording *r, const char *run_dir, struct ft_error *err)
{
	struct ft_error later = { 0 };
	int ret, finished;
	bool kept;

	ret = set_up(r, run_dir, err);
	if (ret && r->signal)
		record_ended_before_it_began(r, err);
	if (!ret)
		ret = run_recording(r, err);
	/* recorded data is kept, however the recording ended, unless the user discards it */
	kept = r->started_ns && !r->nothing && !status_stream_discards(r->status);
	if (drain_buffers(r, &later)) {
		r->result->partial = true;
		if (!ret)
			*err = later;
		ret = -1;
	}
	r->result->partial |= output_gave_up(r->output);
	record_summary(r);
	/*
	 * packing takes a while, so release tracefs for others before it.  An uncompressed file is
	 * finished faster than tracefs is restored.
	 */
	if (!kept || r->plan->compression != TRACE_PLAIN || r->plan->file_version != 7)
		tear_down(r);
	if (!kept) {
		output_abort(r->output, false);
		return ret;
	}
	finished = finish_output(r, &later);
	if (!finished)
		record_summary_size(r);
	record_status_end(r);
	tear_down(r);
	if (finished) {
		if (!ret)
			*err = later;
		else
			text_printf(&r->result->notes, "%s\n", later.message);
		return -1;
	}
	r->result->written = true;
	return ret;
}

void record_clean(const struct record_places *places, struct text *notes)
{
	const struct leftover_places left = { .run_dir = places->run_dir, .proc = "/proc" };
	struct tracefs_dir root;

	if (tracefs_dir_open(&root, places->tracefs, NULL))
		return;
	leftovers_clean(&root, &left, notes);
	tracefs_dir_close(&root);
}

int record_run(const struct record_plan *plan, const struct record_places *places,
	       struct record_result *result, struct ft_error *err)
{
	struct invoker owner = { 0 }, runs = { 0 };	/* owns the file; runs the command */
	size_t nr = plan->nr_buffers * plan->nr_cpus;
	const struct leftover_places left = { .run_dir = places->run_dir, .proc = "/proc" };
	struct tracefs_dir root;
	struct watcher watcher = { .root = &root, .run_dir = places->run_dir,
				   .who = &owner };
	struct recording r = { .plan = plan, .root = &root, .result = result,
			       .watcher = &watcher,
			       .status = places->status, .signal_fd = -1,
			       .await = { .hurries = record_hurries, .arg = &r },
			       .exit_names = EXIT_NAMES_NONE,
			       .measuring = MEASURING_NOTHING,
			       .command = { .pidfd = -1, .barrier = -1, .failure = -1 } };
	int ret = -1;

	judge_link_init(&r.judge, places->judge, places->judge_pid);
	r.instances = mem_array(plan->nr_buffers, sizeof(*r.instances));
	r.streams = mem_array(nr, sizeof(*r.streams));
	r.max_streams = mem_array(plan->nr_cpus, sizeof(*r.max_streams));
	r.stats = mem_array(nr, sizeof(*r.stats));
	for (size_t b = 0; b < plan->nr_buffers; b++)
		r.instances[b] = (struct instance)INSTANCE_UNUSED;
	if (tracefs_dir_open(&root, places->tracefs, err))
		goto out;
	if (invoker_find(&owner, NULL, err) || invoker_find(&runs, plan->user, err))
		goto out;
	if (plan->command && !plan->check_only &&
	    command_fork(&r.command, (char *const *)plan->command, &runs, places->mask, err))
		goto out;
	if (catch_signals(&r, err))
		goto out;
	r.output = output_new(plan->output, &owner, err);
	if (!r.output)
		goto out;
	output_format_as(r.output, plan->file_version, plan->compression);
	output_tell_packing(r.output, record_tell_packing, &r);
	watcher.part = output_part_name(r.output);
	watcher.file = output_fd(r.output);
	watcher_start(&watcher);
	ret = plan->check_only ? ask_judge(&r, err) : record_to_output(&r, places->run_dir, err);
	result->command_status = command_exit_status(&r.command);
	result->command_runs = r.command.pid && !r.command.ended;
	/* undo what another recorder had to leave because this one was tracing */
	if (!plan->check_only)
		leftovers_clean(&root, &left, &result->notes);
	watcher_end(&watcher);
out:
	free_recording(&r);
	tracefs_dir_close(&root);
	invoker_fini(&owner);
	invoker_fini(&runs);
	return ret;
}
