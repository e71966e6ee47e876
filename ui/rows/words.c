/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/rows/words.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* of CPU time, not wall time, so that load does not matter */
#define LOOK_BACK_NS	2500000
#define LOOK_BACK_ROWS	20000

static const struct words_field *field(const struct words_field *fields, unsigned int nr,
				       const char *name)
{
	for (unsigned int i = 0; i < nr; i++)
		if (!strcmp(text_str(&fields[i].name), name))
			return &fields[i];
	return NULL;
}

static const char *shown(const struct words_field *f)
{
	const char *s = f->printed.len ? text_str(&f->printed) : text_str(&f->raw);

	return s + strspn(s, " ");	/* "%8s" */
}

static const char *value(const struct words_field *fields, unsigned int nr, const char *name)
{
	const struct words_field *f = field(fields, nr, name);

	return f ? shown(f) : "?";
}

static long long number(const struct words_field *fields, unsigned int nr, const char *name)
{
	const struct words_field *f = field(fields, nr, name);

	return f ? strtoll(text_str(&f->raw), NULL, 0) : -1;
}

/* --- flags --------------------------------------------------------------- */

/*
 * The letters of the kernel's latency format, in its order: irqs, resched, context, preemption,
 * migration.
 */
void words_flags(const struct row *row, struct text *out)
{
	static const struct { int place; char letter; const char *words; } letters[] = {
		{ 0, 'd', "d interrupts off" },
		{ 0, 'D', "D interrupts and softirqs off" },
		{ 0, 'b', "b softirqs off" },
		{ 0, 'X', "X interrupt state unknown" },
		{ 1, 'N', "N need-resched and preempt-need-resched" },
		{ 1, 'n', "n reschedule needed" },
		{ 1, 'p', "p preemption wants a reschedule" },
		{ 1, 'L', "L lazy reschedule needed" },
		{ 1, 'l', "l lazy reschedule needed" },
		{ 1, 'B', "B reschedule needed, lazy too" },
		{ 2, 'Z', "Z NMI over a hard interrupt" },
		{ 2, 'z', "z NMI" },
		{ 2, 'H', "H hard interrupt over a softirq" },
		{ 2, 'h', "h hard interrupt" },
		{ 2, 's', "s softirq" },
	};
	const char *f = text_str(&row->flags);
	size_t len = row->flags.len, before = out->len;
	char flags[6] = "";

	/* Kernels with the RT patches up to 6.6 have two more: lazy resched, and its depth. */
	if (len == 7) {
		len = 5;
		memcpy(flags, (char[]){ f[0], f[1] == '.' ? f[2] : f[1], f[3], f[4], f[6] }, len);
	} else {
		len = len < 5 ? len : 5;
		memcpy(flags, f, len);
	}

	for (size_t i = 0; i < sizeof(letters) / sizeof(letters[0]); i++)
		if ((size_t)letters[i].place < len && flags[letters[i].place] == letters[i].letter)
			text_printf(out, "%s%s", out->len > before ? ", " : "", letters[i].words);
	if (len > 3 && flags[3] != '.' && flags[3] != '0')
		text_printf(out, "%s%c preempt depth", out->len > before ? ", " : "", flags[3]);
	if (len > 4 && flags[4] != '.' && flags[4] != '0')
		text_printf(out, "%s%c migrate-disable depth", out->len > before ? ", " : "",
			    flags[4]);
	if (out->len == before && len)
		text_add(out, "interrupts and preemption on");
}

/* --- what it means ------------------------------------------------------- */

static int64_t spent_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static long long raw_field(struct trace *trace, const struct trace_event *event, const char *name)
{
	struct trace_field_value *fields;
	unsigned int nr = trace_event_fields(trace, event, &fields);
	long long result = -1;

	for (unsigned int i = 0; i < nr; i++)
		if (!strcmp(fields[i].name, name))
			result = strtoll(text_str(&fields[i].raw), NULL, 0);
	trace_fields_free(fields, nr);
	return result;
}

static bool is_wakeup(const char *name)
{
	return !strcmp(name, "sched_waking") || !strcmp(name, "sched_wakeup") ||
	       !strcmp(name, "sched_wakeup_new");
}

/* Are events of a CPU lost before and after a row?  What happened there meanwhile is not known. */
static bool is_in_gap(const struct shared *shared, const struct row *row, int cpu)
{
	unsigned int nr = trace_nr_streams(shared->trace);
	bool found = false;

	for (unsigned int i = 0; i < nr && cpu != row->cpu; i++) {
		struct trace_stream_info info = trace_stream_info(shared->trace, i);
		struct trace_cursor *cursor;
		struct trace_event event;

		if (info.file != row->file || info.buffer != row->buffer || info.cpu != cpu)
			continue;
		cursor = trace_cursor_of_stream(shared->trace, i);
		trace_cursor_seek_time(cursor, row->ts);
		found = trace_cursor_next(cursor, &event) && event.kind == TRACE_ROW_LOST &&
			(event.gap_is_start || event.gap_from < row->ts);
		trace_cursor_free(cursor);
	}
	return found;
}

/*
 * The wake-up of @pid before a row; false if the task was switched out since, or it is too far
 * back.  @target: the CPU where it was to run, or -1.
 */
static bool find_wakeup(const struct shared *shared, const struct row *row, int pid,
			struct place *wakeup, int *target, bool *is_far)
{
	struct trace_cursor *cursor = trace_cursor_new(shared->trace);
	int64_t end = spent_ns() + LOOK_BACK_NS;
	struct trace_event event;
	bool found = false;

