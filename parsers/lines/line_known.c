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
#define SCHED_STAT "comm={comm:comm} pid={pid:int} "
#define HWLAT                                                                                      \
	"#{seqnum} inner/outer(us): {duration}/{outer_duration} "                            \
	"ts:{tv_sec}.{tv_nsec}"
#define HWLAT_CMD                                                                                  \
	"cnt:{seqnum}\tts:{tv_sec}.{tv_nsec}\tinner:{duration}\touter:{outer_duration}\t"
#define NOISE "start {start:seconds} duration {duration} ns"
#define SWITCHED(arrow)                                                                            \
	"{prev_pid:int}:{prev_prio:int}:{prev_state:state} " arrow " [{next_cpu:int}] "                      \
	"{next_pid:int}:{next_prio:int}:{next_state:state} {next_comm:comm}"

/* Of block requests: DEVICE RWBS [BYTES] [(COMMAND)] SECTOR + LENGTH [PRIORITY] [TASK or ERROR]. */
#define BLOCK_RQ "block_rq_issue block_rq_insert block_rq_merge block_io_start block_io_done"
#define BLOCK_END "block_rq_complete block_rq_requeue block_rq_error block_rq_abort"
#define BLOCK "{dev:device} {rwbs:string} "
#define BLOCK_AT "{sector} + {nr_sector} "

/*
 * Of several patterns of an event the first one that fits counts: kernels and trace-cmd's plugins
 * print some in other forms.
 */
