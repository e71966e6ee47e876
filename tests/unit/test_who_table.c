/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "parsers/io/byte_reader.h"
#include "parsers/types/event_types.h"
#include "parsers/types/machine.h"
#include "parsers/types/who_table.h"
#include "src/base/text.h"

static struct tgid_table *tgids;
static struct who_table *table;

static int setup(void **state)
{
	(void)state;
	tgids = tgid_table_new();
	table = who_table_new(tgids);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	who_table_free(table);
	tgid_table_free(tgids);
	return 0;
}

static void exec(int pid, int64_t ts, const char *exe)
{
	who_table_exec(table, pid, ts, exe, (uint32_t)strlen(exe));
	tgid_table_seen(tgids, pid, ts, pid);
}

static void moved(int pid, int64_t ts, const char *path)
{
	who_table_moved(table, pid, ts, 0, path, (uint32_t)strlen(path));
}

static int64_t same(const void *arg, uint64_t raw)
{
	(void)arg;
	return (int64_t)raw;
}

static void load(const char *text)
{
	struct ft_error err;

	assert_int_equal(who_table_load(table, text, strlen(text), false, same, NULL, &err), 0);
}

/* What is known, as "tgid parent user exe cmdline cgroup"; "-" where nothing is, k: kernel. */
static const char *at(int pid, int64_t ts)
{
	static char line[512];
	struct who who, again;
	int64_t from, to, f, t;
	bool known = who_table_at(table, pid, ts, &who, &from, &to);
	char user[16] = "-";

	assert_true(from <= ts && ts <= to);
	/* What is said to be the same is, at both ends. */
	for (int i = 0; i < 2; i++) {
		assert_int_equal(who_table_at(table, pid, i ? to : from, &again, &f, &t), known);
		assert_memory_equal(&who, &again, sizeof(who));
		assert_true(f == from && t == to);
	}
	if (who.uid >= 0)
		sprintf(user, "%d", (int)who.uid);
	snprintf(line, sizeof(line), "%d %d %s %s %s %s%s", who.tgid, who.parent,
		 who.user ? who.user : user, who.exe ? who.exe : "-",
		 who.cmdline ? who.cmdline : "-", who.cgroup ? who.cgroup : "-",
		 who.is_kernel ? " k" : "");
	assert_true(known || !strcmp(line, "0 0 - - - -"));
	return line;
}

#define NOTHING "0 0 - - - -"

/* Strings 1 to 5, and a user. */
static const char strings[] = "string 9\n/bin/bash\n"
			      "string 9\nbash -l\n\x1b\n"
			      "string 2\n/a\n"
			      "string 4\n/a/b\n"
			      "string 3\nann\n"
			      "user 1000 5\n";

static void load_more(const char *lines)
{
	char text[2048];

	snprintf(text, sizeof(text), "%s%s", strings, lines);
	load(text);
}

/* What was seen holds back to the birth and up to the next one. */
static void test_seen(void **state)
{
	(void)state;
	load_more("task 100 100 50 1 -1 1000 1 2 3 0\n");
	assert_string_equal(at(50, INT64_MIN), "50 1 ann /bin/bash bash -l\n\x1b /a");
	assert_string_equal(at(50, 100), "50 1 ann /bin/bash bash -l\n\x1b /a");
	assert_string_equal(at(50, INT64_MAX), "50 1 ann /bin/bash bash -l\n\x1b /a");
	assert_string_equal(at(51, 100), NOTHING);
	tgid_table_born(tgids, 50, 80, 7, 0);
	assert_string_equal(at(50, 79), NOTHING);
	assert_string_equal(at(50, 80), "50 1 ann /bin/bash bash -l\n\x1b /a");
	tgid_table_seen(tgids, 7, 1, 7);
	assert_string_equal(at(50, 80), "50 7 ann /bin/bash bash -l\n\x1b /a");
	tgid_table_born(tgids, 50, 200, 9, 0);		/* reused by who is not known */
	assert_string_equal(at(50, 199), "50 7 ann /bin/bash bash -l\n\x1b /a");
	assert_string_equal(at(50, 200), "50 0 - - - -");
	assert_string_equal(at(0, 5), "0 0 - - - - k");
	assert_string_equal(at(-1, 5), NOTHING);
}

/* Two sightings that differ, without an event in between; and one that is around an event. */
static void test_sightings_that_differ(void **state)
{
	(void)state;
	load_more("task 90 100 50 1 -1 1000 1 2 3 0\n"
		  "task 290 300 50 1 -1 1000 2 2 4 0\n");
	assert_string_equal(at(50, 99), "50 1 ann /bin/bash bash -l\n\x1b /a");
	assert_string_equal(at(50, 100), "50 1 ann - bash -l\n\x1b -");
	assert_string_equal(at(50, 299), "50 1 ann - bash -l\n\x1b -");
	assert_string_equal(at(50, 300), "50 1 ann bash -l\n\x1b bash -l\n\x1b /a/b");
	moved(50, 200, "/c");
	assert_string_equal(at(50, 199), "50 1 ann - bash -l\n\x1b /a");
	assert_string_equal(at(50, 200), "50 1 ann - bash -l\n\x1b -");
	exec(50, 95, "/bin/x");			/* while the first look went on */
	assert_string_equal(at(50, 94), "50 1 - - - /a");
	assert_string_equal(at(50, 100), "50 1 ann bash -l\n\x1b bash -l\n\x1b /a");
}

