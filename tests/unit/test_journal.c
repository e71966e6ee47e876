/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "recorder/run/instance.h"
#include "recorder/journal/journal.h"
#include "recorder/journal/leftover.h"
#include "recorder/tracefs/owner.h"
#include "tests/lib/sample_tracefs.h"

static struct fake_tracefs fake;
static struct tracefs_dir root;
static char run_dir[600];
static char proc_dir[600];	/* a /proc where no process is seen */

static int set_up(void **state)
{
	(void)state;
	sample_tracefs_init(&fake);
	snprintf(run_dir, sizeof(run_dir), "%s-run", fake.root);
	snprintf(proc_dir, sizeof(proc_dir), "%s/no-proc", fake.root);
	return tracefs_dir_open(&root, fake.root, NULL);
}

static int tear_down(void **state)
{
	char command[700];

	(void)state;
	tracefs_dir_close(&root);
	fake_tracefs_fini(&fake);
	snprintf(command, sizeof(command), "rm -rf %s", run_dir);
	return system(command);
}

static int nr_journals(void)
{
	struct name_list files = { 0 };
	struct tracefs_dir dir;
	int nr;

	assert_int_equal(tracefs_dir_open(&dir, run_dir, NULL), 0);
	tracefs_dir_list(&dir, "", &files, NULL);
	nr = (int)files.nr;
	name_list_fini(&files);
	tracefs_dir_close(&dir);
	return nr;
}

/* As the next run does it, where it sees no process at all: only locks tell it what lives. */
static unsigned int clean(struct text *notes)
{
	const struct leftover_places places = { .run_dir = run_dir, .proc = proc_dir };

	return leftovers_clean(&root, &places, notes);
}

static void path_of(char *path, size_t size, pid_t pid)
{
	struct name_list files = { 0 };
	struct tracefs_dir dir;
	char begin[32];

	snprintf(begin, sizeof(begin), JOURNAL_PREFIX "ftop-%d-", (int)pid);
	assert_int_equal(tracefs_dir_open(&dir, run_dir, NULL), 0);
	tracefs_dir_list(&dir, "", &files, NULL);
	assert_int_equal(files.nr, 1);
	assert_memory_equal(files.names[0], begin, strlen(begin));
	snprintf(path, size, "%s/%s", run_dir, files.names[0]);
	name_list_fini(&files);
	tracefs_dir_close(&dir);
}

static struct journal *begin(void)
{
	struct ft_error err = { 0 };
	struct journal *j = journal_new(run_dir, &root, &err);

	if (!j)
		fail_msg("%s", err.message);
	return j;
}

static void put(struct journal *j, enum journal_kind kind, const char *file, const char *value)
{
	struct ft_error err = { 0 };

	if (journal_write(j, kind, file, value, false, &err))
		fail_msg("%s", err.message);
	assert_string_equal(fake_content(&fake, file), value);
}

static void touch_all(struct journal *j)
{
	put(j, JOURNAL_VALUE, "tracing_on", "0");
	put(j, JOURNAL_CHOICE, "trace_clock", "mono");
	put(j, JOURNAL_SIZE, "buffer_size_kb", "4096");
	put(j, JOURNAL_LIST, "set_ftrace_filter", "vfs_read");
	put(j, JOURNAL_VALUE, "current_tracer", "function");
	put(j, JOURNAL_VALUE, "current_tracer", "function_graph");
}

static void expect_all_back(void)
{
	assert_string_equal(fake_content(&fake, "tracing_on"), "1");
	assert_string_equal(fake_content(&fake, "trace_clock"), "local");
	assert_string_equal(fake_content(&fake, "buffer_size_kb"), "1408");
	assert_string_equal(fake_content(&fake, "set_ftrace_filter"), "");
	assert_string_equal(fake_content(&fake, "current_tracer"), "nop");
}

static void test_put_back(void **state)
{
	struct text notes = { 0 };
	struct journal *j = begin();

	(void)state;
	touch_all(j);
	assert_int_equal(nr_journals(), 1);
	assert_int_equal(journal_end(j, &notes), 0);
	assert_int_equal(notes.len, 0);
	expect_all_back();
	assert_int_equal(nr_journals(), 0);
	text_fini(&notes);
}

