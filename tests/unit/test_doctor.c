/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cmocka.h>

#include "parsers/io/byte_reader.h"
#include "recorder/ask/doctor.h"
#include "recorder/tracefs/owner.h"
#include "tests/lib/fake_tracefs.h"

/* --- a tracefs that makes instances, and refuses ---------------------------- */

struct refuse {
	const char	*file;		/* end of a path */
	const char	*value;		/* of a write(2); NULL: the open or mkdir itself */
	int		 errnum;
};

struct fixture {
	struct fake_tracefs	fake;
	struct refuse		refuse[8];
	unsigned int		nr_refuse;
	const char		*instance_tracers;
	const char		*instance_size;		/* of its buffers */
	unsigned char		page[4096];
	bool			watched;		/* writes are the doctor's,
							   not the test's own */
	struct text		writes;			/* "FILE=VALUE;", in their order,
							   below the instance or tracefs */
	struct doctor_options	options;
	struct doctor_report	report;
};

static struct fixture *the;	/* wrapped functions are told nothing else */

/* LeakSanitizer's; NULL in other builds. */
void __lsan_disable(void) __attribute__((weak));
void __lsan_enable(void) __attribute__((weak));

int __real_openat(int dir, const char *path, int flags, ...);
ssize_t __real_write(int fd, const void *data, size_t len);
int __wrap_openat(int dir, const char *path, int flags, ...);
int __wrap___openat_2(int dir, const char *path, int flags);
ssize_t __wrap_write(int fd, const void *data, size_t len);
/* These are libtracefs' too: a program's own come before those of the C library. */
int open64(const char *path, int flags, ...);
int __open64_2(const char *path, int flags);

static int refusal(const char *path, const char *value, size_t len)
{
	size_t path_len = strlen(path);

	for (unsigned int i = 0; the && i < the->nr_refuse; i++) {
		const struct refuse *refuse = &the->refuse[i];
		size_t end = strlen(refuse->file);

		if (end > path_len || strcmp(path + path_len - end, refuse->file) ||
		    !value != !refuse->value)
			continue;
		if (!value || (strlen(refuse->value) == len && !memcmp(refuse->value, value, len)))
			return refuse->errnum;
	}
	return 0;
}

int __wrap_openat(int dir, const char *path, int flags, ...)
{
	errno = refusal(path, NULL, 0);
	return errno ? -1 : __real_openat(dir, path, flags);
}

/* what the compiler calls with _FORTIFY_SOURCE */
int __wrap___openat_2(int dir, const char *path, int flags)
{
	return __wrap_openat(dir, path, flags);
}

