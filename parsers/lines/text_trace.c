/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/lines/text_trace.h"

#include <limits.h>
#include <string.h>

#include "parsers/lines/text_trace_private.h"

/* a line's time must be within this many bytes; names of tasks are short */
#define PREFIX_MAX	256u
#define MAX_TASK_COLUMN	40u		/* of function_graph */
#define LOG_STAMP	24u		/* bytes, at most, of a time in the kernel's log */
#define MOST_IN_HEADER	(INT64_MAX / 1000)
#define BUFFER_STARTED	"##### CPU "

/* --- slices ---------------------------------------------------------------------- */

/* The text after a word; "" and false if the word is not there. */
static bool text_after(struct text_slice t, const char *word, struct text_slice *rest)
{
	const char *at = memmem(t.s, t.len, word, strlen(word));

	*rest = nothing;
	if (!at)
		return false;
	at += strlen(word);
	*rest = slice(at, (size_t)(t.s + t.len - at));
	return true;
}

/* The text before a word, or all of it. */
static struct text_slice text_before(struct text_slice t, const char *word)
{
	const char *at = memmem(t.s, t.len, word, strlen(word));

	return at ? slice(t.s, (size_t)(at - t.s)) : t;
}

static size_t nr_digits(struct text_slice t)
{
	size_t n = 0;

	while (n < t.len && is_digit(t.s[n]))
		n++;
	return n;
}

/* The number at the start; 0 if there are no digits, UINT64_MAX if there are too many. */
static uint64_t leading_number(struct text_slice t)
{
	size_t n = nr_digits(t);
	uint64_t v = 0;

	for (size_t i = 0; i < n; i++) {
		if (v > (UINT64_MAX - 9) / 10)
			return UINT64_MAX;
		v = v * 10 + (uint64_t)(t.s[i] - '0');
	}
	return v;
}

static bool small_number(struct text_slice t, int *out)
{
	size_t n = nr_digits(t);
	uint64_t v = leading_number(t);

	if (!n || n != t.len || v > INT_MAX)
		return false;
	*out = (int)v;
	return true;
}

unsigned int slice_listed(struct text_slice t, const char *list)
{
	size_t len;

	for (unsigned int nr = 1; *list; nr++, list += len + (list[len] == ' ')) {
		bool ends = *list == '*', begins;
		size_t fixed;

		len = strcspn(list, " ");
		begins = list[len - 1] == '*';
		fixed = len - ends - begins;
		if ((ends || begins ? t.len >= fixed : t.len == fixed) &&
		    !memcmp(ends ? t.s + t.len - fixed : t.s, list + ends, fixed))
			return nr;
	}
	return 0;
}

/* Cut blanks off the end. */
static void chop_blanks(struct text_slice *t)
{
	while (t->len && t->s[t->len - 1] == ' ')
		t->len--;
}

/* Cut off the last word and return it; "" at the start or after a blank. */
static struct text_slice chop_word(struct text_slice *t)
{
	size_t end = t->len;

	while (t->len && t->s[t->len - 1] != ' ')
		t->len--;
	return slice(t->s + t->len, end - t->len);
}

/* "  COMM-PID": the pid follows the last dash, because names may contain dashes and blanks. */
static bool split_task(struct text_slice t, struct text_slice *comm, int *pid)
{
	size_t dash = t.len;

	while (dash && is_digit(t.s[dash - 1]))
		dash--;
	if (!dash || t.s[dash - 1] != '-' || !small_number(slice_from(t, dash), pid))
		return false;
	*comm = trimmed(slice(t.s, dash - 1));
	return true;
}