static void test_lists_line_by_line(void **state)
{
	struct text notes = { 0 };
	struct journal *j;

	(void)state;
	fake_tracefs_put(&fake, "set_ftrace_filter", "schedule\nvfs_write\n# a comment\n");
	fake_tracefs_put(&fake, "set_ftrace_pid", "no pid\n");
	j = begin();
	put(j, JOURNAL_LIST, "set_ftrace_filter", "vfs_read");
	put(j, JOURNAL_LIST, "set_ftrace_pid", "12");
	assert_int_equal(journal_end(j, &notes), 0);
	assert_string_equal(fake_content(&fake, "set_ftrace_filter"), "schedule\nvfs_write\n");
	assert_string_equal(fake_content(&fake, "set_ftrace_pid"), "");
	text_fini(&notes);
}

/*
 * The kernel clears functions of a list alone, and counts in its commands: ours are taken off by
 * their words, others' stay.
 */
static void test_commands_of_functions(void **state)
{
	struct text notes = { 0 };
	struct journal *j;

	(void)state;
	fake_tracefs_put(&fake, "set_ftrace_filter",
			 "vfs_write\n*:mod:ext4\nschedule:traceon:unlimited\n");
	j = begin();
	put(j, JOURNAL_LIST, "set_ftrace_filter",
	    "vfs_read\nschedule:traceon:unlimited\nvfs_read:traceoff:count=3\n"
	    "vfs_read:enable_event:sched:sched_switch:unlimited\n");
	fake_tracefs_put(&fake, "set_ftrace_filter",
			 "vfs_read\nschedule:traceon:unlimited\nvfs_read:traceoff:count=0\n"
			 "vfs_read:enable_event:sched:sched_switch:unlimited\n");
	assert_int_equal(journal_end(j, &notes), 0);
	assert_string_equal(text_str(&notes), "");
	assert_string_equal(fake_content(&fake, "set_ftrace_filter"),
			    "!vfs_read:traceoff:0\n!vfs_read:enable_event:sched:sched_switch\n"
			    "vfs_write\n*:mod:ext4\n");
	/* what is no count of a command was changed by somebody */
	for (int i = 0; i < 3; i++) {
		static const char *const now[] = { "vfs_reads\n",
						   "vfs_read\nschedule:traceon:unlimited\n",
						   "schedule\nvfs_read:traceoff\n" };

		j = begin();
		put(j, JOURNAL_LIST, "set_ftrace_filter", "vfs_read\nvfs_read:traceoff:count=3\n");
		fake_tracefs_put(&fake, "set_ftrace_filter", now[i]);
		assert_int_equal(journal_end(j, &notes), 0);
		assert_string_equal(fake_content(&fake, "set_ftrace_filter"), now[i]);
	}
	assert_non_null(strstr(text_str(&notes), "changed by someone else"));
	text_fini(&notes);
}

static void test_filters_and_triggers(void **state)
{
	struct text notes = { 0 };
	struct journal *j;

	(void)state;
	fake_tracefs_put(&fake, "events/sched/sched_switch/filter", "none\n");
	fake_tracefs_put(&fake, "events/sched/sched_waking/filter", "pid == 1\n");
	fake_tracefs_put(&fake, "events/sched/sched_switch/trigger", "# Available triggers:\n");
	j = begin();
	put(j, JOURNAL_FILTER, "events/sched/sched_switch/filter", "prev_pid == 3");
	put(j, JOURNAL_FILTER, "events/sched/sched_waking/filter", "pid == 2");
	assert_int_equal(journal_write(j, JOURNAL_TRIGGER, "events/sched/sched_switch/trigger",
				       "traceoff:1\n", false, NULL),
			 0);
	assert_int_equal(journal_end(j, &notes), 0);
	assert_string_equal(fake_content(&fake, "events/sched/sched_switch/filter"), "0");
	assert_string_equal(fake_content(&fake, "events/sched/sched_waking/filter"), "pid == 1");
	assert_string_equal(fake_content(&fake, "events/sched/sched_switch/trigger"),
			    "# Available triggers:\ntraceoff:1\n!traceoff:1\n");
	text_fini(&notes);
}

