/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/rows/words.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "src/events/known_events.h"
#include "src/events/template.h"

/* limits of a search backwards; ns are CPU time, not wall time, so that load does not matter */
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
 * Bits of prev_state since Linux 4.14: the lowest one that is set counts.  Then letters of older
 * kernels.
 */
static const struct { char letter; const char *words; } states[] = {
	{ 'S', "sleeps" }, { 'D', "is blocked" }, { 'T', "is stopped" },
	{ 't', "is stopped by its tracer" },
	{ 'X', "is dead" }, { 'Z', "is a zombie" }, { 'P', "is parked" }, { 'I', "sleeps (idle)" },
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

/* The state from the letters that the kernel prints ("D|K"), if known, else from the bits. */
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
		mark = places_letter(&shared->at.places, wakeup.ref);
		if (mark)
			text_printf(out, " (%c)", mark);
	}
	text_char(out, '.');
}

static void say_lost(const struct shared *shared, const struct row *row, struct text *out)
{
	struct trace_stream_info info = trace_stream_info(shared->trace, row->stream);
	int decimals = shared_decimals(shared, 0);

	if (!row->lost_known && trace_is_thinned(shared->trace, (int)row->file))
		text_printf(
			out,
			"A filter of ftop-trace cut left events of CPU %d out, or its buffer was full: ",
			row->cpu);
	else if (!row->lost_known && row->gap_is_start)
		text_printf(out,
			    "Older events of CPU %d were overwritten, or dropped by record -m: ",
			    row->cpu);
	else
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

/* Durations of calls are ns, whatever the clock of the rows. */
static void add_duration(int64_t ns, struct text *out)
{
	struct text t = { 0 };

	text_duration(&t, ns);
	text_trimmed(out, &t);
	text_fini(&t);
}

/* What the value of a sentence is made from. */
struct saying {
	const struct row *row;
	const struct words_field *fields, *field;	/* field: the value's; or NULL */
	unsigned int	 nr;
	struct known_star star;		/* what * stands for in the event's name */
};

/* A latency tracer's own records have no caller. */
static void say_caller(const struct saying *s, struct text *out)
{
	if (strtoll(text_str(&s->field->raw), NULL, 0))
		text_printf(out, " by %s", shown(s->field));
}

/* Only the address of an end is known, not its map. */
static void say_mapping(const struct saying *s, struct text *out)
{
	const char *virt = value(s->fields, s->nr, "virt");
	long long opcode = strtoll(text_str(&s->field->raw), NULL, 0);

	if (opcode == 3)
		text_printf(out, "Map %s begins: %lld bytes of a device at %s, mapped to %s",
			    value(s->fields, s->nr, "map_id"), number(s->fields, s->nr, "len"),
			    value(s->fields, s->nr, "phys"), virt);
	else
		text_printf(out, "The map at %s %s", virt, opcode == 4 ? "ends" : "changes");
}

/* "synchronous write", from the block layer's letters: "WS" */
static void say_rw(const struct saying *s, struct text *out)
{
	static const struct { char letter; const char *words; } kinds[] = {
		{ 'A', "read-ahead" }, { 'W', "write" }, { 'R', "read" }, { 'D', "discard" },
		{ 'E', "erase" }, { 'Z', "zone operation" }, { 'F', "flush" },
	};
	const char *rwbs = shown(s->field);

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

/* Says where a woken task is to run; old kernels do not record it. */
static void say_target(const struct saying *s, struct text *out)
{
	text_printf(out, ", to run on CPU %s", shown(s->field));
}

/* ", 4 from now": until the field "expires" */
static void say_until(const struct saying *s, struct text *out)
{
	long long now = strtoll(text_str(&s->field->raw), NULL, 0);
	long long expires = number(s->fields, s->nr, "expires");

	if (expires >= now)
		text_printf(out, ", %lld from now", expires - now);
}

/* A system call's name, or its number. */
static void say_call(const struct saying *s, struct text *out)
{
	text_add(out, s->field->printed.len ? "" : "number ");
	text_add(out, shown(s->field));
}

/* Ways to show a value that need more than its number; known_events.c lists them, too. */
static const struct {
	const char	*how;
	void		(*say)(const struct saying *s, struct text *out);
	bool		 is_optional;	/* without the field, nothing is shown */
} ways[] = {
	{ "call", say_call, false },
	{ "caller", say_caller, true },
	{ "target", say_target, true },
	{ "until", say_until, true },
	{ "mapping", say_mapping, false },
	{ "rw", say_rw, false },
};

/* A text trace may have a word instead of the number: that is shown. */
static void say_number(const struct saying *s, const struct template_part *part, struct text *out)
{
	const char *raw = text_str(&s->field->raw);
	char *end;
	long long number = strtoll(raw, &end, 0);

	if (end == raw || !template_add_number(part, number, out))
		text_add(out, shown(s->field));
}

static void say_field(struct saying *s, const struct template_part *part, struct text *out)
{
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		if (!template_how_is(part, ways[i].how))
			continue;
		if (s->field)
			ways[i].say(s, out);
		else if (!ways[i].is_optional)
			text_char(out, '?');
		return;
	}
	if (!s->field)
		text_add(out, template_is_optional(part) ? "" : "?");
	else
		say_number(s, part, out);
}

/* What the * stands for; in words: "local timer" of local_timer_entry. */
static void say_star(const struct saying *s, const struct template_part *part, struct text *out)
{
	bool in_words = template_how_is(part, "words");

	for (size_t i = 0; i < s->star.len; i++)
		text_char(out, in_words && s->star.s[i] == '_' ? ' ' : s->star.s[i]);
}

static void say_name(struct saying *s, const struct template_part *part, struct text *out)
{
	if (template_name_is(part, "CPU")) {
		text_printf(out, "%d", s->row->cpu);
	} else if (template_name_is(part, "TASK")) {
		text_printf(out, "%s-%d", text_str(&s->row->comm), s->row->pid);
	} else if (template_name_is(part, "*")) {
		say_star(s, part, out);
	} else {
		s->field = NULL;
		for (unsigned int i = 0; i < s->nr && !s->field; i++)
			if (template_name_is(part, text_str(&s->fields[i].name)))
				s->field = &s->fields[i];
		say_field(s, part, out);
	}
}

static const char *sentence_of(const struct row *row, struct known_star *star)
{
	return known_events_text(KNOWN_SENTENCE, text_str(&row->system), text_str(&row->name),
				 star);
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

void words_complete(const struct row *row, struct words_field *fields, unsigned int nr)
{
	const char *event = text_str(&row->name), *sentence = sentence_of(row, NULL);

	for (unsigned int i = 0; i < nr; i++) {
		const char *name = text_str(&fields[i].name);

		if (!strcmp(name, "prev_state") && !fields[i].printed.len)
			state_letter(number(fields, nr, name), &fields[i].printed);
		if (!strcmp(event, "sched_switch"))
			fields[i].told = switch_tells(name, fields, nr);
		else if (row->duration >= 0)
			fields[i].told = !strcmp(name, "func");
		else
			fields[i].told = sentence && template_shows(sentence, name);
	}
}

static void say_event(const struct shared *shared, const struct row *row,
		      const struct words_field *fields, unsigned int nr, struct text *out)
{
	struct saying saying = { .row = row, .fields = fields, .nr = nr };
	const char *name = text_str(&row->name), *sentence;
	struct template_part part;

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
	sentence = sentence_of(row, &saying.star);
	while (sentence && template_next(&sentence, &part)) {
		text_bytes(out, part.text, part.text_len);
		if (part.name)
			say_name(&saying, &part, out);
	}
}

void words_row(const struct shared *shared, const struct row *row, const struct words_field *fields,
	       unsigned int nr, struct text *out)
{
	if (trace_follows_dropped(shared->trace, row->ref))
		text_printf(out, "Older records of CPU %d were overwritten.  ", row->cpu);
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