	trace_cursor_seek(cursor, row->ref);
	for (unsigned int i = 0; trace_cursor_prev(cursor, &event); i++) {
		const char *name;

		*is_far = i >= LOOK_BACK_ROWS || (i % 16 == 15 && spent_ns() > end);
		if (*is_far)
			break;
		if (event.kind == TRACE_ROW_LOST) /* the wake-up may be among
							   the lost events */
			break;
		if (event.kind != TRACE_ROW_EVENT || event.file != row->file ||
		    strcmp(trace_event_system(&event), "sched"))
			continue;
		name = trace_event_name(&event);
		if (!strcmp(name, "sched_switch") &&
		    raw_field(shared->trace, &event, "prev_pid") == pid)
			break;
		if (is_wakeup(name)) {
			if (raw_field(shared->trace, &event, "pid") != pid ||
			    !raw_field(shared->trace, &event, "success"))
				continue;
			/* two wake-ups in a row: records are missing between them */
			if (found && strcmp(name, "sched_waking"))
				break;
			if (!found)
				*target = (int)raw_field(shared->trace, &event, "target_cpu");
			*wakeup = place_of_event(&event);
			found = true;
			/* the wait begins at sched_waking, which is earlier */
			if (strcmp(name, "sched_wakeup"))
				break;
		}
	}
	trace_cursor_free(cursor);
	return found;
}

/*
 * Bits of prev_state since Linux 4.14, of which the lowest set counts; then letters of older
 * kernels.
 */
static const struct { char letter; const char *words; } states[] = {
	{ 'S', "sleeps" }, { 'D', "is blocked" }, { 'T', "is stopped" },
	{ 't', "is stopped by its tracer" },
	{ 'X', "is dead" }, { 'Z', "is a zombie" }, { 'P', "is parked" }, { 'I', "idles" },
	{ 'x', "is dead" }, { 'K', "sleeps" }, { 'W', "wakes up" }, { 'N', "is new" },
};
#define NR_STATES 8

static void state_letter(long long state, struct text *out)
{
	for (size_t i = 0; i < NR_STATES; i++)
		if (state & 1LL << i) {
			text_char(out, states[i].letter);
			return;
		}
	text_add(out, state ? "R+" : "R");
}

/* From the letters that the recording kernel prints ("D|K"), if known, else from the bits. */
static const char *state_words(const struct words_field *f)
{
	struct text letters = { 0 };
	const char *words = "is preempted";

	if (f && f->printed.len)
		text_add(&letters, text_str(&f->printed));
	else
		state_letter(f ? strtoll(text_str(&f->raw), NULL, 0) : 0, &letters);
	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++)
		if (*text_str(&letters) == states[i].letter)
			words = states[i].words;
	text_fini(&letters);
	return words;
}

static void say_switch(const struct shared *shared, const struct row *row,
		       const struct words_field *fields, unsigned int nr, struct text *out)
{
	int prev = number(fields, nr, "prev_pid"), next = number(fields, nr, "next_pid");
	struct place wakeup = { 0 };
	bool doubtful, is_far = false;
	int target = -1;
	char mark;

	if (!prev)
		text_printf(out, "CPU %d stops idling", row->cpu);
	else
		text_printf(out, "%s-%d %s on CPU %d", value(fields, nr, "prev_comm"), prev,
			    state_words(field(fields, nr, "prev_state")), row->cpu);
	if (!next) {
		text_add(out, ", which idles now.");
		return;
	}
	text_printf(out, "%s %s-%d", prev ? "; next is" : " and runs",
		    value(fields, nr, "next_comm"), next);
	if (find_wakeup(shared, row, next, &wakeup, &target, &is_far) && wakeup.ts <= row->ts) {
		doubtful = is_in_gap(shared, row, target);
		text_add(out, doubtful ? ", which waited ~" :
			      is_far   ? ", which waited at least " :
					 ", which waited ");
		shared_span(shared, time_between(wakeup.ts, row->ts), out);
		text_add(out, " since its wake-up");
		if (doubtful)
			text_printf(out, " (doubtful: events of CPU %d are %s)", target,
				    trace_lost_words(shared->trace, (int)row->file));
		mark = places_letter(&shared->places, wakeup.ref);
		if (mark)
			text_printf(out, " (%c)", mark);
	}
	text_char(out, '.');
}

static void say_wakeup(const struct row *row, const struct words_field *fields, unsigned int nr,
		       const char *what, struct text *out)
{
	text_printf(out, "%s-%lld %s by %s-%d on CPU %d", value(fields, nr, "comm"),
		    number(fields, nr, "pid"), what, text_str(&row->comm), row->pid, row->cpu);
	if (field(fields, nr, "target_cpu"))
		text_printf(out, ", to run on CPU %lld", number(fields, nr, "target_cpu"));
	text_char(out, '.');
}

