/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "parsers/types/btf.h"
#include "recorder/plan/plan_limits.h"
#include "recorder/tracefs/lock_probes.h"
#include "tests/lib/fake_tracefs.h"
#include "tests/lib/made_btf.h"

#define README	"  e[:[<group>/][<event>]] <attached-group>.<attached-event> [<args>] [if <filter>]\n"

/* Where its members are in bits, as Linux 6.1 and its PREEMPT_RT have them; NULL: nameless. */
struct made_struct {
	const char	*name, *member;
	uint32_t	bits;
	uint32_t	inner;		/* number of the type of a nameless member */
};

static const struct made_struct plain[] = {
	{ "task_struct", "pid", 2496 * 8, 0 },
	{ "mutex", "owner", 0, 0 },
	{ "rw_semaphore", "owner", 8 * 8, 0 },
};

/* the pid in the nameless second struct */
static const struct made_struct nested[] = {
	{ "task_struct", NULL, 64 * 8, 2 },
	{ NULL, "pid", 36 * 8, 0 },
	{ "mutex", "rtmutex", 0, 0 },
	{ "rt_mutex_base", "owner", 24 * 8, 0 },
};

static uint32_t add_string(char *strings, uint32_t *len, const char *s)
{
	uint32_t at = *len;

	if (!s)
		return 0;
	memcpy(strings + at, s, strlen(s) + 1);
	*len += (uint32_t)strlen(s) + 1;
	return at;
}

static void make_btf(struct made_btf *m, const struct made_struct *structs, unsigned int nr)
{
	char strings[256] = "";
	uint32_t len = 1, end;

	memset(m, 0, sizeof(*m));
	m->len = 24;
	for (unsigned int i = 0; i < nr; i++) {
		made_btf_put(m, add_string(strings, &len, structs[i].name));
		made_btf_put(m, made_btf_info(4, 1));
		made_btf_put(m, 4096);
		made_btf_put(m, add_string(strings, &len, structs[i].member));
		made_btf_put(m, structs[i].inner);
		made_btf_put(m, structs[i].bits);
	}
	end = m->len;
	memcpy(m->bytes + end, strings, len);
	m->len = 0;
	made_btf_put(m, 0x0001eb9f), made_btf_put(m, 24), made_btf_put(m, 0);
	made_btf_put(m, end - 24), made_btf_put(m, end - 24), made_btf_put(m, len);
	m->len = end + len;
}

static void test_members(void **state)
{
	struct made_btf m;
	struct btf *btf;

	(void)state;
	make_btf(&m, nested, 4);
	btf = btf_new(m.bytes, m.len);
	assert_int_equal(btf_member_offset(btf, "task_struct", "pid"), 100);
	assert_int_equal(btf_member_offset(btf, "rt_mutex_base", "owner"), 24);
	assert_int_equal(btf_member_offset(btf, "mutex", "owner"), -1);
	assert_int_equal(btf_member_offset(btf, "no_such", "owner"), -1);
	btf_free(btf);
	for (uint32_t i = 0; i < m.len * 8; i++) {
		struct made_btf wrong = m;

		wrong.bytes[i / 8] ^= (uint8_t)(1 << i % 8);
		btf = btf_new(wrong.bytes, wrong.len);
		if (btf)	/* it ends, and does not read behind the end */
			assert_in_range(btf_member_offset(btf, "task_struct", "pid") + 1, 0,
					1u << 31);
		btf_free(btf);
	}
}

struct kernel {
	const char	*readme;
	bool		syscalls, contention;
	const struct made_struct *structs;
	unsigned int	nr;
	bool		kprobes;
	const char	*config;
};