/* By their own text; those that others enabled are not touched. */
static void test_events_of_modules(void **state)
{
	struct text notes = { 0 };
	struct journal *j;

	(void)state;
	fake_tracefs_put(&fake, "set_event", "sched:sched_switch\n");
	j = begin();
	assert_int_equal(journal_write(j, JOURNAL_EVENTS, "set_event", ":mod:nfs\n", false, NULL),
			 0);
	assert_int_equal(journal_write(j, JOURNAL_EVENTS, "set_event", "*:x:mod:ext4\n", false,
				       NULL),
			 0);
	assert_string_equal(fake_content(&fake, "set_event"),
			    "sched:sched_switch\n:mod:nfs\n*:x:mod:ext4\n");
	assert_int_equal(journal_end(j, &notes), 0);
	assert_string_equal(fake_content(&fake, "set_event"),
			    "sched:sched_switch\n:mod:nfs\n*:x:mod:ext4\n"
			    "!*:x:mod:ext4\n!:mod:nfs\n");
	assert_string_equal(text_str(&notes), "");
	text_fini(&notes);
}

/* What the kernel itself changes is put back all the same. */
static void test_measured(void **state)
{
	struct text notes = { 0 };
	struct journal *j;

	(void)state;
	fake_tracefs_put(&fake, "stack_max_size", "4321\n");
	j = begin();
	put(j, JOURNAL_MEASURED, "stack_max_size", "0");
	fake_tracefs_put(&fake, "stack_max_size", "777\n");
	assert_int_equal(journal_end(j, &notes), 0);
	assert_string_equal(fake_content(&fake, "stack_max_size"), "4321");
	assert_int_equal(notes.len, 0);
	text_fini(&notes);
}

/* A file of /proc/sys/kernel is read there; one that is not there is told. */
static void others_end(void)
{
	char path[1024];

	snprintf(path, sizeof(path), "%s/instances/other/tracing_on", fake.root);
	assert_int_equal(unlink(path), 0);
	*strrchr(path, '/') = '\0';
	assert_int_equal(rmdir(path), 0);
}

/*
 * Writing the size of the list of task names empties it: not while others trace, and all else is
 * put back at once.
 */
static void test_names_of_others(void **state)
{
	struct text notes = { 0 };
	struct journal *j;

	(void)state;
	fake_tracefs_put(&fake, "saved_cmdlines_size", "128\n");
	j = begin();
	put(j, JOURNAL_NAMES, "saved_cmdlines_size", "4096");
	put(j, JOURNAL_VALUE, "tracing_on", "0");
	assert_int_equal(journal_end(j, &notes), 0);
	assert_string_equal(fake_content(&fake, "saved_cmdlines_size"), "4096");
	assert_string_equal(fake_content(&fake, "tracing_on"), "1");
	assert_non_null(
		strstr(text_str(&notes), "saved_cmdlines_size stays at 4096: others are tracing"));
	assert_int_equal(nr_journals(), 1);

	/* they still trace; what was put back may be theirs now */
	fake_tracefs_put(&fake, "tracing_on", "0");
	text_clear(&notes);
	assert_int_equal(clean(&notes), 0);
	assert_string_equal(text_str(&notes), "");
	assert_string_equal(fake_content(&fake, "saved_cmdlines_size"), "4096");
	assert_int_equal(nr_journals(), 1);

	/* an event of the top instance is another's, too */
	others_end();
	fake_tracefs_put(&fake, "set_event", "sched:sched_switch\n");
	assert_int_equal(clean(&notes), 0);
	assert_string_equal(fake_content(&fake, "saved_cmdlines_size"), "4096");

	fake_tracefs_put(&fake, "set_event", "");
	assert_int_equal(clean(&notes), 0);
	assert_non_null(strstr(text_str(&notes), "had left changed while others traced"));
	assert_string_equal(fake_content(&fake, "saved_cmdlines_size"), "128");
	assert_string_equal(fake_content(&fake, "tracing_on"), "0");
	assert_int_equal(nr_journals(), 0);
	text_fini(&notes);
}

/* Nobody else: put back at once; changed by somebody: theirs. */
static void test_names_without_others(void **state)
{
	struct text notes = { 0 };
	struct journal *j;

	(void)state;
	others_end();
	fake_tracefs_put(&fake, "saved_cmdlines_size", "128\n");
	j = begin();
	put(j, JOURNAL_NAMES, "saved_cmdlines_size", "4096");
	assert_int_equal(journal_end(j, &notes), 0);
	assert_string_equal(fake_content(&fake, "saved_cmdlines_size"), "128");
	assert_string_equal(text_str(&notes), "");
	assert_int_equal(nr_journals(), 0);

	j = begin();
	put(j, JOURNAL_NAMES, "saved_cmdlines_size", "4096");
	fake_tracefs_put(&fake, "saved_cmdlines_size", "8192\n");
	fake_tracefs_put(&fake, "current_tracer", "function\n");
	assert_int_equal(journal_end(j, &notes), 0);
	assert_string_equal(fake_content(&fake, "saved_cmdlines_size"), "8192\n");
	assert_non_null(
		strstr(text_str(&notes), "saved_cmdlines_size was changed by someone else"));
	assert_int_equal(nr_journals(), 0);
	text_fini(&notes);
}