bool text_fixed_number(struct text_slice t, unsigned int decimals, int64_t *out)
{
	bool negative = begins_with(t, "-");
	size_t n = nr_digits(slice_from(t, negative));
	uint64_t v = leading_number(slice_from(t, negative));

	t = slice_from(t, negative + n);
	if (!n || n > 18 || slice_is(t, "."))
		return false;
	t = slice_from(t, begins_with(t, "."));
	if (nr_digits(t) != t.len)
		return false;
	for (unsigned int i = 0; i < decimals; i++)
		if (__builtin_mul_overflow(v, 10, &v) ||
		    __builtin_add_overflow(v, i < t.len ? (uint64_t)(t.s[i] - '0') : 0, &v))
			return false;
	if (v > INT64_MAX)
		return false;
	*out = negative ? -(int64_t)v : (int64_t)v;
	return true;
}

static bool has_point(struct text_slice t)
{
	return memchr(t.s, '.', t.len);
}

/* "12.345": seconds in ns, with a point. */
static bool seconds(struct text_slice t, int64_t *out)
{
	return has_point(t) && text_fixed_number(t, 9, out);
}

/* "12.345 us" in ns */
static bool microseconds(struct text_slice t, const char *unit, int64_t *out)
{
	return ends_with(t, unit) && text_fixed_number(slice(t.s, t.len - strlen(unit)), 3, out);
}

/* --- the header --------------------------------------------------------------------- */

/* The picture above the columns: "| / _----=> need-resched" names one, "|||||| time" ends it. */
static void header_legend(struct text_trace_header *h, struct text_slice t)
{
	struct text_slice name;

	if (text_after(t, "-=> ", &name) && memchr(t.s, '_', t.len)) {
		name = trimmed(name);
		if (!begins_with(name, "CPU#") && h->nr_flags < TEXT_TRACE_MAX_FLAGS)
			h->flag_names[h->nr_flags++] = name;
	}
}

/* The number after a word; 0 if it is not there. */
static int64_t number_after(struct text_slice t, const char *word)
{
	bool negative;
	uint64_t v;

	if (!text_after(t, word, &t))
		return 0;
	negative = begins_with(t, "-");
	v = leading_number(slice_from(t, negative));
	if (v > MOST_IN_HEADER)
		v = MOST_IN_HEADER;
	return negative ? -(int64_t)v : (int64_t)v;
}

/* "latency: 3081 us, #4/4, CPU#0 | (M:preempt VP:0, KP:0, SP:0 HP:0 #P:2)" */
static void header_latency(struct text_trace_header *h, struct text_slice t)
{
	struct text_slice entries, model;

	h->has_latency = true;
	h->latency_ns = number_after(t, "latency: ") * 1000;
	text_after(t, " us, ", &entries);
	h->shown = number_after(entries, "#");
	h->written = number_after(entries, "/");
	h->cpu = number_after(t, "CPU#");
	h->nr_cpus = number_after(t, "#P:");
	text_after(t, "(M:", &model);
	h->preemption = text_before(model, " VP:");
}

/* "wl-rt-137 (uid:0 nice:0 policy:6 rt_prio:0)" */
static void header_task(struct text_trace_header *h, struct text_slice t)
{
	if (!split_task(text_before(t, " (uid:"), &h->comm, &h->pid))
		return;
	h->uid = number_after(t, "(uid:");
	h->nice = number_after(t, "nice:");
	h->policy = number_after(t, "policy:");
	h->rt_prio = number_after(t, "rt_prio:");
}

static void header_line(struct text_trace_header *h, struct text_slice t)
{
	struct text_slice rest;

	if (text_after(t, "# tracer: ", &rest))
		h->tracer = trimmed(rest);
	else if (text_after(t, " latency trace v", &rest) && text_after(rest, " on ", &rest))
		h->kernel = trimmed(rest);
	else if (begins_with(t, "# latency: "))
		header_latency(h, t);
	else if (text_after(t, "| task: ", &rest))
		header_task(h, rest);
	else if (text_after(t, "=> started at: ", &rest))
		h->started_at = trimmed(rest);
	else if (text_after(t, "=> ended at: ", &rest))
		h->ended_at = trimmed(rest);
	else if (text_after(t, " DURATION ", &rest))
		h->has_durations = true;
	else
		header_legend(h, t);
}

