/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "recorder/tracefs/refusal.h"
#include "src/base/memory.h"
#include "tests/lib/fake_tracefs.h"

struct fixture {
	struct fake_tracefs	fake;
	struct tracefs_dir	dir;
	struct kernel_facts	facts;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	fake_tracefs_init(&f->fake);
	*state = f;
	return tracefs_dir_open(&f->dir, f->fake.root, NULL);
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	kernel_facts_fini(&f->facts);
	tracefs_dir_close(&f->dir);
	fake_tracefs_fini(&f->fake);
	free(f);
	return 0;
}

/* What of the facts is in files. */
static void put_facts(struct fixture *f)
{
	fake_tracefs_put(&f->fake, "proc/sys/kernel/osrelease", "6.1.0-cloud\n");
	fake_tracefs_put(&f->fake, "proc/sys/kernel/kptr_restrict", "1\n");
	fake_tracefs_put(&f->fake, "proc/sys/kernel/perf_event_paranoid", "-1\n");
	fake_tracefs_put(&f->fake, "proc/sys/kernel/ftrace_enabled", "0\n");
	fake_tracefs_put(&f->fake, "proc/filesystems", "nodev\tsysfs\nnodev\ttracefs\n\text4\n");
	fake_tracefs_put(&f->fake, "proc/meminfo",
			 "MemTotal:  1000 kB\nMemAvailable:     777 kB\n");
	fake_tracefs_put(&f->fake, "proc/self/status",
			 "Name:\tx\nUid:\t1000\t0\t1000\t1000\nCapEff:\t0000000400000002\n");
	fake_tracefs_put(&f->fake, "proc/self/uid_map", "         0          0 4294967295\n");
	fake_tracefs_put(&f->fake, "proc/self/ns/", "");
	fake_tracefs_put(&f->fake, "boot/config-6.1.0-cloud",
			 "CONFIG_FUNCTION_TRACER=y\n# CONFIG_KPROBES is not set\n");
	fake_tracefs_put(&f->fake, "sys/kernel/security/lockdown",
			 "none [integrity] confidentiality\n");
}

static void put_pid_ns(struct fixture *f, const char *ns)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/proc/self/ns/pid", f->fake.root);
	unlink(path);
	assert_int_equal(symlink(ns, path), 0);
}

static void test_facts(void **state)
{
	struct fixture *f = *state;

	put_facts(f);
	put_pid_ns(f, "pid:[4026531836]");
	kernel_facts_read(&f->facts, f->fake.root);
	assert_string_equal(f->facts.release, "6.1.0-cloud");
	assert_int_equal(f->facts.lockdown, KERNEL_LOCKDOWN_INTEGRITY);
	assert_true(f->facts.root);	/* the effective one */
	assert_false(f->facts.own_user_ns);
	assert_false(f->facts.own_pid_ns);
	assert_true(kernel_facts_capable(&f->facts, CAP_SYSLOG));	/* 34 */
	assert_true(kernel_facts_capable(&f->facts, CAP_DAC_OVERRIDE));	/* 1 */
	assert_false(kernel_facts_capable(&f->facts, CAP_SYS_NICE));	/* 23 */
	assert_true(f->facts.knows_tracefs);
	assert_int_equal(f->facts.kptr_restrict, 1);
	assert_int_equal(f->facts.perf_event_paranoid, -1);
	assert_int_equal(f->facts.ftrace_enabled, 0);
	assert_int_equal(f->facts.mem_available_kb, 777);
	assert_int_equal(kernel_config_get(&f->facts.config, "KPROBES"), KERNEL_CONFIG_NO);
}

static void test_facts_container(void **state)
{
	struct fixture *f = *state;

	put_facts(f);
	put_pid_ns(f, "pid:[4026532201]");
	fake_tracefs_put(&f->fake, "proc/self/uid_map", "         0     100000      65536\n");
	kernel_facts_read(&f->facts, f->fake.root);
	assert_true(f->facts.own_pid_ns);
	assert_true(f->facts.own_user_ns);
}