/* A start that /proc tells is a bound where no birth was recorded. */
static void test_start(void **state)
{
	(void)state;
	load_more("task 100 100 50 1 40 1000 1 2 3 0\n"
		  "task 300 300 50 1 250 0 0 0 4 0\n");
	assert_string_equal(at(50, 39), NOTHING);
	assert_string_equal(at(50, 249), "50 1 ann /bin/bash bash -l\n\x1b /a");
	assert_string_equal(at(50, 250), "50 1 0 - - /a/b");
	/* Where it is recorded, too, that is when. */
	tgid_table_born(tgids, 50, 270, 0, 0);
	assert_string_equal(at(50, 269), "50 1 ann /bin/bash bash -l\n\x1b /a");
	assert_string_equal(at(50, 270), "50 1 0 - - /a/b");
}

/* A task that lives 200 us has what its maker has, and the program that it starts. */
static void test_fork_and_exec(void **state)
{
	(void)state;
	load_more("task 100 100 50 1 -1 1000 1 2 3 0\n");
	tgid_table_born(tgids, 60, 1000, 50, 0);
	exec(60, 1100, "/bin/true");
	who_table_exited(table, 60, 1200);
	tgid_table_born(tgids, 60, 5000, 61, 0);	/* its pid again, by a stranger */
	assert_string_equal(at(60, 999), NOTHING);
	assert_string_equal(at(60, 1000), "60 50 ann /bin/bash bash -l\n\x1b /a");
	assert_string_equal(at(60, 1099), "60 50 ann /bin/bash bash -l\n\x1b /a");
	assert_string_equal(at(60, 1100), "60 50 ann /bin/true - /a");
	assert_string_equal(at(60, 1300), "60 50 ann /bin/true - /a");	/* a zombie */
	assert_string_equal(at(60, 5000), "60 0 - - - -");
	/* A child of the child: with what it had at that time. */
	tgid_table_born(tgids, 62, 1050, 60, 0);
	assert_string_equal(at(62, 2000), "62 60 ann /bin/bash bash -l\n\x1b /a");
	/* Seen after the exec: nothing of it holds before, but the cgroup. */
	load_more("task 1150 1150 60 50 -1 0 0 2 4 0\n");
	assert_string_equal(at(60, 1099), "60 50 ann /bin/bash bash -l\n\x1b /a/b");
	assert_string_equal(at(60, 1120), "60 50 0 /bin/true bash -l\n\x1b /a/b");
}

/* While a task runs a program it has it already, but the event is still to come. */
static void test_sighting_inside_exec(void **state)
{
	(void)state;
	load_more("task 100 100 50 1 -1 1000 1 2 3 0\n"
		  "string 9\n/bin/true\nstring 6\ntrue x\n"
		  "task 1090 1095 60 50 -1 0 6 7 3 0\n"
		  "task 1190 1195 60 50 -1 0 1 2 3 0\n");
	tgid_table_born(tgids, 60, 1000, 50, 0);
	exec(60, 1100, "/bin/true");
	exec(60, 1200, "/bin/bash");
	assert_string_equal(at(60, 1000), "60 50 ann /bin/bash bash -l\n\x1b /a");
	assert_string_equal(at(60, 1097), "60 50 ann /bin/bash bash -l\n\x1b /a");
	assert_string_equal(at(60, 1100), "60 50 ann /bin/true - /a");
	assert_string_equal(at(60, 1197), "60 50 ann /bin/true - /a");
	assert_string_equal(at(60, 1200), "60 50 ann /bin/bash - /a");
}

/*
 * The next task with a pid is in /proc some time before the event of its birth: what is seen behind
 * the end of the one before is of neither, nor is what a look finds that goes on over the birth.
 */
static void test_seen_between_end_and_birth(void **state)
{
	(void)state;
	load_more("string 9\n/bin/next\nstring 6\nnext x\n"
		  "task 100 110 60 7 -1 1000 1 2 3 0\n"
		  "task 1300 1310 60 8 -1 0 6 7 4 0\n"
		  "task 1320 1410 60 8 -1 0 6 7 4 0\n");
	tgid_table_born(tgids, 60, 50, 7, 0);
	exec(60, 90, "/bin/bash");
	who_table_exited(table, 60, 1200);
	tgid_table_born(tgids, 60, 1400, 8, 0);
	tgid_table_seen(tgids, 7, 1, 7);
	for (int64_t ts = 90; ts < 1400; ts += 10)
		assert_string_equal(at(60, ts), "60 7 ann /bin/bash bash -l\n\x1b /a");
	assert_string_equal(at(60, 1410), "60 0 - - - -");
	/* If the one before was a thread, it does not lead a process now. */
	tgid_table_born(tgids, 61, 50, 7, TGID_THREAD);
	who_table_exited(table, 61, 1200);
	load_more("task 1300 1310 61 8 -1 0 1 2 3 0\n");
	assert_string_equal(at(61, 1350), "7 0 - - - -");
	/* A leader that has ended, whose process runs another program. */
	exec(60, 1250, "/bin/next");
	assert_string_equal(at(60, 1320), "60 7 0 /bin/next next x /a/b");
}

/* What root starts may have become another user's: not known, before it is seen. */
static void test_root_changes_users(void **state)
{
	(void)state;
	load("task 100 100 50 1 -1 0 0 0 0 0\n");
	tgid_table_born(tgids, 60, 1000, 50, 0);
	exec(60, 1100, "/bin/su");
	assert_string_equal(at(60, 1000), "60 50 0 - - -");
	assert_string_equal(at(60, 1100), "60 50 - /bin/su - -");
}

