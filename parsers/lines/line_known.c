/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/lines/line_known.h"

#include <stdlib.h>
#include <string.h>

#include "parsers/lines/text_slice.h"
#include "src/base/memory.h"

/* --- the table ------------------------------------------------------------------------------ */

#define WAKE "sched_waking sched_wakeup sched_wakeup_new"
#define WORK                                                                                       \
	"sched_kthread_work_execute_start sched_kthread_work_execute_end "                         \
	"workqueue_activate_work workqueue_execute_start workqueue_execute_end"
#define SCHED_STAT "comm={comm:c} pid={pid:i} "
#define HWLAT                                                                                      \
	"#{seqnum:n} inner/outer(us): {duration:n}/{outer_duration:n} "                            \
	"ts:{tv_sec:n}.{tv_nsec:n}"
#define HWLAT_CMD                                                                                  \
	"cnt:{seqnum:n}\tts:{tv_sec:n}.{tv_nsec:n}\tinner:{duration:n}\touter:{outer_duration:n}\t"
#define NOISE "start {start:d} duration {duration:n} ns"
#define SWITCHED(arrow)                                                                            \
	"{prev_pid:i}:{prev_prio:i}:{prev_state:t} " arrow " [{next_cpu:i}] "                      \
	"{next_pid:i}:{next_prio:i}:{next_state:t} {next_comm:c}"

/* Of block requests: DEVICE RWBS [BYTES] [(COMMAND)] SECTOR + LENGTH [PRIORITY] [TASK or ERROR]. */
#define BLOCK_RQ "block_rq_issue block_rq_insert block_rq_merge block_io_start block_io_done"
#define BLOCK_END "block_rq_complete block_rq_requeue block_rq_error block_rq_abort"
#define BLOCK "{dev:v} {rwbs:s} "
#define BLOCK_AT "{sector:n} + {nr_sector:n} "

/*
 * Of several patterns of an event the first one that fits counts: kernels and trace-cmd's plugins
 * print some in other forms.
 */
