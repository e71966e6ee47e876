/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * locks - waits for locks of which it is known who holds them.
 *
 *   locks                 each plant in turn; then the notes of each thread, a line each:
 *                         TID NS EVENT LOCK ADDRESS, of CLOCK_MONOTONIC:
 *                           want   before it takes the lock       got    it has it
 *                           drop   before it gives it up          free   it has given it up
 *                           fail   it did not get it              exit   it ends and still holds it
 *                           gone   who ended so is no more
 *                           start, end: the thread; LOCK is its process
 *                         and "object NAME ADDRESS SIZE OWNER": what lies where; OWNER is "tid" if
 *                         glibc says in it who holds it, "none" if nothing does, "made" if it only
 *                         looks so
 *   locks pid-namespace   some of it in a PID namespace of its own, whose numbers are low
 *   locks pid-shifted     the same, and each number is also that of the next thread in the first
 *                         namespace
 *   locks NAME...         these plants alone
 *   locks kernel          contention on locks of the kernel: inodes, a directory, mmap_lock, pipe
 *   locks rate MS         a convoy without pauses for so long, and how often a second it moved on
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MAX_NOTES	2000
#define MAX_THREADS	8
#define NS_PER_MS	1000000ll

static void die(const char *what)
{
	fprintf(stderr, "locks: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void check(int err, const char *what)
{
	errno = err;
	if (err)
		die(what);
}

static int64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ll + ts.tv_nsec;
}

static void *map_shared(size_t size)
{
	void *data = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (data == MAP_FAILED)
		die("mmap");
	return data;
}

/* --- notes -------------------------------------------------------------------------------- */

struct note {
	int64_t		ns;
	const char	*event;
	const char	*lock;		/* NULL: the process, which the thread began or ends in */
	const void	*address;
};

/* What a thread noted.  No lock is taken to write it. */
struct thread_log {
	struct thread_log	*next;
	int			tid;	/* as the first PID namespace counts */
	int			pid;
	int			nr;
	struct note		notes[MAX_NOTES];
};

static _Atomic(struct thread_log *) logs;
static __thread struct thread_log *own;

static void note(const char *event, const char *lock, const void *address)
{
	if (own->nr == MAX_NOTES)
		die("too many notes");
	own->notes[own->nr++] = (struct note){ now_ns(), event, lock, address };
}

/* gettid() counts in a namespace; this file system was mounted in the first one. */
static void begin_log(void)
{
	char link[64] = "";

	own = map_shared(sizeof(*own));
	if (readlink("/proc/thread-self", link, sizeof(link) - 1) < 0 ||
	    sscanf(link, "%d/task/%d", &own->pid, &own->tid) != 2)
		die("/proc/thread-self");
	own->next = atomic_load(&logs);
	while (!atomic_compare_exchange_weak(&logs, &own->next, own))
		;
	note("start", NULL, NULL);
}

static void print_logs(void)
{
	for (struct thread_log *log = logs; log; log = log->next) {
		for (int i = 0; i < log->nr; i++) {
			const struct note *at = &log->notes[i];

			printf("%d %lld %s ", log->tid, (long long)at->ns, at->event);
			if (at->lock)
				printf("%s 0x%lx\n", at->lock, (unsigned long)at->address);
			else
				printf("%d 0x0\n", log->pid);
		}
	}
	fflush(stdout);
}

/* --- locks -------------------------------------------------------------------------------- */

#define OF_MAIN		-1	/* the tid of a thread that does not use the lock */
#define OF_FIRST	-2	/* of one that does, whoever holds it */

/* A futex of no library's: only word is its own, the others are what happens to lie behind it. */
struct made_lock {
	_Atomic(uint32_t)	word;	/* 0 free, 1 held, 2 held and somebody waits */
	uint32_t		count;
	int32_t			owner;
	uint32_t		users;
	uint32_t		kind;
};

struct lock {
	const char	*name;
	int		type, protocol, robust, shared;	/* of the mutex */
	union {
		pthread_mutex_t		mutex;
		pthread_rwlock_t	rwlock;
		pthread_barrier_t	barrier;
		sem_t			sem;
		struct made_lock	made;
	};
	pthread_cond_t	cond;
};

static void tell_object(const char *name, const void *address, size_t size, const char *owner)
{
	printf("object %s 0x%lx %zu %s\n", name, (unsigned long)address, size, owner);
}

static void init_mutex(struct lock *lock)
{
	pthread_mutexattr_t attr;

	pthread_mutexattr_init(&attr);
	check(pthread_mutexattr_settype(&attr, lock->type), "mutexattr_settype");
	check(pthread_mutexattr_setprotocol(&attr, lock->protocol), "mutexattr_setprotocol");
	check(pthread_mutexattr_setrobust(&attr, lock->robust), "mutexattr_setrobust");
	check(pthread_mutexattr_setpshared(&attr, lock->shared), "mutexattr_setpshared");
	check(pthread_mutex_init(&lock->mutex, &attr), "mutex_init");
	tell_object(lock->name, &lock->mutex, sizeof(lock->mutex),
		    lock->protocol == PTHREAD_PRIO_PROTECT ? "none" : "tid");
}

/* What the thread has or has not, by what the call returned. */
static bool noted(struct lock *lock, int err)
{
	if (err == EOWNERDEAD)
		check(pthread_mutex_consistent(&lock->mutex), "mutex_consistent");
	else if (err && err != ETIMEDOUT && err != EBUSY)
		check(err, lock->name);
	note(err && err != EOWNERDEAD ? "fail" : "got", lock->name, &lock->mutex);
	return !err || err == EOWNERDEAD;
}

static bool take(struct lock *lock)
{
	note("want", lock->name, &lock->mutex);
	return noted(lock, pthread_mutex_lock(&lock->mutex));
}

static bool try_to_take(struct lock *lock)
{
	note("want", lock->name, &lock->mutex);
	return noted(lock, pthread_mutex_trylock(&lock->mutex));
}

static bool take_within(struct lock *lock, clockid_t clock, int ms)
{
	struct timespec end;

	clock_gettime(clock, &end);
	end.tv_nsec += ms * NS_PER_MS;
	end.tv_sec += end.tv_nsec / 1000000000;
	end.tv_nsec %= 1000000000;
	note("want", lock->name, &lock->mutex);
	if (clock == CLOCK_REALTIME)
		return noted(lock, pthread_mutex_timedlock(&lock->mutex, &end));
	return noted(lock, pthread_mutex_clocklock(&lock->mutex, clock, &end));
}

static void leave(struct lock *lock)
{
	note("drop", lock->name, &lock->mutex);
	check(pthread_mutex_unlock(&lock->mutex), lock->name);
	note("free", lock->name, &lock->mutex);
}

/* Each second time it sleeps, else it is busy. */
static void spend(int us, int nr)
{
	int64_t end = now_ns() + us * 1000ll;

	if (nr % 2)
		usleep(us);
	while (now_ns() < end)
		;
}

static void until(const atomic_int *count, int nr)
{
	while (atomic_load(count) < nr)
		usleep(200);
}

/* --- plants ------------------------------------------------------------------------------- */

struct plant {
	const char	*name;
	int		nr_threads;
	void		(*work)(struct plant *plant, int nr);
	struct lock	*first, *second;
	atomic_int	*moment;	/* how far they are; all processes see it */
};

static void work_rounds(struct plant *plant, int nr)
{
	for (int i = 0; i < 8; i++) {
		if (!take(plant->first))
			continue;
		spend(400 + 100 * nr, nr + i);
		leave(plant->first);
		usleep(100 * (nr % 3));
	}
}

static void be_urgent(int priority)
{
	const struct sched_param param = { .sched_priority = priority };

	if (sched_setscheduler(0, SCHED_FIFO, &param))
		die("sched_setscheduler");
}

/* Only a real-time task can have a priority that a mutex raises. */
static void work_protect(struct plant *plant, int nr)
{
	be_urgent(1);
	work_rounds(plant, nr);
}

static void work_hand_off(struct plant *plant, int nr)
{
	for (int i = 0; i < 8; i++) {
		until(plant->moment, 2 * i + nr);
		take(plant->first);
		atomic_fetch_add(plant->moment, 1);	/* the other begins to wait */
		usleep(2000);
		leave(plant->first);
	}
}

static void work_nested(struct plant *plant, int nr)
{
	for (int i = 0; i < 5; i++) {
		bool both = (nr + i) % 2;

		if (both)
			take(plant->first);
		take(plant->second);
		spend(700, i);
		leave(plant->second);
		if (both)
			leave(plant->first);
	}
}

static void work_recursive(struct plant *plant, int nr)
{
	for (int i = 0; i < 5; i++) {
		take(plant->first);
		check(pthread_mutex_lock(&plant->first->mutex), "recursive");
		spend(700, nr + i);
		check(pthread_mutex_unlock(&plant->first->mutex), "recursive");
		spend(300, nr + i);
		leave(plant->first);
		usleep(200);
	}
}

static void work_timed(struct plant *plant, int nr)
{
	for (int i = 0; i < 6; i++) {
		if (nr == 0 && !try_to_take(plant->first))
			usleep(500);
		else if (nr == 0 ||
			 take_within(plant->first, i % 2 ? CLOCK_REALTIME : CLOCK_MONOTONIC, 3)) {
			spend(1500, nr + i);
			leave(plant->first);
		}
	}
}

static void work_deadlock(struct plant *plant, int nr)
{
	struct lock *mine = nr ? plant->first : plant->second;
	struct lock *other = nr ? plant->second : plant->first;

	take(mine);
	atomic_fetch_add(plant->moment, 1);
	until(plant->moment, 2);
	if (take_within(other, CLOCK_MONOTONIC, 10 + 10 * nr))
		leave(other);
	leave(mine);
}

static void work_self(struct plant *plant, int nr)
{
	(void)nr;
	take(plant->first);
	take_within(plant->first, CLOCK_MONOTONIC, 5);
	leave(plant->first);
}

static void work_cond(struct plant *plant, int nr)
{
	struct lock *lock = plant->first;

	for (int i = 1; i <= 4; i++) {
		if (!nr)
			usleep(4000);
		take(lock);
		if (!nr) {
			atomic_store(plant->moment, i);
			pthread_cond_broadcast(&lock->cond);
		}
		while (atomic_load(plant->moment) < i) {
			note("drop", lock->name, &lock->mutex);
			pthread_cond_wait(&lock->cond, &lock->mutex);
			note("got", lock->name, &lock->mutex);
		}
		spend(500, nr + i);
		leave(lock);
	}
}

static void work_sem(struct plant *plant, int nr)
{
	sem_t *sem = &plant->first->sem;

	for (int i = 0; i < 6; i++)
		while (nr && sem_wait(sem))
			;
	for (int i = 0; !nr && i < 6 * (plant->nr_threads - 1); i++) {
		usleep(500);
		sem_post(sem);
	}
}

static void work_rwlock(struct plant *plant, int nr)
{
	pthread_rwlock_t *lock = &plant->first->rwlock;

	for (int i = 0; i < 6; i++) {
		if (nr < 3)
			pthread_rwlock_wrlock(lock);
		else
			pthread_rwlock_rdlock(lock);
		spend(600, nr + i);
		pthread_rwlock_unlock(lock);
		usleep(100);
	}
}

static void work_barrier(struct plant *plant, int nr)
{
	for (int i = 0; i < 6; i++) {
		usleep((nr ^ i) % 2 ? 3000 : 200);
		pthread_barrier_wait(&plant->first->barrier);
	}
}

static long futex(_Atomic(uint32_t) *word, int op, uint32_t value, const struct timespec *limit)
{
	return syscall(SYS_futex, word, op, value, limit, NULL, 0);
}

static void work_made(struct plant *plant, int nr)
{
	struct made_lock *lock = &plant->first->made;
	int op = plant->first->shared ? 0 : FUTEX_PRIVATE_FLAG;

	if (lock->owner == OF_FIRST && !nr)
		lock->owner = own->tid;
	for (int i = 0; i < 6; i++) {
		uint32_t found = 0;

		note("want", plant->name, lock);
		if (!atomic_compare_exchange_strong(&lock->word, &found, 1))
			while (atomic_exchange(&lock->word, 2))
				futex(&lock->word, FUTEX_WAIT | op, 2, NULL);
		note("got", plant->name, lock);
		spend(800, nr + i);
		note("drop", plant->name, lock);
		if (atomic_exchange(&lock->word, 0) == 2)
			futex(&lock->word, FUTEX_WAKE | op, 1, NULL);
		note("free", plant->name, lock);
		usleep(100);
	}
}

/* As some libraries count the readers: bit 31 says that a writer waits. */
static void work_made_readers(struct plant *plant, int nr)
{
	struct made_lock *lock = &plant->first->made;
	const struct timespec limit = { 0, 2 * NS_PER_MS };

	atomic_store(&lock->word, 1u << 31 | (uint32_t)lock->owner);
	if (nr)
		futex(&lock->word, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, lock->word, &limit);
	usleep(3000);
}

static void work_stdio(struct plant *plant, int nr)
{
	(void)plant;
	for (int i = 0; i < 5; i++) {
		flockfile(stderr);
		spend(800, nr + i);
		funlockfile(stderr);
		usleep(100);
	}
}

/* The first ends while it holds the lock; others wait before that, and after. */
static void work_dies(struct plant *plant, int nr)
{
	static _Atomic(int) dead;
	struct lock *lock = plant->first;

	if (!nr) {
		take(lock);
		dead = gettid();
		atomic_fetch_add(plant->moment, 1);
		usleep(5000);
		note("exit", lock->name, &lock->mutex);
		return;
	}
	until(plant->moment, 1);
	if (take_within(lock, CLOCK_MONOTONIC, 15)) {
		usleep(2000);
		leave(lock);
	}
	while (!syscall(SYS_tgkill, getpid(), dead, 0))
		usleep(200);
	note("gone", lock->name, &lock->mutex);
	if (take_within(lock, CLOCK_MONOTONIC, 5)) {
		usleep(1000);
		leave(lock);
	}
}

/* --- processes and threads ---------------------------------------------------------------- */

struct start {
	struct plant	*plant;
	int		nr;
};

static void *thread_main(void *data)
{
	const struct start *start = data;

	begin_log();
	start->plant->work(start->plant, start->nr);
	note("end", NULL, NULL);
	return NULL;
}

static void run_threads(struct plant *plant, int first, int end)
{
	pthread_t threads[MAX_THREADS];
	struct start starts[MAX_THREADS];

	for (int i = first; i < end; i++) {
		starts[i] = (struct start){ plant, i };
		check(pthread_create(&threads[i], NULL, thread_main, &starts[i]), "pthread_create");
	}
	for (int i = first; i < end; i++)
		check(pthread_join(threads[i], NULL), "pthread_join");
}

static pid_t fork_or_die(void)
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid < 0)
		die("fork");
	if (!pid) {
		logs = NULL;
		begin_log();
	}
	return pid;
}

