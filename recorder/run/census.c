/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recorder/run/census.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "recorder/run/census_clock.h"
#include "recorder/run/cgroup_facts.h"
#include "recorder/run/sched_facts.h"
#include "recorder/tracefs/tracefs_dir.h"
#include "src/base/index_map.h"
#include "src/base/memory.h"

#define LOOK_MS		100
#define LIMIT_LOOKS	10		/* at cgroups with a limit: one in so many */
#define YOUNG_LOOKS	5		/* whether a new task is another one now, so many times */
/* who is recorded comes first */
#define FIRST_NICE	10
#define FIRST_MS	10
#define CMDLINE_BYTES	4096
#define CGROUP_BYTES	8192
#define SEEN_MAX	500000u		/* lines; some 100 bytes each in the file */
#define STRINGS_BYTES	(32u << 20)
#define AGAIN_MAX	64
#define NEW_PIDS_MAX	20000		/* between two looks; more: list /proc instead */
#define OWN_MAX		128u		/* tasks of the recorder */
#define TRIES		3		/* for a task that runs another program meanwhile */
#define PF_KTHREAD	0x00200000u	/* include/linux/sched.h */
#define PF_NO_SETAFFINITY 0x04000000u	/* kernel threads that cannot leave their first cgroup */
#define INIT_PID_NS	0xEFFFFFFCu	/* PROC_PID_INIT_INO */

/* What a look at a task has found; of a thread, its process, and a cgroup of its own. */
struct census_look {
	uint64_t	since, until;	/* it was so from before to after; census_clock's time */
	uint64_t	start_ns;	/* of a process: after the machine's start */
	int		pid, tgid, parent;
	int64_t		uid;
	uint32_t	exe, cmdline, cgroup;	/* strings; 0 = none */
	bool		is_kernel;
	bool		stays;		/* in the cgroup of all kernel threads */
	bool		has_threads;
	bool		has_pid_ns;	/* a process with a PID namespace of its own */
};

struct known_task {
	int		pid;
	uint32_t	last;		/* its last look, in `seen` */
	unsigned int	looks;		/* left while it is young */
	ino_t		folder;		/* of /proc/PID: another task has another one */
	uid_t		owner;		/* of that: changes with the user */
};

struct census_told {			/* how many of each are in lines */
	bool			 is_begun;
	uint32_t		 strings, users, looks, cgroups, scheds, own;
};

struct census {
	const struct await	*await;		/* borrowed: how long the thread is waited for */
	pthread_t		 thread;
	bool			 is_running;	/* it was made, and not joined yet */
	bool			 is_late;	/* it did not end: what it uses stays */
	int			 begin, end;	/* eventfds, never read: what the thread is told
						 * stays */
	bool			 begun;
	_Atomic int		 tid;		/* 0: it does not run yet */
	int			 proc;
	struct census_clock	 clock;
	struct census_strings	 strings;
	struct cgroup_facts	 cgroups;
	struct sched_facts	 scheds;
	struct census_look		*seen;		/* owned, [nr] */
	uint32_t		 nr, cap;
	bool			 is_full;	/* `seen` had no room */
	int64_t			*users;		/* owned, [nr_users]: uids of those */
	uint32_t		 nr_users, cap_users;
	struct known_task	*tasks;		/* owned, [nr_tasks] */
	uint32_t		 nr_tasks, cap_tasks;
	struct index_map	 task_map;	/* by pid */
	uint32_t		 kernel_cgroup;	/* string: where kernel threads are made */
	int			 hierarchy;	/* of cgroups, whose moves agree with their paths */
	bool			 is_first;	/* the look at all */
	int			 last_pid;	/* the newest that was given out */
	unsigned int		 nr_again;
	int			 again[AGAIN_MAX];	/* pids to look at the next time */
	int			 own[OWN_MAX];	/* [nr_own]: see census_recorder() */
	uint32_t		 nr_own;
	struct census_told	 taken;		/* what is, or was, in `lines` */
	pthread_mutex_t		 lock;		/* of `lines` and `cgroups` */
	struct text		 lines;		/* what census_take() takes */
};

/* --- one task --------------------------------------------------------------------------------- */

