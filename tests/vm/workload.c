/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * workload - does things that a kernel traces, and says how often it did them.
 *
 *   workload forks N          N children that end at once     "forks PARENT N"
 *   workload names N          the same, each under a name     "named PID NAME"
 *   workload marks FILE N     N writes to a trace_marker      "marks PID N"
 *   workload switches N       two tasks on one CPU pass a     "switches PID COUNT", as the kernel
 *                             byte to and fro N times          accounts them, of both
 *   workload threads N        N threads that sleep at times   "threads PID TID...", of all of them
 *   workload plant KIND N     N ordinary moments of a kind, a   "plant begins" and "plant ended" in
 *                             long one, and others until       trace_marker, just before and after
 *                             there is a file `stop`; read: of
 *                             a pipe; wakeup: of `victim`; irq:
 *                             by the module slow_irq
 *   workload storm N          N children, of which some run   "child I PID ARGUMENTS", in order;
 *                             /tmp/prog-N linger I US          without ARGUMENTS: none is run
 *   workload linger I US      sleeps
 *   workload violate N        N times what a real-time task should not do: a page fault, and
 *                             sleeps that end at once
 *   workload register FILE N  a user_event of its own, in user_events_data; when somebody has
 *                             enabled it, N are written       "registered PID N"
 *   workload load             some of everything: files, programs, sleep, signals
 *   workload state DIR        what the control files of a tracefs hold, one by one
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void die(const char *what)
{
	fprintf(stderr, "workload: %s: %s\n", what, strerror(errno));
	exit(1);
}

static pid_t fork_or_die(void)
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid < 0)
		die("fork");
	return pid;
}

static void forks(int nr)
{
	for (int i = 0; i < nr; i++) {
		pid_t pid = fork_or_die();

		if (!pid)
			_exit(0);
		if (waitpid(pid, NULL, 0) != pid)
			die("waitpid");
	}
	printf("forks %d %d\n", (int)getpid(), nr);
}

static void *thread_main(void *tid)
{
	*(pid_t *)tid = gettid();
	for (int i = 0; i < 20; i++)
		usleep(1000);
	return NULL;
}

static void threads(int nr)
{
	pthread_t started[64];
	pid_t tids[64];

	for (int i = 0; i < nr; i++)
		if (nr > 64 || pthread_create(&started[i], NULL, thread_main, &tids[i]))
			die("pthread_create");
	for (int i = 0; i < nr; i++)
		pthread_join(started[i], NULL);
	printf("threads %d", (int)getpid());
	for (int i = 0; i < nr; i++)
		printf(" %d", (int)tids[i]);
	printf("\n");
}

/* More names than a kernel keeps by itself. */
static void names(int nr)
{
	for (int i = 0; i < nr; i++) {
		pid_t pid = fork_or_die();
		char name[16];

		snprintf(name, sizeof(name), "kid %d", i);
		if (!pid) {
			prctl(PR_SET_NAME, name);
			usleep(1);
			_exit(0);
		}
		if (waitpid(pid, NULL, 0) != pid)
			die("waitpid");
		printf("named %d %s\n", (int)pid, name);
	}
}

static void marks(const char *file, int nr)
{
	int fd = open(file, O_WRONLY);

	if (fd < 0)
		die(file);
	for (int i = 0; i < nr; i++) {
		char text[32];
		int len = snprintf(text, sizeof(text), "mark %d", i);

		if (write(fd, text, len) != len)
			die("write to the marker");
	}
	close(fd);
	printf("marks %d %d\n", (int)getpid(), nr);
}

/* One byte alone is under way: each of the two waits for the other, N times. */
static void pass(int in, int out, int nr, int begins)
{
	char byte = 0;

	for (int i = 0; i < nr; i++)
		if ((begins && write(out, &byte, 1) != 1) || read(in, &byte, 1) != 1 ||
		    (!begins && write(out, &byte, 1) != 1))
			_exit(1);
	_exit(0);
}

/* The kernel's own count of a task, which is whole once it has left its CPU for good. */
static void tell_switches(pid_t pid)
{
	siginfo_t info;
	struct rusage usage;
	int status;

	if (waitid(P_PID, pid, &info, WEXITED | WNOWAIT))
		die("waitid");
	usleep(50000);
	if (wait4(pid, &status, 0, &usage) != pid || status)
		die("a task that passes bytes");
	printf("switches %d %ld\n", (int)pid, usage.ru_nvcsw + usage.ru_nivcsw);
}