static uint64_t line_end(const char *text, uint64_t size, uint64_t pos)
{
	const char *end = memchr(text + pos, '\n', (size_t)(size - pos));

	return end ? (uint64_t)(end - text) : size;
}

static struct text_slice line_between(const char *text, uint64_t pos, uint64_t end)
{
	return line_content(text + pos, text + end);
}

void text_trace_header(const char *text, uint64_t size, struct text_trace_header *header)
{
	*header = (struct text_trace_header){
		.tracer = nothing, .preemption = nothing, .kernel = nothing, .comm = nothing,
		.started_at = nothing, .ended_at = nothing,
	};
	for (uint64_t pos = 0, end; pos < size && text[pos] == '#'; pos = end + 1) {
		struct text_slice line;

		end = line_end(text, size, pos);
		line = line_between(text, pos, end);
		if (begins_with(line, BUFFER_STARTED))	/* the first line of the events */
			break;
		header_line(header, line);
	}
}

/* --- lines ------------------------------------------------------------------------------ */

/* "COMM-PID  0d..1.": CPU and flags are one word. */
static bool latency_head(struct text_slice head, struct text_line *line)
{
	struct text_slice word;
	size_t n;

	chop_blanks(&head);
	word = chop_word(&head);
	n = nr_digits(word);
	chop_blanks(&head);
	if (word.len - n < 3 || word.len - n > TEXT_TRACE_MAX_FLAGS ||
	    !small_number(slice(word.s, n), &line->cpu) ||
	    !split_task(head, &line->comm, &line->pid))
		return false;
	line->flags = slice_from(word, n);
	line->head_len = (size_t)(line->flags.s - line->line.s);
	return true;
}

/* "COMM-PID (TGID) [001] d..1.": flags and thread group may be missing. */
static bool usual_head(struct text_slice head, struct text_line *line)
{
	struct text_slice word, flags = nothing;

	chop_blanks(&head);
	word = chop_word(&head);
	if (!begins_with(word, "[")) {
		flags = word;
		chop_blanks(&head);
		word = chop_word(&head);
	}
	if (word.len < 3 || word.s[0] != '[' || word.s[word.len - 1] != ']' ||
	    flags.len > TEXT_TRACE_MAX_FLAGS ||
	    !small_number(slice(word.s + 1, word.len - 2), &line->cpu))
		return false;
	chop_blanks(&head);
	if (ends_with(head, ")")) {
		const char *open = memrchr(head.s, '(', head.len);

		head.len = open ? (size_t)(open - head.s) : 0;
		chop_blanks(&head);
	}
	if (!split_task(head, &line->comm, &line->pid))
		return false;
	line->flags = flags;
	line->head_len = (size_t)(word.s + word.len + 1 - line->line.s);
	return true;
}

/* "    COMM    PID   1 9 00000001 00000000 [0227d32a]": option verbose, in columns. */
static bool verbose_head(struct text_slice head, struct text_line *line)
{
	struct text_slice words[6];

	for (int i = 5; i >= 0; i--) {		/* pid, cpu, flags, preempt count, index, [time] */
		chop_blanks(&head);
		words[i] = chop_word(&head);
	}
	if (!begins_with(words[5], "[") || !small_number(words[1], &line->cpu) ||
	    !small_number(words[0], &line->pid))
		return false;
	line->comm = trimmed(head);
	return true;
}