static void say_lost(const struct shared *shared, const struct row *row, struct text *out)
{
	struct trace_stream_info info = trace_stream_info(shared->trace, row->stream);
	int decimals = shared_decimals(shared, 0);

	text_printf(
		out,
		!row->lost_known && trace_is_thinned(shared->trace, (int)row->file) ?
			"A filter of ftop-trace cut left events of CPU %d out, or its buffer was full: " :
			"The ring buffer of CPU %d was full: ",
		row->cpu);
	if (row->lost_known)
		text_count(out, row->lost_count);
	else
		text_add(out, "an unknown number of");
	text_add(out, row->lost_known && row->lost_count == 1 ? " event is" : " events are");
	if (row_gap_opens_trace(row)) {
		text_add(out, " missing before ");
	} else {
		text_add(out, " missing in ");
		shared_span(shared, time_between(row->gap_from, row->gap_to), out);
		text_add(out, ", from ");
		shared_time(shared, row->gap_from, decimals, out);
		text_add(out, " to ");
	}
	shared_time(shared, row->gap_to, decimals, out);
	text_add(out, ".");
	if (row->lost_known && info.events && info.pages) {
		uint64_t kib = (row->lost_count / (info.events / info.pages + 1) + 1) * 4;

		text_add(out, " About ");
		text_count(out, kib);
		text_add(out, " KiB more of buffer (-b) would have been enough.");
	}
}