/* Without the birth of the maker nothing is told by its later life. */
static void test_maker_of_another_life(void **state)
{
	(void)state;
	load_more("task 100 100 50 1 -1 1000 1 2 3 0\n");
	tgid_table_born(tgids, 50, 500, 7, 0);
	tgid_table_born(tgids, 60, 600, 50, 0);		/* by the second one */
	tgid_table_born(tgids, 61, 400, 50, 0);		/* by the first one */
	assert_string_equal(at(60, 700), "60 50 - - - -");
	assert_string_equal(at(61, 700), "61 50 ann /bin/bash bash -l\n\x1b /a");
}

/* sched_process_fork beside task_newtask is the same birth; alone it does not tell a thread. */
static void test_two_events_of_a_birth(void **state)
{
	(void)state;
	load_more("task 100 100 50 1 -1 1000 1 2 3 0\n");
	tgid_table_born(tgids, 60, 1002, 50, TGID_FORK);
	assert_string_equal(at(60, 1100), "0 0 ann /bin/bash bash -l\n\x1b /a");
	tgid_table_born(tgids, 60, 1000, 50, TGID_THREAD);
	assert_string_equal(at(60, 1000), "50 1 ann /bin/bash bash -l\n\x1b /a");
	assert_string_equal(at(60, 1100), "50 1 ann /bin/bash bash -l\n\x1b /a");
	/* another one, long after, of which task_newtask is lost */
	tgid_table_born(tgids, 60, 3000000000, 50, TGID_FORK);
	assert_string_equal(at(60, 3000000000), "0 0 ann /bin/bash bash -l\n\x1b /a");
	/* its exec tells */
	exec(60, 3000000100, "/bin/ls");
	assert_string_equal(at(60, 3000000000), "60 50 ann /bin/bash bash -l\n\x1b /a");
	assert_string_equal(at(60, 3000000100), "60 50 ann /bin/ls - /a");
}

static void test_threads(void **state)
{
	(void)state;
	load_more("task 100 100 50 1 -1 1000 1 2 3 0\n");
	tgid_table_born(tgids, 51, 200, 50, TGID_THREAD);
	tgid_table_born(tgids, 52, 300, 51, TGID_THREAD);
	assert_string_equal(at(52, 300), "50 1 ann /bin/bash bash -l\n\x1b /a");
	assert_string_equal(at(52, 299), NOTHING);
	moved(50, 400, "/a/b");				/* with all its threads */
	assert_string_equal(at(52, 399), "50 1 ann /bin/bash bash -l\n\x1b /a");
	assert_string_equal(at(52, 400), "50 1 ann /bin/bash bash -l\n\x1b /a/b");
	moved(51, 450, "/a/b/t");			/* alone */
	assert_string_equal(at(51, 449), "50 1 ann /bin/bash bash -l\n\x1b /a/b");
	assert_string_equal(at(51, 450), "50 1 ann /bin/bash bash -l\n\x1b /a/b/t");
	assert_string_equal(at(52, 450), "50 1 ann /bin/bash bash -l\n\x1b /a/b");
	tgid_table_born(tgids, 53, 460, 51, TGID_THREAD);	/* into that of its maker */
	assert_string_equal(at(53, 470), "50 1 ann /bin/bash bash -l\n\x1b /a/b/t");
	moved(50, 500, "/a");
	assert_string_equal(at(51, 500), "50 1 ann /bin/bash bash -l\n\x1b /a");
	assert_string_equal(at(53, 500), "50 1 ann /bin/bash bash -l\n\x1b /a");
	who_table_exited(table, 50, 600);		/* the leader; the others stay */
	assert_string_equal(at(52, 700), "50 1 ann /bin/bash bash -l\n\x1b /a");
	exec(50, 800, "/bin/sh");			/* by a thread, which takes the pid over */
	assert_string_equal(at(50, 800), "50 1 ann /bin/sh - /a");
}

/* A thread that was seen in a cgroup of its own. */
static void test_thread_seen(void **state)
{
	(void)state;
	load_more("task 100 100 50 1 -1 1000 1 2 3 0\nthread 100 100 51 50 4\n");
	assert_string_equal(at(51, 0), "50 1 ann /bin/bash bash -l\n\x1b /a/b");
	assert_string_equal(at(50, 0), "50 1 ann /bin/bash bash -l\n\x1b /a");
	moved(50, 50, "/x");				/* before that: it is not known */
	assert_string_equal(at(51, 49), "50 1 ann /bin/bash bash -l\n\x1b -");
	assert_string_equal(at(51, 50), "50 1 ann /bin/bash bash -l\n\x1b /x");
	assert_string_equal(at(51, 100), "50 1 ann /bin/bash bash -l\n\x1b /a/b");
}