/* Parse everything before a ": " that may end the time.  Sets the line's parts on success. */
static bool try_prefix(struct text_slice t, struct text_line *line)
{
	const char *mark = t.s + t.len - 1;
	struct text_slice number;

	if (t.len > 4 && is_mark(*mark) && !memcmp(mark - 2, "us", 2)) {
		t.len--;
		number = chop_word(&t);
		if (!microseconds(number, "us", &line->time) || !latency_head(t, line))
			return false;
		line->time_kind = TEXT_TIME_RELATIVE;
		line->mark = *mark;
	} else if (t.len > 4 && ends_with(t, "ms)")) {
		chop_word(&t);			/* (+0.020ms) */
		chop_blanks(&t);
		number = chop_word(&t);
		if (!ends_with(number, "ms") ||
		    !text_fixed_number(slice(number.s, number.len - 2), 6, &line->time) ||
		    !verbose_head(t, line))
			return false;
		line->time_kind = TEXT_TIME_RELATIVE;
	} else {
		number = chop_word(&t);
		if (!text_fixed_number(number, has_point(number) ? 9 : 0, &line->time))
			return false;
		if (!usual_head(t, line) && !latency_head(t, line))
			return false;
		line->time_kind = has_point(number) ? TEXT_TIME_ABSOLUTE : TEXT_TIME_COUNT;
		line->has_ns = has_point(number) && number.len > 7 &&
			       !has_point(slice_from(number, number.len - 7));
	}
	return true;
}

const bool text_name_chars[256] = {
	['0' ... '9'] = true, ['A' ... 'Z'] = true, ['_'] = true, ['a' ... 'z'] = true,
};

static bool parse_event(struct text_slice t, struct text_line *line)
{
	size_t limit = t.len < PREFIX_MAX ? t.len : PREFIX_MAX, i = 0;
	const char *colon;

	while (++i < limit && (colon = memchr(t.s + i, ':', limit - i))) {
		i = (size_t)(colon - t.s);
		/* an event without text may end the line right after its colon */
		if (i + 1 < t.len && t.s[i + 1] != ' ')
			continue;
		if (!try_prefix(slice(t.s, i), line))
			continue;
		line->kind = TEXT_LINE_EVENT;
		line->text = slice_from(t, i + 2 <= t.len ? i + 2 : t.len);
		line->event = event_name(line->text);
		return true;
	}
	return false;
}

/* Up to the next bar, which is skipped. */
static bool next_column(struct text_slice *t, struct text_slice *column)
{
	const char *bar = memchr(t->s, '|', t->len);

	if (!bar)
		return false;
	*column = trimmed(slice(t->s, (size_t)(bar - t->s)));
	*t = slice_from(*t, (size_t)(bar + 1 - t->s));
	return true;
}

/* "   wl-67      |": the first column, if it is a task.  Names are cut to 7 characters here. */
static void graph_task(struct text_slice *t, struct text_line *line)
{
	struct text_slice rest = *t, column;

	while (next_column(&rest, &column) && (size_t)(rest.s - t->s) <= MAX_TASK_COLUMN) {
		column = trimmed(slice(t->s, (size_t)(rest.s - 1 - t->s)));
		if (split_task(column, &line->comm, &line->pid)) {
			*t = rest;
			return;
		} /* a name may contain a bar */
	}
}

/* "  d.... |" */
static void graph_flags(struct text_slice *t, struct text_line *line)
{
	struct text_slice rest = *t, column;

	if (!next_column(&rest, &column) || column.len < 3 || column.len > TEXT_TRACE_MAX_FLAGS ||
	    memchr(column.s, ' ', column.len) || memchr(column.s, '=', column.len))
		return;
	line->flags = column;
	*t = rest;
}

/* "! 335.212 us  |", or blank, and the two blanks behind it. */
static bool graph_duration(struct text_slice *t, struct text_line *line)
{
	struct text_slice rest = *t, column;
	char mark = line->mark;

	if (!next_column(&rest, &column))
		return false;
	if (column.len > 1 && is_mark(column.s[0])) {
		mark = column.s[0];
		column = trimmed(slice_from(column, 1));
	}
	if (column.len &&
	    (!microseconds(column, " us", &line->duration_ns) || line->duration_ns < 0)) {
		line->duration_ns = -1;
		return false;
	}
	line->mark = mark;
	for (int i = 0; i < 2 && begins_with(rest, " "); i++)
		rest = slice_from(rest, 1);
	*t = rest;
	return true;
}