/* Sentences that explain events with values of their fields; names are globs. */
static const struct {
	const char	*system, *name;
	const char	*sentence;	/* %field% is its value; others: see specials[] */
} sentences[] = {
	{ "irq", "irq_handler_entry",
	  "Interrupt %irq% (%name%) begins on CPU %cpu%, interrupting %task%." },
	{ "irq", "irq_handler_exit", "The handler of interrupt %irq% ends on CPU %cpu%: %ret%." },
	{ "irq", "softirq_entry", "Softirq %vec% begins on CPU %cpu%, interrupting %task%." },
	{ "irq", "softirq_exit", "Softirq %vec% ends on CPU %cpu%." },
	{ "irq", "softirq_raise", "Softirq %vec% is raised on CPU %cpu%." },
	{ "irq", "tasklet_*entry", "A tasklet calls %func% on CPU %cpu%." },
	{ "irq", "tasklet_*exit", "%func% of a tasklet returns on CPU %cpu%." },
	{ "irq_vectors", "*_entry",
	  "The CPU's own interrupt \"%kind%\" begins on CPU %cpu%, interrupting %task%." },
	{ "irq_vectors", "*_exit", "The CPU's own interrupt \"%kind%\" ends on CPU %cpu%." },
	{ "ipi", "ipi_raise", "CPU %cpu% interrupts CPUs %target_cpus%: %reason%." },
	{ "ipi", "ipi_send_cpu", "CPU %cpu% interrupts another one, from %callsite%." },
	{ "ipi", "ipi_send_cpumask", "CPU %cpu% interrupts CPUs %cpumask%, from %callsite%." },
	{ "sched", "sched_process_fork",
	  "%parent_comm%-%parent_pid% forks %child_comm%-%child_pid%." },
	{ "sched", "sched_process_exec", "%task% executes %filename%." },
	{ "sched", "sched_prepare_exec", "%task% is about to execute %filename%." },
	{ "sched", "sched_process_exit", "%comm%-%pid% exits." },
	{ "sched", "sched_process_free", "The kernel frees what is left of %comm%-%pid%." },
	{ "sched", "sched_process_wait", "%task% waits for a child." },
	{ "sched", "sched_process_hang", "%comm%-%pid% has been blocked for too long." },
	{ "sched", "sched_wait_task", "%task% waits until %comm%-%pid% is off its CPU." },
	{ "sched", "sched_migrate_task",
	  "%comm%-%pid% moves from CPU %orig_cpu% to CPU %dest_cpu%." },
	{ "sched", "sched_move_numa",
	  "Task %pid% moves from CPU %src_cpu% to CPU %dst_cpu%, nearer to its memory." },
	{ "sched", "sched_stick_numa", "Task %src_pid% could not move nearer to its memory." },
	{ "sched", "sched_swap_numa", "Tasks %src_pid% and %dst_pid% change places." },
	{ "sched", "sched_wake_idle_without_ipi", "The idle CPU of this wake-up needs no IPI." },
	{ "sched", "sched_stat_runtime", "%comm%-%pid% has run for another %runtime%." },
	{ "sched", "sched_stat_wait", "%comm%-%pid% waited %delay% for a CPU." },
	{ "sched", "sched_stat_sleep", "%comm%-%pid% slept for %delay%." },
	{ "sched", "sched_stat_iowait", "%comm%-%pid% waited %delay% for I/O." },
	{ "sched", "sched_stat_blocked", "%comm%-%pid% was blocked for %delay%." },
	{ "sched", "sched_pi_setprio",
	  "The priority of %comm%-%pid% goes from %oldprio% to %newprio%: a lock is inherited." },
	{ "sched", "sched_kthread_stop", "Kernel thread %comm%-%pid% is asked to stop." },
	{ "sched", "sched_kthread_stop_ret", "A kernel thread has stopped%error%." },
	{ "sched", "sched_kthread_work_queue_work", "%function% is queued for a kernel thread." },
	{ "sched", "sched_kthread_work_execute_start", "%task% begins the queued %function%." },
	{ "sched", "sched_kthread_work_execute_end", "%task% ends the queued %function%." },
	{ "ftrace", "timerlat",
	  "Sample %seqnum%: the %context% came %latency% after the timer was due." },
	{ "ftrace", "osnoise",
	  "Noise took the CPU for %noise% of %period%, at most for %longest% at a time." },
	{ "ftrace", "hwlat",
	  "Sample %seqnum%: the tracer's loop stood still for up to %inner% inside a turn, and for "
	  "up to %outer% between two." },
	{ "ftrace", "mmiotrace_rw",
	  "A %width%-byte %access% at %phys% of map %map_id%: %value%." },
	{ "ftrace", "mmiotrace_map", "%mapping%." },
	{ "osnoise", "irq_noise", "The interrupt %desc% took the CPU for %duration%." },
	{ "osnoise", "softirq_noise", "Softirq %vector% took the CPU for %duration%." },
	{ "osnoise", "thread_noise", "%comm%-%pid% took the CPU for %duration%." },
	{ "osnoise", "sample_threshold",
	  "A noise of %duration%, in which %interference% things interrupted the tracer." },
	{ "osnoise", "nmi_noise", "An NMI took the CPU for %duration%." },
	{ "task", "task_newtask", "%task% creates %comm%-%pid%." },
	{ "task", "task_rename", "%oldcomm%-%pid% is renamed to %newcomm%." },
	{ "signal", "signal_generate", "%task% sends %signal% to %comm%-%pid%: %sent%." },
	{ "signal", "signal_deliver", "%task% receives %signal%: %handled%." },
	{ "timer", "timer_init", "A timer is set up." },
	{ "timer", "timer_start", "A timer is to call %function% at jiffy %expires%%in%." },
	{ "timer", "timer_expire_entry", "A timer calls %function% on CPU %cpu%." },
	{ "timer", "timer_expire_exit", "The function of a timer returns on CPU %cpu%." },
	{ "timer", "timer_cancel", "A timer is taken off its list: it fires now, or is cancelled." },
	{ "timer", "hrtimer_init", "A high-resolution timer of %clockid% is set up." },
	{ "timer", "hrtimer_setup", "A high-resolution timer of %clockid% is set up." },
	{ "timer", "hrtimer_start",
	  "A high-resolution timer is to call %function% at %expires% ns of its clock." },
	{ "timer", "hrtimer_expire_entry",
	  "A high-resolution timer calls %function% on CPU %cpu%." },
	{ "timer", "hrtimer_expire_exit",
	  "The function of a high-resolution timer returns on CPU %cpu%." },
	{ "timer", "hrtimer_cancel", "A high-resolution timer is taken off its list." },
	{ "timer", "itimer_state", "%task% sets interval timer %which%." },
	{ "timer", "itimer_expire", "Interval timer %which% of task %pid% expires." },
	{ "timer", "tick_stop", "The tick of CPU %cpu% %stops%." },
	{ "workqueue", "workqueue_queue_work", "%function% is queued on %workqueue%." },
	{ "workqueue", "workqueue_activate_work", "Queued work may run now." },
	{ "workqueue", "workqueue_execute_start", "%task% begins the queued %function%." },
	{ "workqueue", "workqueue_execute_end", "%task% ends the queued %function%." },
	{ "power", "cpu_idle", "CPU %cpu_id% %idles%." },
	{ "power", "cpu_idle_miss", "CPU %cpu_id% idled too lightly or too deeply, in state %state%." },
	{ "power", "cpu_frequency", "CPU %cpu_id% changes its frequency to %state% kHz." },
	{ "power", "cpu_frequency_limits",
	  "The frequency of CPU %cpu_id% may be %min_freq% to %max_freq% kHz." },
	{ "power", "pstate_sample", "CPU %cpu% was %core_busy% %% busy; it runs at %freq% kHz." },
	{ "power", "suspend_resume", "Suspend or resume: %action% %begins%." },
	{ "power", "device_pm_callback_start", "Device %device% (%driver%) begins to %pm_ops%." },
	{ "power", "device_pm_callback_end", "Device %device% (%driver%) is done%error%." },
	{ "power", "wakeup_source_activate", "%name% keeps the machine from suspending." },
	{ "power", "wakeup_source_deactivate", "%name% lets the machine suspend again." },
	{ "power", "clock_enable", "Clock %name% is switched on." },
	{ "power", "clock_disable", "Clock %name% is switched off." },
	{ "power", "clock_set_rate", "Clock %name% is set to %state% Hz." },
	{ "rpm", "rpm_suspend", "Device %name% may be suspended." },
	{ "rpm", "rpm_resume", "Device %name% is to be resumed." },
	{ "rpm", "rpm_idle", "Device %name% is idle." },
	{ "block", "block_rq_insert",
	  "The %rw% of %nr_sector% sectors at sector %sector% is queued for device %dev%." },
	{ "block", "block_rq_issue",
	  "The %rw% of %nr_sector% sectors at sector %sector% is sent to device %dev%." },
	{ "block", "block_rq_merge",
	  "The %rw% of %nr_sector% sectors at sector %sector% joins another one for device %dev%." },
	{ "block", "block_rq_requeue",
	  "Device %dev% did not take the %rw% of %nr_sector% sectors at sector %sector%: it is queued "
	  "again." },
	{ "block", "block_rq_complete",
	  "Device %dev% has done the %rw% of %nr_sector% sectors at sector %sector%%error%." },
	{ "block", "block_rq_error",
	  "Device %dev% failed a %rw% of %nr_sector% sectors at sector %sector%%error%." },
	{ "block", "block_io_start",
	  "The %rw% of %nr_sector% sectors at sector %sector% of device %dev% begins to be counted." },
	{ "block", "block_io_done",
	  "The %rw% of %nr_sector% sectors at sector %sector% of device %dev% is counted as done." },
	{ "block", "block_rq_remap",
	  "The %rw% of %nr_sector% sectors for device %old_dev% goes to device %dev%, sector %sector%." },
	{ "block", "block_bio_queue",
	  "%task% asks device %dev% for a %rw% of %nr_sector% sectors at sector %sector%." },
	{ "block", "block_getrq",
	  "The %rw% of %nr_sector% sectors at sector %sector% of device %dev% gets a request." },
	{ "block", "block_bio_backmerge",
	  "The %rw% of %nr_sector% sectors at sector %sector% joins the end of a request for device %dev%." },
	{ "block", "block_bio_frontmerge",
	  "The %rw% of %nr_sector% sectors at sector %sector% joins the front of a request for device "
	  "%dev%." },
	{ "block", "block_bio_bounce",
	  "The %rw% of %nr_sector% sectors at sector %sector% of device %dev% needs a copy in low memory." },
	{ "block", "block_bio_complete",
	  "The %rw% of %nr_sector% sectors at sector %sector% of device %dev% is complete%error%." },
	{ "block", "block_bio_remap",
	  "The %rw% of %nr_sector% sectors for device %old_dev% goes to device %dev%, sector %sector%." },
	{ "block", "block_split",
	  "The %rw% at sector %sector% of device %dev% is split at sector %new_sector%." },
	{ "block", "block_plug", "%comm% collects requests before it sends them." },
	{ "block", "block_unplug", "%comm% sends the %nr_rq% requests that it has collected." },
	{ "block", "block_touch_buffer",
	  "A buffer of %size% bytes at sector %sector% of device %dev% is used." },
	{ "block", "block_dirty_buffer",
	  "A buffer of %size% bytes at sector %sector% of device %dev% was changed." },
	{ "net", "net_dev_queue", "A packet of %len% bytes is queued for %name%." },
	{ "net", "net_dev_start_xmit", "%name% begins to send a packet of %len% bytes." },
	{ "net", "net_dev_xmit", "%name% has taken a packet of %len% bytes to send%error%." },
	{ "net", "net_dev_xmit_timeout", "Queue %queue_index% of %name% (%driver%) does not send." },
	{ "net", "netif_receive_skb", "A packet of %len% bytes from %name% is processed." },
	{ "net", "netif_rx", "A packet of %len% bytes has come in on %name%." },
	{ "net", "*_entry", "The kernel takes a packet of %len% bytes from %name%." },
	{ "net", "*_exit", "The kernel has taken the packet%error%." },
	{ "napi", "napi_poll", "%dev_name% was polled for packets: %work% of at most %budget%." },
	{ "skb", "kfree_skb", "A packet is dropped in %location%: %reason%." },
	{ "skb", "consume_skb", "A packet is freed after use." },
	{ "skb", "skb_copy_datagram_iovec", "%len% bytes of a packet are copied to %task%." },
	{ "sock", "inet_sock_set_state",
	  "A socket, port %sport% to %dport%, goes from %oldstate% to %newstate%." },
	{ "sock", "sock_exceed_buf_limit", "A socket of %name% is over its memory limit." },
	{ "tcp", "tcp_retransmit_skb", "TCP sends again from port %sport% to %dport%." },
	{ "tcp", "tcp_send_reset", "TCP resets the connection from port %sport% to %dport%." },
	{ "tcp", "tcp_receive_reset", "TCP receives a reset for port %sport%, from %dport%." },
	{ "kmem", "kmalloc*",
	  "%call_site% allocates %bytes_req% bytes, and gets %bytes_alloc%, at %ptr%." },
	{ "kmem", "kmem_cache_alloc*", "%call_site% allocates an object of %bytes_req% bytes at %ptr%." },
	{ "kmem", "kfree", "%call_site% frees the memory at %ptr%." },
	{ "kmem", "kmem_cache_free", "%call_site% frees memory of %name% at %ptr%." },
	{ "kmem", "mm_page_alloc", "%task% allocates %pages%." },
	{ "kmem", "mm_page_alloc_zone_locked", "The zone's list gives %pages%." },
	{ "kmem", "mm_page_alloc_extfrag", "Pages of another kind of memory are used: fragmentation." },
	{ "kmem", "mm_page_free", "%task% frees %pages%." },
	{ "kmem", "mm_page_free_batched", "%task% frees a page, among others." },
	{ "kmem", "mm_page_pcpu_drain", "The CPU's list gives %pages% back to the zone." },
	{ "kmem", "rss_stat", "The process now has %size% bytes of %member%." },
	{ "migrate", "mm_migrate_pages_start", "Pages are to be moved: %reason%." },
	{ "migrate", "mm_migrate_pages", "%succeeded% pages were moved, %failed% were not: %reason%." },
	{ "vmscan", "mm_vmscan_direct_reclaim_begin", "%task% has to free memory itself, for order %order%." },
	{ "vmscan", "mm_vmscan_direct_reclaim_end", "%task% has freed %nr_reclaimed% pages." },
	{ "vmscan", "mm_vmscan_kswapd_wake", "kswapd begins to free memory on node %nid%." },
	{ "vmscan", "mm_vmscan_kswapd_sleep", "kswapd has freed enough memory on node %nid%." },
	{ "vmscan", "mm_vmscan_wakeup_kswapd", "%task% wakes kswapd of node %nid%." },
	{ "oom", "mark_victim", "Task %pid% is killed to free memory." },
	{ "filemap", "mm_filemap_add_to_page_cache", "A page of a file on device %s_dev% is cached." },
	{ "filemap", "mm_filemap_delete_from_page_cache",
	  "A page of a file on device %s_dev% leaves the cache." },
	{ "lock", "contention_begin", "%task% waits for a lock: %flags%." },
	{ "lock", "contention_end", "%task% has waited for a lock%error%." },
	{ "printk", "console", "The kernel logs a message." },
	{ "module", "module_load", "Module %name% is loaded." },
	{ "module", "module_free", "Module %name% is removed." },
	{ "syscalls", "sys_enter_*", "%task% enters the system call %call%." },
	{ "syscalls", "sys_exit_*", "%task% returns from the system call %call%%error%." },
	{ "raw_syscalls", "sys_enter", "%task% enters the system call number %id%." },
	{ "raw_syscalls", "sys_exit", "%task% returns from the system call number %id%%error%." },
	{ "exceptions", "page_fault_*", "%task% takes a page fault at %address%, from %ip%: %fault%." },
	{ "ftrace", "funcgraph_entry", "%func% begins, at depth %depth%." },
	{ "ftrace", "function", "%ip% is called%caller%." },
	{ "ftrace", "print", "Written by %task% into trace_marker, or by trace_printk." },
	{ "ftrace", "bprint", "Written by trace_printk in %ip%." },
};