static const struct line_known known[] = {
	{ "sched_switch", "prev_comm={prev_comm:c} prev_pid={prev_pid:i} prev_prio={prev_prio:i} "
	  "prev_state={prev_state:t} ==> next_comm={next_comm:c} next_pid={next_pid:i} "
	  "next_prio={next_prio:i}" },
	{ "sched_switch", "task {prev_comm:c}:{prev_pid:i} [{prev_prio:i}] ({prev_state:t}) ==> "
	  "{next_comm:c}:{next_pid:i} [{next_prio:i}]" },
	{ "sched_switch", "{prev_comm:c}:{prev_pid:i} [{prev_prio:i}] {prev_state:t} ==> "
	  "{next_comm:c}:{next_pid:i} [{next_prio:i}]" },
	{ WAKE, "comm={comm:c} pid={pid:i} prio={prio:i} target_cpu={target_cpu:i}" },
	{ WAKE, "comm={comm:c} pid={pid:i} prio={prio:i} success=1 target_cpu={target_cpu:i}" },
	{ WAKE, "comm={comm:c} pid={pid:i} prio={prio:i} success=1 [{target_cpu:i}]" },
	{ WAKE, "task {comm:c}:{pid:i} [{prio:i}] success=1 [{target_cpu:i}]" },
	{ WAKE, "{comm:c}:{pid:i} [{prio:i}] CPU:{target_cpu:i}" },
	{ WAKE, "{comm:c}:{pid:i} [{prio:i}] success=1 CPU:{target_cpu:i}" },
	{ "sched_process_fork", "comm={parent_comm:c} pid={parent_pid:i} "
	  "child_comm={child_comm:c} child_pid={child_pid:i}" },
	{ "sched_process_fork",
	  "parent {parent_comm:c}:{parent_pid:i}  child {child_comm:c}:{child_pid:i}" },
	{ "sched_process_fork", "parent_comm={parent_comm:c} parent_pid={parent_pid:i} "
	  "child_comm={child_comm:c} child_pid={child_pid:i}" },
	{ "sched_migrate_task",
	  "comm={comm:c} pid={pid:i} prio={prio:i} orig_cpu={orig_cpu:i} dest_cpu={dest_cpu:i}" },
	{ "sched_migrate_task",
	  "task {comm:c}:{pid:i} [{prio:i}] from: {orig_cpu:i}  to: {dest_cpu:i}" },
	{ "sched_stat_runtime", SCHED_STAT "runtime={runtime:n} [ns] vruntime={vruntime:n}" },
	{ "sched_stat_runtime", SCHED_STAT "runtime={runtime:n}" },
	{ "sched_stat_runtime",
	  "task: {comm:c}:{pid:i} runtime: {runtime:n} [ns], vruntime: {vruntime:n} [ns]" },
	{ "sched_stat_wait sched_stat_sleep sched_stat_iowait sched_stat_blocked",
	  SCHED_STAT "delay={delay:n}" },
	/* of 2.6.32; the pairs that others have are found by themselves */
	{ "sched_stat_wait", "task: {comm:c}:{pid:i} wait: {delay:n} [ns]" },
	{ "sched_stat_sleep", "task: {comm:c}:{pid:i} sleep: {delay:n} [ns]" },
	{ "sched_stat_iowait", "task: {comm:c}:{pid:i} iowait: {delay:n} [ns]" },
	{ "sched_process_free sched_process_exit sched_process_wait",
	  "task {comm:c}:{pid:i} [{prio:i}]" },
	{ "sched_signal_send", "sig: {sig:i}  task {comm:c}:{pid:i}" },
	{ "irq_handler_entry", "irq={irq:i} handler={name:s}" },
	{ "irq_handler_exit", "irq={irq:i} return={ret:p}" },
	{ "timer_init timer_expire_exit timer_cancel", "timer {timer:a}" },
	{ "timer_start",
	  "timer {timer:a}: func {function:f}, expires {expires:n}, timeout {timeout:n}" },
	{ "timer_expire_entry", "timer {timer:a}: now {now:n}" },
	{ "hrtimer_init", "hrtimer {hrtimer:a}, clockid {clockid:p}, mode {mode:p}" },
	{ "hrtimer_start", "hrtimer {hrtimer:a}, func {function:f}, expires {expires:n}, "
	  "softexpires {softexpires:n}" },
	{ "hrtimer_expire_entry", "hrtimer {hrtimer:a}, now {now:n}" },
	{ "hrtimer_expire_exit hrtimer_cancel", "hrtimer {hrtimer:a}" },
	{ "workqueue_insertion workqueue_execution",
	  "thread={thread_comm:c}:{thread_pid:i} func={func:f}" },
	{ "sched_pi_setprio", "comm={comm:c} pid={pid:i} oldprio={oldprio:i} newprio={newprio:i}" },
	{ "sched_blocked_reason", "pid={pid:i} iowait={io_wait:i} caller={caller:f}" },
	{ "sched_kthread_work_queue_work",
	  "work struct={work:a} function={function:f} worker={worker:a}" },
	{ "task_newtask", "pid={pid:i} comm={comm:c} clone_flags={clone_flags:a} "
	  "oom_score_adj={oom_score_adj:i}" },
	{ "softirq_raise softirq_entry softirq_exit", "softirq={vec:i} action={action:p}" },
	{ "tasklet_entry tasklet_exit", "tasklet={tasklet:f} function={func:f}" },
	{ "itimer_state", "which={which:i} expires={expires:n} "
	  "it_value={value_sec:n}.{value_usec:n} it_interval={interval_sec:n}.{interval_usec:n}" },
	{ "page_fault_user page_fault_kernel",
	  "address={address:f} ip={ip:f} error_code={error_code:a}" },
	{ "irq_disable irq_enable preempt_disable preempt_enable",
	  "caller={caller:f} parent={parent:f}" },
	{ "ipi_raise", "target_mask={target_cpus:p} ({reason:p})" },
	{ "ipi_entry ipi_exit", "({reason:p})" },
	{ "ipi_send_cpu", "cpu={cpu:i} callsite={callsite:f} callback={callback:f}" },
	{ "ipi_send_cpumask", "cpumask={cpumask:p} callsite={callsite:f} callback={callback:f}" },
	{ "csd_queue_cpu", "cpu={cpu:i} callsite={callsite:f} func={func:f} csd={csd:a}" },
	{ "csd_function_entry csd_function_exit", "func={func:f} csd={csd:a}" },
	{ "signal_deliver", "sig={sig:i} errno={errno:i} code={code:i} sa_handler={sa_handler:a} "
	  "sa_flags={sa_flags:a}" },
	{ "contention_begin", "{lock_addr:a} (flags={flags:p})" },
	{ "contention_end", "{lock_addr:a} (ret={ret:i})" },
	{ "lock_acquire lock_release lock_contended lock_acquired", "{lockdep_addr:a} {name:s}" },
	{ "device_pm_callback_start",
	  "{driver:s} {device:s}, parent: {parent:s}, {pm_ops:s}[{event:p}]" },
	{ "device_pm_callback_end", "{driver:s} {device:s}, err={error:i}" },
	{ "suspend_resume", "{action:p}[{val:i}] {start:p}" },
	{ "wakeup_source_activate wakeup_source_deactivate", "{name:s} state={state:a}" },
	{ "clock_enable clock_disable clock_set_rate power_domain_target",
	  "{name:s} state={state:n} cpu_id={cpu_id:n}" },
	{ "rcu_utilization", "{s:p}" },
	{ "console", "{msg:s}" },
	{ "sys_enter", "NR {id:n} ({args:x})" },
	{ "sys_exit", "NR {id:n} = {ret:n}" },
	{ "workqueue_queue_work", "work struct={work:a} function={function:f} "
	  "workqueue={workqueue:s} req_cpu={req_cpu:i} cpu={cpu:i}" },
	{ "workqueue_activate_work", "work struct {work:a} function={function:f}" },
	{ WORK, "work struct {work:a}: function {function:f}" },
	{ WORK, "work struct {work:a}" },
	{ "function", "{ip:f} <-- {parent_ip:f}" },
	{ "function", "{ip:f} <-{parent_ip:f}" },
	{ "function", "{ip:f}" },
	{ "wakeup", SWITCHED("  +") },
	{ "context_switch", SWITCHED("==>") },
	{ "func_repeats", "{ip:f} <-{parent_ip:f} (repeats: {count:i}" },
	{ "timerlat", "#{seqnum:n} context {context:s} timer_latency {timer_latency:n} ns" },
	{ "timerlat", "seq:{seqnum:n}\tcontext:{context:s}\ttimer_latency:{timer_latency:n}" },
	{ "osnoise", "{runtime:n} {noise:n} {percent:n}.{decimals:n} {max_sample:n} {hw_count:n} "
	  "{nmi_count:n} {irq_count:n} {softirq_count:n} {thread_count:n}" },
	{ "osnoise",
	  "noise:{noise:n}\tmax_sample:{max_sample:n}\thw:{hw_count:n}\tnmi:{nmi_count:n}\t"
	  "irq:{irq_count:n}\tsoftirq:{softirq_count:n}\tthread:{thread_count:n}" },
	{ "hwlat", HWLAT " count:{count:n} nmi-total:{nmi_total_ts:n} nmi-count:{nmi_count:n}" },
	{ "hwlat", HWLAT " count:{count:n} nmi-count:{nmi_count:n}" },
	{ "hwlat", HWLAT " count:{count:n}" },
	{ "hwlat", HWLAT },
	{ "hwlat", HWLAT_CMD "count:{count:n}\tnmi-ts:{nmi_total_ts:n}\tnmi-count:{nmi_count:n}" },
	{ "hwlat", HWLAT_CMD "nmi-ts:{nmi_total_ts:n}\tnmi-count:{nmi_count:n}" },
	{ "irq_noise", "{desc:s}:{vector:i} " NOISE },
	{ "softirq_noise", "{name:s}:{vector:i} " NOISE },
	{ "thread_noise", "{comm:c}:{pid:i} " NOISE },
	{ "nmi_noise", NOISE },
	{ "sample_threshold", NOISE " interference {interference:n}" },
	{ BLOCK_RQ, BLOCK "{bytes:n} ({cmd:s}) " BLOCK_AT "[{comm:c}]" },
	{ BLOCK_RQ, BLOCK "{bytes:n} ({cmd:s}) " BLOCK_AT "{prio:s} [{comm:c}]" },
	{ BLOCK_END, BLOCK "({cmd:s}) " BLOCK_AT "[{error:i}]" },
	{ BLOCK_END, BLOCK "({cmd:s}) " BLOCK_AT "{prio:s} [{error:i}]" },
	{ "block_bio_queue block_bio_backmerge block_bio_frontmerge block_bio_bounce block_getrq "
	  "block_sleeprq", BLOCK BLOCK_AT "[{comm:c}]" },
	{ "block_bio_complete", BLOCK BLOCK_AT "[{error:i}]" },
	{ "block_rq_remap", BLOCK BLOCK_AT "<- ({old_dev:v}) {old_sector:n} {nr_bios:i}" },
	{ "block_bio_remap", BLOCK BLOCK_AT "<- ({old_dev:v}) {old_sector:n}" },
	{ "block_split", BLOCK "{sector:n} / {new_sector:n} [{comm:c}]" },
	{ "block_touch_buffer block_dirty_buffer", "{dev:v} sector={sector:n} size={size:n}" },
	{ "block_plug", "[{comm:c}]" },
	/* until 2.6.38 there are two kinds of the second one */
	{ "block_unplug block_unplug_io block_unplug_timer", "[{comm:c}] {nr_rq:i}" },
	{ "mmiotrace_map", "{opcode:o} {sec:n}.{usec:n} {map_id:i} {phys:a} {virt:a} {len:a}" },
	{ "mmiotrace_map", "{opcode:o} {sec:n}.{usec:n} {map_id:i}" },
	{ "mmiotrace_map", "{phys:a} {virt:a} {len:a} {map_id:i} {opcode:o}" },
	{ "mmiotrace_rw",
	  "{opcode:o} {width:i} {sec:n}.{usec:n} {map_id:i} {phys:a} {value:a} {pc:a}" },
	{ "mmiotrace_rw", "{phys:a} {value:a} {pc:a} {map_id:i} {opcode:o} {width:i}" },
	{ "branch", "[{correct:h}] {func:s}:{file:s}:{line:n}" },
	{ "branch", "{line:n}:{func:s}:{file:s} ({correct:h})" },
	/* the first two: option blk_classic */
	{ "blktrace",
	  "{device:v} {:n} {:n}.{:n} {:n} {action:b} {rwbs:s} {sector:n} + {bytes:k} [{what:s}]" },
	{ "blktrace", "{device:v} {:n} {:n}.{:n} {:n} {action:b} {rwbs:s} [{what:s}]" },
	{ "blktrace",
	  "{device:v} {cgroup:s} {action:b} {rwbs:s} {sector:n} + {bytes:k} [{what:s}]" },
	{ "blktrace", "{device:v} {action:b} {rwbs:s} {sector:n} + {bytes:k} [{what:s}]" },
	{ "blktrace", "{device:v} {action:b} {rwbs:s} [{what:s}]" },
	{ "kernel_stack user_stack", "{caller:l}" },
};