/* "       0 us |" or "   28.877936 |" */
static void graph_time(struct text_slice *t, struct text_line *line)
{
	struct text_slice rest = *t, column;

	if (!next_column(&rest, &column))
		return;
	if (!has_point(column) && microseconds(column, " us", &line->time))
		line->time_kind = TEXT_TIME_RELATIVE;
	else if (seconds(column, &line->time))
		line->time_kind = TEXT_TIME_ABSOLUTE;
	else
		return;
	*t = rest;
}

/* " 0) " */
static void graph_cpu(struct text_slice *t, struct text_line *line)
{
	struct text_slice rest = without_blanks(*t);
	size_t n = nr_digits(rest);

	if (n && n < rest.len && rest.s[n] == ')' && small_number(slice(rest.s, n), &line->cpu))
		*t = slice_from(rest, n + 1);
}

/* "  wl-pong-241   =>  wl-ping-238  ", after the CPU */
static bool graph_switch(struct text_slice t, struct text_line *line)
{
	for (struct text_slice next = t; text_after(next, " => ", &next);)
		if (split_task(trimmed(slice(t.s, (size_t)(next.s - 4 - t.s))), &line->from_comm,
			       &line->from_pid) &&
		    split_task(trimmed(next), &line->comm, &line->pid)) {
			line->kind = TEXT_LINE_SWITCH;
			return true;
		}
	return false;
}

/* "f() {", "f(a=1); /" "* ret=0x1 *" "/", "} /" "* f *" "/" and comments, which events are. */
static bool looks_like_call(struct text_slice t)
{
	size_t n;

	t = trimmed(t);
	if (begins_with(t, "/* ") || begins_with(t, "}"))
		return true;
	n = name_length(t, '.');
	if (n + 2 < t.len && t.s[n] == ' ' && t.s[n + 1] == '[')	/* a module */
		return memmem(t.s, t.len, "](", 2);
	return n && n < t.len && t.s[n] == '(' &&
	       (t.s[t.len - 1] == ';' || memchr(t.s, '{', t.len) || memmem(t.s, t.len, ");", 2));
}

static bool begins_as_graph(struct text_slice t)
{
	t = without_blanks(t);
	return t.len && (is_digit(*t.s) || is_mark(*t.s) || *t.s == '-' || *t.s == '|');
}

/* Columns that options switch on and off, then the call. */
static bool parse_graph(struct text_slice t, struct text_line *line)
{
	struct text_slice behind_cpu;
	const char *start = t.s;
	bool timed;

	if (!begins_as_graph(t))
		return false;
	graph_cpu(&t, line);
	if (line->cpu < 0) {
		graph_time(&t, line);
		graph_cpu(&t, line);
	}
	behind_cpu = t;
	timed = graph_duration(&t, line);
	if (!timed && t.s != start) {
		graph_task(&t, line);
		graph_flags(&t, line);
		timed = graph_duration(&t, line);
	}
	if (t.s == start || (!timed && line->cpu < 0))
		return false;
	if (!timed && begins_with(t, " "))
		t = slice_from(t, 1);
	line->text = t;
	if (looks_like_call(t)) {
		line->kind = TEXT_LINE_GRAPH;
		return true;
	}
	if (line->cpu >= 0 && line->time_kind == TEXT_TIME_NONE && graph_switch(behind_cpu, line))
		return true;
	t = trimmed(t);
	if (!slice_listed(t, "==========>* <==========*"))	/* interrupts */
		return false;
	line->kind = TEXT_LINE_COMMENT;
	return true;
}