static void test_cgroups(void **state)
{
	(void)state;
	load_more("task 100 100 50 1 -1 1000 1 2 3 0\n");
	moved(50, 200, "/c");
	moved(50, 300, "/d");
	assert_string_equal(at(50, 199), "50 1 ann /bin/bash bash -l\n\x1b /a");
	assert_string_equal(at(50, 200), "50 1 ann /bin/bash bash -l\n\x1b /c");
	assert_string_equal(at(50, 300), "50 1 ann /bin/bash bash -l\n\x1b /d");
	moved(50, 50, "/a");			/* before it was seen: where it was is not known */
	assert_string_equal(at(50, 49), "50 1 ann /bin/bash bash -l\n\x1b -");
	assert_string_equal(at(50, 50), "50 1 ann /bin/bash bash -l\n\x1b /a");
	/* Born into another one: not known until a move, or seen. */
	tgid_table_born(tgids, 60, 1000, 50, TGID_OWN_CGROUP);
	assert_string_equal(at(60, 1000), "60 50 ann /bin/bash bash -l\n\x1b -");
	/* An exec changes none. */
	exec(50, 250, "/bin/sh");
	assert_string_equal(at(50, 260), "50 1 ann /bin/sh - /c");
	/* A child of before the move. */
	tgid_table_born(tgids, 61, 299, 50, 0);
	assert_string_equal(at(61, 400), "61 50 ann /bin/sh - /c");
}

static void tell_cgroup(void *arg, const struct who_cgroup *c)
{
	struct text *out = arg;

	text_printf(out, "%s %d %d %d/%d %d %d-%d %d-%d %d\n", c->path, (int)c->id, c->is_threaded,
		    (int)c->last.quota_us, (int)c->last.period_us, (int)c->last.weight,
		    (int)c->first.usage_us, (int)c->last.usage_us, (int)c->first.throttled_us,
		    (int)c->last.throttled_us, (int)c->last.ts);
}

static void test_cgroup_states(void **state)
{
	struct text out = { 0 };

	(void)state;
	load_more("cgroup 100 3 -1 -1 -1 500 0 0 0 0\n"
		  "cgroup 110 4 50000 100000 100 7 1 0 0 1\ncgroup_id 4 77\n"
		  "cgroup 900 3 0 100000 -1 800 0 0 0 0\n"
		  "cgroup 900 4 20000 100000 200 9 5 2 44 1\n");
	who_table_cgroups(table, tell_cgroup, &out);
	assert_string_equal(text_str(&out), "/a 0 0 0/100000 -1 500-800 0-0 900\n"
					    "/a/b 77 1 20000/100000 200 7-9 0-44 900\n");
	text_fini(&out);
}

/* "policy priority nice allowed", ~: doubtful */
static const char *scheduled(int pid, int64_t ts)
{
	static char text[128];
	struct who_sched s;

	if (!who_table_sched(table, pid, ts, &s))
		return "-";
	snprintf(text, sizeof(text), "%d %d %d %s%s", s.policy, s.priority, s.nice,
		 s.allowed ? s.allowed : "-", s.is_doubtful ? " ~" : "");
	return text;
}

static void test_scheds(void **state)
{
	(void)state;
	load("string 3\n0-3\nstring 1\n2\n"
	     "sched 100 101 50 0 0 -5 1 0 0\nsched 200 201 50 1 40 0 2 0 0\n"
	     "sched 90 110 60 6 0 0 0 1000000 5000000\n");
	assert_string_equal(scheduled(50, 0), "0 0 -5 0-3");
	assert_string_equal(scheduled(50, 150), "0 0 -5 0-3 ~");	/* until when? */
	assert_string_equal(scheduled(50, 201), "1 40 0 2");
	assert_string_equal(scheduled(51, 150), "-");
	assert_string_equal(scheduled(60, 150), "6 0 0 -");
	/* It was another task's: that one was born while the recorder looked. */
	tgid_table_born(tgids, 60, 100, 50, 0);
	assert_string_equal(scheduled(60, 150), "-");
	tgid_table_born(tgids, 50, 180, 1, 0);
	assert_string_equal(scheduled(50, 179), "0 0 -5 0-3");
	assert_string_equal(scheduled(50, 190), "1 40 0 2");
}

/* Where no births are recorded, an exit ends all that is known. */
static void test_without_births(void **state)
{
	(void)state;
	exec(50, 100, "/bin/sh");
	who_table_exited(table, 50, 200);
	exec(50, 300, "/bin/ls");
	assert_string_equal(at(50, 150), "50 0 - /bin/sh - -");
	assert_string_equal(at(50, 250), "50 0 - - - -");
	assert_string_equal(at(50, 300), "50 0 - /bin/ls - -");
	tgid_table_born(tgids, 9, 1, 8, 0); /* they are: it is a zombie, and then the leader of
						 * the thread that ran exec */
	assert_string_equal(at(50, 250), "50 0 - /bin/sh - -");
}

static void test_kernel_threads(void **state)
{
	(void)state;
	load("task 100 100 9 2 -1 0 0 0 0 1\n");
	tgid_table_seen(tgids, 2, 5, 2);
	tgid_table_born(tgids, 30, 200, 2, 0);
	assert_string_equal(at(9, 0), "9 2 0 - - - k");
	assert_string_equal(at(2, 0), "2 0 - - - - k");
	assert_string_equal(at(30, 200), "30 2 - - - - k");
	/* a program that the kernel starts */
	tgid_table_born(tgids, 31, 300, 9, 0);
	exec(31, 310, "/sbin/modprobe");
	assert_string_equal(at(31, 310), "31 9 - /sbin/modprobe - -");
}