static void test_sysctl(void **state)
{
	struct text notes = { 0 };
	struct ft_error err = { 0 };
	struct journal *j = begin();

	(void)state;
	assert_int_equal(journal_save(j, JOURNAL_VALUE, JOURNAL_SYSCTL "ostype", &err), 0);
	assert_int_equal(journal_write(j, JOURNAL_VALUE, JOURNAL_SYSCTL "no_such_thing", "1", false,
				       &err),
			 -1);
	assert_string_equal(
		err.message,
		"/proc/sys/kernel/no_such_thing: opening: ENOENT (No such file or directory)");
	/* as it was: nothing is written (and could not be) */
	assert_int_equal(journal_end(j, &notes), 0);
	assert_int_equal(notes.len, 0);
	text_fini(&notes);
}

/* What somebody else has set meanwhile stays, and is told. */
static void test_changed_by_somebody(void **state)
{
	struct text notes = { 0 };
	struct journal *j = begin();

	(void)state;
	put(j, JOURNAL_VALUE, "current_tracer", "function");
	put(j, JOURNAL_VALUE, "tracing_on", "0");
	fake_tracefs_put(&fake, "current_tracer", "blk\n");
	assert_int_equal(journal_end(j, &notes), 0);
	assert_string_equal(fake_content(&fake, "current_tracer"), "blk\n");
	assert_string_equal(fake_content(&fake, "tracing_on"), "1");
	assert_non_null(strstr(text_str(&notes), "current_tracer was changed by someone else"));
	text_fini(&notes);
}

static void test_refused_write(void **state)
{
	struct ft_error err = { 0 };
	struct text notes = { 0 };
	struct journal *j = begin();

	(void)state;
	assert_int_equal(journal_write(j, JOURNAL_VALUE, "no_such_file", "1", false, &err), -1);
	assert_int_equal(errno, ENOENT);
	assert_non_null(
		strstr(err.message, "no_such_file: opening: ENOENT (No such file or directory)"));
	assert_int_equal(journal_end(j, &notes), 0);
	text_fini(&notes);
}