void graph_of_event(struct text_line *line)
{
	struct text_slice t = slice(line->event.s + line->event.len + 1,
				    line->text.len - line->event.len - 1);

	if (!is_call_event(line->event))
		return;
	if (begins_with(trimmed(t), "--> ")) {
		t = trimmed(t);
	} else if (!graph_duration(&t, line) || !looks_like_call(t)) {
		line->duration_ns = -1;
		return;
	}
	line->kind = TEXT_LINE_GRAPH;
	line->text = t;
}

void text_trace_as_graph(struct text_line *line, bool bare)
{
	struct text_slice t;

	if (line->kind != TEXT_LINE_GRAPH && (line->kind != TEXT_LINE_PLAIN || !bare))
		return;
	t = trimmed(line->text);
	if (line->kind == TEXT_LINE_PLAIN) {
		if (slice_listed(t, "}* ------* (Overruns:*"))
			line->kind = TEXT_LINE_COMMENT;
		else if (looks_like_call(t))
			line->kind = TEXT_LINE_GRAPH;
	}
	if (line->kind != TEXT_LINE_GRAPH || !begins_with(t, "/* "))
		return;
	line->kind = TEXT_LINE_EVENT;
	line->text = slice_from(t, 3);
	if (ends_with(line->text, " */"))
		line->text.len -= 3;
	line->event = event_name(line->text);
}

static struct text_slice first_word(struct text_slice *t)
{
	struct text_slice word = slice(t->s, length_until(*t, ' ', ' ', ' '));

	*t = without_blanks(slice_from(*t, word.len));
	return word;
}

/* mmiotrace: "R WIDTH TIME MAP …", "MAP TIME MAP …", without task and CPU. */
static bool access_time(struct text_slice t, struct text_line *line)
{
	struct text_slice word = first_word(&t);

	if (!slice_listed(word, "R W MAP* UNMAP* UNKNOWN* MARK*"))
		return false;
	if (word.len == 1)
		first_word(&t);
	if (!seconds(first_word(&t), &line->time))
		return false;
	line->time_kind = TEXT_TIME_ABSOLUTE;
	return true;
}

/* The blk tracer with option blk_classic: "254,0    0    18.945187756   962  Q  RS 0 + 128 [dd]" */
static bool classic_request(struct text_slice t, struct text_line *line)
{
	struct text_slice device = first_word(&t), cpu = first_word(&t), time = first_word(&t);

	if (!memchr(device.s, ',', device.len) || !nr_digits(device) ||
	    !small_number(cpu, &line->cpu) || !seconds(time, &line->time) ||
	    !small_number(first_word(&t), &line->pid)) {
		line->cpu = line->pid = -1;
		return false;
	}
	line->time_kind = TEXT_TIME_ABSOLUTE;
	line->has_ns = true;
	return true;
}

void text_trace_as_event(struct text_line *line)
{
	struct text_slice t = line->text;

	if (line->kind != TEXT_LINE_PLAIN)
		return;
	if (access_time(t, line) || classic_request(t, line)) {
		line->kind = TEXT_LINE_EVENT;
		return;
	}
	line->event = event_name(t);
	if (line->event.len || begins_with(t, "sys_") || begins_with(t, "<stack trace>") ||
	    begins_with(t, "<user stack trace>") || memmem(t.s, t.len, " <-", 3))
		line->kind = TEXT_LINE_EVENT;
}

static bool begins_as_lost(struct text_slice t)
{
	return begins_with(t, "CPU:") || begins_with(t, BUFFER_STARTED);
}

/*
 * The kernel's "CPU:1 [LOST 5 EVENTS]" and, where it has overwritten what was before, "##### CPU 1
 * buffer started ####"; trace-cmd's "CPU:1 [5 EVENTS DROPPED]" and "CPU:1 [EVENTS DROPPED]".
 */