static void test_bad_lines(void **state)
{
	static const char *const bad[] = {
		"string 5\nabc\n", "string -1\n\n", "string 99999999999999999999\nx\n",
		"string 3\nabcd\n", "string", "string ", "user 1 1\n", "user -1 0\n",
		"user 4294967296 0\n", "task 1 1 2 3\n", "task 1 1 0 3 -1 0 0 0 0 0\n",
		"task -1 5 5 3 -1 0 0 0 0 0\n", "task 6 5 5 3 -1 0 0 0 0 0\n", "task 1 1 2147483648 3 -1 0 0 0 0 0\n",
		"task 1 1 5 3 -1 0 1 0 0 0\n", "task 1 1 5 3 -1 4294967296 0 0 0 0\n",
		"task 1 1 5 3 -1 0 0 0 0 0 7\n", "task 1 1 5 3 -1 0 0 0 0 0", "thread 1 1 5 0 0\n",
		"thread 1 1 5 4 1\n", "sched 1 1 5 0 0 0 1 0 0\n",
		"sched 2 1 5 0 0 0 0 0 0\n", "sched 1 1 5 0 0 0 0 0\n", "cgroup 1 0 0 0 0 0 0 0 0 0\n", "cgroup 1 1 0 0 0 0 0 0 0\n",
		"cgroup -1 1 0 0 0 0 0 0 0 0\n", "cgroup_id 1 5\n", "of a later version, but cut",
	};
	struct ft_error err;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct text t = { 0 };

		text_printf(&t, "task 9 9 77 1 -1 0 0 0 0 0\nlater 5\n%s", bad[i]);
		assert_int_equal(who_table_load(table, t.data, t.len, false, same, NULL, &err), -1);
		assert_int_equal(err.offset, 35);
		text_fini(&t);
	}
	assert_string_equal(at(77, 0), "77 1 0 - - -");
	assert_string_equal(at(5, 0), NOTHING);
}

/* Text that is cut at any byte: an error, or fewer tasks; never beyond its end. */
static void test_cut_lines(void **state)
{
	char text[512];
	size_t len;

	(void)state;
	len = (size_t)snprintf(text, sizeof(text),
			       "%stask 100 100 50 1 -1 1000 1 2 3 0\nthread 100 100 51 50 4\n",
			       strings);
	for (size_t n = 0; n <= len; n++) {
		char *copy = malloc(n + 1);
		struct ft_error err = { .offset = 0 };

		memcpy(copy, text, n);
		if (who_table_load(table, copy, n, false, same, NULL, &err))
			assert_in_range(err.offset, 0, n);
		free(copy);
	}
}

/* Moves without end: of such a task nothing is said. */
static void test_too_many(void **state)
{
	(void)state;
	load_more("task 100 100 50 1 -1 1000 1 2 3 0\n");
	for (int i = 0; i < 100000; i++)
		moved(50, 100000 - i, i & 1 ? "/x" : "/y");
	assert_string_equal(at(50, 100), "50 0 - - - -");
}

struct spans {
	int	nr, pid;
	int64_t	to;
	char	text[1024];
};

static void add_span(void *arg, int pid, int64_t from, int64_t to, const struct who *who)
{
	struct spans *s = arg;

	assert_true(from <= to);
	if (pid != s->pid)
		assert_true(pid > s->pid && from == INT64_MIN && (!s->nr || s->to == INT64_MAX));
	else
		assert_true(from == s->to + 1);
	s->nr++;
	s->pid = pid;
	s->to = to;
	if (who->exe)
		sprintf(s->text + strlen(s->text), "%d %s %d..%d\n", pid, who->exe, (int)from,
			(int)to);
}

static void test_each(void **state)
{
	struct spans spans = { .pid = -1 };

	(void)state;
	exec(7, 100, "/bin/a");
	exec(7, 200, "/bin/b");
	tgid_table_born(tgids, 7, 300, 1, 0);
	tgid_table_born(tgids, 8, 150, 7, TGID_THREAD);
	tgid_table_born(tgids, 8, 160, 6, 0);
	who_table_each(table, add_span, &spans);
	assert_string_equal(spans.text, "7 /bin/a 100..199\n7 /bin/b 200..299\n"
					"8 /bin/a 150..159\n");
	assert_true(spans.to == INT64_MAX);
}

#define MOST_SPANS	64

struct span_list {
	struct span {
		int	pid;
		int64_t	from, to;
	}	list[MOST_SPANS];
	int	nr;
};

static void list_span(void *arg, int pid, int64_t from, int64_t to, const struct who *who)
{
	struct span_list *l = arg;

	(void)who;
	assert_in_range(l->nr, 0, MOST_SPANS - 1);
	l->list[l->nr++] = (struct span){ pid, from, to };
}

/* Of @all, what who_table_moves() has to tell: pids with several spans between the two. */
static void choose_moves(const struct span_list *all, int64_t first, int64_t last,
			 struct span_list *out)
{
	for (int i = 0; i < all->nr; i++) {
		struct span span = all->list[i];
		bool moves = (span.to >= first && span.to < last) ||
			     (span.from > first && span.from <= last);

		if (!moves)
			continue;
		span.from = span.from < first ? first : span.from;
		out->list[out->nr++] = span;
	}
}