static void find(struct fake_tracefs *fake, const struct kernel *kernel, struct lock_probes *locks)
{
	struct tracefs_dir dir;
	struct made_btf m;

	fake_tracefs_init(fake);
	fake_tracefs_put(fake, "README", kernel->readme);
	if (kernel->syscalls)
		fake_tracefs_put(fake, "events/syscalls/sys_enter_futex/enable", "0\n");
	if (kernel->contention)
		fake_tracefs_put(fake, "events/lock/contention_begin/enable", "0\n");
	if (kernel->kprobes)
		fake_tracefs_put(fake, "kprobe_events", "");
	if (kernel->config)
		fake_tracefs_put_bytes(fake, "proc/config.gz", kernel->config,
				       strlen(kernel->config));
	if (kernel->nr) {
		make_btf(&m, kernel->structs, kernel->nr);
		fake_tracefs_put_bytes(fake, "sys/kernel/btf/vmlinux", m.bytes, m.len);
	}
	assert_int_equal(tracefs_dir_open(&dir, fake->root, NULL), 0);
	lock_probes_find(locks, &dir, fake->root);
	tracefs_dir_close(&dir);
	fake_tracefs_fini(fake);
}

static void test_all(void **state)
{
	const struct kernel kernel = { README, true, true, plain, 3 };
	struct fake_tracefs fake;
	struct lock_probes locks;

	(void)state;
	find(&fake, &kernel, &locks);
	assert_int_equal(locks.probes.nr, 4);
	assert_string_equal(locks.probes.names[0],
			    "e:locks/futex syscalls/sys_enter_futex uaddr=$uaddr:x64 op=$op:x32 "
			    "val=$val:x32 word=+u0($uaddr):x32 owner=+u8($uaddr):s32 "
			    "users=+u12($uaddr):u32 kind=+u16($uaddr):x32");
	assert_string_equal(locks.probes.names[1],
			    "e:locks/mutex_wait lock/contention_begin lock_addr=$lock_addr:x64 "
			    "flags=$flags:u32 owner=+0($lock_addr):x64 "
			    "before=+2492(+0($lock_addr)):x64 behind=+2488(+0($lock_addr)):x64 "
			    "if flags & 32");
	assert_string_equal(locks.probes.names[2],
			    "e:locks/rwsem_wait lock/contention_begin lock_addr=$lock_addr:x64 "
			    "flags=$flags:u32 owner=+8($lock_addr):x64 "
			    "before=+2492(+8($lock_addr)):x64 behind=+2488(+8($lock_addr)):x64 "
			    "if flags == 2 || flags == 4");
	assert_int_equal(locks.ends.nr, 2);
	assert_string_equal(locks.ends.names[0], "syscalls:sys_exit_futex");
	assert_string_equal(locks.ends.names[1], "lock:contention_end");
	assert_int_equal(locks.lacks.len, 0);
	lock_probes_fini(&locks);
}

static void test_preempt_rt(void **state)
{
	const struct kernel kernel = { README, true, true, nested, 4 };
	struct fake_tracefs fake;
	struct lock_probes locks;

	(void)state;
	find(&fake, &kernel, &locks);
	assert_int_equal(locks.probes.nr, 3);
	assert_string_equal(locks.probes.names[1],
			    "e:locks/mutex_wait lock/contention_begin lock_addr=$lock_addr:x64 "
			    "flags=$flags:u32 owner=+24($lock_addr):x64 "
			    "before=+96(+24($lock_addr)):x64 behind=+92(+24($lock_addr)):x64 "
			    "if flags == 8");
	lock_probes_fini(&locks);
}