static bool parse_lost(struct text_slice t, struct text_line *line)
{
	bool is_start = begins_with(t, BUFFER_STARTED);
	struct text_slice rest, what;
	int cpu;

	if (!begins_as_lost(t))
		return false;
	text_after(t, is_start ? BUFFER_STARTED : "CPU:", &rest);
	if (!small_number(slice(rest.s, nr_digits(rest)), &cpu))
		return false;
	if (!is_start) {
		if (!text_after(rest, " [", &rest) || (!text_after(rest, "LOST ", &what) &&
						       !text_after(rest, "EVENTS DROPPED", &what)))
			return false;
		line->lost = leading_number(begins_with(rest, "LOST ") ? what : rest);
	}
	line->cpu = cpu;
	line->kind = TEXT_LINE_LOST;
	return true;
}

static bool is_stack_line(struct text_slice t)
{
	return begins_with(without_blanks(t), "=> ");
}

static void parse_line(struct text_slice t, struct text_line *line)
{
	reset_line(line, t);
	if (parse_lost(t, line))
		return;
	if (begins_with(t, "#")) {
		line->kind = TEXT_LINE_COMMENT;
	} else if (is_stack_line(t)) {
		line->kind = TEXT_LINE_STACK;
		line->text = trimmed(slice_from(without_blanks(t), 3));
	} else if (!parse_graph(t, line)) {
		reset_line(line, t);
		if (!parse_event(t, line))
			reset_line(line, t);
		else if (begins_as_graph(t) || begins_as_lost(t))
			line->head_len = 0;
	}
}

/* The kernel's log puts "<4>", "[   12.345678] ", "[   12.345678][    C0] " before each line. */
static struct text_slice without_log(struct text_slice t)
{
	const char *end = begins_with(t, "<") ? memchr(t.s, '>', t.len < 5 ? t.len : 5) : NULL;
	size_t n;

	if (end && nr_digits(slice_from(t, 1)) == (size_t)(end - t.s - 1))
		t = slice(end + 1, (size_t)(t.s + t.len - end - 1));
	for (bool is_first = true; begins_with(t, "["); is_first = false) {
		struct text_slice stamp = without_blanks(slice_from(t, 1));

		n = nr_digits(stamp);
		end = memchr(stamp.s, ']', stamp.len < LOG_STAMP ? stamp.len : LOG_STAMP);
		if (!end || (is_first && (!n || n >= stamp.len || stamp.s[n] != '.')) ||
		    (!is_first && !begins_with(stamp, "C") && !begins_with(stamp, "T")))
			break;
		t = slice(end + 1, (size_t)(t.s + t.len - end - 1));
	}
	return begins_with(t, " ") ? slice_from(t, 1) : t;
}

/* A line of the log that is none of a trace tells nothing. */
static void parse_logged(struct text_slice whole, struct text_line *line)
{
	struct text_slice t = without_log(whole);

	parse_line(t, line);
	if (line->kind == TEXT_LINE_PLAIN && t.s > whole.s + 1)
		line->kind = TEXT_LINE_COMMENT;
	line->line = whole;
	line->head_len = 0;
}

uint64_t text_trace_line(const char *text, uint64_t size, uint64_t pos, struct text_line *line)
{
	uint64_t end = line_end(text, size, pos);

	if (pos < end && (text[pos] == '<' || text[pos] == '['))
		parse_logged(line_between(text, pos, end), line);
	else
		parse_line(line_between(text, pos, end), line);
	if (line->event.len)
		graph_of_event(line);
	return end < size ? end + 1 : size;
}

/* "f();", also with arguments or a return value; neither "f() {" nor "}" nor an event's comment. */
static bool is_leaf(struct text_slice text)
{
	text = trimmed(text);
	return text.len && text.s[0] != '}' && text.s[0] != '/' && text.s[text.len - 1] != '{' &&
	       (ends_with(text, ");") || memmem(text.s, text.len, ");", 2));
}