/* Durations of calls and run times are ns, whatever the clock of the rows. */
static void add_duration(int64_t ns, struct text *out)
{
	struct text t = { 0 };

	text_duration(&t, ns);
	text_trimmed(out, &t);
	text_fini(&t);
}

/* What a special name of a sentence is made from. */
struct saying {
	const struct row *row;
	const struct words_field *fields;
	unsigned int	 nr;
	const char	*field;		/* of the special name */
};

static long long saying_number(const struct saying *s)
{
	return number(s->fields, s->nr, s->field);
}

static void say_cpu(const struct saying *s, struct text *out)
{
	text_printf(out, "%d", s->row->cpu);
}

static void say_task(const struct saying *s, struct text *out)
{
	text_printf(out, "%s-%d", text_str(&s->row->comm), s->row->pid);
}

/* sys_enter_NAME, sys_exit_NAME */
static void say_call(const struct saying *s, struct text *out)
{
	const char *event = text_str(&s->row->name);

	text_add(out, strlen(event) > 10 ? event + (event[4] == 'e' && event[5] == 'n' ? 10 : 9) :
					   event);
}

/* A latency tracer's own records have no caller. */
static void say_caller(const struct saying *s, struct text *out)
{
	if (saying_number(s))
		text_printf(out, " by %s", value(s->fields, s->nr, s->field));
}