static void switches(int nr)
{
	int to[2], fro[2];
	cpu_set_t one;
	pid_t a, b;

	CPU_ZERO(&one);
	CPU_SET(0, &one);
	if (pipe(to) || pipe(fro))
		die("pipe");
	/* before the fork: being moved costs a switch that nobody is to count twice */
	if (sched_setaffinity(0, sizeof(one), &one))
		die("sched_setaffinity");
	a = fork_or_die();
	if (!a)
		pass(fro[0], to[1], nr, 1);
	b = fork_or_die();
	if (!b)
		pass(to[0], fro[1], nr, 0);
	tell_switches(a);
	tell_switches(b);
}

static void read_all(const char *path)
{
	char data[4096];
	int fd = open(path, O_RDONLY);

	while (fd >= 0 && read(fd, data, sizeof(data)) > 0)
		;
	if (fd >= 0)
		close(fd);
}

/* Of the CPUs that are there, one after the other: each has its share. */
static void run_on(int nr)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET((size_t)nr % (size_t)sysconf(_SC_NPROCESSORS_ONLN), &one);
	sched_setaffinity(0, sizeof(one), &one);
}

/*
 * To the kernel's wakeup tracers only who is woken to run before the one that runs is woken: each
 * time that this task sleeps.
 */
static void be_urgent(void)
{
	const struct sched_param least = { .sched_priority = 1 };

	sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &least);
}

static void load(void)
{
	be_urgent();
	for (int i = 0; i < 20; i++) {
		pid_t pid = fork_or_die();

		if (!pid) {
			run_on(i / 4);
			if (i % 4)
				_exit(0);
			dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
			execl("/bin/ls", "ls", "-l", "/etc", (char *)NULL);
			_exit(1);
		}
		read_all("/proc/self/status");
		read_all("/etc/passwd");
		kill(pid, 0);
		waitpid(pid, NULL, 0);
		usleep(2000);
	}
}

/* --- tracefs ----------------------------------------------------------------------------- */

/* What was recorded or counted, and what reading takes away or changes. */
static const char *const no_settings[] = {
	"trace", "trace_pipe", "trace_pipe_raw", "trace_marker", "trace_marker_raw", "free_buffer",
	"stats", "snapshot",
	"snapshot_raw", "saved_cmdlines", "saved_tgids", "touched_functions", "inject",
	"kprobe_profile", "uprobe_profile",
	"user_events_data", "user_events_status", "error_log", "format", "id",
	"available_filter_functions",
	"available_filter_functions_addrs", "enabled_functions", "available_events",
	"printk_formats", "hist", "hist_debug",
	"trace_stat", "dyn_ftrace_total_info", "README", "tracing_max_latency", "stack_trace",
	"header_page", "header_event",
};

/* --- moments that stand out ------------------------------------------------------------------- */

#define LONG_US		20000
#define LONG_IRQ_US	3000
#define PAUSE_US	200	/* between two moments, where they need one */

static int open_or_die(const char *path)
{
	int fd = open(path, O_WRONLY);

	if (fd < 0)
		die(path);
	return fd;
}

/* Into the buffer that is being recorded: an instance of its own, which cannot go while its file is
 * open, or the top one. */
static void mark(const char *text)
{
	const char *path = "/sys/kernel/tracing/trace_marker";
	glob_t found;
	int fd;

	if (!glob("/sys/kernel/tracing/instances/ftop-*[0-9]/trace_marker", 0, NULL, &found))
		path = found.gl_pathv[0];
	fd = open_or_die(path);
	if (write(fd, text, strlen(text)) < 0)
		die("write to the marker");
	close(fd);
}

static long long now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ll + ts.tv_nsec;
}

static int is_stopped(void)
{
	return !access("stop", F_OK);
}

static void read_byte(const int pair[2], int is_long)
{
	pid_t writer = is_long ? fork_or_die() : 0;
	char byte = 0;

	if (!writer) {
		if (is_long)
			usleep(LONG_US);
		if (write(pair[1], &byte, 1) != 1)
			die("write");
		if (is_long)
			_exit(0);
	}
	if (is_long)
		mark("plant begins");
	if (read(pair[0], &byte, 1) != 1)
		die("read");
	if (is_long)
		mark("plant ended");
}