/* The word behind another one: up to a blank or a bracket. */
static struct text_slice word_after(struct text_slice t, const char *word)
{
	return text_after(t, word, &t) ? slice(t.s, length_until(t, ' ', ')', ')')) : nothing;
}

/* "--> f (3) <- g" */
static void arrow_call(struct text_slice t, struct text_call *call)
{
	struct text_slice depth;

	call->kind = TEXT_CALL_ENTRY;
	call->func = text_before(t, " ");
	call->caller = word_after(t, " <- ");
	if (text_after(t, " (", &depth))
		small_number(slice(depth.s, nr_digits(depth)), &call->depth);
}

void text_line_call(const struct text_line *line, struct text_call *call)
{
	struct text_slice s = without_blanks(line->text), note = nothing, comment = nothing;
	bool more;

	*call = (struct text_call){ .func = nothing, .caller = nothing, .value = nothing };
	if (line->kind != TEXT_LINE_GRAPH || !s.len || begins_with(s, "/*"))
		return;
	if (begins_with(s, "--> ")) {
		arrow_call(slice_from(s, 4), call);
		return;
	}
	call->depth = (int)((line->text.len - s.len) / 2 > INT_MAX ? INT_MAX :
								     (line->text.len - s.len) / 2);
	call->kind = *s.s == '}' ? TEXT_CALL_EXIT : is_leaf(s) ? TEXT_CALL_LEAF : TEXT_CALL_ENTRY;
	more = !strchr(";{}", s.s[s.len - 1]);
	if (more)
		text_after(s, "/* ", &comment);
	if (call->kind != TEXT_CALL_EXIT)
		note = s;
	else if (!begins_with(comment, "ret=") && !begins_with(comment, "<-"))
		note = comment;
	call->func = slice(note.s, length_until(note, ' ', '(', '('));
	if (begins_with(comment, "<-"))
		call->caller = word_after(comment, "<-");
	if (more && call->kind != TEXT_CALL_ENTRY)
		call->value = word_after(comment.len ? comment : s, "ret=");
}

/*
 * The flag in a column that the legend names; without a legend, in the column where kernels without
 * the RT patch have it.
 */
static char flag_of(const struct text_trace_header *header, const struct text_line *line,
		    const char *name, size_t usual)
{
	size_t at = header->nr_flags > 0 ? SIZE_MAX : usual;

	for (int i = 0; i < header->nr_flags && at == SIZE_MAX; i++)
		if (slice_listed(header->flag_names[i], name))
			at = (size_t)i;
	return at < line->flags.len && line->flags.s[at] ? line->flags.s[at] : '.';
}

/* kernel/trace/trace_output.c, trace_print_lat_fmt() */
void text_line_context(const struct text_trace_header *header, const struct text_line *line,
		       uint8_t *bits, uint8_t *preempt)
{
	char irqs_off = flag_of(header, line, "irqs-off*", 0),
	     need_resched = flag_of(header, line, "need-resched", 1),
	     lazy = flag_of(header, line, "need-resched-lazy", SIZE_MAX);
	char context = flag_of(header, line, "hardirq/softirq*", 2);

	*bits = (uint8_t)((strchr("dD", irqs_off) ? 0x01 : 0) |
			  (strchr("lLbB", need_resched) || lazy == 'L' ? 0x02 : 0) |
			  (strchr("nNbB", need_resched) ? 0x04 : 0) |
			  (strchr("hHZ", context) ? 0x08 : 0) | (strchr("sH", context) ? 0x10 : 0) |
			  (strchr("pNLB", need_resched) ? 0x20 : 0) |
			  (strchr("zZ", context) ? 0x40 : 0) | (strchr("bD", irqs_off) ? 0x80 : 0));
	*preempt = (uint8_t)((digit_of(flag_of(header, line, "preempt-depth*", 3)) & 15) |
			     (digit_of(flag_of(header, line, "migrate-disable*", 4)) & 15) << 4);
}