static void end_child(void)
{
	note("end", NULL, NULL);
	print_logs();
	_exit(0);
}

static void wait_for(pid_t pid)
{
	int status;

	if (waitpid(pid, &status, 0) != pid || status)
		die("a child");
}

/* Half of the threads are those of another process. */
static void run_two_processes(struct plant *plant)
{
	pid_t pid = fork_or_die();

	if (!pid) {
		run_threads(plant, 0, plant->nr_threads / 2);
		end_child();
	}
	run_threads(plant, plant->nr_threads / 2, plant->nr_threads);
	wait_for(pid);
}

/* The child has a copy of the lock, whose owner is its parent's thread.  Nobody gives it up. */
static void run_inherited(struct plant *plant)
{
	static struct lock lock;
	pid_t pid;

	lock = *plant->first;
	init_mutex(&lock);
	check(pthread_mutex_lock(&lock.mutex), "mutex_lock");
	pid = fork_or_die();
	if (!pid) {
		take_within(&lock, CLOCK_MONOTONIC, 5);
		end_child();
	}
	wait_for(pid);
	check(pthread_mutex_unlock(&lock.mutex), "mutex_unlock");
}

/* --- the list ----------------------------------------------------------------------------- */

enum what {
	MUTEX,
	TWO_PROCESSES,
	INHERITED,
	COND,
	SEM,
	RWLOCK,
	BARRIER,
	MADE,
	STDIO,
};