/* In any window: the spans of who_table_each() of pids that have several. */
static void test_moves(void **state)
{
	struct span_list all = { 0 };

	(void)state;
	exec(7, 12, "/bin/a");
	exec(7, 20, "/bin/b");
	tgid_table_born(tgids, 7, 30, 1, 0);
	tgid_table_born(tgids, 8, 15, 7, TGID_THREAD);
	tgid_table_born(tgids, 8, 16, 6, 0);
	tgid_table_born(tgids, 9, 5, 7, TGID_THREAD);
	tgid_table_seen(tgids, 8, 14, 7);
	moved(9, 25, "/x");
	load_more("task 8 8 50 1 -1 1000 1 2 3 0\nthread 22 22 51 50 4\n");
	who_table_each(table, list_span, &all);
	assert_true(all.nr > 10);
	for (int64_t first = 0; first < 34; first++)
		for (int64_t last = first; last < 36; last++) {
			struct span_list expected = { 0 }, told = { 0 }, moves = { 0 };

			choose_moves(&all, first, last, &expected);
			who_table_moves(table, first, last, false, list_span, &told);
			choose_moves(&told, first, last, &moves);	/* without steady ones */
			assert_int_equal(moves.nr, expected.nr);
			for (int i = 0; i < moves.nr; i++) {
				assert_int_equal(moves.list[i].pid, expected.list[i].pid);
				assert_int_equal(moves.list[i].from, expected.list[i].from);
				assert_int_equal(moves.list[i].to, expected.list[i].to);
			}
		}
}

/* Of processes alone: the same answers, also where other things move. */
static void list_tgid(void *arg, int pid, int64_t from, int64_t to, const struct who *who)
{
	int64_t ignored;
	struct who all;

	for (int64_t ts = from; ts <= to && ts < 40; ts++) {
		who_table_at(table, pid, ts, &all, &ignored, &ignored);
		assert_int_equal(all.tgid, who->tgid);
	}
	*(int *)arg += from > 10;
}

static void test_processes_move(void **state)
{
	int nr = 0;

	(void)state;
	exec(7, 12, "/bin/a");
	tgid_table_born(tgids, 7, 30, 1, 0);
	tgid_table_born(tgids, 8, 15, 7, TGID_THREAD);
	tgid_table_born(tgids, 8, 16, 6, 0);
	who_table_moves(table, 10, 35, true, list_tgid, &nr);
	assert_int_equal(nr, 3);	/* 7 at 30, 8 at 15 and at 16 */
}

/* --- any order, beside a slow computation -------------------------------------------- */

#define PIDS	12
#define LIVES	300

/* The truth: a life of a pid, which runs a program of its own number from `exec` on. */
struct life {
	int	pid, maker;
	int64_t	from, exec, seen;	/* 0: never */
	bool	is_born;		/* and its birth is recorded */
};

static unsigned int seed;

static unsigned int rnd(unsigned int n)
{
	seed = seed * 1103515245 + 12345;
	return (seed >> 16) % n;
}

static int life_at(const struct life *lives, int pid, int64_t ts)
{
	int found = -1;

	for (int i = 0; i < LIVES; i++)
		if (lives[i].pid == pid && lives[i].from <= ts)
			found = i;
	return found;
}

/* The program of a task at a time; -1: before all that is known. */
static int program_at(const struct life *lives, int pid, int64_t ts)
{
	int i = life_at(lives, pid, ts);

	if (i < 0)
		return -1;
	if (lives[i].exec && lives[i].exec <= ts)
		return i;
	return program_at(lives, lives[i].maker, lives[i].from - 1);
}

/* All births are told, what else is told is told in any order: what is known is right. */
static void expect_program(int tgid, int64_t ts, int64_t from, int64_t to, int copied)
{
	struct who_program program;

	who_table_program(table, tgid, ts, &program);
	assert_int_equal(program.from, from);
	assert_int_equal(program.to, to);
	assert_int_equal(program.copied, copied);
}

/* Programs end with an exec, and with the life of the process. */
static void test_programs(void **state)
{
	(void)state;
	tgid_table_seen(tgids, 41, 50, 40);
	tgid_table_born(tgids, 5, 100, 41, TGID_FORK);	/* by a thread of 40 */
	exec(5, 200, "/bin/a");
	exec(5, 300, "/bin/b");
	who_table_exited(table, 5, 400);
	tgid_table_born(tgids, 5, 500, 7, 0);
	expect_program(40, 0, INT64_MIN, INT64_MAX, 0);
	expect_program(5, 99, INT64_MIN, 99, 0);
	expect_program(5, 100, 100, 199, 40);
	expect_program(5, 200, 200, 299, 0);
	expect_program(5, 299, 200, 299, 0);
	expect_program(5, 399, 300, 499, 0);
	expect_program(5, 500, 500, INT64_MAX, 7);
}

/* Where births are not recorded, the pid may be another process' after an exit. */
static void test_programs_without_births(void **state)
{
	(void)state;
	exec(5, 200, "/bin/a");
	who_table_exited(table, 5, 400);
	expect_program(5, 100, INT64_MIN, 199, 0);
	expect_program(5, 300, 200, 399, 0);
	expect_program(5, 400, 400, INT64_MAX, 0);
}

