/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ftrace_known - events that Perfetto makes slices, states and counters of, and the numbers of
 * their fields: perfetto/trace/ftrace/ftrace_event.proto and the files that it includes.
 */
#include <string.h>

#include "src/export/ftrace_event.h"

static const struct ftrace_known list[] = {
	{ "sched_switch", 4,
	  "$prev_comm prev_pid prev_prio prev_state $next_comm next_pid next_prio" },
	{ "sched_waking", 20, "$comm pid prio success target_cpu" },
	{ "sched_wakeup", 17, "$comm pid prio success target_cpu" },
	{ "sched_wakeup_new", 114, "$comm pid prio success target_cpu" },
	{ "sched_blocked_reason", 18, "pid &caller io_wait" },
	{ "sched_process_exec", 237, "$filename pid old_pid" },
	{ "sched_process_exit", 238, "$comm pid tgid prio" },
	{ "sched_process_fork", 239, "$parent_comm parent_pid $child_comm child_pid" },
	{ "sched_process_free", 240, "$comm pid prio" },
	{ "sched_process_hang", 241, "$comm pid" },
	{ "sched_process_wait", 242, "$comm pid prio" },
	{ "sched_pi_setprio", 353, "$comm newprio oldprio pid" },
	{ "sched_migrate_task", 491, "$comm pid prio orig_cpu dest_cpu running" },
	{ "task_newtask", 235, "pid $comm clone_flags oom_score_adj" },
	{ "task_rename", 236, "pid $oldcomm $newcomm oom_score_adj" },
	{ "irq_handler_entry", 36, "irq $name" },
	{ "irq_handler_exit", 37, "irq ret" },
	{ "softirq_entry", 24, "vec" },
	{ "softirq_exit", 25, "vec" },
	{ "softirq_raise", 26, "vec" },
	{ "local_timer_entry", 559, "vector" },
	{ "local_timer_exit", 560, "vector" },
	{ "sys_enter", 329, "id args" },
	{ "sys_exit", 330, "id ret" },
	{ "print", 3, "- $buf" },
	{ "workqueue_activate_work", 56, "work &function" },
	{ "workqueue_execute_end", 57, "work &function" },
	{ "workqueue_execute_start", 58, "work &function" },
	{ "workqueue_queue_work", 59, "work &function - req_cpu cpu $workqueue" },
	{ "hrtimer_expire_entry", 553, "hrtimer now function" },
	{ "hrtimer_expire_exit", 554, "hrtimer" },
	{ "cpu_frequency", 11, "state cpu_id" },
	{ "cpu_frequency_limits", 12, "min_freq max_freq cpu_id" },
	{ "cpu_idle", 13, "state cpu_id" },
	{ "clock_set_rate", 16, "$name state cpu_id" },
	{ "clock_enable", 14, "$name state cpu_id" },
	{ "clock_disable", 15, "$name state cpu_id" },
	{ "wakeup_source_activate", 404, "$name state" },
	{ "wakeup_source_deactivate", 405, "$name state" },
	{ "device_pm_callback_start", 504, "$device $driver $parent $pm_ops event" },
	{ "device_pm_callback_end", 505, "$device $driver error" },
	{ "rpm_status", 489, "$name status" },
	{ "devfreq_frequency", 541, "$dev_name freq prev_freq busy_time total_time" },
	{ "cpuhp_enter", 345, "cpu fun idx target" },
	{ "cpuhp_multi_enter", 344, "cpu fun idx target" },
	{ "cpuhp_exit", 343, "cpu idx ret state" },
	{ "signal_generate", 325, "code $comm group pid result sig" },
	{ "signal_deliver", 324, "code sa_flags sig" },
	{ "oom_score_adj_update", 326, "$comm oom_score_adj pid" },
	{ "mark_victim", 334, "pid" },
	{ "rss_stat", 313, "member size curr mm_id" },
	{ "mm_vmscan_direct_reclaim_begin", 46, "order may_writepage gfp_flags" },
	{ "mm_vmscan_direct_reclaim_end", 47, "nr_reclaimed" },
	{ "block_io_start", 546, "dev sector nr_sector bytes ioprio $rwbs $comm $cmd" },
	{ "block_io_done", 547, "dev sector nr_sector - ioprio $rwbs $comm $cmd" },
	{ "netif_receive_skb", 360, "len $name skbaddr" },
	{ "net_dev_xmit", 361, "len $name rc skbaddr" },
	{ "napi_gro_receive_exit", 366, "ret" },
	{ "i2c_read", 27, "adapter_nr msg_nr addr flags len" },
	{ "i2c_result", 29, "adapter_nr nr_msgs ret" },
	{ "thermal_temperature", 341, "id temp temp_prev $thermal_zone" },
	{ "cdev_update", 342, "target $type" },
	{ "gpu_mem_total", 340, "gpu_id pid size" },
};

const struct ftrace_known *ftrace_known_find(const char *name)
{
	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++)
		if (!strcmp(list[i].name, name))
			return &list[i];
	return NULL;
}

unsigned int ftrace_known_field(const struct ftrace_known *known, const char *name, char *mark)
{
	unsigned int number = 1;
	size_t len;

	for (const char *s = known->fields; *s; s += len, s += *s == ' ', number++) {
		*mark = *s == '&' || *s == '$' ? *s++ : '\0';
		len = strcspn(s, " ");
		if (len == strlen(name) && !memcmp(s, name, len))
			return number;
	}
	return 0;
}