/* An empty machine: nothing is known, and nothing is made up. */
static void test_facts_nothing(void **state)
{
	struct fixture *f = *state;

	kernel_facts_read(&f->facts, f->fake.root);
	assert_string_equal(f->facts.release, "");
	assert_int_equal(f->facts.lockdown, KERNEL_LOCKDOWN_UNKNOWN);
	assert_false(f->facts.root);
	assert_false(f->facts.own_pid_ns);
	assert_false(f->facts.own_user_ns);
	assert_false(f->facts.knows_tracefs);
	assert_int_equal(f->facts.kptr_restrict, -1);
	assert_int_equal(f->facts.perf_event_paranoid, INT_MIN);
	assert_int_equal(f->facts.ftrace_enabled, -1);
	assert_int_equal(kernel_config_get(&f->facts.config, "TRACING"), KERNEL_CONFIG_UNKNOWN);
}

static void test_facts_lockdown(void **state)
{
	static const struct {
		const char		*text;
		enum kernel_lockdown	 lockdown;
	} cases[] = {
		{ "[none] integrity confidentiality\n", KERNEL_LOCKDOWN_NONE },
		{ "none [integrity] confidentiality\n", KERNEL_LOCKDOWN_INTEGRITY },
		{ "none integrity [confidentiality]\n", KERNEL_LOCKDOWN_CONFIDENTIALITY },
		{ "", KERNEL_LOCKDOWN_UNKNOWN },
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		put_facts(f);
		fake_tracefs_put(&f->fake, "sys/kernel/security/lockdown", cases[i].text);
		kernel_facts_fini(&f->facts);
		kernel_facts_read(&f->facts, f->fake.root);
		assert_int_equal(f->facts.lockdown, cases[i].lockdown);
	}
}

/* A securityfs without the file: the kernel has no lockdown. */
static void test_facts_no_lockdown(void **state)
{
	struct fixture *f = *state;

	fake_tracefs_put(&f->fake, "proc/self/mounts",
			 "none /sys/kernel/security securityfs rw 0 0\n");
	kernel_facts_read(&f->facts, f->fake.root);
	assert_int_equal(f->facts.lockdown, KERNEL_LOCKDOWN_NONE);
	kernel_facts_fini(&f->facts);
	fake_tracefs_put(&f->fake, "proc/self/mounts", "none /sys sysfs rw 0 0\n");
	fake_tracefs_put(&f->fake, "proc/sys/kernel/osrelease", "6.1\n");
	fake_tracefs_put(&f->fake, "boot/config-6.1", "CONFIG_A=y\n");
	kernel_facts_read(&f->facts, f->fake.root);
	assert_int_equal(f->facts.lockdown, KERNEL_LOCKDOWN_NONE);
}

/* --- causes ----------------------------------------------------------------- */

static void check(struct fixture *f, const char *file, int errnum, const char *config,
		  enum refusal_cause cause, const char *why, const char *remedy)
{
	struct refusal r;

	refusal_explain(&r, &f->facts, &f->dir, file, errnum, config);
	assert_int_equal(r.cause, cause);
	assert_string_equal(text_str(&r.why), why);
	assert_string_equal(text_str(&r.remedy), remedy);
	refusal_fini(&r);
}

static void give_config(struct fixture *f, const char *lines)
{
	f->facts.config.source = mem_strdup("/boot/config-6.1");
	text_add(&f->facts.config.text, lines);
}

static void test_not_said(void **state)
{
	struct fixture *f = *state;

	f->facts.root = true;
	check(f, "current_tracer", EPERM, "FUNCTION_TRACER", REFUSAL_NOT_SAID,
	      "EPERM for root; no reason given", "");
	/* Integrity allows tracefs, so it is no cause. */
	f->facts.lockdown = KERNEL_LOCKDOWN_INTEGRITY;
	check(f, "current_tracer", EPERM, NULL, REFUSAL_NOT_SAID, "EPERM for root; no reason given",
	      "");
	f->facts.own_user_ns = true;
	check(f, "current_tracer", EPERM, NULL, REFUSAL_NOT_SAID,
	      "EPERM for the root of a user namespace; no reason given", "");
	f->facts.root = false;
	check(f, "current_tracer", EPERM, NULL, REFUSAL_NOT_SAID,
	      "EPERM for a user other than root; no reason given", "");
	check(f, "buffer_size_kb", EINVAL, NULL, REFUSAL_NOT_SAID,
	      "EINVAL (Invalid argument); no reason given", "");
}