#define PI	PTHREAD_PRIO_INHERIT
#define PROTECT	PTHREAD_PRIO_PROTECT
#define ROBUST	PTHREAD_MUTEX_ROBUST
#define SHARED	PTHREAD_PROCESS_SHARED

static const struct listed {
	const char	*name;
	int		nr_threads;
	void		(*work)(struct plant *plant, int nr);
	enum what	what;
	int		type, protocol, robust, shared;
	struct made_lock made;
} list[] = {
	{ "convoy",		8, work_rounds,		MUTEX },
	{ "hand-off",		2, work_hand_off,	MUTEX },
	{ "nested",		6, work_nested,		MUTEX },
	{ "trylock",		4, work_timed,		MUTEX },
	{ "deadlock",		2, work_deadlock,	MUTEX },
	{ "self",		1, work_self,		MUTEX },
	{ "recursive",		4, work_recursive,	MUTEX, .type = PTHREAD_MUTEX_RECURSIVE },
	{ "errorcheck",		4, work_rounds,		MUTEX, .type = PTHREAD_MUTEX_ERRORCHECK },
	{ "adaptive",		4, work_rounds,		MUTEX, .type = PTHREAD_MUTEX_ADAPTIVE_NP },
	{ "pi",			4, work_rounds,		MUTEX, .protocol = PI },
	{ "pi-timed",		4, work_timed,		MUTEX, .protocol = PI },
	{ "robust",		4, work_rounds,		MUTEX, .robust = ROBUST },
	{ "robust-timed",	4, work_timed,		MUTEX, .robust = ROBUST },
	{ "pi-robust",		4, work_rounds,		MUTEX, .protocol = PI, .robust = ROBUST },
	{ "protect",		4, work_protect,		MUTEX, .protocol = PROTECT },
	{ "dies",		3, work_dies,		MUTEX },
	{ "dies-robust",	3, work_dies,		MUTEX, .robust = ROBUST },
	{ "dies-pi-robust",	3, work_dies,		MUTEX, .protocol = PI, .robust = ROBUST },
	{ "shared",		6, work_rounds,		TWO_PROCESSES, .shared = SHARED },
	{ "shared-robust",	6, work_rounds,		TWO_PROCESSES, .shared = SHARED,
							.robust = ROBUST },
	{ "shared-pi",		6, work_rounds,		TWO_PROCESSES, .shared = SHARED,
							.protocol = PI },
	{ "inherited",		1, NULL,		INHERITED },
	{ "cond",		8, work_cond,		COND },
	{ "sem",		5, work_sem,		SEM },
	{ "rwlock",		8, work_rwlock,		RWLOCK },
	{ "barrier",		2, work_barrier,	BARRIER },
	{ "barrier-shared",	2, work_barrier,	BARRIER, .shared = SHARED },
	{ "stdio",		4, work_stdio,		STDIO },
	{ "made",		4, work_made,		MADE,
							.made = { .owner = 1234567, .users = 3 } },
	{ "made-no-users",	4, work_made,		MADE,
							.made = { .owner = OF_MAIN } },
	{ "made-no-kind",	4, work_made,		MADE,
							.made = { .owner = OF_MAIN, .users = 1,
								  .kind = 0x10 } },
	{ "made-shared",	4, work_made,		MADE, .shared = 1,
							.made = { .owner = 2, .users = 1 } },
	{ "made-as-glibc",	4, work_made,		MADE,
							.made = { .owner = OF_MAIN, .users = 1 } },
	{ "made-as-shared",	4, work_made,		MADE, .shared = 1,
							.made = { .owner = OF_MAIN, .users = 1,
								  .kind = 0x80 } },
	{ "made-by-user",	4, work_made,		MADE,
							.made = { .owner = OF_FIRST, .users = 1 } },
	{ "made-readers",	2, work_made_readers,	MADE,
							.made = { .owner = 3 } },
};
#define NR_LISTED (sizeof(list) / sizeof(list[0]))