static void test_any_order(void **state)
{
	static struct life lives[LIVES];
	unsigned int rounds = getenv("FTOP_TEST_LONG") ? 20 : 5;
	int known = 0, all = 0, order[3 * LIVES];

	teardown(state);
	for (unsigned int round = 0; round < rounds; round++) {
		setup(state);
		seed = round * 65536;
		for (int i = 0; i < LIVES; i++) {
			lives[i] = (struct life){ .pid = 100 + (int)rnd(PIDS),
						  .from = 10 * (i + 1) };
			do
				lives[i].maker = 100 + (int)rnd(PIDS);
			while (lives[i].maker == lives[i].pid);
			lives[i].exec = rnd(3) ? lives[i].from + 3 : 0;
			lives[i].seen = rnd(3) ? lives[i].from + 1 + 4 * (int)rnd(2) : 0;
		}
		for (int i = 0; i < 3 * LIVES; i++)
			order[i] = i;
		for (int i = 3 * LIVES - 1; i > 0; i--) {
			int k = (int)rnd((unsigned int)i + 1), t = order[i];

			order[i] = order[k];
			order[k] = t;
		}
		for (int n = 0; n < 3 * LIVES; n++) {
			const struct life *l = &lives[order[n] % LIVES];
			char text[256], name[16];
			int program = program_at(lives, l->pid, l->seen);

			if (order[n] < LIVES)
				tgid_table_born(tgids, l->pid, l->from, l->maker, 0);
			sprintf(name, "%d", order[n] % LIVES);
			if (order[n] >= LIVES && order[n] < 2 * LIVES && l->exec)
				exec(l->pid, l->exec, name);
			sprintf(name, "%d", program);
			sprintf(text, "string %d\n%s\ntask %d %d %d 0 -1 -1 1 0 0 0\n",
				(int)strlen(name), name, (int)l->seen, (int)l->seen, l->pid);
			if (order[n] >= 2 * LIVES && l->seen && program >= 0)
				load(text);
		}
		for (int64_t ts = 0; ts < 10 * LIVES + 20; ts += 3)
			for (int pid = 100; pid < 100 + PIDS; pid++) {
				int program = program_at(lives, pid, ts);
				struct who who;
				int64_t from, to;

				who_table_at(table, pid, ts, &who, &from, &to);
				all += program >= 0;
				known += who.exe != NULL;
				if (who.exe)
					assert_int_equal(atoi(who.exe), program);
			}
		teardown(state);
	}
	assert_true(known * 10 > all * 9);
	setup(state);
}

/* --- records ------------------------------------------------------------------------- */

static struct event_field fields[3];

static void see(const char *system, const char *name, int64_t ts, const void *data, uint32_t size,
		bool big_endian)
{
	static const struct common_layout common = { .pid_offset = 4, .pid_size = 4 };
	static struct tgid_cache cache;
	struct event_type type = {
		.system = system, .name = name, .fields = fields, .nr_fields = 3
	};
	struct who_rule rule;

	assert_true(who_rule_of(&type, &common, &rule));
	who_rule_see(&rule, table, &cache, ts, 1, data, size, big_endian != HOST_BIG_ENDIAN);
}

static void test_records(void **state)
{
	/* filename at 20, 5 bytes; pid 258; old_pid 259 */
	static const uint8_t exec_le[] = { 0, 0, 0, 0, 0, 0, 0, 0, 20, 0, 5, 0,
					   2, 1, 0, 0, 3, 1, 0, 0, '/', 'b', '/', 'x', 0, 0, 0, 0 };
	/* dst_root, pid, dst_path; big endian */
	static const uint8_t move_v2[] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2,
					   0, 3, 0, 20, '/', 'c', 0, 0 };
	static const uint8_t move_v1[] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 1, 2,
					   0, 3, 0, 20, '/', 'v', 0, 0 };
	/* comm at 8; pid at 24 */
	static const uint8_t exit_le[32] = { [24] = 2, [25] = 1 };

	(void)state;
	fields[0] = (struct event_field){ .name = "filename", .kind = FIELD_DYNAMIC_STRING,
					  .offset = 8, .size = 4, .is_dynamic = true };
	fields[1] = (struct event_field){ .name = "pid", .kind = FIELD_SINT, .offset = 12,
					  .size = 4 };
	fields[2] = (struct event_field){ .name = "old_pid", .kind = FIELD_SINT, .offset = 16,
					  .size = 4 };
	see("sched", "sched_process_exec", 100, exec_le, sizeof(exec_le), false);
	assert_string_equal(at(258, 100), "258 0 - /b/x - -");
	assert_string_equal(at(259, 99), "258 0 - - - -");

	fields[0] = (struct event_field){ .name = "dst_root", .kind = FIELD_SINT, .offset = 8,
					  .size = 4 };
	fields[2] = (struct event_field){ .name = "dst_path", .kind = FIELD_DYNAMIC_STRING,
					  .offset = 16, .size = 4, .is_dynamic = true };
	see("cgroup", "cgroup_attach_task", 200, move_v2, sizeof(move_v2), true);
	see("cgroup", "cgroup_attach_task", 210, move_v1, sizeof(move_v1), true);
	assert_string_equal(at(258, 220), "258 0 - /b/x - /c");
	load("hierarchy 4\n");
	see("cgroup", "cgroup_attach_task", 230, move_v1, sizeof(move_v1), true);
	see("cgroup", "cgroup_attach_task", 240, move_v2, sizeof(move_v2), true);
	assert_string_equal(at(258, 250), "258 0 - /b/x - /v");

	fields[1].offset = 24;
	see("sched", "sched_process_exit", 300, exit_le, sizeof(exit_le), false);
	assert_string_equal(at(258, 301), "258 0 - - - -");	/* without births */

	/* Too short, or pointing outside: no crash, nothing made up. */
	fields[1].offset = 12;
	fields[0] = (struct event_field){ .name = "filename", .kind = FIELD_DYNAMIC_STRING,
					  .offset = 8, .size = 4, .is_dynamic = true };
	see("sched", "sched_process_exec", 400, exec_le, 22, false);
	see("sched", "sched_process_exec", 500, exec_le, 9, false);
	assert_string_equal(at(258, 501), "258 0 - /b - -");
}