static void test_lockdown(void **state)
{
	struct fixture *f = *state;

	f->facts.root = true;
	f->facts.lockdown = KERNEL_LOCKDOWN_CONFIDENTIALITY;
	check(f, "current_tracer", EPERM, NULL, REFUSAL_LOCKDOWN,
	      "EPERM: kernel lockdown is at confidentiality, which forbids tracing, even to root",
	      "");
	check(f, "instances", EINVAL, NULL, REFUSAL_LOCKDOWN,
	      "EINVAL: kernel lockdown is at confidentiality, which forbids tracing, even to root",
	      "");
	check(f, "trace_clock", EINVAL, NULL, REFUSAL_NOT_SAID,
	      "EINVAL (Invalid argument); no reason given", "");
}

static void test_absent(void **state)
{
	struct fixture *f = *state;

	check(f, "kprobe_events", ENOENT, "KPROBE_EVENTS", REFUSAL_ABSENT,
	      "this kernel has no kprobe_events (it comes with CONFIG_KPROBE_EVENTS)", "");
	give_config(f, "CONFIG_TRACING=y\n# CONFIG_KPROBE_EVENTS is not set\n");
	check(f, "kprobe_events", ENOENT, "KPROBE_EVENTS", REFUSAL_NOT_BUILT_IN,
	      "not in this kernel (CONFIG_KPROBE_EVENTS is not set)", "");
	check(f, "kprobe_events", ENOENT, "TRACING", REFUSAL_ABSENT,
	      "this kernel has no kprobe_events", "");
	check(f, "kprobe_events", ENOENT, NULL, REFUSAL_ABSENT, "this kernel has no kprobe_events",
	      "");
}

/* mkdtemp(3) makes it 0700 of this user. */
static void expect_mode(struct fixture *f, const char *who, char why[1024])
{
	if (geteuid())
		snprintf(why, 1024, "EACCES%s: %s has mode 0700, owner %u, group %u", who,
			 f->fake.root, geteuid(), getegid());
	else
		snprintf(why, 1024, "EACCES%s: %s is readable by root only", who, f->fake.root);
}

static void test_rights(void **state)
{
	struct fixture *f = *state;
	char why[1024];

	expect_mode(f, "", why);
	check(f, "instances", EACCES, NULL, REFUSAL_RIGHTS, why, "sudo ftop-trace record ...");
	f->facts.root = f->facts.own_user_ns = true;
	f->facts.caps = ~0ull;
	expect_mode(f, " for the root of a user namespace", why);
	check(f, "instances", EACCES, NULL, REFUSAL_RIGHTS, why, "");
	/* Modes do not stop the machine's root, so they are not why. */
	f->facts.own_user_ns = false;
	check(f, "instances", EACCES, NULL, REFUSAL_NOT_SAID, "EACCES for root; no reason given",
	      "");
}

static void test_others(void **state)
{
	struct fixture *f = *state;
	char why[1024], remedy[1024];

	snprintf(why, sizeof(why), "EROFS: %s is mounted read-only", f->fake.root);
	snprintf(remedy, sizeof(remedy), "sudo mount -o remount,rw %s", f->fake.root);
	check(f, "instances", EROFS, NULL, REFUSAL_READ_ONLY, why, remedy);
	check(f, "buffer_size_kb", ENOMEM, NULL, REFUSAL_MEMORY,
	      "ENOMEM: the kernel does not have enough memory", "");
	check(f, "instances", EEXIST, NULL, REFUSAL_BUSY,
	      "EEXIST: someone else created one with this name", "");
	check(f, "events/sched/sched_switch/trigger", EEXIST, NULL, REFUSAL_NOT_SAID,
	      "EEXIST: it is already set", "");
	check(f, "per_cpu/cpu0/trace_pipe_raw", EMFILE, NULL, REFUSAL_NOT_SAID,
	      "EMFILE: too many open files in this process (ulimit -n)", "");
	check(f, "set_ftrace_filter", ENODEV, NULL, REFUSAL_KERNEL_BUG,
	      "ENODEV: ftrace disabled itself after a kernel fault (see dmesg); a reboot helps",
	      "");
	check(f, "trace_clock", ENODEV, NULL, REFUSAL_NOT_SAID,
	      "ENODEV: tracing is disabled in this kernel, or the instance was removed", "");
	check(f, "current_tracer", EBUSY, NULL, REFUSAL_BUSY, "EBUSY: in use by an unknown process",
	      "");
	for (int cause = 0; cause < REFUSAL_NR; cause++)
		assert_true(strlen(refusal_cause_name(cause)) > 3);
}