/* Kinds of the fields with these names, whatever their first lines have. */
static const struct {
	enum line_kind	 kind;
	const char	*names;
} named[] = {
	{ LINE_COMM, "*comm" },
	{ LINE_INT, "*pid *prio *_cpu cpu cpu_id vec irq vector" },
	{ LINE_SYMBOL, "function call_site" },
};

static const struct {
	const char	*system, *names;
} systems[] = {
	{ "ftrace", "function func_repeats kernel_stack user_stack print bprint bputs raw_data "
	  "hwlat osnoise timerlat branch funcgraph_entry funcgraph_exit fgraph_retaddr_entry "
	  "mmiotrace_rw mmiotrace_map blktrace context_switch wakeup line" },
	{ "raw_syscalls", "sys_enter sys_exit" },
	{ "syscalls", "sys_enter_* sys_exit_*" },
	{ "sched", "sched_*" },
	{ "task", "task_newtask task_rename" },
	{ "osnoise", "irq_noise softirq_noise thread_noise nmi_noise sample_threshold" },
	{ "irq", "irq_handler_* softirq_* tasklet_*" },
	{ "timer", "timer_* hrtimer_* itimer_* tick_stop" },
	{ "irq_vectors", "local_timer_* reschedule_e* call_function_* irq_work_e* "
	  "x86_platform_ipi_* error_apic_* spurious_apic_* thermal_apic_* threshold_apic_* "
	  "vector_* deferred_error_apic_*" },
	{ "power", "cpu_idle* cpu_frequency* pm_qos_* dev_pm_qos_* device_pm_* suspend_resume "
	  "clock_* wakeup_source_* power_* pstate_sample" },
	{ "workqueue", "workqueue_*" },
	{ "block", "block_*" },
	{ "signal", "signal_*" },
	{ "preemptirq", "irq_enable irq_disable preempt_enable preempt_disable" },
	{ "exceptions", "page_fault_*" },
	{ "kmem", "kmalloc* kfree kmem_cache_* mm_page_* rss_stat" },
	{ "ipi", "ipi_*" },
	{ "csd", "csd_*" },
	{ "printk", "console" },
	{ "lock", "lock_* contention_*" },
	{ "rcu", "rcu_*" },
	{ "writeback", "writeback_*" },
	{ "net", "net_* netif_*" },
	{ "napi", "napi_*" },
	{ "skb", "kfree_skb consume_skb skb_*" },
};

