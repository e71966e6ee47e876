/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <sys/wait.h>
#include <cmocka.h>

#include "recorder/control.h"
#include "recorder/instance.h"
#include "recorder/journal.h"
#include "tests/lib/sample_tracefs.h"

static struct sample_tracefs fake;
static char run_dir[96];

static int set_up(void **state)
{
	(void)state;
	sample_tracefs_init(&fake);
	snprintf(run_dir, sizeof(run_dir), "%s-run", fake.dir);
	return 0;
}

static int tear_down(void **state)
{
	char command[256];

	(void)state;
	sample_tracefs_fini(&fake);
	snprintf(command, sizeof(command), "rm -rf %s", run_dir);
	return system(command);
}

static int nr_journals(void)
{
	struct name_list files = { 0 };
	int nr;

	control_list(run_dir, "", false, &files);
	nr = (int)files.nr;
	name_list_fini(&files);
	return nr;
}

static struct journal *begin(void)
{
	struct ft_error err = { 0 };
	struct journal *j = journal_new(run_dir, fake.dir, &err);

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
	fake_file(&fake, "set_ftrace_filter", "schedule\nvfs_write\n# a comment\n");
	fake_file(&fake, "set_ftrace_pid", "no pid\n");
	j = begin();
	put(j, JOURNAL_LIST, "set_ftrace_filter", "vfs_read");
	put(j, JOURNAL_LIST, "set_ftrace_pid", "12");
	assert_int_equal(journal_end(j, &notes), 0);
	assert_string_equal(fake_content(&fake, "set_ftrace_filter"), "schedule\nvfs_write\n");
	assert_string_equal(fake_content(&fake, "set_ftrace_pid"), "");
	text_fini(&notes);
}

static void test_filters_and_triggers(void **state)
{
	struct text notes = { 0 };
	struct journal *j;

	(void)state;
	fake_file(&fake, "events/sched/sched_switch/filter", "none\n");
	fake_file(&fake, "events/sched/sched_waking/filter", "pid == 1\n");
	fake_file(&fake, "events/sched/sched_switch/trigger", "# Available triggers:\n");
	j = begin();
	put(j, JOURNAL_FILTER, "events/sched/sched_switch/filter", "prev_pid == 3");
	put(j, JOURNAL_FILTER, "events/sched/sched_waking/filter", "pid == 2");
	put(j, JOURNAL_TRIGGER, "events/sched/sched_switch/trigger", "traceoff:1");
	assert_int_equal(journal_end(j, &notes), 0);
	assert_string_equal(fake_content(&fake, "events/sched/sched_switch/filter"), "0");
	assert_string_equal(fake_content(&fake, "events/sched/sched_waking/filter"), "pid == 1");
	assert_string_equal(fake_content(&fake, "events/sched/sched_switch/trigger"), "!traceoff:1");
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
	fake_file(&fake, "current_tracer", "blk\n");
	assert_int_equal(journal_end(j, &notes), 0);
	assert_string_equal(fake_content(&fake, "current_tracer"), "blk\n");
	assert_string_equal(fake_content(&fake, "tracing_on"), "1");
	assert_non_null(strstr(text_str(&notes), "current_tracer was changed by somebody meanwhile"));
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
	assert_non_null(strstr(err.message, "no_such_file: cannot open: No such file or directory (ENOENT)"));
	assert_int_equal(journal_end(j, &notes), 0);
	text_fini(&notes);
}