/* "local timer" of local_timer_entry */
static void say_kind(const struct saying *s, struct text *out)
{
	const char *event = text_str(&s->row->name), *end = strrchr(event, '_');

	for (; *event && event != end; event++)
		text_char(out, *event == '_' ? ' ' : *event);
}

/* ": -11 EAGAIN" where something failed, ": 3" where it did not. */
static void say_ret(const struct saying *s, struct text *out)
{
	long long ret = saying_number(s);

	text_printf(out, ": %lld", ret);
	if (ret < 0 && ret >= -4095)
		text_printf(out, " %s",
			    text_error_name(ret) ? text_error_name(ret) : strerror((int)-ret));
}

/* The same where 0 says nothing. */
static void say_failure(const struct saying *s, struct text *out)
{
	if (saying_number(s))
		say_ret(s, out);
}

static void say_duration(const struct saying *s, struct text *out)
{
	add_duration(saying_number(s), out);
}

/* include/linux/mmiotrace.h: enum mm_io_opcode */
static void say_access(const struct saying *s, struct text *out)
{
	static const char *const words[] = { "access", "read", "write" };
	long long opcode = saying_number(s);

	text_add(out, words[opcode == 1 || opcode == 2 ? opcode : 0]);
}

/* Only the address of an end is known, not its map. */
static void say_mapping(const struct saying *s, struct text *out)
{
	const char *virt = value(s->fields, s->nr, "virt");
	long long opcode = saying_number(s);

	if (opcode == 3)
		text_printf(out, "Map %s begins: %lld bytes of a device at %s, mapped to %s",
			    value(s->fields, s->nr, "map_id"), number(s->fields, s->nr, "len"),
			    value(s->fields, s->nr, "phys"), virt);
	else
		text_printf(out, "The map at %s %s", virt, opcode == 4 ? "ends" : "changes");
}

/* of the tracers osnoise and hwlat */
static void say_us(const struct saying *s, struct text *out)
{
	int64_t ns;

	add_duration(__builtin_mul_overflow(saying_number(s), 1000, &ns) ? INT64_MAX : ns, out);
}

/* "synchronous write", from the block layer's letters: "WS" */
static void say_rw(const struct saying *s, struct text *out)
{
	static const struct { char letter; const char *words; } kinds[] = {
		{ 'A', "read-ahead" }, { 'W', "write" }, { 'R', "read" }, { 'D', "discard" }, { 'E', "erase" },
		{ 'Z', "zone operation" }, { 'F', "flush" },
	};
	const char *rwbs = value(s->fields, s->nr, s->field);

	if (strchr(rwbs, 'S'))
		text_add(out, "synchronous ");
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strchr(rwbs, kinds[i].letter)) {
			text_add(out, kinds[i].words);
			break;
		}
	if (!strpbrk(rwbs, "AWRDEZF"))
		text_add(out, "request");
	if (strchr(rwbs, 'M'))
		text_add(out, " of metadata,");
}