/* A recorder that dies after so many bytes of its journal: the next run undoes what it did. */
static void test_killed(void **state)
{
	struct text notes = { 0 };
	char path[1024];
	int status;
	pid_t pid = fork();

	(void)state;
	if (!pid) {
		struct ft_error err;
		struct journal *j = begin();

		touch_all(j);
		journal_instance(j, "mine", &err);
		fake_tracefs_put(&fake, "instances/mine/x", "");
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(nr_journals(), 1);
	assert_string_equal(fake_content(&fake, "current_tracer"), "function_graph");

	/*
	 * this instance cannot be removed (a folder of a real file system that is not empty): the
	 * rest is done all the same
	 */
	assert_int_equal(clean(&notes), 1);
	expect_all_back();
	assert_non_null(strstr(text_str(&notes), "instances/mine: removing: ENOTEMPTY"));
	assert_non_null(strstr(text_str(&notes), "restored only in part"));
	assert_int_equal(nr_journals(), 1);

	/* the next run tries again */
	snprintf(path, sizeof(path), "%s/instances/mine/x", fake.root);
	assert_int_equal(unlink(path), 0);
	text_clear(&notes);
	assert_int_equal(clean(&notes), 1);
	assert_non_null(strstr(text_str(&notes), "before it restored tracefs: restored now"));
	assert_int_equal(nr_journals(), 0);
	assert_int_equal(clean(&notes), 0);
	text_fini(&notes);
}

/*
 * The switch of the top instance is written by its descriptor, too, and the kernel changes lists of
 * pids: neither is somebody else's.
 */
static void test_killed_in_the_top_instance(void **state)
{
	static const char *const before[] = { "0", "1" };
	struct text notes = { 0 };

	(void)state;
	for (int i = 0; i < 2; i++) {
		int status;
		pid_t pid;

		fake_tracefs_put(&fake, "tracing_on", before[i]);
		fake_tracefs_put(&fake, "set_event_pid", "");
		pid = fork();
		if (!pid) {
			struct journal *j = begin();
			struct instance inst;

			put(j, JOURNAL_PIDS, "set_event_pid", "12");
			if (instance_take_top(&inst, &root, j, true, NULL) ||
			    instance_start(&inst, NULL))
				_exit(1);
			_exit(0);
		}
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_int_equal(status, 0);
		assert_string_equal(fake_content(&fake, "tracing_on"), "1");
		fake_tracefs_put(&fake, "set_event_pid", "12\n13\n");
		text_clear(&notes);
		assert_int_equal(clean(&notes), 1);
		assert_string_equal(fake_content(&fake, "tracing_on"), before[i]);
		assert_string_equal(fake_content(&fake, "set_event_pid"), "");
		assert_null(strstr(text_str(&notes), "someone else"));
	}
	text_fini(&notes);
}

/*
 * While its recorder lives, a journal and its instances are left alone, though its process cannot
 * be seen.
 */
static void test_owner_lives(void **state)
{
	struct text notes = { 0 };
	char name[OWNER_NAME_BYTES], path[1024];
	int ready[2], done[2], status;
	struct leftovers left;
	char byte = 0;
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(ready), 0);
	assert_int_equal(pipe(done), 0);
	pid = fork();
	if (!pid) {
		struct journal *j = begin();
		struct ft_error err;

		close(done[1]);
		put(j, JOURNAL_VALUE, "current_tracer", "function");
		owner_name(name, sizeof(name), &err);
		journal_instance(j, name, &err);
		snprintf(path, sizeof(path), "%s/instances/%s", fake.root, name);
		mkdir(path, 0700);
		_exit(write(ready[1], &byte, 1) != 1 || read(done[0], &byte, 1) != 0);
	}
	close(done[0]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	assert_int_equal(clean(&notes), 0);
	assert_int_equal(notes.len, 0);
	assert_string_equal(fake_content(&fake, "current_tracer"), "function");
	assert_int_equal(leftovers_find(&left, &root,
					&(struct leftover_places){ run_dir, proc_dir }, NULL),
			 0);
	assert_int_equal(left.nr, 1);
	assert_int_equal(left.nr_stale, 0);
	assert_int_equal(left.items[0].pid, pid);
	assert_int_equal(left.items[0].state, LEFTOVER_LIVES);
	assert_true(left.items[0].has_instance && left.items[0].has_journal);
	snprintf(path, sizeof(path), "%s/instances/%s", fake.root, left.items[0].name);
	assert_int_equal(access(path, F_OK), 0);
	leftovers_fini(&left);

	/* the end of the process, however it comes, is the end of the lock */
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(clean(&notes), 1);
	assert_string_equal(fake_content(&fake, "current_tracer"), "nop");
	assert_int_equal(access(path, F_OK), -1);
	text_fini(&notes);
	close(done[1]);
	close(ready[0]);
	close(ready[1]);
}

/* tracefs began anew with the machine: what a journal of before tells is not undone. */
static void test_earlier_boot(void **state)
{
	struct text notes = { 0 };
	char path[1024], content[1024], *boot;
	struct journal *j = begin();
	ssize_t len;
	int fd;

	(void)state;
	put(j, JOURNAL_VALUE, "current_tracer", "function");
	path_of(path, sizeof(path), getpid());
	fd = open(path, O_RDWR);
	len = read(fd, content, sizeof(content) - 1);
	assert_true(len > 0);
	content[len] = '\0';
	boot = strstr(content, "boot ");
	assert_non_null(boot);
	boot[5] = boot[5] == '0' ? '1' : '0';
	assert_int_equal(pwrite(fd, content, len, 0), len);
	close(fd);
	journal_leave(j);
	assert_int_equal(clean(&notes), 0);
	assert_string_equal(fake_content(&fake, "current_tracer"), "function");
	assert_int_equal(nr_journals(), 0);
	text_fini(&notes);
}

/*
 * What somebody else made a moment before, under the name we wanted, is not ours to remove: at our
 * end, or by the next run.
 */
static void test_made_by_somebody_meanwhile(void **state)
{
	struct text notes = { 0 };
	struct ft_error err = { 0 };

	(void)state;
	fake_tracefs_put(&fake, "instances/theirs/", "");
	for (int killed = 0; killed < 2; killed++) {
		struct instance inst;
		struct journal *j = begin();

		assert_int_equal(journal_instance(j, "theirs", &err), 0);
		assert_int_equal(journal_dynamic(j, "synthetic/theirs", &err), 0);
		assert_int_equal(instance_make(&inst, &root, "theirs", &err), -1);
		assert_non_null(strstr(err.message, "EEXIST"));
		assert_null(inst.name);
		journal_unmade(j, "theirs");
		journal_unmade(j, "synthetic/theirs");
		if (killed) {
			journal_leave(j);
			assert_int_equal(clean(&notes), 1);
		} else {
			assert_int_equal(journal_end(j, &notes), 0);
			assert_string_equal(text_str(&notes), "");
		}
		assert_true(tracefs_dir_has(&root, "instances/theirs"));
		assert_string_equal(fake_content(&fake, "dynamic_events"), "");
		assert_int_equal(nr_journals(), 0);
	}
	text_fini(&notes);
}

/* A journal of another tracefs stays as it is. */
static void test_other_tracefs(void **state)
{
	struct text notes = { 0 };
	struct tracefs_dir elsewhere;
	struct journal *j = begin();
	char path[1024];

	(void)state;
	put(j, JOURNAL_VALUE, "current_tracer", "function");
	journal_leave(j);
	fake_tracefs_put(&fake, "elsewhere/instances/x", "");
	fake_tracefs_put(&fake, "elsewhere/current_tracer", "function\n");
	snprintf(path, sizeof(path), "%s/elsewhere", fake.root);
	assert_int_equal(tracefs_dir_open(&elsewhere, path, NULL), 0);
	assert_int_equal(leftovers_clean(&elsewhere, &(struct leftover_places){ run_dir, proc_dir },
					 &notes),
			 0);
	assert_string_equal(fake_content(&fake, "elsewhere/current_tracer"), "function\n");
	assert_int_equal(nr_journals(), 1);
	tracefs_dir_close(&elsewhere);
	text_fini(&notes);
}

/* A journal cut at any byte: what it tells of is undone, and nothing else is touched. */
static void test_cut_journal(void **state)
{
	struct text whole = { 0 }, notes = { 0 };
	struct tracefs_dir dir;
	char path[1024], *name;
	int status;
	pid_t pid = fork();

	(void)state;
	if (!pid) {
		touch_all(begin());
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	path_of(path, sizeof(path), pid);
	name = strrchr(path, '/') + 1;
	assert_int_equal(tracefs_dir_open(&dir, run_dir, NULL), 0);
	assert_int_equal(tracefs_dir_read(&dir, name, &whole, NULL), 0);
	tracefs_dir_close(&dir);
	for (size_t len = 0; len <= whole.len; len++) {
		FILE *f = fopen(path, "w");

		fwrite(whole.data, 1, len, f);
		fclose(f);
		fake_tracefs_put(&fake, "instances/other/tracing_on", "1\n");
		clean(&notes);
		assert_string_equal(fake_content(&fake, "instances/other/tracing_on"), "1\n");
	}
	expect_all_back();
	text_fini(&whole);
	text_fini(&notes);
}

/* Names in a journal never lead out of tracefs. */
static void test_hostile_journal(void **state)
{
	struct text notes = { 0 };
	char path[1024], boot[OWNER_BOOT_BYTES];
	struct stat st;
	FILE *f;

	(void)state;
	journal_end(begin(), &notes);
	fake_tracefs_put(&fake, "victim", "old");
	snprintf(path, sizeof(path), "%s/" JOURNAL_PREFIX "ftop-999999-1", run_dir);
	assert_int_equal(fstat(root.fd, &st), 0);
	f = fopen(path, "w");
	fprintf(f,
		"ftop-trace journal 1\nboot %s\nroot %llu %llu x\nsave 0 instances/../victim 3\nnew\n",
		owner_boot_id(boot), (unsigned long long)st.st_dev, (unsigned long long)st.st_ino);
	fclose(f);
	assert_int_equal(clean(&notes), 0);
	assert_string_equal(fake_content(&fake, "victim"), "old");
	/* the same with a good name is believed: the test is not of something else */
	f = fopen(path, "w");
	fprintf(f, "ftop-trace journal 1\nboot %s\nroot %llu %llu x\nsave 0 victim 3\nnew\n",
		owner_boot_id(boot), (unsigned long long)st.st_dev, (unsigned long long)st.st_ino);
	fclose(f);
	assert_int_equal(clean(&notes), 1);
	assert_string_equal(fake_content(&fake, "victim"), "new");
	text_fini(&notes);
}

/* --- instances without a journal -------------------------------------------------------------- */

static void test_names(void **state)
{
	static const char *const foreign[] = {
		"ftop-", "ftop-1", "ftop-x-1", "ftop-12-", "ftop-12-7x", "ftop-0-5", "ftop--4-5",
		"ftop-99999999999-1",
		"Ftop-1-1", "trace-cmd", "ftop-1-1-1", "ftop-1-1-name",
		"ftop-1-1-names2",
	};
	const struct leftover_places places = { run_dir, proc_dir };
	char path[1024], name[OWNER_NAME_BYTES];
	struct leftovers left;
	struct ft_error err;

	(void)state;
	/*
	 * 22 is the start time; the name of the program tries to look like the end of the field
	 * before.
	 */
	fake_tracefs_put(
		&fake, "no-proc/12/stat",
		"12 (a) b) (c) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 777 20 21\n");
	fake_tracefs_put(&fake, "no-proc/13/stat", "13 (x) S 1 2");
	for (size_t i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++) {
		snprintf(path, sizeof(path), "instances/%s/x", foreign[i]);
		fake_tracefs_put(&fake, path, "");
	}
	fake_tracefs_put(&fake, "instances/ftop-12-777/x", "");
	fake_tracefs_put(&fake, "instances/ftop-12-778/x", "");
	fake_tracefs_put(&fake, "instances/ftop-13-7777777777/x", "");
	fake_tracefs_put(&fake, "instances/ftop-14-7777777777/x", "");
	fake_tracefs_put(&fake, "instances/ftop-12-777-names/x", "");
	fake_tracefs_put(&fake, "instances/ftop-15-7777777777-names/x", "");
	assert_int_equal(leftovers_find(&left, &root, &places, NULL), 0);
	/* "other" of the sample */
	assert_int_equal(left.foreign.nr, sizeof(foreign) / sizeof(foreign[0]) + 1);
	assert_int_equal(left.nr, 6);
	assert_int_equal(left.nr_stale, 4);
	assert_string_equal(left.items[0].name, "ftop-12-777");
	assert_int_equal(left.items[0].pid, 12);
	assert_int_equal(left.items[0].state, LEFTOVER_LIVES);
	assert_string_equal(left.items[1].name, "ftop-12-777-names");
	assert_int_equal(left.items[1].state, LEFTOVER_LIVES);
	for (int i = 2; i < 6; i++)
		assert_int_equal(left.items[i].state, LEFTOVER_UNSEEN);
	leftovers_fini(&left);

	/* this process is seen under the name it would take */
	assert_int_equal(owner_name(name, sizeof(name), &err), 0);
	snprintf(path, sizeof(path), "instances/%s/x", name);
	fake_tracefs_put(&fake, path, "");
	assert_int_equal(leftovers_find(&left, &root, &(struct leftover_places){ run_dir, "/proc" },
					NULL),
			 0);
	for (size_t i = 0; i < left.nr; i++)
		assert_int_equal(left.items[i].state, strcmp(left.items[i].name, name) ?
							      LEFTOVER_UNSEEN :
							      LEFTOVER_LIVES);
	leftovers_fini(&left);
}

/*
 * Whoever made it cannot be seen: it goes if the file system lets it go, and nothing is written to
 * it before.
 */
static void test_unseen_instances(void **state)
{
	struct text notes = { 0 };
	char path[1024];

	(void)state;
	snprintf(path, sizeof(path), "%s/instances/ftop-999999-1", fake.root);
	assert_int_equal(mkdir(path, 0700), 0);
	fake_tracefs_put(&fake, "instances/ftop-999998-1/tracing_on", "1\n");
	fake_tracefs_put(&fake, "instances/ftop-999998-1/events/enable", "1\n");
	fake_tracefs_put(&fake, "instances/ftop-999998-1/current_tracer", "function\n");
	/* somebody's, by another rule */
	fake_tracefs_put(&fake, "instances/ftop-mine/tracing_on", "1\n");
	assert_int_equal(clean(&notes), 2);
	assert_non_null(strstr(text_str(&notes),
			       "removed instance ftop-999999-1 of a recorder that has ended"));
	assert_non_null(strstr(text_str(&notes), "instances/ftop-999998-1: removing: ENOTEMPTY"));
	assert_int_equal(access(path, F_OK), -1);
	assert_string_equal(fake_content(&fake, "instances/ftop-999998-1/tracing_on"), "1\n");
	assert_string_equal(fake_content(&fake, "instances/ftop-999998-1/events/enable"), "1\n");
	assert_string_equal(fake_content(&fake, "instances/ftop-999998-1/current_tracer"),
			    "function\n");
	assert_string_equal(fake_content(&fake, "instances/ftop-mine/tracing_on"), "1\n");
	text_fini(&notes);
}

/* One recorder at a time has the top instance, whatever it forces; the message names the first. */
static bool another_is_refused(void)
{
	int status = 1;
	pid_t pid = fork();

	if (!pid) {
		struct ft_error err = { 0 };
		struct instance inst = { 0 };
		struct journal *j = begin();
		char first[80];

		snprintf(first, sizeof(first), "another ftop-trace record (process %d) records",
			 getppid());
		if (!instance_take_top(&inst, &root, j, true, &err) || !strstr(err.message, first))
			_exit(1);
		_exit(journal_end(j, NULL));
	}
	return pid > 0 && waitpid(pid, &status, 0) == pid && !status;
}

static void test_top_instance_in_use(void **state)
{
	struct ft_error err = { 0 };
	struct instance inst = { 0 };
	struct text notes = { 0 };
	struct journal *j;

	(void)state;
	fake_tracefs_put(&fake, "current_tracer", "function\n");
	fake_tracefs_put(&fake, "set_event", "");
	j = begin();
	assert_int_equal(instance_take_top(&inst, &root, j, false, &err), -1);
	assert_non_null(
		strstr(err.message, "the top instance is in use (current_tracer is function)"));
	assert_string_equal(fake_content(&fake, "tracing_on"), "1\n");
	fake_tracefs_put(&fake, "current_tracer", "nop\n");
	fake_tracefs_put(&fake, "set_event", "sched:sched_switch\n");
	assert_int_equal(instance_take_top(&inst, &root, j, false, &err), -1);
	assert_non_null(strstr(err.message, "set_event is sched:sched_switch"));
	assert_int_equal(instance_take_top(&inst, &root, j, true, &err), 0);
	assert_string_equal(fake_content(&fake, "tracing_on"), "0");
	assert_true(instance_has_tracer(&inst, "function"));
	assert_false(instance_has_tracer(&inst, "funct"));
	assert_true(another_is_refused());
	assert_int_equal(instance_end(&inst, &err), 0);
	assert_int_equal(journal_end(j, &notes), 0);
	text_fini(&notes);
}

static void test_empty_file(void **state)
{
	struct text t = { 0 };

	(void)state;
	/* memory that was in use before */
	text_add(&t, "something");
	text_fini(&t);
	fake_tracefs_put(&fake, "empty", "");
	assert_int_equal(tracefs_dir_read(&root, "empty", &t, NULL), 0);
	assert_int_equal(t.len, 0);
	assert_string_equal(text_str(&t), "");
	text_fini(&t);
}

static void test_error_log(void **state)
{
	struct text t = { 0 };

	(void)state;
	fake_tracefs_put(
		&fake, "error_log",
		"[    1.5] a: error: old\n  Command: x\n           ^\n"
		"[    2.5] event filter parse error: error: Field not found\n  Command: b == 1\n           ^\n");
	instance_error_log(&root, &t);
	assert_string_equal(
		text_str(&t),
		"event filter parse error: error: Field not found\n  Command: b == 1\n           ^\n");
	text_fini(&t);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_put_back), TEST(test_lists_line_by_line),
		TEST(test_commands_of_functions),
		TEST(test_filters_and_triggers), TEST(test_events_of_modules),
		TEST(test_measured), TEST(test_names_of_others),
		TEST(test_names_without_others),
		TEST(test_sysctl), TEST(test_changed_by_somebody),
		TEST(test_refused_write), TEST(test_killed),
		TEST(test_killed_in_the_top_instance), TEST(test_made_by_somebody_meanwhile),
		TEST(test_owner_lives), TEST(test_cut_journal), TEST(test_hostile_journal),
		TEST(test_earlier_boot), TEST(test_other_tracefs), TEST(test_names),
		TEST(test_unseen_instances), TEST(test_top_instance_in_use), TEST(test_error_log),
		TEST(test_empty_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
