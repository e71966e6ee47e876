/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/lines/text_trace.h"

#include <pthread.h>
#include <string.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "parsers/lines/text_slice.h"

#define MOST_IN_HEADER	(INT64_MAX / 1000)
#define BUFFER_STARTED	"##### CPU "
#define NAME_COLUMN	16		/* bytes of the column of tasks' names */
#define SHORT_NAME	8		/* in latency format */

/* --- slices ---------------------------------------------------------------------- */

bool slice_after(struct text_slice t, const char *word, struct text_slice *rest)
{
	const char *at = memmem(t.s, t.len, word, strlen(word));

	*rest = nothing;
	if (!at)
		return false;
	at += strlen(word);
	*rest = slice(at, (size_t)(t.s + t.len - at));
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

bool text_fixed_number(struct text_slice t, unsigned int decimals, int64_t *out)
{
	bool negative = begins_with(t, "-");
	size_t n, left;
	uint64_t v = digits_of(slice_from(t, negative), 10, &n);

	t = slice_from(t, negative + n);
	if (!n || n > 19 || slice_is(t, "."))
		return false;
	t = slice_from(t, begins_with(t, "."));
	digits_of(t, 10, &left);
	if (left != t.len)
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

static uint64_t line_end(const char *text, uint64_t size, uint64_t pos)
{
	const char *end = memchr(text + pos, '\n', (size_t)(size - pos));

	return end ? (uint64_t)(end - text) : size;
}

/* --- forms of lines ----------------------------------------------------------------------- */

#define COMM "(?<comm>.{0,255}?)"
#define PID "-(?<pid>\\d{1,9})"
#define ENDED_TASK " *(?::-1 +)?(?:-1/)?-1"	/* in perf script */
#define CPU "(?<cpu>\\d{1,9})"
#define NUMBER "-?\\d{1,19}(?:\\.\\d+)?"
#define SECONDS "(?<time>\\d{1,18}\\.\\d+)"
#define MARK "(?<mark>[ +!#*@$])"	/* trace_find_mark() */
/* trace-cmd report --ts-diff: "(+20)    ", blanks in the first line */
#define DIFFERENCE "(?:(?: {9}|\\(\\+-?\\d{1,19}\\) +)(?=\\w++:(?: |$)))?+"
#define TIME_COLUMN \
	"(?: *(?<time>-?\\d{1,18}(?:(?= us)|\\.\\d++(?! us)))(?: (?<unit>us))? *\\|)?+"
#define TASK_COLUMN "(?:(?! */\\* )(?<comm>.{0,38}?)" PID " *\\|)?+"
#define FLAGS_COLUMN "(?: *(?<flags>[^ |=]{3,12}) *\\|)?+"
#define DURATION " *(?:[+!#*@$]? *" NUMBER " us)? *\\|"
#define MARKED_DURATION \
	" *(?:" MARK "? *(?<duration>\\d{1,18}(?:\\.\\d+)?) us)? *(?<bar>\\|) {0,2}"
#define LOG_DATE "[A-Z][a-z]{2} [ \\d]\\d [\\d:]{8}"
#define FROM_KERNEL " kernel: "
#define LOG_HEAD 110		/* bytes in which this stands */
#define OF_MODULE "(?: \\[[^] ]*\\])?"
#define CALLED_FROM "(?:.*?/\\* <-(?<caller>[^ )]*" OF_MODULE "))?"
/* "ret=0x1"; kernels before 6.13: "/" "* = 0x1 *" "/" of a call, "/" "* f = -5 *" "/" of its end */
#define VALUE "(?:.*?(?:ret=| = )(?<value>[^ )]*))?"
/* "f() {", "f(a=1); /" "* ret=0x1 *" "/", "f [module]();", "} /" "* f *" "/", events' comments */
#define CALL \
	"(?<indent>[ \t]*+)(?:(?<exit>\\})" \
	"(?:.*?/\\* (?:<-(?<caller>[^ )]*" OF_MODULE ")" \
	"|(?!ret=|= )(?<func>[^ (]*" OF_MODULE ")))?" VALUE \
	"|(?<comment>/\\* )" \
	"|(?<func>[\\w.]++(?: \\[[^] ]*\\](?=\\()|(?=\\(.*(?:;[ \t]*$|\\{|\\);))))" \
	"(?:(?!.*\\{ *$).*?(?<leaf>\\);)" CALLED_FROM VALUE "|" CALLED_FROM "))"
#define ARROW \
	" *(?<indent>)--> (?<func>[^ ]*)(?: \\((?<depth>\\d{1,9})\\))?(?: <- (?<caller>[^ )]*))?"
#define COLUMNS_FROM(task) \
	TIME_COLUMN "(?: *" CPU "\\))?+" \
	"(?>" MARKED_DURATION "|(?:" task "(?!" DURATION ")" TASK_COLUMN FLAGS_COLUMN ")?+" \
	"(?:" MARKED_DURATION "|(?:(?<=[|)]) )?))"
#define COLUMNS COLUMNS_FROM("(?<=[|)])")

enum form_id {
	FORM_EVENT, FORM_VERBOSE, FORM_REMOTE, FORM_SAMPLE, FORM_FRAME, FORM_GRAPH, FORM_COLUMNS,
	FORM_BARE_CALL, FORM_CALL_EVENT, FORM_SWITCH, FORM_ACCESS, FORM_CLASSIC, FORM_STARTED,
	FORM_LOST, FORM_LOGGED, FORM_TASK, FORM_JOINED, NR_FORMS
};

/* Parts of a line, which groups of the forms catch. */
enum text_part {
	PART_COMM, PART_PID, PART_CPU, PART_FLAGS, PART_TIME, PART_UNIT, PART_MARK, PART_DURATION,
	PART_BAR, PART_FROM_COMM, PART_FROM_PID, PART_LOST, PART_HEAD, PART_INDENT, PART_DEPTH,
	PART_FUNC, PART_CALLER, PART_VALUE, PART_EXIT, PART_LEAF, PART_COMMENT, PART_EVENT,
	NR_PARTS
};
static const char *const part_names[] = {
	"comm", "pid", "cpu", "flags", "time", "unit", "mark", "duration", "bar", "from_comm",
	"from_pid", "lost", "head", "indent", "depth", "func", "caller", "value",
	"exit", "leaf", "comment", "event",
};
#define MOST_GROUPS 24			/* in an expression; a part may have several */

/*
 * How lines begin; the rest of a line is its text.  Quantifiers are possessive or bounded, so that
 * long lines take no longer than their length.
 */
static const char *const forms[NR_FORMS] = {
	/* "COMM-PID (TGID) [001] d..1.  8.123456: ", flags and TGID may be missing; latency format:
	 * "COMM-PID  0d..1.  12us+: ", --raw-ts: no blank behind five flags */
	[FORM_EVENT] = "(?!" ENDED_TASK " )" COMM PID
	" +(?:(?:\\([^)]{0,24}\\) +)?\\[" CPU "\\](?<head>) *"
	"(?:(?<flags>[^ :[][^ :]{0,11}) +)?|" CPU
	"(?:(?<flags>[^ \\d][^ ]{2,11}) +|(?<flags>[^ \\d][^ ]{3}[^ \\d])(?=\\d{12})))"
	"(?<time>" NUMBER ")(?:(?<unit>us)" MARK ")?:(?: " DIFFERENCE "|$)",
	/* option verbose, in columns: "COMM  PID   1 9 00000001 00000000 [0227d32a] 87.888ms
	 * (+0.015ms): " */
	[FORM_VERBOSE] = COMM " +(?<pid>\\d{1,9}) +" CPU " +[^ ]++ +[^ ]++ +[^ ]++ +"
			      "\\[[^ ]*+ +(?<time>" NUMBER
			      ")(?<unit>ms) +\\([^ )]*+(?<=ms)\\):(?: |$)",
	/* a remote, whose events have no task: "[001]<tab>    8.123456: NAME TEXT" */
	[FORM_REMOTE] = "\\[" CPU "\\]\t *" SECONDS ": (?=(?<event>\\w+)(?: |$))",
	/* perf script: "COMM  PID/TID [001]  8.123456:   PERIOD SYSTEM:EVENT: "; -F may leave out
	 * all but task, time and event.  The task -1 has ended. */
	[FORM_SAMPLE] = " *(?:(?<comm>[^ ].{0,63}?) +)?(?:-?\\d{1,9}/)?(?:(?<pid>\\d{1,9})|-1) +"
			"(?:\\[" CPU "\\] +)?(?<time>\\d{1,10}\\.\\d{6}(?:\\d{3})?): +"
			"(?=(?:\\d+ +)?(?!PERF_RECORD_)(?<event>[A-Za-z][^ ]{0,126}):(?: |$))",
	/* and below it: "\t  ADDRESS NAME+0x1 (FILE)" */
	[FORM_FRAME] = "\t *(?<indent>)(?<value>[\\da-f]{1,16})(?: (?<func>.{1,4096}?))??"
		       "(?: \\((?<caller>[^()]*(?: \\(deleted\\))?)\\))?$",
	/* function_graph, of whose columns options switch each on and off:
	 * "  0 us |  1)  wl-67  |  d.... | ! 335.212 us |  " */
	[FORM_GRAPH] = COLUMNS CALL,
	[FORM_COLUMNS] = COLUMNS,
	/* without a CPU or a time before it: "   wl-67  | " */
	[FORM_BARE_CALL] = COLUMNS_FROM("") CALL,
	/* trace-cmd's lines: "--> f (3) <- g", "        2.484 us   |            f();" */
	[FORM_CALL_EVENT] = "(?:" ARROW "|" MARKED_DURATION CALL ")",
	/* "  1)  wl-pong-241   =>  wl-ping-238  " */
	[FORM_SWITCH] = "(?= *" CPU "\\) *(?<from_comm>.{0,64}?)-(?<from_pid>\\d{1,9}) +=> +"
			"(?<comm>.{0,64}?)" PID " *$)",
	/* mmiotrace: "R WIDTH TIME MAP …", "MAP TIME MAP …" */
	[FORM_ACCESS] = "(?=(?:[RW] +[^ ]++|(?:MAP|UNMAP|UNKNOWN|MARK)[^ ]*+) +" SECONDS "(?: |$))",
	/* the blk tracer with option blk_classic: "254,0    0    18.945187756   962  Q …" */
	[FORM_CLASSIC] = "(?=\\d[^ ,]*,[^ ]*+ +" CPU " +" SECONDS " +(?<pid>\\d{1,9})(?: |$))",
	/* where the kernel has overwritten what was before: "##### CPU 1 buffer started ####" */
	[FORM_STARTED] = "(?=" BUFFER_STARTED CPU ")",
	/* the kernel's "CPU:1 [LOST 5 EVENTS]", trace-cmd's "CPU:1 [5 EVENTS DROPPED]" */
	[FORM_LOST] = "(?=CPU:" CPU ".{0,64}? \\[(?=.{0,64}(?:LOST |EVENTS DROPPED))(?:LOST )?"
		      "(?<lost>\\d{0,18}))",
	/*
	 * The kernel's log: "<4>", "[   12.345678] ", "[   12.345678][    C0] ", as dmesg -T has it
	 * "[Sun Nov 22 10:00:01 2026] ", as journalctl "Nov 22 10:00:01 host kernel: ".
	 */
	[FORM_LOGGED] = "(?:<\\d{0,3}>)?"
			"(?:(?:" LOG_DATE "|\\d{4}-[^ ]{1,40}) [^ ]{1,64}" FROM_KERNEL ")?"
			"(?:\\[(?: *\\d+\\.|[A-Z][a-z]{2} " LOG_DATE ")[^]]{0,24}\\]"
			"(?:\\[ *[CT][^]]{0,24}\\])*)? ?",
	[FORM_TASK] = "#  *\\| task: (?<comm>.*)" PID " \\(uid:",
	/* anywhere in a line: what stands before a record, where its columns are whole */
	[FORM_JOINED] = "(?<head>)(?: .{15}-\\d{1,7} +(?:\\([^)]{7,24}\\) )?\\[\\d{3,9}\\] +"
			"(?:[^ :[][^ :]{0,11} +)?\\d{1,18}(?:\\.\\d{6})?: |"
			".{8}-\\d{1,7} +\\d{1,9}[^ \\d][^ ]{2,11} +" NUMBER "us" MARK ": |"
			"CPU:\\d{1,9} \\[LOST \\d{1,18} EVENTS\\]$|" BUFFER_STARTED
			"\\d{1,9} buffer)",
};

static pcre2_code *codes[NR_FORMS];
static uint8_t parts_of[NR_FORMS][MOST_GROUPS + 1];	/* part that each group catches */
static pthread_once_t compiled = PTHREAD_ONCE_INIT;
static pthread_key_t match_key;

static void free_match_data(void *data)
{
	pcre2_match_data_free(data);
}

static void compile_forms(void)
{
	const uint32_t options = PCRE2_ANCHORED | PCRE2_DOLLAR_ENDONLY | PCRE2_DOTALL |
				 PCRE2_DUPNAMES;
	PCRE2_SIZE at;
	int error;

	pthread_key_create(&match_key, free_match_data);
	for (unsigned int i = 0; i < NR_FORMS; i++) {
		codes[i] = pcre2_compile((PCRE2_SPTR)forms[i], PCRE2_ZERO_TERMINATED,
					 i == FORM_JOINED ? options & ~PCRE2_ANCHORED : options,
					 &error, &at, NULL);
		if (codes[i])		/* without it, matching is only slower */
			pcre2_jit_compile(codes[i], PCRE2_JIT_COMPLETE);
		for (uint8_t k = 0; k < NR_PARTS; k++) {
			PCRE2_SPTR group, last;
			int bytes = pcre2_substring_nametable_scan(codes[i],
								   (PCRE2_SPTR)part_names[k],
								   &group, &last);

			for (; bytes > 0 && group <= last; group += bytes)
				parts_of[i][group[1]] = k;
		}
	}
}

/* Each thread has its own.  NULL: no memory. */
static pcre2_match_data *match_data(void)
{
	pcre2_match_data *data;

	pthread_once(&compiled, compile_forms);
	data = pthread_getspecific(match_key);
	if (!data) {
		data = pcre2_match_data_create(MOST_GROUPS + 1, NULL);
		pthread_setspecific(match_key, data);
	}
	return data;
}

/* The parts of a text of this form, "" of one that is not there; and what is behind it. */
static bool has_form(enum form_id form, struct text_slice t, struct text_slice parts[NR_PARTS],
		     struct text_slice *rest)
{
	pcre2_match_data *data = match_data();
	const PCRE2_SIZE *at;
	int found;

	if (!data)
		return false;
	found = pcre2_match(codes[form], (PCRE2_SPTR)t.s, t.len, 0, 0, data, NULL);
	at = pcre2_get_ovector_pointer(data);
	if (found <= 0)
		return false;
	for (unsigned int i = 0; i < NR_PARTS; i++)
		parts[i] = nothing;
	for (int i = 1; i < found; i++)
		if (at[2 * i] != PCRE2_UNSET)
			parts[parts_of[form][i]] = slice(t.s + at[2 * i],
							 at[2 * i + 1] - at[2 * i]);
	*rest = slice_from(t, at[1]);
	return true;
}

/* "8.123456" in seconds, "12us", "87.888ms", "3" */
static bool take_time(struct text_slice time, struct text_slice unit, struct text_line *line)
{
	const char *point = memchr(time.s, '.', time.len);
	unsigned int decimals = !unit.len ? (point ? 9 : 0) : *unit.s == 'u' ? 3 : 6;

	if (!text_fixed_number(time, decimals, &line->time))
		return false;
	line->time_kind = unit.len ? TEXT_TIME_RELATIVE :
			  point    ? TEXT_TIME_ABSOLUTE :
				     TEXT_TIME_COUNT;
	line->has_ns = !unit.len && point && time.s + time.len - point > 7;
	return true;
}

static struct text_call call_of(const struct text_slice parts[NR_PARTS])
{
	return (struct text_call){
		.kind = parts[PART_EXIT].len    ? TEXT_CALL_EXIT :
			parts[PART_LEAF].len    ? TEXT_CALL_LEAF :
			parts[PART_COMMENT].len ? TEXT_CALL_NONE :
						  TEXT_CALL_ENTRY,
		.depth = (int)(parts[PART_DEPTH].len ? digits_of(parts[PART_DEPTH], 10, NULL) :
						       parts[PART_INDENT].len / 2),
		.func = parts[PART_FUNC],
		.caller = parts[PART_CALLER],
		.value = parts[PART_VALUE],
	};
}

/* Parse a line as this form, and set what its text tells.  False: it is not of this form. */
static bool take_form(enum form_id form, struct text_slice t, struct text_line *line)
{
	struct text_slice parts[NR_PARTS], rest;
	struct {
		enum text_part part;
		int *to;
	} const numbers[] = { { PART_PID, &line->pid }, { PART_CPU, &line->cpu },
			      { PART_FROM_PID, &line->from_pid } };

	if (!has_form(form, t, parts, &rest))
		return false;
	if (parts[PART_TIME].len && !take_time(parts[PART_TIME], parts[PART_UNIT], line))
		return false;
	if (parts[PART_DURATION].len &&
	    !text_fixed_number(parts[PART_DURATION], 3, &line->duration_ns))
		return false;
	for (unsigned int i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (parts[numbers[i].part].len)
			*numbers[i].to = (int)digits_of(parts[numbers[i].part], 10, NULL);
	if (parts[PART_COMM].len)
		line->comm = trimmed(parts[PART_COMM]);
	if (parts[PART_EVENT].len)
		line->event = parts[PART_EVENT];
	if (parts[PART_FLAGS].len)
		line->flags = parts[PART_FLAGS];
	line->from_comm = trimmed(parts[PART_FROM_COMM]);
	if (parts[PART_MARK].len)
		line->mark = *parts[PART_MARK].s;
	line->lost = digits_of(parts[PART_LOST], 10, NULL);
	if (parts[PART_HEAD].s != nothing.s)
		line->head_len = (size_t)(parts[PART_HEAD].s - t.s);
	line->has_duration = parts[PART_BAR].len;
	line->text = rest;
	if (parts[PART_INDENT].s != nothing.s) {
		line->text = slice_from(t, (size_t)(parts[PART_INDENT].s - t.s));
		line->call = call_of(parts);
	}
	return true;
}

/* --- the header --------------------------------------------------------------------- */

#define VALUE_OF(member) offsetof(struct text_trace_header, member)

/* What stands behind a word in a line of the header, and where it is kept. */
static const struct {
	const char *line, *word;	/* the line has both */
	char	    end;		/* before which a text ends; NUL: the value is a number */
	size_t	    at;
} header_values[] = {
	{ "# tracer: ", "# tracer: ", '\n', VALUE_OF(tracer) },
	{ " latency trace v", " on ", '\n', VALUE_OF(kernel) },
	/* "latency: 3081 us, #4/4, CPU#0 | (M:preempt VP:0, KP:0, SP:0 HP:0 #P:2)" */
	{ "# latency: ", "latency: ", '\0', VALUE_OF(latency_ns) },
	{ "# latency: ", " us, #", '\0', VALUE_OF(shown) },
	{ "# latency: ", "/", '\0', VALUE_OF(written) },
	{ "# latency: ", "CPU#", '\0', VALUE_OF(cpu) },
	{ "# latency: ", "#P:", '\0', VALUE_OF(nr_cpus) },
	{ "# latency: ", "(M:", ' ', VALUE_OF(preemption) },
	/* "task: wl-rt-137 (uid:0 nice:0 policy:6 rt_prio:0)" */
	{ "| task: ", "(uid:", '\0', VALUE_OF(uid) },
	{ "| task: ", "nice:", '\0', VALUE_OF(nice) },
	{ "| task: ", "policy:", '\0', VALUE_OF(policy) },
	{ "| task: ", "rt_prio:", '\0', VALUE_OF(rt_prio) },
	{ "=> started at: ", "=> started at: ", '\n', VALUE_OF(started_at) },
	{ "=> ended at: ", "=> ended at: ", '\n', VALUE_OF(ended_at) },
};

static int64_t header_number(struct text_slice t)
{
	bool negative = begins_with(t, "-");
	uint64_t v = digits_of(slice_from(t, negative), 10, NULL);

	if (v > MOST_IN_HEADER)
		v = MOST_IN_HEADER;
	return negative ? -(int64_t)v : (int64_t)v;
}

static void header_line(struct text_trace_header *h, struct text_slice t)
{
	struct text_slice parts[NR_PARTS], rest;

	for (size_t i = 0; i < sizeof(header_values) / sizeof(header_values[0]); i++) {
		char *to = (char *)h + header_values[i].at, end = header_values[i].end;

		if (!slice_after(t, header_values[i].line, &rest) ||
		    !slice_after(t, header_values[i].word, &rest))
			continue;
		if (end)
			*(struct text_slice *)to = trimmed(
				slice(rest.s, length_until(rest, end, end, end)));
		else
			*(int64_t *)to = header_number(rest);
	}
	if (begins_with(t, "# latency: ")) {
		h->has_latency = true;
		h->latency_ns *= 1000;
	}
	if (has_form(FORM_TASK, t, parts, &rest)) {
		h->comm = parts[PART_COMM];
		h->pid = (int)digits_of(parts[PART_PID], 10, NULL);
	}
	h->has_durations |= slice_after(t, " DURATION ", &rest);
	/* the picture above the columns: "| / _----=> need-resched" names one */
	if (slice_after(t, "-=> ", &rest) && memchr(t.s, '_', t.len) &&
	    !begins_with(trimmed(rest), "CPU#") && h->nr_flags < TEXT_TRACE_MAX_FLAGS)
		h->flag_names[h->nr_flags++] = trimmed(rest);
}

/* What trace-cmd report adds with -V, -w and --debug: none of it is an event. */
static bool is_told(struct text_slice t)
{
	static const char *const words[] = {
		"registering plugin: ", "overriding event (", "removing override handler ",
		"Average wakeup latency: ", "Maximum Latency: ", "Minimum Latency: ",
		"RT task timings:", " TIME EXTEND: delta:", " TIME STAMP: timestamp:",
		" PADDING: delta:",
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (begins_with(t, words[i]))
			return true;
	return begins_with(t, "CPU:") && memmem(t.s, t.len, " [SUBBUFFER START] [", 20);
}

void text_trace_header(const char *text, uint64_t size, struct text_trace_header *header)
{
	*header = (struct text_trace_header){
		.tracer = nothing, .preemption = nothing, .kernel = nothing, .comm = nothing,
		.started_at = nothing, .ended_at = nothing,
	};
	for (uint64_t pos = 0, end; pos < size; pos = end + 1) {
		struct text_slice line;

		end = line_end(text, size, pos);
		line = line_content(text + pos, text + end);
		if (slice_listed(line, "cpus=* version*") || is_told(line))
			continue;	/* trace-cmd's, above the kernel's */
		if (!begins_with(line, "#") ||
		    begins_with(line, BUFFER_STARTED)) /* the first line of the events */
			break;
		header_line(header, line);
	}
}

/* --- lines ------------------------------------------------------------------------------ */

const bool text_name_chars[256] = {
	['0' ... '9'] = true, ['A' ... 'Z'] = true, ['_'] = true, ['a' ... 'z'] = true,
};

static bool begins_as_graph(struct text_slice t)
{
	t = without_blanks(t);
	return t.len && (is_digit(*t.s) || is_mark(*t.s) || *t.s == '-' || *t.s == '|');
}

static bool parse_graph(struct text_slice t, struct text_line *line)
{
	bool is_call = begins_as_graph(t) && take_form(FORM_GRAPH, t, line);

	if (!is_call && (!begins_as_graph(t) || !take_form(FORM_COLUMNS, t, line)))
		return false;
	if (line->cpu < 0 && !line->has_duration && line->time_kind == TEXT_TIME_NONE)
		return false;
	if (is_call)
		line->kind = TEXT_LINE_GRAPH;
	else if (slice_listed(trimmed(line->text), "==========>* <==========*"))
		line->kind = TEXT_LINE_COMMENT;		/* interrupts */
	else if (line->time_kind == TEXT_TIME_NONE && take_form(FORM_SWITCH, t, line))
		line->kind = TEXT_LINE_SWITCH;
	return line->kind != TEXT_LINE_PLAIN;
}

static bool parse_event(struct text_slice t, struct text_line *line)
{
	if (!take_form(FORM_EVENT, t, line) && !take_form(FORM_VERBOSE, t, line))
		return false;
	line->kind = TEXT_LINE_EVENT;
	line->text = without_debug(line->text);
	line->event = event_name(line->text);
	return true;
}

/* kernel/trace/trace_remote.c, trace_remote_iter_print_event() */
static bool parse_remote(struct text_slice t, struct text_line *line)
{
	if (!begins_with(t, "[") || !take_form(FORM_REMOTE, t, line))
		return false;
	line->kind = TEXT_LINE_EVENT;
	return true;
}

/* "….123456:", "….123456789:": lines of calls are passed over fast. */
static bool has_seconds(struct text_slice t)
{
	const char *at = t.s, *end = t.s + t.len;

	for (; at < end && (at = memchr(at, '.', (size_t)(end - at))); at++)
		if ((end - at > 7 && at[7] == ':') || (end - at > 10 && at[10] == ':'))
			return true;
	return false;
}

/*
 * A task without a name is ":123".  perf script -L has the CPU without brackets: then the word
 * before it is a number, too, and which of both is the task is not sure.
 */
static bool parse_sample(struct text_slice t, struct text_line *line)
{
	size_t word;

	if (!has_seconds(t) || !take_form(FORM_SAMPLE, t, line))
		return false;
	for (word = line->comm.len; word && is_digit(line->comm.s[word - 1]);)
		word--;
	if (line->cpu < 0 && word < line->comm.len && (!word || line->comm.s[word - 1] == ' ')) {
		reset_line(line, t);
		return false;
	}
	line->kind = TEXT_LINE_EVENT;
	line->is_sample = true;
	if (begins_with(line->comm, ":"))
		line->comm = nothing;
	return true;
}

void graph_of_event(struct text_line *line)
{
	struct text_slice t = slice_from(line->text, line->event.len + 1);

	if (is_call_event(line->event) && take_form(FORM_CALL_EVENT, t, line))
		line->kind = TEXT_LINE_GRAPH;
}

void text_trace_as_graph(struct text_line *line, bool bare)
{
	struct text_slice text;

	if (line->kind == TEXT_LINE_PLAIN && bare) {
		if (slice_listed(trimmed(line->text), "------* (Overruns:*") ||
		    memmem(line->text.s, line->text.len, "==========", 10))
			line->kind = TEXT_LINE_COMMENT;
		else if (take_form(FORM_BARE_CALL, line->text, line))
			line->kind = TEXT_LINE_GRAPH;
	}
	if (line->kind != TEXT_LINE_GRAPH || line->call.kind != TEXT_CALL_NONE)
		return;
	line->kind = TEXT_LINE_EVENT;
	text = trimmed(line->text);
	line->text = slice_from(text, text.len < 3 ? text.len : 3);
	if (ends_with(line->text, " */"))
		line->text.len -= 3;
	line->event = event_name(line->text);
}

void text_trace_as_event(struct text_line *line)
{
	struct text_slice t = line->text;

	if (line->kind != TEXT_LINE_PLAIN)
		return;
	if (take_form(FORM_ACCESS, t, line) || take_form(FORM_CLASSIC, t, line)) {
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

static void parse_line(struct text_slice t, struct text_line *line)
{
	struct text_slice stripped = without_blanks(t);

	reset_line(line, t);
	if (begins_as_lost(t) &&
	    (take_form(FORM_STARTED, t, line) || take_form(FORM_LOST, t, line))) {
		line->kind = TEXT_LINE_LOST;
	} else if (begins_with(t, "#") || is_told(t)) {
		line->kind = TEXT_LINE_COMMENT;
	} else if (begins_with(stripped, "=> ")) {
		line->kind = TEXT_LINE_STACK;
		line->text = trimmed(without_debug(slice_from(stripped, 3)));
	} else if (begins_with(t, "\t") && take_form(FORM_FRAME, t, line)) {
		line->kind = TEXT_LINE_STACK;
	} else if (!parse_remote(t, line) && !parse_graph(t, line)) {
		reset_line(line, t);
		if (!parse_event(t, line))
			parse_sample(t, line);
		else if (begins_as_graph(t) || begins_as_lost(t))
			line->head_len = 0;
	}
}

/* A line of the log that is none of a trace tells nothing. */
static void parse_logged(struct text_slice whole, struct text_line *line)
{
	struct text_slice parts[NR_PARTS], t = whole;

	has_form(FORM_LOGGED, whole, parts, &t);
	parse_line(t, line);
	if (line->kind == TEXT_LINE_PLAIN && t.s > whole.s + 1)
		line->kind = TEXT_LINE_COMMENT;
	line->line = whole;
	line->head_len = 0;
}

static bool may_be_logged(struct text_slice t)
{
	size_t head = t.len < LOG_HEAD ? t.len : LOG_HEAD;

	return t.len && (t.s[0] == '<' || t.s[0] == '[' ||
			 (t.s[0] > ' ' && memmem(t.s, head, FROM_KERNEL, strlen(FROM_KERNEL))));
}

uint64_t text_trace_line(const char *text, uint64_t size, uint64_t pos, struct text_line *line)
{
	uint64_t end = line_end(text, size, pos);
	struct text_slice t = line_content(text + pos, text + end);

	if (may_be_logged(t))
		parse_logged(t, line);
	else
		parse_line(t, line);
	if (line->event.len)
		graph_of_event(line);
	return end < size ? end + 1 : size;
}

/* @len: bytes of it that stay */
static void text_line_cut(struct text_line *line, size_t len)
{
	const char *end = line->line.s + len;

	line->line.len = len;
	line->text.len = end > line->text.s ? (size_t)(end - line->text.s) : 0;
	if (line->event.len && line->event.s + line->event.len >= end) {
		/* what stands there is the next record */
		line->event = nothing;
		line->seen = NULL;
	}
}

/* "-PID " or "(TGID) " before a CPU's "[": many events have other numbers in brackets. */
static bool follows_pid(const char *begin, const char *at)
{
	while (at > begin && at[-1] == ' ')
		at--;
	if (at > begin && at[-1] == ')')
		return true;
	while (at > begin && is_digit(at[-1]))
		at--;
	return at > begin && at[-1] == '-';
}

static bool may_be_joined(struct text_slice t)
{
	const char *at = t.s, *end = t.s + t.len;

	for (; (at = memchr(at, '[', (size_t)(end - at))) && at + 1 < end; at++)
		if (at[1] == 'L' || (is_digit(at[1]) && follows_pid(t.s, at)))
			return true;
	return ends_with(t, "####");
}

/*
 * A marker may end without a newline: the kernel goes on in the same line with the next record.
 * What stands in the middle of a line must be a record's beginning in all its columns.
 */
bool text_line_split(struct text_line *line)
{
	bool is_relative = line->time_kind == TEXT_TIME_RELATIVE;
	const char *comm_end = line->comm.s + line->comm.len;
	struct text_slice parts[NR_PARTS], before, rest, in = line->text;

	if ((line->kind != TEXT_LINE_EVENT && line->kind != TEXT_LINE_PLAIN) || line->is_sample)
		return false;
	/* what is longer than the column of a name has the end of a text before it */
	if (line->comm.len && !may_be_logged(line->line) &&
	    comm_end - line->line.s > (is_relative ? SHORT_NAME : NAME_COLUMN))
		in = line->line;
	if ((!is_relative && !may_be_joined(in)) || !has_form(FORM_JOINED, in, parts, &rest) ||
	    parts[PART_HEAD].s == line->line.s)
		return false;
	before = slice(line->line.s, (size_t)(parts[PART_HEAD].s - line->line.s));
	if (in.s == line->line.s && ends_with(trimmed(before), ":"))
		return false;		/* trace-cmd's name of an instance */
	if (in.s == line->line.s)
		reset_line(line, line->line);
	text_line_cut(line, before.len);
	return true;
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
