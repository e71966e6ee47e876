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
	return f->printed.len ? text_str(&f->printed) : text_str(&f->raw);
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
		{ 1, 'N', "N reschedule needed, also of preemption" },
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
	const char *flags = text_str(&row->flags);
	size_t len = row->flags.len, before = out->len;

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

/*
 * The wake-up of @pid before a row; false if the task was switched out since, or it is too far
 * back.
 */
static bool find_wakeup(const struct shared *shared, const struct row *row, int pid,
			struct place *wakeup)
{
	struct trace_cursor *cursor = trace_cursor_new(shared->trace);
	int64_t end = spent_ns() + LOOK_BACK_NS;
	struct trace_event event;
	bool found = false;

	trace_cursor_seek(cursor, row->ref);
	for (unsigned int i = 0; i < LOOK_BACK_ROWS && trace_cursor_prev(cursor, &event); i++) {
		const char *name;

		if (i % 16 == 15 && spent_ns() > end)
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
			if (raw_field(shared->trace, &event, "pid") != pid)
				continue;
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
	struct place wakeup;
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
	text_printf(out, "%s runs %s-%d", prev ? ";" : " and", value(fields, nr, "next_comm"),
		    next);
	if (find_wakeup(shared, row, next, &wakeup) && wakeup.ts <= row->ts) {
		text_add(out, ", which waited ");
		shared_span(shared, time_between(wakeup.ts, row->ts), out);
		text_add(out, " since its wake-up");
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

	text_printf(out, "The ring buffer of CPU %d was full: ", row->cpu);
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
	const char	*sentence;	/* %field% is its value; %cpu% %task% %call%
					   %error% %runtime%: see say_special() */
} sentences[] = {
	{ "irq", "irq_handler_entry",
		"Interrupt %irq% (%name%) begins on CPU %cpu%, in the context of %task%." },
	{ "irq", "irq_handler_exit", "The handler of interrupt %irq% ends on CPU %cpu%: %ret%." },
	{ "irq", "softirq_entry", "Softirq %vec% begins on CPU %cpu%, in the context of %task%." },
	{ "irq", "softirq_exit", "Softirq %vec% ends on CPU %cpu%." },
	{ "irq", "softirq_raise", "Softirq %vec% is raised on CPU %cpu%." },
	{ "irq_vectors", "*_entry",
		"A CPU-local interrupt begins on CPU %cpu%, in the context of %task%." },
	{ "irq_vectors", "*_exit", "A CPU-local interrupt ends on CPU %cpu%." },
	{ "sched", "sched_process_fork",
		"%parent_comm%-%parent_pid% forks %child_comm%-%child_pid%." },
	{ "sched", "sched_process_exec", "%task% executes %filename%." },
	{ "sched", "sched_process_exit", "%comm%-%pid% exits." },
	{ "sched", "sched_process_wait", "%task% waits for a child." },
	{ "sched", "sched_migrate_task",
	  "%comm%-%pid% moves from CPU %orig_cpu% to CPU %dest_cpu%." },
	{ "sched", "sched_stat_runtime", "%comm%-%pid% has run for another %runtime%." },
	{ "task", "task_rename", "%oldcomm%-%pid% is renamed to %newcomm%." },
	{ "timer", "hrtimer_expire_entry",
	  "A high-resolution timer calls %function% on CPU %cpu%." },
	{ "timer", "timer_expire_entry", "A timer calls %function% on CPU %cpu%." },
	{ "power", "cpu_frequency", "CPU %cpu_id% changes its frequency to %state% kHz." },
	{ "syscalls", "sys_enter_*", "%task% enters the system call %call%." },
	{ "syscalls", "sys_exit_*", "%task% returns from the system call %call%%error%." },
	{ "raw_syscalls", "sys_enter", "%task% enters the system call number %id%." },
	{ "raw_syscalls", "sys_exit", "%task% returns from the system call number %id%%error%." },
	{ "exceptions", "page_fault_*", "%task% takes a page fault at %address%, from %ip%." },
	{ "ftrace", "funcgraph_entry", "%func% begins, at depth %depth%." },
	{ "ftrace", "function", "%ip% is called by %parent_ip%." },
	{ "ftrace", "print", "Written by %task% into trace_marker, or by trace_printk." },
	{ "ftrace", "bprint", "Written by trace_printk in %ip%." },
};

const char *words_error(int64_t returned)
{
#ifdef HAVE_STRERRORNAME_NP
	if (returned < 0 && returned >= -4095)
		return strerrorname_np((int)-returned);
#endif
	return NULL;
}

/* ": -11 EAGAIN" where a system call failed, ": 3" where it did not. */
static void say_error(const struct words_field *fields, unsigned int nr, struct text *out)
{
	long long ret = number(fields, nr, "ret");

	if (!field(fields, nr, "ret"))
		return;
	text_printf(out, ": %lld", ret);
	if (ret < 0 && ret >= -4095)
		text_printf(out, " %s", words_error(ret) ? words_error(ret) : strerror((int)-ret));
}

/* Durations of calls and run times are ns, whatever the clock of the rows. */
static void add_duration(int64_t ns, struct text *out)
{
	struct text t = { 0 };

	text_duration(&t, ns);
	text_trimmed(out, &t);
	text_fini(&t);
}

static bool say_special(const char *name, const struct row *row, const struct words_field *fields,
			unsigned int nr, struct text *out)
{
	const char *event = text_str(&row->name);

	if (!strcmp(name, "cpu"))
		text_printf(out, "%d", row->cpu);
	else if (!strcmp(name, "task"))
		text_printf(out, "%s-%d", text_str(&row->comm), row->pid);
	else if (!strcmp(name, "call"))
		text_add(out, strlen(event) > 10 ?
				      event + (event[4] == 'e' && event[5] == 'n' ? 10 : 9) :
				      event);
	else if (!strcmp(name, "error"))
		say_error(fields, nr, out);
	else if (!strcmp(name, "runtime") && number(fields, nr, name) >= 0)
		add_duration(number(fields, nr, name), out);
	else
		return false;
	return true;
}

static void say(const char *sentence, const struct row *row, const struct words_field *fields,
		unsigned int nr, struct text *out)
{
	while (*sentence) {
		const char *end = *sentence == '%' ? strchr(sentence + 1, '%') : NULL;
		struct text name = { 0 };

		if (!end) {
			text_char(out, *sentence++);
			continue;
		}
		text_bytes(&name, sentence + 1, end - sentence - 1);
		if (!say_special(name.data, row, fields, nr, out))
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

/* Does the sentence contain %name%?  %error% prints ret. */
static bool sentence_tells(const char *sentence, const char *name)
{
	size_t len = strlen(name);

	if (!strcmp(name, "ret") && strstr(sentence, "%error%"))
		return true;
	for (const char *at = sentence; len && (at = strstr(at, name)) != NULL; at += len)
		if (at > sentence && at[-1] == '%' && at[len] == '%')
			return true;
	return false;
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
		text_printf(out, "%s returns after ",
			    field(fields, nr, "func") ? value(fields, nr, "func") : "It");
		add_duration(row->duration, out);
		if (text_duration_mark(row->duration) != ' ')
			text_printf(out, " (%c)", text_duration_mark(row->duration));
		text_char(out, '.');
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
		if (row->ts < row->key) {
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
	case TRACE_ROW_TEXT:
		return;
	}
}