/* --- looking it up -------------------------------------------------------------------------- */

struct line_formats {
	struct line_known *known;	/* owned, [nr]; their strings are in the arena */
	unsigned int	 nr, cap;
	struct arena	 arena;
};

struct line_formats *line_formats_new(void)
{
	return mem_alloc(sizeof(struct line_formats));
}

void line_formats_free(struct line_formats *formats)
{
	if (!formats)
		return;
	free(formats->known);
	arena_fini(&formats->arena);
	free(formats);
}

void line_formats_add(struct line_formats *formats, const char *system, const char *name,
		      const char *pattern)
{
	struct arena *arena = &formats->arena;

	mem_grow(&formats->known, formats->nr, &formats->cap);
	formats->known[formats->nr++] = (struct line_known){
		arena_strndup(arena, name, strlen(name)),
		arena_strndup(arena, pattern, strlen(pattern)),
		arena_strndup(arena, system, strlen(system)),
	};
}

bool line_known_next(const struct line_formats *formats, struct text_slice name, unsigned int *at,
		     struct line_known *next)
{
	const unsigned int nr = formats ? formats->nr : 0;

	while (*at < nr + sizeof(known) / sizeof(known[0])) {
		bool is_given = *at < nr;

		*next = is_given ? formats->known[*at] : known[*at - nr];
		++*at;
		if (is_given ? slice_is(name, next->names) : slice_listed(name, next->names))
			return true;
	}
	return false;
}

bool line_known_kind(struct text_slice name, enum line_kind *kind)
{
	for (size_t i = 0; i < sizeof(named) / sizeof(named[0]); i++)
		if (slice_listed(name, named[i].names)) {
			*kind = named[i].kind;
			return true;
		}
	return false;
}

const char *line_known_system(struct text_slice name)
{
	for (size_t i = 0; i < sizeof(systems) / sizeof(systems[0]); i++)
		if (slice_listed(name, systems[i].names))
			return systems[i].system;
	return "text";
}