/* A recorder that dies after so many bytes of its journal: the next run undoes what it did. */
static void test_killed(void **state)
{
	struct text notes = { 0 };
	int status;
	pid_t pid = fork();

	(void)state;
	if (!pid) {
		struct ft_error err;
		struct journal *j = begin();

		touch_all(j);
		journal_instance(j, "mine", &err);
		fake_file(&fake, "instances/mine/x", "");
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(nr_journals(), 1);
	assert_string_equal(fake_content(&fake, "current_tracer"), "function_graph");

	/* only told */
	assert_int_equal(journal_recover(run_dir, fake.dir, false, &notes), 1);
	assert_string_equal(fake_content(&fake, "current_tracer"), "function_graph");
	/* another mount is not ours */
	assert_int_equal(journal_recover(run_dir, "/elsewhere", true, &notes), 0);

	/* this instance cannot be removed (a folder of a real file system that is not empty): the rest is done all the same */
	assert_int_equal(journal_recover(run_dir, fake.dir, true, &notes), 1);
	expect_all_back();
	assert_non_null(strstr(text_str(&notes), "instances/mine: cannot remove"));
	text_fini(&notes);
}

/* While its recorder lives, a journal is left alone. */
static void test_owner_lives(void **state)
{
	struct text notes = { 0 };
	struct journal *j = begin();

	(void)state;
	put(j, JOURNAL_VALUE, "current_tracer", "function");
	assert_int_equal(journal_recover(run_dir, fake.dir, true, &notes), 0);
	assert_string_equal(fake_content(&fake, "current_tracer"), "function");
	assert_int_equal(journal_end(j, &notes), 0);
	text_fini(&notes);
}

/* A journal cut at any byte: what it tells of is undone, and nothing else is touched. */
static void test_cut_journal(void **state)
{
	struct text whole = { 0 }, notes = { 0 };
	char path[160];
	int status;
	pid_t pid = fork();

	(void)state;
	if (!pid) {
		touch_all(begin());
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	snprintf(path, sizeof(path), "%s/journal-%d", run_dir, (int)pid);
	assert_int_equal(control_read(path, "", &whole, NULL), 0);
	for (size_t len = 0; len <= whole.len; len++) {
		FILE *f = fopen(path, "w");

		fwrite(whole.data, 1, len, f);
		fclose(f);
		fake_file(&fake, "instances/other/tracing_on", "1\n");
		journal_recover(run_dir, fake.dir, true, &notes);
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
	char path[160];
	FILE *f;

	(void)state;
	journal_end(begin(), &notes);
	fake_file(&fake, "victim", "old");
	snprintf(path, sizeof(path), "%s/journal-1", run_dir);
	f = fopen(path, "w");
	fprintf(f, "ftop-trace journal 1\nowner 999999 1\nroot %s\nsave 0 instances/../victim 3\nnew\n", fake.dir);
	fclose(f);
	assert_int_equal(journal_recover(run_dir, fake.dir, true, &notes), 0);
	assert_string_equal(fake_content(&fake, "victim"), "old");
	text_fini(&notes);
}

static void test_stale_instances(void **state)
{
	struct text notes = { 0 };
	char name[64], path[160];

	(void)state;
	journal_instance_name(name, sizeof(name));
	snprintf(path, sizeof(path), "%s/instances/%s", fake.dir, name);
	assert_int_equal(mkdir(path, 0700), 0);		/* of this process: it lives */
	snprintf(path, sizeof(path), "%s/instances/ftop-999999-1", fake.dir);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/instances/ftop-mine", fake.dir);
	assert_int_equal(mkdir(path, 0700), 0);		/* somebody's, by another rule */
	assert_int_equal(journal_recover(run_dir, fake.dir, true, &notes), 1);
	assert_non_null(strstr(text_str(&notes), "ftop-999999-1 of a recorder that is gone: removed"));
	assert_int_equal(access(path, F_OK), 0);
	snprintf(path, sizeof(path), "%s/instances/%s", fake.dir, name);
	assert_int_equal(access(path, F_OK), 0);
	text_fini(&notes);
}

static void test_top_instance_in_use(void **state)
{
	struct ft_error err = { 0 };
	struct instance inst = { 0 };
	struct text notes = { 0 };
	struct journal *j;

	(void)state;
	fake_file(&fake, "current_tracer", "function\n");
	fake_file(&fake, "set_event", "");
	j = begin();
	assert_int_equal(instance_take_top(&inst, fake.dir, j, false, &err), -1);
	assert_non_null(strstr(err.message, "the top instance is busy (current_tracer is function)"));
	assert_string_equal(fake_content(&fake, "tracing_on"), "1\n");
	fake_file(&fake, "current_tracer", "nop\n");
	fake_file(&fake, "set_event", "sched:sched_switch\n");
	assert_int_equal(instance_take_top(&inst, fake.dir, j, false, &err), -1);
	assert_non_null(strstr(err.message, "set_event is sched:sched_switch"));
	assert_int_equal(instance_take_top(&inst, fake.dir, j, true, &err), 0);
	assert_string_equal(fake_content(&fake, "tracing_on"), "0");
	assert_true(instance_has_tracer(&inst, "function"));
	assert_false(instance_has_tracer(&inst, "funct"));
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
	fake_file(&fake, "empty", "");
	assert_int_equal(control_read(fake.dir, "empty", &t, NULL), 0);
	assert_int_equal(t.len, 0);
	assert_string_equal(text_str(&t), "");
	text_fini(&t);
}

static void test_error_log(void **state)
{
	struct text t = { 0 };

	(void)state;
	fake_file(&fake, "error_log", "[    1.5] a: error: old\n  Command: x\n           ^\n"
		  "[    2.5] event filter parse error: error: Field not found\n  Command: b == 1\n           ^\n");
	instance_error_log(fake.dir, &t);
	assert_string_equal(text_str(&t), "event filter parse error: error: Field not found\n  Command: b == 1\n           ^\n");
	text_fini(&t);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_put_back), TEST(test_lists_line_by_line), TEST(test_filters_and_triggers), TEST(test_changed_by_somebody),
		TEST(test_refused_write), TEST(test_killed), TEST(test_owner_lives), TEST(test_cut_journal), TEST(test_hostile_journal),
		TEST(test_stale_instances), TEST(test_top_instance_in_use), TEST(test_error_log),
		TEST(test_empty_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