static void init_cond(struct lock *lock)
{
	init_mutex(lock);
	check(pthread_cond_init(&lock->cond, NULL), "cond_init");
	tell_object("cond.cond", &lock->cond, sizeof(lock->cond), "none");
}

static void init_barrier(struct lock *lock, unsigned int nr)
{
	pthread_barrierattr_t attr;

	pthread_barrierattr_init(&attr);
	check(pthread_barrierattr_setpshared(&attr, lock->shared), "barrierattr_setpshared");
	check(pthread_barrier_init(&lock->barrier, &attr, nr), "barrier_init");
}

static void init_lock(struct lock *lock, const struct listed *at)
{
	size_t size = at->what == SEM    ? sizeof(lock->sem) :
		      at->what == RWLOCK ? sizeof(lock->rwlock) :
					   sizeof(lock->barrier);

	if (at->what <= TWO_PROCESSES)
		init_mutex(lock);
	else if (at->what == COND)
		init_cond(lock);
	else if (at->what == SEM)
		sem_init(&lock->sem, 0, 0);
	else if (at->what == RWLOCK)
		pthread_rwlock_init(&lock->rwlock, NULL);
	else if (at->what == BARRIER)
		init_barrier(lock, (unsigned int)at->nr_threads);
	else if (at->what == MADE)
		lock->made = at->made;
	if (at->made.owner == OF_MAIN)
		lock->made.owner = own->tid;
	if (at->what > COND && at->what != STDIO)
		tell_object(at->name, &lock->mutex, size, at->what == MADE ? "made" : "none");
}