/* --- the machine --------------------------------------------------------------------- */

static void test_machine(void **state)
{
	static const char text[] = "memory 8589934592\nvirt kvm\n"
				   "cpu 0 0 -1 0 7 0 0 0 1024 800000 3000000\n"
				   "cpu 2 2 -1 0 7 0 2 0 512 -1 -1\n"
				   "cpu 8 2 -1 8 9 1 2 8 -1 0 9000000000\nfuture 7\n";
	struct machine m = { 0 };
	struct ft_error err;

	(void)state;
	assert_int_equal(machine_load(&m, text, sizeof(text) - 1, &err), 0);
	assert_int_equal(m.nr, 3);
	assert_true(m.memory == 8589934592);
	assert_string_equal(m.virt, "kvm");
	assert_null(machine_cpu(&m, 1));
	assert_null(machine_cpu(&m, 9));
	assert_int_equal(machine_cpu(&m, 2)->core, 1);
	assert_int_equal(machine_cpu(&m, 8)->core, 1);
	assert_int_equal(machine_cpu(&m, 8)->cluster, -1);
	assert_int_equal(machine_cpu(&m, 8)->die, 1);
	assert_int_equal(machine_cpu(&m, 8)->package, 1);
	assert_int_equal(machine_cpu(&m, 2)->package, 0);
	assert_int_equal(machine_cpu(&m, 8)->node, 1);
	assert_int_equal(machine_cpu(&m, 8)->l2, 1);
	assert_int_equal(machine_cpu(&m, 8)->l3, 1);
	assert_int_equal(machine_cpu(&m, 2)->capacity, 512);
	assert_true(machine_cpu(&m, 8)->max_khz == 9000000000);
	machine_fini(&m);
}

static void test_bad_machine(void **state)
{
	static const char *const bad[] = {
		"cpu 1 2 3\n", "cpu 0 0 0 0 0 0 0 0 0 0 0\n", "cpu -1 0 0 0 0 0 0 0 0 0 0\n",
		"cpu 65536 0 0 0 0 0 0 0 0 0 0\n", "cpu 5 2147483648 0 0 0 0 0 0 0 0 0\n",
		"cpu 5 -2 0 0 0 0 0 0 0 0 0\n", "cpu 5 0 0 0 0 0 0 0 0 0 0 0\n", "memory -5\n",
		"memory x\n", "virt 12345678901234567890123456789012\n", "cpu 5",
	};
	struct machine m = { 0 };
	struct ft_error err;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct text t = { 0 };

		text_printf(&t, "cpu 0 0 0 0 0 0 0 0 0 0 0\n%s", bad[i]);
		assert_int_equal(machine_load(&m, t.data, t.len, &err), -1);
		assert_int_equal(err.offset, 26);
		assert_int_equal(m.nr, 0);
		assert_true(m.memory == -1 && !*m.virt);
		text_fini(&t);
	}
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

/* Which tasks and CPUs were recorded. */
static void test_recorded(void **state)
{
	bool children = true;

	(void)state;
	load("string 1\na\n");
	assert_false(who_table_has_only(table, &children));
	assert_false(children);
	assert_false(who_table_lacks_cpus(table, ""));
	load("only 70\nonly 70\nonly 80\nonly_children 1\nwithout 2 \nwithout 1023 foo\n");
	assert_true(who_table_has_only(table, &children));
	assert_true(children);
	assert_true(who_table_is_only(table, 70));
	assert_true(who_table_is_only(table, 80));
	assert_false(who_table_is_only(table, 0));
	assert_true(who_table_lacks_cpus(table, ""));
	assert_true(who_table_lacks_cpus(table, "foo"));
	assert_false(who_table_lacks_cpus(table, "oo"));
}

/* The recorder names its tasks and processes; threads of these are its own, too. */
static void test_recorder(void **state)
{
	(void)state;
	assert_false(who_table_is_recorder(table, 70, 10));
	load("thread 5 5 71 70 0\nthread 5 5 72 60 0\nrecorder 70\nrecorder 70\nrecorder 80\n");
	assert_true(who_table_is_recorder(table, 70, 10));
	assert_true(who_table_is_recorder(table, 71, 10));
	assert_true(who_table_is_recorder(table, 80, 10));
	assert_false(who_table_is_recorder(table, 72, 10));
	assert_false(who_table_is_recorder(table, 60, 10));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_seen),
		TEST(test_sightings_that_differ),
		TEST(test_start),
		TEST(test_fork_and_exec),
		TEST(test_sighting_inside_exec),
		TEST(test_seen_between_end_and_birth),
		TEST(test_root_changes_users),
		TEST(test_maker_of_another_life),
		TEST(test_two_events_of_a_birth),
		TEST(test_threads),
		TEST(test_thread_seen),
		TEST(test_cgroups),
		TEST(test_cgroup_states),
		TEST(test_scheds),
		TEST(test_without_births),
		TEST(test_kernel_threads),
		TEST(test_recorder),
		TEST(test_recorded),
		TEST(test_bad_lines),
		TEST(test_cut_lines),
		TEST(test_too_many),
		TEST(test_each), TEST(test_moves), TEST(test_processes_move),
		TEST(test_programs),
		TEST(test_programs_without_births),
		TEST(test_any_order),
		TEST(test_records),
		cmocka_unit_test(test_machine),
		cmocka_unit_test(test_bad_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