static void plant_read(int nr)
{
	int pair[2];

	if (pipe(pair))
		die("pipe");
	mark("load begins");
	for (int i = 0; i <= nr; i++)
		read_byte(pair, i == nr);
	for (; !is_stopped(); usleep(1000))
		read_byte(pair, 0);
}

static void raise_irq(int fd, int us)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%d", us);

	if (pwrite(fd, text, (size_t)len, 0) != len)
		die("slow_irq");
}

static void plant_irq(int nr)
{
	int fd = open_or_die("/sys/module/slow_irq/parameters/us");

	mark("load begins");
	for (int i = 0; i < nr; i++)
		raise_irq(fd, 1);
	mark("plant begins");
	raise_irq(fd, LONG_IRQ_US);
	mark("plant ended");
	for (; !is_stopped(); usleep(1000))
		raise_irq(fd, 1);
}

static void wake(int fd, char how)
{
	if (write(fd, &how, 1) != 1)
		die("write");
}

/* Until there is nobody left to wake it. */
static void be_woken(const int pair[2])
{
	char how;

	prctl(PR_SET_NAME, "victim");
	close(pair[1]);
	while (read(pair[0], &how, 1) == 1)
		if (how)
			mark("plant ended");
	_exit(0);
}

/* The victim runs on the CPU of who wakes it, who then does not leave that for long. */
static void plant_wakeup(int nr)
{
	long long began;
	pid_t victim;
	int pair[2];

	run_on(1);
	if (pipe(pair))
		die("pipe");
	mark("load begins");
	victim = fork_or_die();
	if (!victim)
		be_woken(pair);
	for (int i = 0; i < nr; i++, usleep(PAUSE_US))
		wake(pair[1], 0);
	be_urgent();
	mark("plant begins");
	wake(pair[1], 1);
	for (began = now_ns(); now_ns() - began < LONG_US * 1000ll;)
		;
	for (; !is_stopped(); usleep(1000))
		wake(pair[1], 0);
	close(pair[1]);
	waitpid(victim, NULL, 0);
}

static int is_setting(const char *name)
{
	for (size_t i = 0; i < sizeof(no_settings) / sizeof(no_settings[0]); i++)
		if (!strcmp(name, no_settings[i]))
			return 0;
	return 1;
}

static void tell_file(const char *path, size_t root)
{
	static char data[1 << 20];
	ssize_t got, len = 0;
	int fd = open(path, O_RDONLY | O_NONBLOCK);

	if (fd < 0)
		return;
	while (len < (ssize_t)sizeof(data) && (got = read(fd, data + len, sizeof(data) - len)) > 0)
		len += got;
	close(fd);
	while (len && data[len - 1] == '\n')
		len--;
	for (ssize_t i = 0; i < len; i++)
		if (data[i] == '\n')
			data[i] = '|';
	printf("%s: %.*s\n", path + root, (int)len, data);
}

static void tell_folder(const char *path, size_t root)
{
	struct dirent **entries;
	int nr = scandir(path, &entries, NULL, alphasort);

	for (int i = 0; i < nr; i++) {
		const char *name = entries[i]->d_name;
		char below[4096];

		snprintf(below, sizeof(below), "%s/%s", path, name);
		if (strcmp(name, ".") && strcmp(name, "..") && is_setting(name)) {
			if (entries[i]->d_type == DT_DIR)
				tell_folder(below, root);
			else if (entries[i]->d_type == DT_REG)
				tell_file(below, root);
		}
		free(entries[i]);
	}
	if (nr >= 0)
		free(entries);
}

#define STORM_CHILDREN	8	/* at a time */

/* Children that end at once, or after a moment, or run one of three programs, which may sleep. */
static void storm(int nr)
{
	char program[32], name[16], us[16];
	int alive = 0;

	printf("storm %d\n", (int)getpid());
	for (int i = 0; i < nr; i++) {
		bool lingers = i % 199 == 0, runs = lingers || i % 3 == 0;
		pid_t pid;

		snprintf(program, sizeof(program), "/tmp/prog-%d", i % 7 % 3);
		snprintf(name, sizeof(name), "%d", i);
		snprintf(us, sizeof(us), "%d", lingers ? 500000 : 0);
		pid = fork();
		if (pid < 0)
			die("fork");
		if (!pid) {
			if (runs)
				execl(program, program, "linger", name, us, NULL);
			if (i % 3 == 1)
				usleep(200);
			_exit(runs);
		}
		if (runs)
			printf("child %d %d %s linger %s %s\n", i, (int)pid, program, name, us);
		else
			printf("child %d %d\n", i, (int)pid);
		for (alive++; alive > STORM_CHILDREN || (alive && i == nr - 1); alive--)
			if (wait(NULL) < 0)
				die("wait");
	}
}