static void run_listed(const struct listed *at)
{
	struct lock *locks = map_shared(2 * sizeof(*locks) + sizeof(atomic_int));
	struct plant plant = { at->name, at->nr_threads, at->work, &locks[0], &locks[1],
			       (atomic_int *)&locks[2] };
	static char second[32];

	for (int i = 0; i < 2; i++) {
		locks[i].name = at->name;
		locks[i].type = at->type;
		locks[i].protocol = at->protocol;
		locks[i].robust = at->robust;
		locks[i].shared = at->shared;
	}
	init_lock(&locks[0], at);
	if (at->what == MUTEX) {
		snprintf(second, sizeof(second), "%s.2", at->name);
		locks[1].name = strdup(second);
		init_mutex(&locks[1]);
	}
	if (at->what == INHERITED)
		run_inherited(&plant);
	else if (at->what == TWO_PROCESSES)
		run_two_processes(&plant);
	else
		run_threads(&plant, 0, at->nr_threads);
}

static bool is_named(const char *name, char **names)
{
	for (; *names; names++)
		if (!strcmp(*names, name))
			return true;
	return false;
}

static void run_list(char **names)
{
	begin_log();
	for (size_t i = 0; i < NR_LISTED; i++)
		if (!names[0] || is_named(list[i].name, names))
			run_listed(&list[i]);
	note("end", NULL, NULL);
	print_logs();
}