static void say_signal(const struct saying *s, struct text *out)
{
	static const char *const names[] = {
		"0",	"HUP",	"INT",	"QUIT",	 "ILL",	 "TRAP", "ABRT", "BUS",	 "FPE",	 "KILL", "USR1",
		"SEGV", "USR2", "PIPE", "ALRM",	 "TERM", "STKFLT", "CHLD", "CONT", "STOP", "TSTP", "TTIN",
		"TTOU", "URG",	"XCPU", "XFSZ",	 "VTALRM", "PROF", "WINCH", "IO",  "PWR",  "SYS",
	};
	long long sig = saying_number(s);

	if (sig > 0 && sig < (long long)(sizeof(names) / sizeof(names[0])))
		text_printf(out, "SIG%s", names[sig]);
	else
		text_printf(out, "signal %lld", sig);
}

/* enum trace_signal of include/trace/events/signal.h */
static void say_sent(const struct saying *s, struct text *out)
{
	static const char *const words[] = { "delivered", "ignored", "already pending",
					     "lost: its queue is full",
					     "delivered without its details" };
	long long result = saying_number(s);

	text_add(out, result >= 0 && result < 5 ? words[result] : "?");
}

static void say_handled(const struct saying *s, struct text *out)
{
	long long handler = saying_number(s);

	text_add(out, handler == 0 ? "the default action" :
		      handler == 1 ? "ignored" :
				     "its handler is called");
}

/* ", 4 from now" */
static void say_in(const struct saying *s, struct text *out)
{
	long long now = saying_number(s), expires = number(s->fields, s->nr, "expires");

	if (field(s->fields, s->nr, s->field) && expires >= now)
		text_printf(out, ", %lld from now", expires - now);
}

static void say_stops(const struct saying *s, struct text *out)
{
	text_add(out, saying_number(s) ? "stops: nothing needs it" : "cannot stop");
}

static void say_idles(const struct saying *s, struct text *out)
{
	long long state = saying_number(s);

	if (state == UINT32_MAX)
		text_add(out, "leaves its idle state");
	else
		text_printf(out, "enters idle state %lld", state);
}

static void say_begins(const struct saying *s, struct text *out)
{
	text_add(out, saying_number(s) ? "begins" : "ends");
}

static void say_pages(const struct saying *s, struct text *out)
{
	long long order = saying_number(s);

	if (order > 0 && order < 32)
		text_printf(out, "%lld pages", 1LL << order);
	else
		text_add(out, "a page");
}

/* Bits of x86: protection, write, user, reserved, instruction. */
static void say_fault(const struct saying *s, struct text *out)
{
	long long code = saying_number(s);

	text_add(out, code & 0x10 ? "to execute" : code & 2 ? "to write" : "to read");
	text_add(out, code & 1 ? ", which is not allowed" : ", where no page is mapped yet");
}

/* enum timerlat_context of kernel/trace/trace_osnoise.c */
static void say_context(const struct saying *s, struct text *out)
{
	long long context = saying_number(s);

	text_add(out, context == 0 ? "interrupt" :
		      context == 1 ? "thread" :
				     "return to user space");
}

static const struct {
	const char	*name, *field;	/* the field that it tells, or NULL */
	void		(*say)(const struct saying *s, struct text *out);
	bool		needs_field;	/* without it, it says nothing */
} specials[] = {
	{ "cpu", NULL, say_cpu, false },
	{ "task", NULL, say_task, false },
	{ "call", NULL, say_call, false },
	{ "kind", NULL, say_kind, false },
	{ "caller", "parent_ip", say_caller, true },
	{ "error", "ret", say_ret, true },
	{ "error", "error", say_failure, true },
	{ "error", "rc", say_failure, true },
	{ "runtime", "runtime", say_duration, true },
	{ "delay", "delay", say_duration, true },
	{ "duration", "duration", say_duration, true },
	{ "latency", "timer_latency", say_duration, true },
	{ "context", "context", say_context, true },
	{ "noise", "noise", say_us, true },
	{ "period", "runtime", say_us, true },
	{ "longest", "max_sample", say_us, true },
	{ "access", "opcode", say_access, true },
	{ "mapping", "opcode", say_mapping, true },
	{ "inner", "duration", say_us, true },
	{ "outer", "outer_duration", say_us, true },
	{ "rw", "rwbs", say_rw, false },
	{ "signal", "sig", say_signal, false },
	{ "sent", "result", say_sent, false },
	{ "handled", "sa_handler", say_handled, false },
	{ "in", "now", say_in, true },
	{ "stops", "success", say_stops, false },
	{ "idles", "state", say_idles, false },
	{ "begins", "start", say_begins, false },
	{ "pages", "order", say_pages, false },
	{ "fault", "error_code", say_fault, false },
};
#define NR_SPECIALS (sizeof(specials) / sizeof(specials[0]))

/* False: the name is a field's. */
static bool say_special(const char *name, struct saying *s, struct text *out)
{
	bool special = false;

	for (size_t i = 0; i < NR_SPECIALS; i++) {
		if (strcmp(specials[i].name, name))
			continue;
		special = true;
		s->field = specials[i].field;
		if (specials[i].needs_field && !field(s->fields, s->nr, s->field))
			continue;
		specials[i].say(s, out);
		break;
	}
	return special;
}