/* All that one read gives: as much as these files have.  Bytes, 0 = none; NUL-ended. */
static size_t read_once(int dir, const char *file, char *text, size_t size)
{
	int fd = openat(dir, file, O_RDONLY | O_CLOEXEC);
	ssize_t len = fd >= 0 ? read(fd, text, size - 1) : 0;

	if (fd >= 0)
		close(fd);
	text[len > 0 ? len : 0] = '\0';
	return len > 0 ? (size_t)len : 0;
}

/*
 * "PID (COMM) S PPID …", numbered from 1: see proc_pid_stat(5).  COMM is any bytes.  One file has
 * all that tells a process from its threads: these send no signal when they exit.
 */
static bool read_stat(int dir, struct census_look *s)
{
	enum { PARENT = 4, FLAGS = 9, THREADS = 20, START = 22, EXIT_SIGNAL = 38, NR };
	static uint64_t ticks;
	char text[1024], *at, *end;
	int64_t fields[NR];
	int i;

	if (!ticks)
		ticks = (uint64_t)sysconf(_SC_CLK_TCK);
	at = read_once(dir, "stat", text, sizeof(text)) ? strrchr(text, ')') : NULL;
	if (!at || strlen(at) < 4)
		return false;
	at += 3;			/* behind the state */
	for (i = PARENT; i < NR; i++, at = end) {
		fields[i] = (int64_t)strtoull(at, &end, 10);
		if (end == at)
			return false;
	}
	s->parent = (int)fields[PARENT];
	s->is_kernel = fields[FLAGS] & PF_KTHREAD;
	s->stays = s->is_kernel && fields[FLAGS] & PF_NO_SETAFFINITY;
	s->has_threads = fields[THREADS] > 1;
	s->start_ns = (uint64_t)fields[START] * 1000000000u / ticks;
	return fields[EXIT_SIGNAL] >= 0;
}

static uint32_t read_exe(struct census *c, int dir, const char *link)
{
	char path[4096];
	ssize_t len = readlinkat(dir, link, path, sizeof(path));

	return len > 0 ? census_string(&c->strings, path, (size_t)len) : 0;
}

static uint32_t read_cmdline(struct census *c, int dir)
{
	char text[CMDLINE_BYTES + 1];
	size_t len = read_once(dir, "cmdline", text, sizeof(text));

	return census_string(&c->strings, text, len);
}

static uint32_t read_cgroup(struct census *c, int dir, const char *file)
{
	char text[CGROUP_BYTES];
	const char *path;
	size_t len;

	read_once(dir, file, text, sizeof(text));
	path = cgroup_facts_path(text, &len);
	return path ? census_string(&c->strings, path, len) : 0;
}

static struct known_task *find_task(const struct census *c, int pid)
{
	index_map_each (&c->task_map, index_map_hash((uint32_t)pid), i)
		if (c->tasks[i].pid == pid)
			return &c->tasks[i];
	return NULL;
}

static void note_user(struct census *c, int64_t uid)
{
	for (uint32_t i = 0; i < c->nr_users; i++)
		if (c->users[i] == uid)
			return;
	mem_grow(&c->users, c->nr_users, &c->cap_users);
	c->users[c->nr_users++] = uid;
}

static void keep_look(struct census *c, const struct census_look *s, const struct stat *folder)
{
	struct known_task *task = find_task(c, s->pid);
	const struct census_look *last = task ? &c->seen[task->last] : NULL;

	if (task) {
		task->folder = folder->st_ino;
		task->owner = folder->st_uid;
	}
	if (last && last->start_ns == s->start_ns && last->tgid == s->tgid && last->uid == s->uid &&
	    last->parent == s->parent && last->exe == s->exe && last->cmdline == s->cmdline &&
	    last->cgroup == s->cgroup)
		return;
	c->is_full |= c->nr == SEEN_MAX;
	if (c->is_full)
		return;
	if (!task) {
		mem_grow(&c->tasks, c->nr_tasks, &c->cap_tasks);
		index_map_add(&c->task_map, index_map_hash((uint32_t)s->pid), c->nr_tasks);
		task = &c->tasks[c->nr_tasks++];
		*task = (struct known_task){ .pid = s->pid, .folder = folder->st_ino,
					     .owner = folder->st_uid };
	}
	if (!last || last->start_ns != s->start_ns)
		task->looks = YOUNG_LOOKS;
	task->last = c->nr;
	note_user(c, s->uid);
	mem_grow(&c->seen, c->nr, &c->cap);
	c->seen[c->nr++] = *s;
}