static int last_pid(int set)
{
	FILE *file = fopen("/proc/sys/kernel/ns_last_pid", set ? "w" : "r");
	int pid = 0;

	if (!file || (set ? fprintf(file, "%d", set) : fscanf(file, "%d", &pid)) < 1 ||
	    fclose(file))
		die("/proc/sys/kernel/ns_last_pid");
	return pid;
}

/* Its tasks have other numbers there, which are those that stand in its locks. */
static void run_in_namespace(bool shifted)
{
	char *const names[] = { "convoy",        "pi", "robust", "shared", "shared-pi",
				"shared-robust", NULL };
	int before = last_pid(0);
	pid_t pid;

	if (unshare(CLONE_NEWPID))
		die("unshare");
	pid = fork();
	if (pid < 0)
		die("fork");
	if (!pid) {
		if (shifted)	/* this process is before + 1, its first thread + 2 or here + 3 */
			last_pid(before + 2);
		run_list((char **)names);
		exit(0);
	}
	wait_for(pid);
}

/* --- locks of the kernel ------------------------------------------------------------------ */

#define BLOCK	(1 << 20)

static int shared_file, shared_pipe[2];

static void work_inode(struct plant *plant, int nr)
{
	char *block = map_shared(BLOCK);

	(void)plant;
	for (int i = 0; i < 40; i++) {
		if (nr == 0 && ftruncate(shared_file, i % 2 ? 8 * BLOCK : BLOCK))
			die("ftruncate");
		if (nr == 1 && fallocate(shared_file, 0, 0, 4 * BLOCK))
			die("fallocate");
		if (nr > 1 && pwrite(shared_file, block, BLOCK, nr * BLOCK) < 0)
			die("pwrite");
	}
	munmap(block, BLOCK);
}

/* read() of one open file by several: its position has a mutex. */
static void work_position(struct plant *plant, int nr)
{
	char *block = map_shared(BLOCK);

	(void)plant;
	(void)nr;
	for (int i = 0; i < 40; i++) {
		lseek(shared_file, 0, SEEK_SET);
		if (read(shared_file, block, BLOCK) < 0)
			die("read");
	}
	munmap(block, BLOCK);
}

static void work_directory(struct plant *plant, int nr)
{
	char path[64];

	(void)plant;
	for (int i = 0; i < 100; i++) {
		if (nr % 2) {
			DIR *dir = opendir("locks.dir");

			while (dir && readdir(dir))
				;
			closedir(dir);
			continue;
		}
		snprintf(path, sizeof(path), "locks.dir/%d-%d", nr, i);
		close(open(path, O_CREAT | O_WRONLY, 0600));
	}
}