static void say(const char *sentence, const struct row *row, const struct words_field *fields,
		unsigned int nr, struct text *out)
{
	struct saying saying = { .row = row, .fields = fields, .nr = nr };

	while (*sentence) {
		const char *end = *sentence == '%' ? strchr(sentence + 1, '%') : NULL;
		struct text name = { 0 };

		if (!end) {
			text_char(out, *sentence++);
			continue;
		}
		text_bytes(&name, sentence + 1, end - sentence - 1);
		if (!name.len)
			text_char(out, '%');
		else if (!say_special(name.data, &saying, out))
			text_add(out, value(fields, nr, name.data));
		text_fini(&name);
		sentence = end + 1;
	}
}

static const char *sentence_of(const struct row *row)
{
	for (size_t i = 0; i < sizeof(sentences) / sizeof(sentences[0]); i++)
		if (!strcmp(sentences[i].system, text_str(&row->system)) &&
		    !fnmatch(sentences[i].name, text_str(&row->name), 0))
			return sentences[i].sentence;
	return NULL;
}

/* Names and pids; also the priority of an idle task, which has none. */
static bool switch_tells(const char *name, const struct words_field *fields, unsigned int nr)
{
	if (!strcmp(name, "prev_prio"))
		return number(fields, nr, "prev_pid") == 0;
	if (!strcmp(name, "next_prio"))
		return number(fields, nr, "next_pid") == 0;
	return !strcmp(name, "prev_comm") || !strcmp(name, "prev_pid") ||
	       !strcmp(name, "next_comm") || !strcmp(name, "next_pid");
}

/* Does the sentence contain %name%, or a special name that tells this field? */
static bool sentence_tells(const char *sentence, const char *name)
{
	struct text asked = { 0 };
	bool tells;

	text_printf(&asked, "%%%s%%", name);
	tells = strstr(sentence, text_str(&asked));
	for (size_t i = 0; i < NR_SPECIALS && !tells; i++) {
		if (!specials[i].field || strcmp(specials[i].field, name))
			continue;
		text_clear(&asked);
		text_printf(&asked, "%%%s%%", specials[i].name);
		tells = strstr(sentence, text_str(&asked));
	}
	text_fini(&asked);
	return tells;
}

void words_complete(const struct row *row, struct words_field *fields, unsigned int nr)
{
	const char *event = text_str(&row->name), *sentence = sentence_of(row);

	for (unsigned int i = 0; i < nr; i++) {
		const char *name = text_str(&fields[i].name);

		if (!strcmp(name, "prev_state") && !fields[i].printed.len)
			state_letter(number(fields, nr, name), &fields[i].printed);
		if (!strcmp(event, "sched_switch"))
			fields[i].told = switch_tells(name, fields, nr);
		else if (is_wakeup(event))
			fields[i].told = !strcmp(name, "comm") || !strcmp(name, "pid") ||
					 !strcmp(name, "target_cpu");
		else if (row->duration >= 0)
			fields[i].told = !strcmp(name, "func");
		else
			fields[i].told = sentence && sentence_tells(sentence, name);
	}
}

static void say_event(const struct shared *shared, const struct row *row,
		      const struct words_field *fields, unsigned int nr, struct text *out)
{
	const char *name = text_str(&row->name);

	if (row->is_stack) {
		for (unsigned int i = 0; i < row->nr_frames; i++)
			text_printf(out, "%s%s", i ? " ← " : "", text_str(&row->frames[i]));
		return;
	}
	if (row->unknown) {
		text_printf(out,
			    "The file has no valid format for events with id %d: their fields "
			    "are not known.",
			    row->type_id);
		return;
	}
	if (!strcmp(name, "sched_switch")) {
		say_switch(shared, row, fields, nr, out);
		return;
	}
	if (is_wakeup(name)) {
		say_wakeup(row, fields, nr, name[9] == 'i' ? "is being woken" : "has been woken",
			   out);
		return;
	}
	if (row->duration >= 0) {
		text_printf(out, "%s %s ",
			    field(fields, nr, "func") ? value(fields, nr, "func") : "It",
			    row->leaf_exit != TRACE_REF_NONE ? "takes" : "returns after");
		add_duration(row->duration, out);
		if (text_duration_mark(row->duration) != ' ')
			text_printf(out, " (%c)", text_duration_mark(row->duration));
		text_add(out,
			 row->leaf_exit != TRACE_REF_NONE ? "; nothing was recorded in it." : ".");
		return;
	}
	if (sentence_of(row))
		say(sentence_of(row), row, fields, nr, out);
}

void words_row(const struct shared *shared, const struct row *row, const struct words_field *fields,
	       unsigned int nr, struct text *out)
{
	switch (row->kind) {
	case TRACE_ROW_EVENT:
		say_event(shared, row, fields, nr, out);
		if (time_between(row->ts, row->key) >= trace_resolution(shared->trace)) {
			text_add(out, "  The clock went back here by ");
			shared_span(shared, time_between(row->ts, row->key), out);
			text_add(out, ": the row stays where it was written.");
		}
		return;
	case TRACE_ROW_LOST:
		say_lost(shared, row, out);
		return;
	case TRACE_ROW_DAMAGE:
		row_sentence(row, shared, 6, out);
		return;
	}
}