/* --- monitors of runtime verification --------------------------------------------------------- */

static void on_alarm(int signal)
{
	(void)signal;
}

/* Sleep in the state TASK_INTERRUPTIBLE alone, from which the monitor wwnr looks at a task. */
static void wait_for_alarm(void)
{
	const struct itimerval soon = { .it_value.tv_usec = 1000 };
	sigset_t set, none;

	sigemptyset(&none);
	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGALRM, on_alarm);
	setitimer(ITIMER_REAL, &soon, NULL);
	sigsuspend(&none);
}

/*
 * The timer of nanosleep() fires at once.  If its interrupt wakes the task while it still runs, the
 * monitor wwnr does not allow that; the monitor sleep allows no nanosleep() of a real-time task.
 */
static void violate(int nr)
{
	const struct sched_param priority = { .sched_priority = 10 };

	if (sched_setscheduler(0, SCHED_FIFO, &priority))
		die("sched_setscheduler");
	for (int i = 0; i < nr; i++) {
		volatile char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
					   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (page == MAP_FAILED)
			die("mmap");
		*page = 1;
		wait_for_alarm();
		for (int k = 0; k < 4; k++)
			nanosleep(&(struct timespec){ .tv_nsec = 1 }, NULL);
	}
}

/* Documentation/trace/user_events.rst; Debian's headers are older than it. */
static void register_event(const char *file, int nr)
{
	static volatile uint32_t enabled;
	static const char event[] = "ftop_late u32 count; char[8] text";
	struct __attribute__((packed)) {
		uint32_t size;
		uint8_t enable_bit, enable_size;
		uint16_t flags;
		uint64_t enable_addr, name_args;
		uint32_t write_index;
	} reg = { .size = sizeof(reg),
		  .enable_size = sizeof(enabled),
		  .enable_addr = (uintptr_t)&enabled,
		  .name_args = (uintptr_t)event };
	struct __attribute__((packed)) {
		uint32_t count;
		char text[8];
	} payload = { .text = "late" };
	int fd = open(file, O_RDWR);

	if (fd < 0 || ioctl(fd, _IOWR('*', 0, void *), &reg))
		die(file);
	for (int i = 0; i < 1000 && !enabled; i++)
		usleep(10000);
	for (payload.count = 0; payload.count < (uint32_t)nr && enabled; payload.count++) {
		const struct iovec parts[] = { { &reg.write_index, sizeof(reg.write_index) },
					       { &payload, sizeof(payload) } };

		if (writev(fd, parts, 2) < 0)
			die("writev");
	}
	printf("registered %d %u\n", (int)getpid(), payload.count);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	int nr = argc > 2 ? atoi(argv[argc - 1]) : 0;

	if (!strcmp(what, "load") && argc == 2)
		load();
	else if (!strcmp(what, "state") && argc == 3)
		tell_folder(argv[2], strlen(argv[2]) + 1);
	else if (!strcmp(what, "forks") && argc == 3)
		forks(nr);
	else if (!strcmp(what, "storm") && argc == 3)
		storm(nr);
	else if (!strcmp(what, "linger") && argc == 4)
		usleep((useconds_t)nr);
	else if (!strcmp(what, "violate") && argc == 3)
		violate(nr);
	else if (!strcmp(what, "names") && argc == 3)
		names(nr);
	else if (!strcmp(what, "register") && argc == 4)
		register_event(argv[2], nr);
	else if (!strcmp(what, "marks") && argc == 4)
		marks(argv[2], nr);
	else if (!strcmp(what, "threads") && argc == 3)
		threads(nr);
	else if (!strcmp(what, "switches") && argc == 3)
		switches(nr);
	else if (!strcmp(what, "plant") && argc == 4 && !strcmp(argv[2], "read"))
		plant_read(nr);
	else if (!strcmp(what, "plant") && argc == 4 && !strcmp(argv[2], "wakeup"))
		plant_wakeup(nr);
	else if (!strcmp(what, "plant") && argc == 4 && !strcmp(argv[2], "irq"))
		plant_irq(nr);
	else
		return 2;
	return 0;
}