static void work_memory(struct plant *plant, int nr)
{
	(void)plant;
	for (int i = 0; i < 40; i++) {
		char *data = map_shared(BLOCK);

		for (int at = 0; at < BLOCK; at += 4096)
			data[at] = (char)nr;
		if (mprotect(data, BLOCK / 2, PROT_READ) || munmap(data, BLOCK))
			die("mprotect and munmap");
	}
}

/* What all of them write at a time finds room in it. */
#define PIPE_PART	65536
#define PIPE_ROOM	(16 * PIPE_PART)

static void work_pipe(struct plant *plant, int nr)
{
	char *data = map_shared(PIPE_PART);

	(void)plant;
	(void)nr;
	for (int i = 0; i < 40; i++) {
		ssize_t left = PIPE_PART;

		if (write(shared_pipe[1], data, PIPE_PART) != PIPE_PART)
			die("write");
		while (left > 0)
			left -= read(shared_pipe[0], data, (size_t)left);
	}
	munmap(data, PIPE_PART);
}

static void run_kernel_locks(void)
{
	static struct plant plants[] = {
		{ "inode", 6, work_inode, NULL, NULL, NULL },
		{ "position", 4, work_position, NULL, NULL, NULL },
		{ "directory", 6, work_directory, NULL, NULL, NULL },
		{ "memory", 6, work_memory, NULL, NULL, NULL },
		{ "pipe", 8, work_pipe, NULL, NULL, NULL },
	};

	begin_log();
	mkdir("locks.dir", 0700);
	shared_file = open("locks.file", O_CREAT | O_RDWR | O_TRUNC, 0600);
	if (shared_file < 0 || pipe(shared_pipe) ||
	    fcntl(shared_pipe[0], F_SETPIPE_SZ, PIPE_ROOM) < 0)
		die("files");
	for (size_t i = 0; i < sizeof(plants) / sizeof(plants[0]); i++)
		run_threads(&plants[i], 0, plants[i].nr_threads);
	note("end", NULL, NULL);
	print_logs();
}

/* --- cost --------------------------------------------------------------------------------- */

static pthread_mutex_t rate_lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int nr_ready, rate_over;
static long nr_taken;		/* under rate_lock */

static void run_on(int cpu)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET((size_t)cpu, &one);
	if (sched_setaffinity(0, sizeof(one), &one))
		die("sched_setaffinity");
}

/* They take turns on one CPU, where all others find the lock taken: each take is a wait. */
static void work_rate(struct plant *plant, int nr)
{
	(void)plant;
	(void)nr;
	run_on(0);
	be_urgent(1);
	atomic_fetch_add(&nr_ready, 1);
	until(&nr_ready, MAX_THREADS + 1);
	while (!atomic_load(&rate_over)) {
		pthread_mutex_lock(&rate_lock);
		nr_taken++;
		sched_yield();
		pthread_mutex_unlock(&rate_lock);
		sched_yield();
	}
}

static void *time_rate(void *ms)
{
	int64_t begin;

	run_on((int)sysconf(_SC_NPROCESSORS_ONLN) - 1);
	be_urgent(2);		/* they leave others no time */
	until(&nr_ready, MAX_THREADS);
	begin = now_ns();
	atomic_fetch_add(&nr_ready, 1);
	usleep((useconds_t)(*(int *)ms * 1000));
	atomic_store(&rate_over, 1);
	printf("rate %.0f\n", (double)nr_taken * 1e9 / (double)(now_ns() - begin));
	return NULL;
}

static void run_rate(int ms)
{
	struct plant plant = { "rate", MAX_THREADS, work_rate, NULL, NULL, NULL };
	pthread_t timer;

	check(pthread_create(&timer, NULL, time_rate, &ms), "pthread_create");
	run_threads(&plant, 0, plant.nr_threads);
	pthread_join(timer, NULL);
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "rate"))
		run_rate(atoi(argv[2]));
	else if (argc == 2 && !strcmp(argv[1], "kernel"))
		run_kernel_locks();
	else if (argc == 2 && !strcmp(argv[1], "pid-namespace"))
		run_in_namespace(false);
	else if (argc == 2 && !strcmp(argv[1], "pid-shifted"))
		run_in_namespace(true);
	else
		run_list(argv + 1);
	return 0;
}