/* Kernels without BTF, without contention events, and without probes of events. */
static void test_less(void **state)
{
	static const struct kernel kernels[] = {
		{ README, true, true, NULL, 0 },
		{ "", true, false, NULL, 0 },
		{ "kprobe: $arg<N> +|-[u]<offset>(<fetcharg>)", false, false, NULL, 0, true },
		{ README, true, true, plain, 3, .config = "CONFIG_X=y\n# CONFIG_EPROBE_EVENTS is not set\n" },
	};
	struct fake_tracefs fake;
	struct lock_probes locks;

	(void)state;
	find(&fake, &kernels[0], &locks);
	assert_int_equal(locks.probes.nr, 1);
	assert_int_equal(locks.ends.nr, 3);
	assert_string_equal(locks.ends.names[2], "lock:contention_begin");
	assert_string_equal(text_str(&locks.lacks), "who holds the kernel's locks (no BTF, "
						    "/sys/kernel/btf/vmlinux)");
	lock_probes_fini(&locks);
	find(&fake, &kernels[1], &locks);
	assert_int_equal(locks.probes.nr, 0);
	assert_int_equal(locks.has.len, 0);
	assert_non_null(strstr(text_str(&locks.lacks), "mutexes of programs"));
	assert_non_null(strstr(text_str(&locks.lacks), "; locks of the kernel"));
	lock_probes_fini(&locks);
	find(&fake, &kernels[2], &locks);
	assert_int_equal(locks.probes.nr, 2);
	assert_string_equal(locks.probes.names[1],
			    "r:locks/sys_exit_futex do_futex ret=$retval:s64");
	assert_int_equal(locks.ends.nr, 0);
	lock_probes_fini(&locks);
	/* its README says that it has them */
	find(&fake, &kernels[3], &locks);
	assert_int_equal(locks.probes.nr, 0);
	assert_int_equal(locks.ends.nr, 2);
	assert_string_equal(locks.ends.names[1], "lock:contention_begin");
	assert_non_null(strstr(text_str(&locks.lacks), "CONFIG_EPROBE_EVENTS"));
	lock_probes_fini(&locks);
}

/* Linux 7.2 has the last one, Linux 6.1 does not. */
static const struct made_struct of_limits[] = {
	{ "task_group", "css", 8 * 8, 0 },      { "cgroup_subsys_state", "cgroup", 16 * 8, 0 },
	{ "cgroup", "kn", 296 * 8, 0 },         { "kernfs_node", "id", 96 * 8, 0 },
	{ "rq", "cpu", 3880 * 8, 0 },           { "task_struct", "sched_throttle_work", 0, 0 },
};

static void find_limits(struct record_plan *plan, const char *readme, bool kprobes, unsigned int nr)
{
	struct fake_tracefs fake;
	struct tracefs_dir dir;
	struct made_btf m;

	fake_tracefs_init(&fake);
	fake_tracefs_put(&fake, "README", readme);
	fake_tracefs_put(&fake, "proc/sys/kernel/sched_cfs_bandwidth_slice_us", "5000\n");
	if (kprobes)
		fake_tracefs_put(&fake, "kprobe_events", "");
	make_btf(&m, of_limits, nr);
	fake_tracefs_put_bytes(&fake, "sys/kernel/btf/vmlinux", m.bytes, m.len);
	record_plan_init(plan);
	plan->root = fake.root;
	assert_int_equal(tracefs_dir_open(&dir, fake.root, NULL), 0);
	plan_limits_find_probes(plan, &dir);
	tracefs_dir_close(&dir);
	fake_tracefs_fini(&fake);
}

static void test_limits(void **state)
{
	static const struct {
		const char *readme;
		bool kprobes;
		unsigned int nr, probes;
	} cases[] = {
		{ "$arg<N>", true, 6, 3 }, { "$arg<N>", true, 5, 2 }, { "$arg<N>", true, 4, 0 },
		{ "", true, 6, 0 },	   { "$arg<N>", false, 6, 0 },
	};

	(void)state;
	for (unsigned int i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct record_plan plan;

		find_limits(&plan, cases[i].readme, cases[i].kprobes, cases[i].nr);
		assert_int_equal(plan.nr_limit_probes, cases[i].probes);
		if (plan.nr_limit_probes) {
			assert_string_equal(
				plan.limit_probes[1].definition,
				"p:limits/unthrottle_group tg_unthrottle_up "
				"cgroup=+96(+296(+24($arg1))):u64 cpu=+3880($arg2):s32");
			assert_string_equal(plan.limit_probes[0].name, "throttle_group");
		}
		if (plan.nr_limit_probes == 3)
			assert_string_equal(plan.limit_probes[2].definition,
					    "p:limits/throttle_task throttle_cfs_rq_work");
		record_plan_fini(&plan);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_members),
		cmocka_unit_test(test_all),
		cmocka_unit_test(test_preempt_rt),
		cmocka_unit_test(test_less),
		cmocka_unit_test(test_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
