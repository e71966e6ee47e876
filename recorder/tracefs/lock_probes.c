/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recorder/tracefs/lock_probes.h"

#include <string.h>
#include <sys/utsname.h>

#include "parsers/types/btf.h"
#include "recorder/tracefs/kernel_config.h"
#include "recorder/tracefs/kernel_facts.h"

/* Of the file README: the kernel has probes of events, and these have filters. */
#define EVENT_PROBES	"<attached-group>"
#define PROBE_FILTERS	"<attached-event> [<args>] [if <filter>]"

/* What lies at a futex word, and behind it: the fields of a pthread_mutex_t of 64 bits. */
#define FUTEX_WORDS(at)                                                                            \
	"word=+u0(" at "):x32 owner=+u8(" at "):s32 users=+u12(" at "):u32 kind=+u16(" at "):x32"

#define CALL_PROBE                                                                                 \
	"e:" LOCK_PROBES_SYSTEM "/futex syscalls/sys_enter_futex uaddr=$uaddr:x64 op=$op:x32 "     \
	"val=$val:x32 " FUTEX_WORDS("$uaddr")
#define FUNCTION_PROBE                                                                             \
	"p:" LOCK_PROBES_SYSTEM "/futex do_futex uaddr=$arg1:x64 op=$arg2:x32 val=$arg3:x32 "      \
	FUTEX_WORDS("$arg1")

#define ANY_LOCK	"lock_addr=$lock_addr:x64 flags=$flags:u32"

static void lacks(struct lock_probes *locks, const char *what)
{
	text_printf(&locks->lacks, "%s%s", locks->lacks.len ? "; " : "", what);
}

static void has(struct lock_probes *locks, const char *what)
{
	text_printf(&locks->has, "%s%s", locks->has.len ? ", " : "", what);
}

/*
 * README has them, too, where the kernel was built without them, as it can be since Linux 6.13.  An
 * older configuration does not have the option.
 */
static bool has_event_probes(const char *readme, const char *prefix)
{
	struct kernel_config config;
	struct utsname kernel;
	bool has = strstr(readme, EVENT_PROBES);

	uname(&kernel);
	if (!kernel_config_load(&config, prefix, kernel.release, NULL))
		has &= !strstr(text_str(&config.text), "# CONFIG_EPROBE_EVENTS is not set");
	kernel_config_fini(&config);
	return has;
}

static void find_futex(struct lock_probes *locks, const struct tracefs_dir *root,
		       const char *readme, bool event_probes)
{
	if (event_probes && tracefs_dir_has(root, "events/syscalls/sys_enter_futex")) {
		name_list_add(&locks->probes, CALL_PROBE);
		name_list_add(&locks->ends, "syscalls:sys_exit_futex");
	} else if (tracefs_dir_has(root, "kprobe_events") && strstr(readme, "$arg<N>") &&
		   strstr(readme, "[u]<offset>")) {
		name_list_add(&locks->probes, FUNCTION_PROBE);
		name_list_add(&locks->probes,
			      "r:" LOCK_PROBES_SYSTEM "/sys_exit_futex do_futex ret=$retval:s64");
	} else {
		lacks(locks, "mutexes of programs (no probes of events, CONFIG_EPROBE_EVENTS, and "
			     "no kprobes)");
		return;
	}
	has(locks, "mutexes of programs");
}

/* A probe of locks whose owner is @owner bytes into them. */
static void add_owned(struct lock_probes *locks, const char *name, int owner, int pid,
		      const char *filter)
{
	struct text t = { 0 };

	text_printf(&t,
		    "e:" LOCK_PROBES_SYSTEM "/%s lock/contention_begin " ANY_LOCK
		    " owner=+%d($lock_addr):x64 before=+%d(+%d($lock_addr)):x64"
		    " behind=+%d(+%d($lock_addr)):x64 if %s",
		    name, owner, pid - 4, owner, pid - 8, owner, filter);
	name_list_add(&locks->probes, text_str(&t));
	text_fini(&t);
}

static void find_kernel(struct lock_probes *locks, const struct tracefs_dir *root,
			bool event_probes, const struct btf *btf)
{
	int pid = btf ? btf_member_offset(btf, "task_struct", "pid") : -1,
	    mutex = btf ? btf_member_offset(btf, "mutex", "owner") : -1,
	    rwsem = btf ? btf_member_offset(btf, "rw_semaphore", "owner") : -1,
	    rt = btf ? btf_member_offset(btf, "rt_mutex_base", "owner") : -1;

	if (!tracefs_dir_has(root, "events/lock/contention_begin")) {
		lacks(locks, "locks of the kernel (no lock:contention_begin, Linux 5.19)");
		return;
	}
	name_list_add(&locks->ends, "lock:contention_end");
	if (pid < 8 || (mutex < 0 && rt < 0) || !event_probes) {
		name_list_add(&locks->ends, "lock:contention_begin");
		lacks(locks, event_probes ?
				     "who holds the kernel's locks (no BTF, "
				     "/sys/kernel/btf/vmlinux)" :
				     "who holds the kernel's locks (no probes of events with "
				     "filters, Linux 6.0, CONFIG_EPROBE_EVENTS)");
		return;
	}
	/* with PREEMPT_RT, mutexes are rt_mutexes, and an rw_semaphore has no owner */
	if (mutex < 0) {
		add_owned(locks, "mutex_wait", rt, pid, "flags == 8");
		name_list_add(&locks->probes, "e:" LOCK_PROBES_SYSTEM "/lock_wait "
					      "lock/contention_begin " ANY_LOCK " if flags != 8");
		has(locks, "mutexes of the kernel");
		return;
	}
	add_owned(locks, "mutex_wait", mutex, pid, "flags & 32");
	if (rwsem >= 0)
		add_owned(locks, "rwsem_wait", rwsem, pid, "flags == 2 || flags == 4");
	name_list_add(&locks->probes, rwsem >= 0 ? "e:" LOCK_PROBES_SYSTEM
						   "/lock_wait lock/contention_begin " ANY_LOCK
						   " if !(flags & 32) && flags != 2 && flags != 4" :
						   "e:" LOCK_PROBES_SYSTEM
						   "/lock_wait lock/contention_begin " ANY_LOCK
						   " if !(flags & 32)");
	has(locks, rwsem >= 0 ? "mutexes and rwsems of the kernel" : "mutexes of the kernel");
}

void lock_probes_find(struct lock_probes *locks, const struct tracefs_dir *root, const char *prefix)
{
	struct text readme = { 0 }, data = { 0 };
	struct btf *btf;
	bool event_probes;

	*locks = (struct lock_probes){ 0 };
	tracefs_dir_read(root, "README", &readme, NULL);
	event_probes = has_event_probes(text_str(&readme), prefix);
	btf = kernel_facts_btf(prefix, &data);
	find_futex(locks, root, text_str(&readme), event_probes);
	find_kernel(locks, root, event_probes && strstr(text_str(&readme), PROBE_FILTERS), btf);
	btf_free(btf);
	text_fini(&data);
	text_fini(&readme);
}

void lock_probes_fini(struct lock_probes *locks)
{
	name_list_fini(&locks->probes);
	name_list_fini(&locks->ends);
	text_fini(&locks->has);
	text_fini(&locks->lacks);
}