/* @own_cgroups: they can have some; that is only where the process' one is threaded. */
static void look_at_threads(struct census *c, int dir, const struct census_look *process,
			    const struct stat *folder, bool own_cgroups)
{
	int fd = openat(dir, "task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *tasks = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *t;

	while (tasks && (t = readdir(tasks))) {
		struct census_look s = { .pid = atoi(t->d_name), .tgid = process->pid, .uid = -1 };

		if (s.pid <= 0 || s.pid == process->pid)
			continue;
		s.since = census_clock_now(&c->clock);
		if (own_cgroups)
			s.cgroup = read_cgroup(c, fd, TRACEFS_TEXT("%s/cgroup", t->d_name));
		s.until = census_clock_now(&c->clock);
		if (c->is_first)
			sched_facts_see(&c->scheds, &c->strings, s.pid, true, &c->clock);
		if (s.cgroup || !own_cgroups)
			keep_look(c, &s, folder);
	}
	if (tasks)
		closedir(tasks);
}

/*
 * A zombie has no program any more; a task that is just about to run one has no arguments yet, and
 * is looked at again.
 */
static bool is_settled(struct census *c, const struct census_look *s)
{
	if (!s->is_kernel && s->exe && !s->cmdline && c->nr_again < AGAIN_MAX)
		c->again[c->nr_again++] = s->pid;
	return s->is_kernel || s->cmdline;
}

/* Return: may its threads be in others? */
static bool see_cgroup(struct census *c, uint32_t cgroup)
{
	bool is_threaded;

	pthread_mutex_lock(&c->lock);
	is_threaded = cgroup_facts_see(&c->cgroups, &c->strings, cgroup, &c->clock);
	pthread_mutex_unlock(&c->lock);
	return is_threaded;
}

/* A process of a container numbers its tasks by itself. */
static bool has_pid_ns(int dir)
{
	struct stat st;

	return !fstatat(dir, "ns/pid", &st, 0) && st.st_ino != INIT_PID_NS;
}

/* Return: false if there is no such process, or it tells nothing. */
static bool look_at(struct census *c, int pid)
{
	int dir = openat(c->proc, TRACEFS_TEXT("%d", pid), O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct census_look s = { .pid = pid };
	struct stat folder = { 0 };
	bool found = false, is_threaded;

	for (int i = 0; dir >= 0 && i < TRIES; i++) {
		s.since = census_clock_now(&c->clock);
		if (fstat(dir, &folder) || !read_stat(dir, &s))
			break;
		s.tgid = pid;
		s.uid = folder.st_uid;	/* of this folder it is the effective user */
		s.exe = s.is_kernel ? 0 : read_exe(c, dir, "exe");
		s.cmdline = s.is_kernel ? 0 : read_cmdline(c, dir);
		s.cgroup = s.stays ? c->kernel_cgroup : read_cgroup(c, dir, "cgroup");
		s.has_pid_ns = !s.is_kernel && has_pid_ns(dir);
		found = s.is_kernel || read_exe(c, dir, "exe") == s.exe;
		s.until = census_clock_now(&c->clock);
		if (found)
			break;
	}
	sched_facts_see(&c->scheds, &c->strings, pid, c->is_first, &c->clock);
	found = found && is_settled(c, &s);
	if (found) {
		keep_look(c, &s, &folder);
		is_threaded = see_cgroup(c, s.cgroup);
		/* the births of later threads are recorded */
		if (s.has_threads && (is_threaded || c->is_first))
			look_at_threads(c, dir, &s, &folder, is_threaded);
	}
	if (dir >= 0)
		close(dir);
	return found;
}

/* --- all tasks -------------------------------------------------------------------------------- */

static int newest_pid(const struct census *c)
{
	char text[128], *last;

	if (!tracefs_dir_read_into(c->proc, "loadavg", text, sizeof(text)))
		return 0;
	last = strrchr(text, ' ');
	return last ? atoi(last) : 0;
}

/* Is the thread told to end, now or within this time? */
static bool ends_within(const struct census *c, int ms)
{
	struct pollfd end = { .fd = c->end, .events = POLLIN };

	return poll(&end, 1, ms) > 0;
}

/* Is a task that is known what it was, as far as it can be told fast? */
static bool is_as_before(struct census *c, int pid)
{
	const struct known_task *task = find_task(c, pid);
	const struct census_look *last = task ? &c->seen[task->last] : NULL;
	struct stat folder;

	return task && !fstatat(c->proc, TRACEFS_TEXT("%d", pid), &folder, 0) &&
	       folder.st_ino == task->folder && folder.st_uid == task->owner &&
	       (last->is_kernel ||
		(read_exe(c, c->proc, TRACEFS_TEXT("%d/exe", pid)) == last->exe &&
		 read_cgroup(c, c->proc, TRACEFS_TEXT("%d/cgroup", pid)) == last->cgroup));
}

static void look_at_all(struct census *c)
{
	int fd = openat(c->proc, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *proc = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *p;

	while (proc && (p = readdir(proc))) {
		int pid = atoi(p->d_name);

		if (pid > 0 && !is_as_before(c, pid))
			look_at(c, pid);
	}
	if (proc)
		closedir(proc);
}

/* Pids are given out one after the other, and from the beginning after the last one. */
static void look_at_new(struct census *c)
{
	int last = newest_pid(c), from = c->last_pid;

	c->last_pid = last;
	if (last < from || last - from > NEW_PIDS_MAX)
		look_at_all(c);
	else
		for (int pid = from + 1; pid <= last; pid++) {
			sched_facts_see(&c->scheds, &c->strings, pid, true, &c->clock);
			look_at(c, pid);
		}
}

/* Most tasks run another program soon after they were made, some in another cgroup. */
static void look_at_young(struct census *c)
{
	int again[AGAIN_MAX];
	unsigned int nr = c->nr_again;

	memcpy(again, c->again, sizeof(again));
	c->nr_again = 0;
	for (unsigned int i = 0; i < nr; i++)
		look_at(c, again[i]);
	for (uint32_t i = c->nr_tasks; i-- > 0;) {
		struct known_task *task = &c->tasks[i];

		if (!task->looks)
			continue;
		task->looks--;
		if (!is_as_before(c, task->pid))
			look_at(c, task->pid);
	}
}

static void look_at_limits(struct census *c)
{
	pthread_mutex_lock(&c->lock);
	cgroup_facts_look(&c->cgroups, &c->clock);
	pthread_mutex_unlock(&c->lock);
}

/* --- lines ------------------------------------------------------------------------------------ */

/* Names from the file alone: others may ask a network, which takes time, and who knows whom. */
static void add_users(struct census *c, uint32_t told, struct text *lines)
{
	FILE *file = told < c->nr_users ? fopen("/etc/passwd", "re") : NULL;
	struct passwd *user;

	while (file && (user = fgetpwent(file)))
		for (uint32_t i = told; i < c->nr_users; i++)
			if (c->users[i] == (int64_t)user->pw_uid)
				text_printf(lines, "user %u %u\n", user->pw_uid,
					    census_string(&c->strings, user->pw_name,
							  strlen(user->pw_name)));
	if (file)
		fclose(file);
}

static void add_look(const struct census *c, const struct census_look *s, struct text *lines)
{
	int64_t since = census_clock_trace(&c->clock, s->since, false),
		until = census_clock_trace(&c->clock, s->until, true);

	if (since < 0 || until < since)
		return;
	if (s->pid != s->tgid)
		text_printf(lines, "thread %" PRId64 " %" PRId64 " %d %d %u\n", since, until,
			    s->pid, s->tgid, s->cgroup);
	else
		text_printf(lines,
			    "task %" PRId64 " %" PRId64 " %d %d %" PRId64 " %" PRId64
			    " %u %u %u %d\n",
			    since, until, s->pid, s->parent,
			    census_clock_start(&c->clock, s->start_ns), s->uid, s->exe, s->cmdline,
			    s->cgroup, s->is_kernel);
	if (s->has_pid_ns)
		text_printf(lines, "namespace %d\n", s->pid);
}

/* Append what is not told yet: the strings first, which the lines name. */
static void add_lines(struct census *c, struct census_told *told, struct text *out)
{
	struct text lines = { 0 };

	if (!told->is_begun)
		text_printf(&lines, "hierarchy %d\n", c->hierarchy);
	for (uint32_t i = told->own; i < c->nr_own; i++)
		text_printf(&lines, "recorder %d\n", c->own[i]);
	add_users(c, told->users, &lines);
	for (uint32_t i = told->looks; i < c->nr; i++)
		add_look(c, &c->seen[i], &lines);
	cgroup_facts_text(&c->cgroups, told->cgroups, &c->clock, &lines);
	sched_facts_text(&c->scheds, told->scheds, &c->clock, &lines);
	census_strings_text(&c->strings, told->strings, out);
	text_bytes(out, text_str(&lines), lines.len);
	text_fini(&lines);
	*told = (struct census_told){ .is_begun = true,
				      .strings = c->strings.nr,
				      .users = c->nr_users,
				      .looks = c->nr,
				      .cgroups = c->cgroups.nr_states,
				      .scheds = c->scheds.nr,
				      .own = c->nr_own };
}

static void tell_new(struct census *c)
{
	pthread_mutex_lock(&c->lock);
	add_lines(c, &c->taken, &c->lines);
	pthread_mutex_unlock(&c->lock);
}

/* --- the thread ------------------------------------------------------------------------------- */

/* False: there is no beginning. */
static bool wait_to_begin(const struct census *c)
{
	struct pollfd fds[] = { { .fd = c->begin, .events = POLLIN },
				{ .fd = c->end, .events = POLLIN } };

	while (poll(fds, 2, -1) <= 0)
		;
	return fds[0].revents && c->begun;
}

static void *take_census(void *arg)
{
	struct census *c = arg;
	unsigned int looks = 0;
	const int own = getpid();

	c->tid = (int)syscall(SYS_gettid);
	if (!wait_to_begin(c))
		return NULL;
	setpriority(PRIO_PROCESS, (id_t)c->tid, FIRST_NICE);
	ends_within(c, FIRST_MS);
	c->last_pid = newest_pid(c);
	c->kernel_cgroup = read_cgroup(c, c->proc, "2/cgroup");
	c->is_first = true;
	look_at_all(c);
	c->is_first = false;
	for (uint32_t i = 0; i < c->nr_tasks; i++)
		if (c->seen[c->tasks[i].last].parent != own)	/* they were there before */
			c->tasks[i].looks = 0;
	setpriority(PRIO_PROCESS, (id_t)c->tid, 0);
	if (ends_within(c, 0))		/* it has ended: that was the last look, too */
		return NULL;
	do {
		tell_new(c);
		look_at_young(c);
		look_at_new(c);
		if (++looks % LIMIT_LOOKS == 0)
			look_at_limits(c);
	} while (!ends_within(c, LOOK_MS));
	look_at_all(c);
	sched_facts_end(&c->scheds, &c->strings, &c->clock);
	return NULL;
}

/* --- begin and end ---------------------------------------------------------------------------- */

/* Are the pids in /proc those of records? */
static bool has_pids_of_records(void)
{
	char self[32];
	ssize_t len = readlink("/proc/self", self, sizeof(self) - 1);
	struct stat st;

	if (len <= 0 || stat("/proc/self/ns/pid", &st) || st.st_ino != INIT_PID_NS)
		return false;
	self[len] = '\0';
	return atoi(self) == getpid();
}

struct census *census_new(const struct await *await)
{
	char text[CGROUP_BYTES];
	struct census *c;

	if (!has_pids_of_records())
		return NULL;
	c = mem_alloc(sizeof(*c));
	c->strings.most_bytes = STRINGS_BYTES;
	c->await = await;
	pthread_mutex_init(&c->lock, NULL);
	c->proc = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
	c->begin = eventfd(0, EFD_CLOEXEC);
	c->end = eventfd(0, EFD_CLOEXEC);
	read_once(c->proc, "self/cgroup", text, sizeof(text));
	c->hierarchy = cgroup_facts_hierarchy(text);
	add_lines(c, &c->taken, &c->lines);	/* before those of any move */
	c->is_running = c->proc >= 0 && c->begin >= 0 && c->end >= 0 &&
			!pthread_create(&c->thread, NULL, take_census, c);
	if (!c->is_running) {
		census_free(c);
		return NULL;
	}
	return c;
}

static bool has_tid(void *census)
{
	return ((struct census *)census)->tid;
}

int census_tid(struct census *c)
{
	if (!await_done(c->await, has_tid, c, await_clock_of_thread(c->thread)))
		c->is_late = true;
	return c->tid;
}

/* The parent of a process that runs the program we run; 0: another program, or none. */
static int own_parent(const struct census *c, int pid)
{
	struct census_look s = { 0 };
	struct stat own, theirs;
	int dir = openat(c->proc, TRACEFS_TEXT("%d", pid), O_PATH | O_DIRECTORY | O_CLOEXEC);
	bool known = dir >= 0 && read_stat(dir, &s) && !fstatat(dir, "exe", &own, 0) &&
		     !fstatat(c->proc, TRACEFS_TEXT("%d/exe", s.parent), &theirs, 0) &&
		     own.st_dev == theirs.st_dev && own.st_ino == theirs.st_ino;

	if (dir >= 0)
		close(dir);
	return known ? s.parent : 0;
}

void census_recorder(struct census *c, const int *tids, unsigned int nr)
{
	for (unsigned int i = 0; i < nr && c->nr_own < OWN_MAX; i++)
		c->own[c->nr_own++] = tids[i];
	for (int pid = own_parent(c, getpid()); pid && c->nr_own < OWN_MAX;
	     pid = own_parent(c, pid))
		c->own[c->nr_own++] = pid;
}

void census_begin(struct census *c, const char *clock, const struct clock_reading *reading)
{
	c->begun = census_clock_init(&c->clock, clock) && census_clock_begin(&c->clock, reading);
	eventfd_write(c->begin, 1);
}

static void end_thread(struct census *c)
{
	if (!c->is_running || c->is_late)
		return;
	eventfd_write(c->end, 1);
	c->is_late = !await_thread(c->await, c->thread);
	c->is_running = c->is_late;
}

enum census_outcome census_end(struct census *c, const struct clock_reading *reading,
			       struct text *tasks)
{
	struct census_told none = { 0 };

	end_thread(c);
	if (c->is_late)
		return CENSUS_LATE;
	if (c->begun && census_clock_end(&c->clock, reading))
		add_lines(c, &none, tasks);
	return c->is_full || c->strings.is_full ? CENSUS_FULL : CENSUS_WHOLE;
}

static bool has_lock(void *census)
{
	return !pthread_mutex_trylock(&((struct census *)census)->lock);
}

void census_stop(struct census *c)
{
	if (c->is_late || !c->begun)
		return;
	/* tracing goes on meanwhile */
	if (!await_done(&await_briefly, has_lock, c, await_clock_of_thread(c->thread)))
		return;
	cgroup_facts_end(&c->cgroups, &c->clock);
	pthread_mutex_unlock(&c->lock);
}

void census_take(struct census *c, struct text *lines)
{
	if (!has_lock(c))
		return;		/* the thread is at it: the next time */
	*lines = c->lines;
	c->lines = (struct text){ 0 };
	pthread_mutex_unlock(&c->lock);
}

void census_free(struct census *c)
{
	if (!c)
		return;
	end_thread(c);
	if (c->is_late)
		return;		/* the thread may go on, with all of it */
	if (c->proc >= 0)
		close(c->proc);
	if (c->begin >= 0)
		close(c->begin);
	if (c->end >= 0)
		close(c->end);
	free(c->seen);
	free(c->users);
	free(c->tasks);
	text_fini(&c->lines);
	pthread_mutex_destroy(&c->lock);
	index_map_fini(&c->task_map);
	cgroup_facts_fini(&c->cgroups);
	sched_facts_fini(&c->scheds);
	census_strings_fini(&c->strings);
	free(c);
}