static const struct line_known known[] = {
	{ "sched_switch", "prev_comm={prev_comm:comm} prev_pid={prev_pid:int} prev_prio={prev_prio:int} "
	  "prev_state={prev_state:state} ==> next_comm={next_comm:comm} next_pid={next_pid:int} "
	  "next_prio={next_prio:int}" },
	{ "sched_switch", "task {prev_comm:comm}:{prev_pid:int} [{prev_prio:int}] ({prev_state:state}) ==> "
	  "{next_comm:comm}:{next_pid:int} [{next_prio:int}]" },
	{ "sched_switch", "{prev_comm:comm}:{prev_pid:int} [{prev_prio:int}] {prev_state:state} ==> "
	  "{next_comm:comm}:{next_pid:int} [{next_prio:int}]" },
	{ WAKE, "comm={comm:comm} pid={pid:int} prio={prio:int} target_cpu={target_cpu:int}" },
	{ WAKE, "comm={comm:comm} pid={pid:int} prio={prio:int} success=1 target_cpu={target_cpu:int}" },
	{ WAKE, "comm={comm:comm} pid={pid:int} prio={prio:int} success=1 [{target_cpu:int}]" },
	{ WAKE, "task {comm:comm}:{pid:int} [{prio:int}] success=1 [{target_cpu:int}]" },
	{ WAKE, "{comm:comm}:{pid:int} [{prio:int}] CPU:{target_cpu:int}" },
	{ WAKE, "{comm:comm}:{pid:int} [{prio:int}] success=1 CPU:{target_cpu:int}" },
	{ "sched_process_fork", "comm={parent_comm:comm} pid={parent_pid:int} "
	  "child_comm={child_comm:comm} child_pid={child_pid:int}" },
	{ "sched_process_fork",
	  "parent {parent_comm:comm}:{parent_pid:int}  child {child_comm:comm}:{child_pid:int}" },
	{ "sched_process_fork", "parent_comm={parent_comm:comm} parent_pid={parent_pid:int} "
	  "child_comm={child_comm:comm} child_pid={child_pid:int}" },
	{ "sched_migrate_task",
	  "comm={comm:comm} pid={pid:int} prio={prio:int} orig_cpu={orig_cpu:int} dest_cpu={dest_cpu:int}" },
	{ "sched_migrate_task",
	  "task {comm:comm}:{pid:int} [{prio:int}] from: {orig_cpu:int}  to: {dest_cpu:int}" },
	{ "sched_stat_runtime", SCHED_STAT "runtime={runtime} [ns] vruntime={vruntime}" },
	{ "sched_stat_runtime", SCHED_STAT "runtime={runtime}" },
	{ "sched_stat_runtime",
	  "task: {comm:comm}:{pid:int} runtime: {runtime} [ns], vruntime: {vruntime} [ns]" },
	{ "sched_stat_wait sched_stat_sleep sched_stat_iowait sched_stat_blocked",
	  SCHED_STAT "delay={delay}" },
	/* of 2.6.32; the pairs that others have are found by themselves */
	{ "sched_stat_wait", "task: {comm:comm}:{pid:int} wait: {delay} [ns]" },
	{ "sched_stat_sleep", "task: {comm:comm}:{pid:int} sleep: {delay} [ns]" },
	{ "sched_stat_iowait", "task: {comm:comm}:{pid:int} iowait: {delay} [ns]" },
	{ "sched_process_free sched_process_exit sched_process_wait",
	  "task {comm:comm}:{pid:int} [{prio:int}]" },
	{ "sched_signal_send", "sig: {sig:int}  task {comm:comm}:{pid:int}" },
	{ "irq_handler_entry", "irq={irq:int} handler={name:string}" },
	{ "irq_handler_exit", "irq={irq:int} return={ret:printed}" },
	{ "timer_init timer_expire_exit timer_cancel", "timer {timer:address}" },
	{ "timer_start",
	  "timer {timer:address}: func {function:symbol}, expires {expires}, timeout {timeout}" },
	{ "timer_expire_entry", "timer {timer:address}: now {now}" },
	{ "hrtimer_init", "hrtimer {hrtimer:address}, clockid {clockid:printed}, mode {mode:printed}" },
	{ "hrtimer_start", "hrtimer {hrtimer:address}, func {function:symbol}, expires {expires}, "
	  "softexpires {softexpires}" },
	{ "hrtimer_expire_entry", "hrtimer {hrtimer:address}, now {now}" },
	{ "hrtimer_expire_exit hrtimer_cancel", "hrtimer {hrtimer:address}" },
	{ "workqueue_insertion workqueue_execution",
	  "thread={thread_comm:comm}:{thread_pid:int} func={func:symbol}" },
	{ "sched_pi_setprio", "comm={comm:comm} pid={pid:int} oldprio={oldprio:int} newprio={newprio:int}" },
	{ "sched_blocked_reason", "pid={pid:int} iowait={io_wait:int} caller={caller:symbol}" },
	{ "sched_kthread_work_queue_work",
	  "work struct={work:address} function={function:symbol} worker={worker:address}" },
	{ "task_newtask", "pid={pid:int} comm={comm:comm} clone_flags={clone_flags:address} "
	  "oom_score_adj={oom_score_adj:int}" },
	{ "softirq_raise softirq_entry softirq_exit", "softirq={vec:int} action={action:printed}" },
	{ "tasklet_entry tasklet_exit", "tasklet={tasklet:symbol} function={func:symbol}" },
	{ "itimer_state", "which={which:int} expires={expires} "
	  "it_value={value_sec}.{value_usec} it_interval={interval_sec}.{interval_usec}" },
	{ "page_fault_user page_fault_kernel",
	  "address={address:symbol} ip={ip:symbol} error_code={error_code:address}" },
	{ "irq_disable irq_enable preempt_disable preempt_enable",
	  "caller={caller:symbol} parent={parent:symbol}" },
	{ "ipi_raise", "target_mask={target_cpus:printed} ({reason:printed})" },
	{ "ipi_entry ipi_exit", "({reason:printed})" },
	{ "ipi_send_cpu", "cpu={cpu:int} callsite={callsite:symbol} callback={callback:symbol}" },
	{ "ipi_send_cpumask", "cpumask={cpumask:printed} callsite={callsite:symbol} callback={callback:symbol}" },
	{ "csd_queue_cpu", "cpu={cpu:int} callsite={callsite:symbol} func={func:symbol} csd={csd:address}" },
	{ "csd_function_entry csd_function_exit", "func={func:symbol} csd={csd:address}" },
	{ "signal_deliver", "sig={sig:int} errno={errno:int} code={code:int} sa_handler={sa_handler:address} "
	  "sa_flags={sa_flags:address}" },
	{ "contention_begin", "{lock_addr:address} (flags={flags:printed})" },
	{ "contention_end", "{lock_addr:address} (ret={ret:int})" },
	{ "lock_acquire lock_release lock_contended lock_acquired", "{lockdep_addr:address} {name:string}" },
	{ "device_pm_callback_start",
	  "{driver:string} {device:string}, parent: {parent:string}, {pm_ops:string}[{event:printed}]" },
	{ "device_pm_callback_end", "{driver:string} {device:string}, err={error:int}" },
	{ "suspend_resume", "{action:printed}[{val:int}] {start:printed}" },
	{ "wakeup_source_activate wakeup_source_deactivate", "{name:string} state={state:address}" },
	{ "clock_enable clock_disable clock_set_rate power_domain_target",
	  "{name:string} state={state} cpu_id={cpu_id}" },
	{ "rcu_utilization", "{s:printed}" },
	{ "console", "{msg:string}" },
	{ "sys_enter", "NR {id} ({args:args})" },
	{ "sys_exit", "NR {id} = {ret}" },
	{ "workqueue_queue_work", "work struct={work:address} function={function:symbol} "
	  "workqueue={workqueue:string} req_cpu={req_cpu:int} cpu={cpu:int}" },
	{ "workqueue_activate_work", "work struct {work:address} function={function:symbol}" },
	{ WORK, "work struct {work:address}: function {function:symbol}" },
	{ WORK, "work struct {work:address}" },
	{ "function", "{ip:symbol} <-- {parent_ip:symbol}" },
	{ "function", "{ip:symbol} <-{parent_ip:symbol}" },
	{ "function", "{ip:symbol}" },
	{ "wakeup", SWITCHED("  +") },
	{ "context_switch", SWITCHED("==>") },
	{ "func_repeats", "{ip:symbol} <-{parent_ip:symbol} (repeats: {count:int}" },
	{ "timerlat", "#{seqnum} context {context:string} timer_latency {timer_latency} ns" },
	{ "timerlat", "seq:{seqnum}\tcontext:{context:string}\ttimer_latency:{timer_latency}" },
	{ "osnoise", "{runtime} {noise} {percent}.{decimals} {max_sample} {hw_count} "
	  "{nmi_count} {irq_count} {softirq_count} {thread_count}" },
	{ "osnoise",
	  "noise:{noise}\tmax_sample:{max_sample}\thw:{hw_count}\tnmi:{nmi_count}\t"
	  "irq:{irq_count}\tsoftirq:{softirq_count}\tthread:{thread_count}" },
	{ "hwlat", HWLAT " count:{count} nmi-total:{nmi_total_ts} nmi-count:{nmi_count}" },
	{ "hwlat", HWLAT " count:{count} nmi-count:{nmi_count}" },
	{ "hwlat", HWLAT " count:{count}" },
	{ "hwlat", HWLAT },
	{ "hwlat", HWLAT_CMD "count:{count}\tnmi-ts:{nmi_total_ts}\tnmi-count:{nmi_count}" },
	{ "hwlat", HWLAT_CMD "nmi-ts:{nmi_total_ts}\tnmi-count:{nmi_count}" },
	{ "irq_noise", "{desc:string}:{vector:int} " NOISE },
	{ "softirq_noise", "{name:string}:{vector:int} " NOISE },
	{ "thread_noise", "{comm:comm}:{pid:int} " NOISE },
	{ "nmi_noise", NOISE },
	{ "sample_threshold", NOISE " interference {interference}" },
	{ BLOCK_RQ, BLOCK "{bytes} ({cmd:string}) " BLOCK_AT "[{comm:comm}]" },
	{ BLOCK_RQ, BLOCK "{bytes} ({cmd:string}) " BLOCK_AT "{prio:string} [{comm:comm}]" },
	{ BLOCK_END, BLOCK "({cmd:string}) " BLOCK_AT "[{error:int}]" },
	{ BLOCK_END, BLOCK "({cmd:string}) " BLOCK_AT "{prio:string} [{error:int}]" },
	{ "block_bio_queue block_bio_backmerge block_bio_frontmerge block_bio_bounce block_getrq "
	  "block_sleeprq", BLOCK BLOCK_AT "[{comm:comm}]" },
	{ "block_bio_complete", BLOCK BLOCK_AT "[{error:int}]" },
	{ "block_rq_remap", BLOCK BLOCK_AT "<- ({old_dev:device}) {old_sector} {nr_bios:int}" },
	{ "block_bio_remap", BLOCK BLOCK_AT "<- ({old_dev:device}) {old_sector}" },
	{ "block_split", BLOCK "{sector} / {new_sector} [{comm:comm}]" },
	{ "block_touch_buffer block_dirty_buffer", "{dev:device} sector={sector} size={size}" },
	{ "block_plug", "[{comm:comm}]" },
	/* until 2.6.38 there are two kinds of the second one */
	{ "block_unplug block_unplug_io block_unplug_timer", "[{comm:comm}] {nr_rq:int}" },
	{ "mmiotrace_map", "{opcode:access} {sec}.{usec} {map_id:int} {phys:address} {virt:address} {len:address}" },
	{ "mmiotrace_map", "{opcode:access} {sec}.{usec} {map_id:int}" },
	{ "mmiotrace_map", "{phys:address} {virt:address} {len:address} {map_id:int} {opcode:access}" },
	{ "mmiotrace_rw",
	  "{opcode:access} {width:int} {sec}.{usec} {map_id:int} {phys:address} {value:address} {pc:address}" },
	{ "mmiotrace_rw", "{phys:address} {value:address} {pc:address} {map_id:int} {opcode:access} {width:int}" },
	{ "branch", "[{correct:hit}] {func:string}:{file:string}:{line}" },
	{ "branch", "{line}:{func:string}:{file:string} ({correct:hit})" },
	/* the first two: option blk_classic */
	{ "blktrace",
	  "{device:device} {} {}.{} {} {action:action} {rwbs:string} {sector} + {bytes:sectors} [{what:string}]" },
	{ "blktrace", "{device:device} {} {}.{} {} {action:action} {rwbs:string} [{what:string}]" },
	{ "blktrace",
	  "{device:device} {cgroup:string} {action:action} {rwbs:string} {sector} + {bytes:sectors} [{what:string}]" },
	{ "blktrace", "{device:device} {action:action} {rwbs:string} {sector} + {bytes:sectors} [{what:string}]" },
	{ "blktrace", "{device:device} {action:action} {rwbs:string} [{what:string}]" },
	{ "kernel_stack user_stack", "{caller:stack}" },
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