/* A child holds a file open; a made-up /proc tells of more. */
static void test_holders(void **state)
{
	struct fixture *f = *state;
	struct text out = { 0 };
	char path[PATH_MAX], expected[64];
	int ready[2], done[2];
	char byte;
	pid_t pid;

	fake_tracefs_put(&f->fake, "current_tracer", "nop\n");
	assert_int_equal(pipe(ready), 0);
	assert_int_equal(pipe(done), 0);
	assert_int_equal(refusal_holders(&f->dir, "/proc", &out), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		close(done[1]);
		snprintf(path, sizeof(path), "%s/current_tracer", f->fake.root);
		byte = open(path, O_RDONLY) >= 0;
		_exit(write(ready[1], &byte, 1) == 1 && read(done[0], &byte, 1) >= 0 ? 0 : 1);
	}
	close(done[0]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	assert_int_equal(byte, 1);
	assert_int_equal(refusal_holders(&f->dir, "/proc", &out), 1);
	snprintf(expected, sizeof(expected), "[%d]", pid);
	assert_non_null(strstr(text_str(&out), expected));
	assert_non_null(strstr(text_str(&out), "test_refusal"));
	close(done[1]);
	close(ready[0]);
	close(ready[1]);
	text_fini(&out);
}

static void test_many_holders(void **state)
{
	struct fixture *f = *state;
	struct text out = { 0 };
	char path[PATH_MAX], target[PATH_MAX];

	snprintf(target, sizeof(target), "%s/instances/a/trace", f->fake.root);
	for (int pid = 1; pid <= 7; pid++) {
		snprintf(path, sizeof(path), "proc/%d/fd/", 9000000 + pid);
		fake_tracefs_put(&f->fake, path, "");
		snprintf(path, sizeof(path), "proc/%d/comm", 9000000 + pid);
		fake_tracefs_put(&f->fake, path, "evil\033[2J\n");
		snprintf(path, sizeof(path), "%s/proc/%d/fd/3", f->fake.root, 9000000 + pid);
		assert_int_equal(symlink(target, path), 0);
	}
	snprintf(path, sizeof(path), "%s/proc", f->fake.root);
	assert_int_equal(refusal_holders(&f->dir, path, &out), 7);
	assert_non_null(strstr(text_str(&out), "evil\\e[2J[90000"));
	assert_non_null(strstr(text_str(&out), " and 2 more"));
	assert_null(strchr(text_str(&out), '\033'));
	text_fini(&out);
}

/* What tracefs_dir says, with the reason behind it. */
static void test_add(void **state)
{
	struct fixture *f = *state;
	struct ft_error err, before;
	char expected[1024];

	assert_int_equal(tracefs_dir_read(&f->dir, "kprobe_events", &(struct text){ 0 }, &err), -1);
	assert_int_equal(refusal_add(&err, &f->dir, "kprobe_events", errno, NULL), -1);
	assert_int_equal(errno, ENOENT);
	snprintf(expected, sizeof(expected),
		 "%s/kprobe_events: opening: this kernel has no kprobe_events", f->fake.root);
	assert_string_equal(err.message, expected);

	/* what the kernel did not find in a value is not the file's fault; nor is a bad value */
	fake_tracefs_put(&f->fake, "set_event", "");
	ft_error_set(&err, FT_E_IO, -1, "x: writing 'y': ENOENT (No such file or directory)");
	before = err;
	refusal_add(&err, &f->dir, "set_event", ENOENT, NULL);
	assert_string_equal(err.message, before.message);
	ft_error_set(&err, FT_E_IO, -1, "x: writing 'y': EINVAL (Invalid argument)");
	before = err;
	refusal_add(&err, &f->dir, "set_event", EINVAL, NULL);
	assert_string_equal(err.message, before.message);
	ft_error_set(&err, FT_E_IO, -1, "x: writing 'y': EIO (Input/output error)");
	refusal_add(&err, &f->dir, "set_event", EIO, NULL);
	assert_string_equal(err.message,
			    "x: writing 'y': EIO (Input/output error); no reason given; "
			    "'ftop-trace doctor' lists what can be recorded here");
	assert_int_equal(refusal_add(NULL, &f->dir, "set_event", EPERM, NULL), -1);
	assert_int_equal(errno, EPERM);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(test_facts), T(test_facts_container), T(test_facts_nothing),
		T(test_facts_lockdown),
		T(test_facts_no_lockdown), T(test_not_said), T(test_lockdown), T(test_absent),
		T(test_rights),
		T(test_others), T(test_holders), T(test_many_holders), T(test_add),
	};

	return cmocka_run_group_tests_name("refusal", tests, NULL, NULL);
}