int open64(const char *path, int flags, ...)
{
	mode_t mode = 0;
	va_list ap;

	va_start(ap, flags);
	if (flags & O_CREAT)
		mode = va_arg(ap, mode_t);
	va_end(ap);
	errno = strncmp(path, "/proc/self/fd/", 14) ? 0 : refusal(path, NULL, 0);
	return errno ? -1 : (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int __open64_2(const char *path, int flags)
{
	return open64(path, flags);
}

ssize_t __wrap_write(int fd, const void *data, size_t len)
{
	char link[64], path[PATH_MAX] = "";
	ssize_t got;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	got = readlink(link, path, sizeof(path) - 1);
	path[got > 0 ? got : 0] = '\0';
	if (the && the->watched && strstr(path, the->fake.root)) {
		const char *below = path + strlen(the->fake.root) + 1;

		if (!strncmp(below, "instances/", 10))
			below = strchr(below + 10, '/') + 1;
		else
			text_add(&the->writes, "top:");
		errno = refusal(path, data, len);
		text_printf(&the->writes, "%s=%.*s%s;", below, (int)len, (const char *)data,
			    errno ? "!" : "");
		if (errno)
			return -1;
	}
	return __real_write(fd, data, len);
}

static void fill_instance(const char *path)
{
	char file[512];
#define PUT(name, content) \
	(snprintf(file, sizeof(file), "%s/" name, path), \
	 fake_tracefs_put(&the->fake, file, content))

	PUT("tracing_on", "1\n");
	PUT("buffer_size_kb", the->instance_size);
	PUT("set_event_pid", "");
	PUT("current_tracer", "nop\n");
	PUT("available_tracers", the->instance_tracers);
	PUT("set_ftrace_filter", "#### all functions enabled ####\n");
	PUT("events/header_page", "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
				  "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
				  "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n");
	PUT("events/sched/sched_switch/enable", "0\n");
	PUT("events/sched/sched_waking/trigger", "# Available triggers:\n");
	PUT("per_cpu/cpu0/trace_pipe_raw", "");
	snprintf(file, sizeof(file), "%s/per_cpu/cpu1/trace_pipe_raw", path);
	fake_tracefs_put_bytes(&the->fake, file, the->page, sizeof(the->page));
}

/* "/proc/self/fd/N/instances/NAME" from its "instances/" on; NULL: not one. */
static const char *instance_of(const char *path)
{
	return the && !strncmp(path, "/proc/self/fd/", 14) ? strstr(path, "instances/") : NULL;
}

int mkdir(const char *path, mode_t mode)
{
	const char *instance = instance_of(path);

	errno = instance ? refusal(path, NULL, 0) : 0;
	if (!errno && instance)
		errno = refusal("mkdir", NULL, 0);
	if (errno || syscall(SYS_mkdirat, AT_FDCWD, path, mode))
		return -1;
	if (!instance)
		return 0;
	the->watched = false;
	fill_instance(instance);
	the->watched = true;
	return 0;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

int rmdir(const char *path)
{
	char full[PATH_MAX];

	if (!instance_of(path))
		return (int)syscall(SYS_unlinkat, AT_FDCWD, path, AT_REMOVEDIR);
	errno = refusal("rmdir", NULL, 0);
	if (errno)
		return -1;
	snprintf(full, sizeof(full), "%s/%s", the->fake.root, instance_of(path));
	return nftw(full, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static void refuse(const char *file, const char *value, int errnum)
{
	the->refuse[the->nr_refuse++] = (struct refuse){ file, value, errnum };
}

/* A machine where all is well: root, a kernel that has everything. */
static int setup(void **state)
{
	struct fixture *f = the = calloc(1, sizeof(*f));
	char ns[PATH_MAX];

	fake_tracefs_init(&f->fake);
#undef PUT
#define PUT(name, content) fake_tracefs_put(&the->fake, name, content)
	PUT("instances/", "");
	PUT("events/sched/", "");
	PUT("tracing_on", "1\n");
	PUT("current_tracer", "nop\n");
	PUT("available_tracers", "blk function_graph function nop\n");
	PUT("available_events", "sched:sched_switch\nsched:sched_waking\nirq:irq_handler_entry\n");
	PUT("available_filter_functions", "do_one_initcall\nschedule\n");
	PUT("buffer_size_kb", "1408\n");
	PUT("set_event", "");
	PUT("uprobe_events", "");
	PUT("kprobe_events", "");
	PUT("synthetic_events", "");
	PUT("proc/sys/kernel/osrelease", "6.18.1\n");
	PUT("proc/sys/kernel/kptr_restrict", "0\n");
	PUT("proc/sys/kernel/ftrace_enabled", "1\n");
	PUT("proc/filesystems", "nodev\ttracefs\n");
	PUT("proc/kallsyms", "0000000000000000 A fixed_percpu_data\nffffffff81000000 T _stext\n");
	PUT("proc/meminfo", "MemAvailable: 1048576 kB\n");
	PUT("proc/self/status", "Uid:\t0\t0\t0\t0\nCapEff:\t000001ffffffffff\n");
	PUT("proc/self/uid_map", "0 0 4294967295\n");
	PUT("proc/self/ns/", "");
	PUT("sys/kernel/security/lockdown", "[none] integrity confidentiality\n");
	PUT("boot/config-6.18.1", "CONFIG_TRACING=y\n# CONFIG_HWLAT_TRACER is not set\n");
	snprintf(ns, sizeof(ns), "%s/proc/self/ns/pid", f->fake.root);
	assert_int_equal(symlink("pid:[4026531836]", ns), 0);
	f->instance_tracers = "function_graph function nop\n";
	f->instance_size = "1408\n";
	store_u64(f->page + 8, 60, false); /* bytes committed */
	f->options = (struct doctor_options){ .tracefs = f->fake.root, .root = f->fake.root,
					       .run_dir = "/nonexistent", .landlock = true,
					       .seccomp = true };
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	the = NULL;
	doctor_fini(&f->report);
	text_fini(&f->writes);
	fake_tracefs_fini(&f->fake);
	free(f);
	return 0;
}

static void run(void)
{
	doctor_fini(&the->report);
	the->watched = true;
	doctor_run(&the->options, &the->report);
	the->watched = false;
}

static const struct doctor_row *row(enum doctor_check check)
{
	return &the->report.rows[check];
}

static void check_row(enum doctor_check check, enum doctor_state state, const char *text)
{
	assert_string_equal(text_str(&row(check)->text), text);
	assert_int_equal(row(check)->state, state);
}

/* What the doctor says now. */
static void check_run(enum doctor_check check, enum doctor_state state, const char *text)
{
	run();
	check_row(check, state, text);
}

static void check_state(enum doctor_check check, enum doctor_state state)
{
	assert_int_equal(row(check)->state, state);
}

static void check_cause(enum doctor_check check, const char *cause)
{
	assert_string_equal(row(check)->cause, cause);
}

static void check_remedy(enum doctor_check check, const char *remedy)
{
	assert_string_equal(text_str(&row(check)->remedy), remedy);
}

static void check_refused(enum doctor_check check, const char *file, int errnum, const char *cause,
			  const char *text)
{
	check_row(check, DOCTOR_NO, text);
	check_cause(check, cause);
	assert_string_equal(row(check)->file, file);
	assert_int_equal(row(check)->errnum, errnum);
}

static unsigned int rows_refused(void)
{
	unsigned int nr = 0;

	for (int check = 0; check < DOCTOR_NR; check++)
		nr += row(check)->state == DOCTOR_NO;
	return nr;
}

/* Can it record?  Nothing that was made is left, and the top instance was not written to. */
static void check_verdict(bool can_record)
{
	struct tracefs_dir dir;
	struct name_list names;

	assert_int_equal(doctor_can_record(&the->report), can_record);
	assert_int_equal(tracefs_dir_open(&dir, the->fake.root, NULL), 0);
	assert_int_equal(tracefs_dir_list(&dir, "instances", &names, NULL), 0);
	assert_int_equal(names.nr, 0);
	name_list_fini(&names);
	tracefs_dir_close(&dir);
	assert_null(strstr(text_str(&the->writes), "top:"));
}

/* --- cases ------------------------------------------------------------------ */

static void test_all_well(void **state)
{
	char writes[1024];

	(void)state;
	check_run(DOCTOR_LOCKDOWN, DOCTOR_OK, "none");
	check_row(DOCTOR_TRACEFS, DOCTOR_OK, the->fake.root);
	check_row(DOCTOR_RIGHTS, DOCTOR_OK, "root may create instances");
	check_row(DOCTOR_INSTANCE, DOCTOR_OK, "created and removed again");
	check_row(DOCTOR_EVENTS, DOCTOR_OK, "separate instance, 3 events");
	check_row(DOCTOR_PAGES, DOCTOR_OK, "4096 bytes at a time; tried on cpu1");
	check_row(DOCTOR_NOP, DOCTOR_OK, "in a separate instance");
	check_row(DOCTOR_FUNCTION, DOCTOR_OK, "in a separate instance");
	check_row(DOCTOR_GRAPH, DOCTOR_OK, "in a separate instance");
	check_row(DOCTOR_FILTER, DOCTOR_OK, "set_ftrace_filter");
	check_row(DOCTOR_PROBES, DOCTOR_OK, "kprobes, uprobes, synthetic events");
	check_row(DOCTOR_MEASURE, DOCTOR_PARTLY, "not in this kernel: threshold");
	check_row(DOCTOR_SYMBOLS, DOCTOR_OK, "/proc/kallsyms, with addresses");
	check_row(DOCTOR_BUFFERS, DOCTOR_OK,
		  "any size for each of 2 CPUs; 1.0 GiB of memory are free");
	check_row(DOCTOR_PIDS, DOCTOR_OK, "the same as in the kernel");
	check_row(DOCTOR_LANDLOCK, DOCTOR_OK, "a process that reads a trace cannot write files");
	check_row(DOCTOR_SECCOMP, DOCTOR_OK, "a process that reads a trace cannot start programs");
	check_row(DOCTOR_OURS, DOCTOR_NONE, "nothing");
	check_row(DOCTOR_OTHERS, DOCTOR_NONE, "top instance free, 0 instances");
	check_verdict(true);
	assert_int_equal(rows_refused(), 0);
	/* Off before anything else; tracers while off, and with a filter of one function. */
	snprintf(
		writes, sizeof(writes),
		"tracing_on=0;set_event_pid=%d;events/sched/sched_switch/enable=1;tracing_on=1;tracing_on=0;"
		"events/sched/sched_switch/enable=0;current_tracer=nop;set_ftrace_filter=do_one_initcall;"
		"current_tracer=function;current_tracer=nop;current_tracer=function_graph;current_tracer=nop;"
		"buffer_size_kb=64;tracing_on=0;",
		getpid());
	assert_string_equal(text_str(&the->writes), writes);
}

static void test_monitors(void **state)
{
	(void)state;
	PUT("boot/config-6.18.1", "CONFIG_TRACING=y\n# CONFIG_RV is not set\n");
	check_run(DOCTOR_MONITORS, DOCTOR_NONE, "not in this kernel (CONFIG_RV is not set)");
	check_cause(DOCTOR_MONITORS, "not_built_in");
	PUT("rv/available_monitors", "wwnr\nsched\nsched:sco\n");
	PUT("rv/monitoring_on", "1\n");
	PUT("rv/monitors/sched/sco/enable", "0\n");
	check_run(DOCTOR_MONITORS, DOCTOR_OK, "wwnr sched sched:sco");
	PUT("rv/monitors/sched/sco/enable", "1\n");
	PUT("rv/monitoring_on", "0\n");
	check_run(DOCTOR_MONITORS, DOCTOR_PARTLY,
		  "wwnr sched sched:sco; on: sched:sco; monitoring is switched off");
	assert_non_null(strstr(text_str(&row(DOCTOR_MONITORS)->remedy), "/rv/monitoring_on"));
}

/* The boot before can be decoded if it was saved; so can this one, later. */
static void test_last_boot(void **state)
{
	char boot[OWNER_BOOT_BYTES];

	(void)state;
	check_run(
		DOCTOR_LAST_BOOT, DOCTOR_NONE,
		"no buffer outlasts a reboot; record --boot --persistent prints how to set one up");
	PUT("instances/kept/last_boot_info", "# Current\n");
	check_run(DOCTOR_LAST_BOOT, DOCTOR_PARTLY,
		  "kept: this boot is not saved, so few records can be decoded after the next");
	check_remedy(DOCTOR_LAST_BOOT, "sudo ftop-trace record --boot --save");
	fake_tracefs_put(&the->fake,
			 TRACEFS_TEXT("var/lib/ftop-trace/boots/%s", owner_boot_id(boot)),
			 "ftop-trace boot 1\n");
	check_run(DOCTOR_LAST_BOOT, DOCTOR_OK, "kept: this boot is saved");
	PUT("instances/kept/last_boot_info", "ffffffff81000000\t[kernel]\n");
	check_run(
		DOCTOR_LAST_BOOT, DOCTOR_PARTLY,
		"extract --last-boot finds records in kept, but few can be decoded: that boot was "
		"not saved");
}

static void test_newest(void **state)
{
	(void)state;
	check_run(DOCTOR_NEWEST, DOCTOR_NONE,
		  "not in this kernel: events by module (-e :mod:NAME) since Linux 6.14, "
		  "strings of system calls (--syscall-bytes) since Linux 6.19, "
		  "watch probes (--probe w:...)");
	PUT("README", "\t\t\t  Can enable module events via: :mod:<module>\n");
	check_run(DOCTOR_NEWEST, DOCTOR_PARTLY,
		  "events by module (-e :mod:NAME); not in this kernel: "
		  "strings of system calls (--syscall-bytes) since Linux 6.19, "
		  "watch probes (--probe w:...)");
	PUT("syscall_user_buf_size", "63\n");
	check_run(DOCTOR_NEWEST, DOCTOR_PARTLY,
		  "events by module (-e :mod:NAME), strings of system calls (--syscall-bytes); "
		  "not in this kernel: watch probes (--probe w:...)");
	PUT("README", "\t\t\t  Can enable module events via: :mod:<module>\n"
		      "\t           w[:[<group>/][<event>]] [r|w|rw]@<addr>[:<len>]\n");
	check_run(DOCTOR_NEWEST, DOCTOR_OK,
		  "events by module (-e :mod:NAME), strings of system calls (--syscall-bytes), "
		  "watch probes (--probe w:...)");
	PUT("remotes/hypervisor/trace_pipe", "");
	check_run(DOCTOR_NEWEST, DOCTOR_PARTLY,
		  "events by module (-e :mod:NAME), strings of system calls (--syscall-bytes), "
		  "watch probes (--probe w:...); not recorded: remotes/hypervisor: "
		  "the kernel gives only the text of such buffers");
	assert_non_null(strstr(text_str(&row(DOCTOR_NEWEST)->remedy),
			       "/remotes/hypervisor/trace_pipe | ftop-trace -"));
}

/* Recording goes on without what shuts readers in. */
static void test_no_sandbox(void **state)
{
	(void)state;
	the->options.landlock = the->options.seccomp = false;
	check_run(DOCTOR_LANDLOCK, DOCTOR_NONE,
		  "not in this kernel: a process that reads a trace could write files");
	check_row(
		DOCTOR_SECCOMP, DOCTOR_NONE,
		"not on this kernel or machine: a process that reads a trace could start programs");
	check_verdict(true);
	assert_int_equal(rows_refused(), 0);
}

/* As on the sandboxed kernels of cloud machines. */
static void test_restricted(void **state)
{
	const char *silent = "current_tracer: EPERM for root; no reason given";

	(void)state;
	PUT("available_tracers", "blk function nop\n");
	PUT("boot/config-6.18.1", "CONFIG_TRACING=y\n# CONFIG_FUNCTION_GRAPH_TRACER is not set\n");
	PUT("sys/kernel/security/lockdown", "none [integrity] confidentiality\n");
	refuse("current_tracer", "function", EPERM);
	refuse("set_ftrace_filter", NULL, EPERM);
	refuse("available_filter_functions", NULL, EPERM);
	check_run(DOCTOR_LOCKDOWN, DOCTOR_OK, "integrity, which allows tracing");
	check_row(DOCTOR_EVENTS, DOCTOR_OK, "separate instance, 3 events");
	check_refused(DOCTOR_FUNCTION, "current_tracer", EPERM, "not_said", silent);
	check_refused(DOCTOR_GRAPH, "available_tracers", ENOENT, "not_built_in",
		      "not in this kernel (CONFIG_FUNCTION_GRAPH_TRACER is not set)");
	check_refused(DOCTOR_FILTER, "set_ftrace_filter", EPERM, "not_said",
		      "set_ftrace_filter: EPERM for root; no reason given");
	check_row(DOCTOR_NOP, DOCTOR_OK, "in a separate instance");
	check_verdict(true);
	assert_int_equal(rows_refused(), 3);
}

/* Before 6.11 function_graph has one user, the top instance. */
static void test_graph_in_top(void **state)
{
	(void)state;
	the->instance_tracers = "function nop\n";
	check_run(DOCTOR_GRAPH, DOCTOR_PARTLY,
		  "on this kernel only the top instance has it, which is free");
	check_cause(DOCTOR_GRAPH, "not_in_instance");
	check_verdict(true);

	/* Older ones list it everywhere, and refuse. */
	the->instance_tracers = "function_graph function nop\n";
	refuse("current_tracer", "function_graph", EINVAL);
	PUT("current_tracer", "function\n");
	check_run(DOCTOR_GRAPH, DOCTOR_PARTLY,
		  "on this kernel only the top instance has it, which now has the tracer function");
	assert_int_equal(row(DOCTOR_GRAPH)->errnum, EINVAL);
	check_verdict(true);
}

/* Kernels before 6.7, before anybody traced: see pins_top. */
static void test_unused_top(void **state)
{
	(void)state;
	the->instance_size = "1410 (expanded: 1408)\n";
	PUT("buffer_size_kb", "7 (expanded: 1408)\n");
	check_run(DOCTOR_EVENTS, DOCTOR_OK, "separate instance, 3 events");
	check_row(DOCTOR_FILTER, DOCTOR_OK, "set_ftrace_filter");
	check_state(DOCTOR_FUNCTION, DOCTOR_UNTRIED);
	check_state(DOCTOR_NOP, DOCTOR_UNTRIED);
	check_state(DOCTOR_BUFFERS, DOCTOR_UNTRIED);
	check_remedy(DOCTOR_FUNCTION, "ftop-trace doctor --expand");
	check_verdict(true);
	assert_string_equal(
		text_str(&the->writes),
		"tracing_on=0;events/sched/sched_waking/trigger=enable_event:sched:sched_switch;tracing_on=1;"
		"tracing_on=0;events/sched/sched_waking/trigger=!enable_event:sched:sched_switch;"
		"set_ftrace_filter=do_one_initcall;tracing_on=0;");

	/* Newer ones keep it for each instance: the new one has its size, and all can be tried. */
	the->instance_size = "1408\n";
	check_run(DOCTOR_FUNCTION, DOCTOR_OK, "in a separate instance");

	the->instance_size = "1410 (expanded: 1408)\n";
	the->options.expand = true;
	check_run(DOCTOR_FUNCTION, DOCTOR_OK, "in a separate instance");
	assert_non_null(strstr(text_str(&the->writes), "top:buffer_size_kb=1408;"));
	assert_string_equal(text_str(&the->report.fixed),
			    "top instance: buffer of 1408 KiB for each CPU\n");
}

static void test_ftrace_off(void **state)
{
	(void)state;
	PUT("proc/sys/kernel/ftrace_enabled", "0\n");
	check_run(DOCTOR_FUNCTION, DOCTOR_PARTLY,
		  "can be set, but records nothing, because kernel.ftrace_enabled is 0");
	check_remedy(DOCTOR_FUNCTION, "sysctl kernel.ftrace_enabled=1");
	check_cause(DOCTOR_FUNCTION, "switched_off");
}

static void test_events_refused(void **state)
{
	(void)state;
	refuse("sched_switch/enable", "1", EPERM);
	run();
	check_refused(DOCTOR_EVENTS, "events/sched/sched_switch/enable", EPERM, "not_said",
		      "events/sched/sched_switch/enable: EPERM for root; no reason given");
	check_state(DOCTOR_PAGES, DOCTOR_UNTRIED);
	assert_true(row(DOCTOR_PAGES)->blocked);
	check_verdict(false);
}

static void test_pages_refused(void **state)
{
	(void)state;
	refuse("trace_pipe_raw", NULL, EBUSY);
	run();
	check_state(DOCTOR_PAGES, DOCTOR_NO);
	assert_int_equal(row(DOCTOR_PAGES)->errnum, EBUSY);
	check_cause(DOCTOR_PAGES, "busy");
	check_verdict(false);
}

/* A page without data, or with more of it than a page holds, is no event. */
static void test_no_event_comes(void **state)
{
	(void)state;
	store_u64(the->page + 8, 0, false);
	check_run(DOCTOR_EVENTS, DOCTOR_PARTLY,
		  "sched_switch was enabled, but no event was recorded in 0.5 s");
	check_verdict(false);

	store_u64(the->page + 8, 0xff00, false);
	run();
	check_state(DOCTOR_EVENTS, DOCTOR_PARTLY);

	/* The bits above tell of lost events, not of size. */
	store_u64(the->page + 8, 0xc0000000 | 60, false);
	run();
	check_state(DOCTOR_EVENTS, DOCTOR_OK);
}

static void test_no_instance(void **state)
{
	(void)state;
	PUT("sys/kernel/security/lockdown", "none integrity [confidentiality]\n");
	refuse("mkdir", NULL, EINVAL);
	/* libtracefs 1.6 does not free the path of an instance that it could not make */
	if (__lsan_disable)
		__lsan_disable();
	run();
	if (__lsan_enable)
		__lsan_enable();
	check_state(DOCTOR_LOCKDOWN, DOCTOR_NO);
	check_refused(
		DOCTOR_INSTANCE, "instances", EINVAL, "lockdown",
		"instances: EINVAL: kernel lockdown is at confidentiality, which forbids tracing, even to root");
	for (int check = DOCTOR_EVENTS; check <= DOCTOR_FILTER; check++)
		assert_true(row(check)->blocked);
	check_verdict(false);
}

static void test_not_mounted(void **state)
{
	(void)state;
	the->options.tracefs = "/nonexistent/tracing";
	check_run(DOCTOR_TRACEFS, DOCTOR_NO,
		  "/nonexistent/tracing: opening: ENOENT (No such file or directory)");
	check_cause(DOCTOR_TRACEFS, "not_mounted");
	check_remedy(DOCTOR_TRACEFS, "sudo mount -t tracefs nodev /sys/kernel/tracing");
	assert_true(row(DOCTOR_EVENTS)->blocked);
	check_row(DOCTOR_SYMBOLS, DOCTOR_OK, "/proc/kallsyms, with addresses");
	check_verdict(false);

	PUT("proc/filesystems", "nodev\tsysfs\n");
	PUT("boot/config-6.18.1", "CONFIG_SYSFS=y\n# CONFIG_TRACING is not set\n");
	check_run(DOCTOR_TRACEFS, DOCTOR_NO, "not in this kernel (CONFIG_TRACING is not set)");
	check_remedy(DOCTOR_TRACEFS, "");
}

static void test_symbols(void **state)
{
	static const struct {
		const char	*kptr, *caps, *text, *remedy;
	} cases[] = {
		{ "1\n", "0", "kptr_restrict=1 hides addresses from all but root (CAP_SYSLOG)",
		  "sudo ftop-trace record ..." },
		{ "0\n", "0",
		  "perf_event_paranoid=2 hides addresses from all but root (CAP_SYSLOG)",
		  "sudo ftop-trace record ..." },
		{ "2\n", "000001ffffffffff", "kptr_restrict=2 hides addresses from everybody",
		  "sudo sysctl kernel.kptr_restrict=1" },
		{ "1\n", "000001ffffffffff",
		  "addresses are hidden in spite of CAP_SYSLOG and kptr_restrict=1; no reason given", "" },
	};
	char status[128];

	(void)state;
	PUT("proc/kallsyms", "0000000000000000 T _stext\n0000000000000000 T _etext\n");
	PUT("proc/sys/kernel/perf_event_paranoid", "2\n");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		snprintf(status, sizeof(status), "Uid:\t0\t0\t0\t0\nCapEff:\t%s\n", cases[i].caps);
		PUT("proc/self/status", status);
		PUT("proc/sys/kernel/kptr_restrict", cases[i].kptr);
		check_run(DOCTOR_SYMBOLS, DOCTOR_PARTLY, cases[i].text);
		check_remedy(DOCTOR_SYMBOLS, cases[i].remedy);
	}
	PUT("boot/config-6.18.1", "CONFIG_TRACING=y\n");
	the->options.root = "/nonexistent";
	check_run(DOCTOR_SYMBOLS, DOCTOR_NO, "/proc/kallsyms: ENOENT");
}

static void test_container(void **state)
{
	char ns[PATH_MAX];

	(void)state;
	snprintf(ns, sizeof(ns), "%s/proc/self/ns/pid", the->fake.root);
	unlink(ns);
	assert_int_equal(symlink("pid:[4026532999]", ns), 0);
	run();
	check_state(DOCTOR_PIDS, DOCTOR_PARTLY);
	/* Its own id is that of some other process to the kernel. */
	assert_null(strstr(text_str(&the->writes), "set_event_pid"));
	check_row(DOCTOR_EVENTS, DOCTOR_OK, "separate instance, 3 events");
}

static void test_left_over(void **state)
{
	(void)state;
	PUT("instances/ftop-77-5/tracing_on", "0\n");
	PUT("instances/foo/tracing_on", "0\n");
	PUT("current_tracer", "function\n");
	PUT("set_event", "sched:sched_switch\n");
	PUT("proc/5/fd/", "");
	check_run(DOCTOR_OURS, DOCTOR_PARTLY,
		  "1 recorder died before restoring tracefs: ftop-77-5");
	check_remedy(DOCTOR_OURS, "sudo ftop-trace doctor --fix");
	check_row(
		DOCTOR_OTHERS, DOCTOR_PARTLY,
		"tracer function in the top instance; 1 event on in the top instance; 1 instance: foo");
	check_cause(DOCTOR_OTHERS, "busy");
	assert_string_equal(text_str(&the->report.fixed), "");

	the->options.fix = true;
	run();
	assert_string_equal(text_str(&the->report.fixed),
			    "removed instance ftop-77-5 of a recorder that has ended\n");
	check_row(DOCTOR_OURS, DOCTOR_NONE, "nothing");

	/* What is not ours stays. */
	check_run(
		DOCTOR_OTHERS, DOCTOR_PARTLY,
		"tracer function in the top instance; 1 event on in the top instance; 1 instance: foo");
}

/* Not even its own instance can be removed: somebody looks into it just now. */
static void test_not_removed(void **state)
{
	(void)state;
	refuse("rmdir", NULL, EBUSY);
	run();
	check_state(DOCTOR_INSTANCE, DOCTOR_PARTLY);
	assert_non_null(
		strstr(text_str(&row(DOCTOR_INSTANCE)->text), "created, but not removed: "));
	assert_non_null(strstr(text_str(&row(DOCTOR_INSTANCE)->text), "EBUSY: in use by"));
	check_remedy(DOCTOR_INSTANCE, "ftop-trace doctor --fix");
	assert_true(doctor_can_record(&the->report));
}

static void test_names(void **state)
{
	(void)state;
	for (int a = 0; a < DOCTOR_NR; a++)
		for (int b = 0; b < a; b++)
			assert_string_not_equal(doctor_check_name(a), doctor_check_name(b));
	for (int check = 0; check < DOCTOR_NR; check++)
		assert_true(strlen(doctor_check_title(check)) < 26);
	for (int s = DOCTOR_UNTRIED; s <= DOCTOR_NONE; s++)
		assert_true(strlen(doctor_state_name(s)) < 8 && *doctor_state_name(s));
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(test_all_well), T(test_restricted), T(test_graph_in_top), T(test_unused_top),
		T(test_ftrace_off),
		T(test_events_refused), T(test_pages_refused), T(test_no_event_comes),
		T(test_no_instance),
		T(test_not_mounted), T(test_symbols), T(test_container), T(test_no_sandbox),
		T(test_left_over), T(test_not_removed), T(test_monitors), T(test_last_boot),
		T(test_newest),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests_name("doctor", tests, NULL, NULL);
}
