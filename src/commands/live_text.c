/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/commands/live_text.h"

#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/base/json_out.h"
#include "src/base/memory.h"
#include "src/base/workers.h"
#include "src/commands/command_open.h"
#include "src/commands/command_tables.h"
#include "src/commands/derived_names.h"
#include "src/recording/record_progress.h"
#include "src/sandbox/child.h"
#include "src/trace/time_option.h"
#include "src/trace/warnings.h"

#define LOOK_MS		100		/* looks for what was recorded */
#define SECOND		1000000000
#define LEAST_NS	10000000	/* an interval */
#define MOST_NS		(INT64_C(86400) * SECOND)
#define TEXT_ROWS	"20"		/* --head of text */
#define PART_END	".part"

static const char *const format_words[] = { "text", "csv", "json" };	/* enum table_format */

struct live_text {
	const struct command_table *table;
	enum table_format format;
	int64_t		 interval;
	long long	 most;		/* windows; 0: any number */
	const char	*sort, *head;	/* borrowed; NULL: not given */
	/* The recorder, or another one's file */
	struct child	 recorder;
	bool		 records;
	int		 status;	/* of the recorder, when it has ended */
	struct record_progress progress;
	struct text	 part, file;	/* its name while it is recorded, and then */
	/* Windows */
	bool		 has_from;
	int64_t		 from;		/* where the next one begins */
	int64_t		 took;		/* ns: to print the last one */
	unsigned int	 printed;
	bool		 closed;	/* nobody reads the output */
	bool		 stopping;	/* the recorder was told */
};

/* --- options -------------------------------------------------------------------------------- */

static int parse_interval(const char *value, int64_t *ns, struct ft_error *err)
{
	struct trace_offset time;

	if (time_option_offset(value, &time, err) || !strchr("0123456789", *value))
		time.by = 0;
	else if (time.unit == TRACE_UNIT_COUNT &&
		 __builtin_mul_overflow(time.by, SECOND, &time.by)) /* as of --duration */
		time.by = 0;
	*ns = time.by;
	if (*ns >= LEAST_NS && *ns <= MOST_NS)
		return 0;
	return ft_error_set(
		err, FT_E_USAGE, -1,
		"--interval: '%s' is not a time from 10ms to 86400s, as 2, 1.5s or 500ms", value);
}

static int read_option(struct live_text *live, const struct option_value *v, struct ft_error *err)
{
	const char *words[COMMAND_TABLES];
	long long rows;
	int chosen = 0;

	switch (v->id) {
	case LIVE_INTERVAL:
		return parse_interval(v->value, &live->interval, err);
	case LIVE_COUNT:
		return options_number("--count", v->value, 1, UINT32_MAX, &live->most, err);
	case LIVE_BY:
		command_tables_words(words);
		chosen = options_choice("--by", v->value, words, COMMAND_TABLES_LIVE, err);
		live->table = chosen < 0 ? NULL : &command_tables[chosen];
		break;
	case LIVE_FORMAT:
		chosen = options_choice("--format", v->value, format_words, 3, err);
		live->format = chosen < 0 ? FORMAT_TEXT : (enum table_format)chosen;
		break;
	case LIVE_SORT:
		live->sort = v->value;
		break;
	case LIVE_HEAD:
		live->head = v->value;
		return options_number("--head", v->value, 0, UINT32_MAX, &rows, err);
	}
	return chosen < 0 ? -1 : 0;
}

static int read_options(struct live_text *live, const struct option_list *list,
			struct ft_error *err)
{
	*live = (struct live_text){ .table = &command_tables[0], .interval = SECOND };
	for (unsigned int i = 0; i < list->nr; i++)
		if (read_option(live, &list->values[i], err))
			return -1;
	return 0;
}

int live_text_wanted(const struct option_list *list, struct ft_error *err)
{
	const char *other = NULL;
	struct live_text live;
	bool wanted = false;

	for (unsigned int i = 0; i < list->nr; i++) {
		wanted |= list->values[i].id == LIVE_TEXT;
		if (list->values[i].id > LIVE_TEXT)
			other = options_by_id(list->command, list->values[i].id)->name;
	}
	if (other && !wanted)
		return ft_error_set(err, FT_E_USAGE, -1, "--%s requires --text", other);
	return wanted && read_options(&live, list, err) ? -1 : wanted;
}

struct live_text *live_text_new(const struct option_list *list)
{
	struct live_text *live = mem_alloc(sizeof(*live));
	struct ft_error err;

	if (read_options(live, list, &err))
		live->table = &command_tables[0];	/* live_text_wanted() has checked them */
	return live;
}

const char *live_text_part(const struct option_list *list)
{
	const char *word = list->nr_operands == 1 ? list->operands[0] : "";
	size_t len = strlen(word), end = strlen(PART_END);

	return len > end && !strcmp(word + len - end, PART_END) && !access(word, F_OK) ? word :
											 NULL;
}

void live_text_free(struct live_text *live)
{
	if (!live)
		return;
	child_fini(&live->recorder);
	record_progress_fini(&live->progress);
	text_fini(&live->part);
	text_fini(&live->file);
	free(live);
}

/* --- the recorder ---------------------------------------------------------------------------- */

static volatile sig_atomic_t interrupts;

static void on_signal(int signal)
{
	(void)signal;
	interrupts++;
}

static void catch_signals(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	const struct sigaction action = { .sa_handler = on_signal };

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaction(signals[i], &action, NULL);
}

static void take_line(void *arg, const char *s, size_t len)
{
	record_progress_line(&((struct live_text *)arg)->progress, s, len);
}

/* What the recorder and its command print. */
static void pass_output_on(struct live_text *live)
{
	struct text said = { 0 };
	struct ft_error ignored;

	child_said(&live->recorder, &said);
	if (said.len)
		output_whole(STDERR_FILENO, &said, &ignored);
	text_fini(&said);
}

static bool is_done(const struct live_text *live)
{
	return live->closed || interrupts > 1 || (!live->records && interrupts) ||
	       (live->most && live->printed >= live->most);
}

/* Is there a recorder of ours that has not ended? */
static bool runs(const struct live_text *live)
{
	return live->records && live->recorder.pid > 0;
}

/* Take what the recorder tells, and what ends the recording.  Waits at most @ms. */
static void look(struct live_text *live, int ms)
{
	struct pollfd fds[] = {
		{ .fd = live->closed ? -1 : STDOUT_FILENO },
		{ .fd = runs(live) ? live->recorder.from : -1, .events = POLLIN },
		{ .fd = runs(live) ? live->recorder.pidfd : -1, .events = POLLIN },
	};

	if (poll(fds, 3, ms) > 0 && fds[0].revents & (POLLERR | POLLHUP | POLLNVAL))
		live->closed = true;
	if (!runs(live))
		return;
	child_lines(&live->recorder, take_line, live);
	if (!live->stopping && (interrupts || is_done(live))) {
		child_tell(&live->recorder, "stop");
		live->stopping = true;
	}
	pass_output_on(live);
	if (live->recorder.from < 0 && child_ended(&live->recorder, &live->status))
		pass_output_on(live);
}

int live_text_record(struct live_text *live, const struct shell_words *words, struct ft_error *err)
{
	catch_signals();
	if (child_start(&live->recorder, (const char *const *)words->words, CHILD_TALKS, err))
		return -1;
	live->records = true;
	while (runs(live) && live->progress.phase == RECORD_PREPARES)
		look(live, LOOK_MS);
	text_add(&live->part, text_str(&live->progress.part));
	text_add(&live->file, text_str(&live->progress.file));
	return 0;
}

void live_text_follow(struct live_text *live, const char *part)
{
	catch_signals();
	text_add(&live->part, part);
	text_bytes(&live->file, part, strlen(part) - strlen(PART_END));
}

/* --- windows --------------------------------------------------------------------------------- */

static void add_heading(const struct live_text *live, struct trace *trace,
			const struct time_range *window, struct text *out)
{
	if (live->format == FORMAT_JSON) {
		json_out_object(out, NULL);
		json_out_string(out, "type", "window");
		json_out_i64(out, "from_ns", window->from);
		json_out_i64(out, "to_ns", window->to);
		json_out_end_line(out);
	} else if (live->format == FORMAT_TEXT) {
		text_add(out, live->printed ? "\n" : "");
		trace_time_text(trace, window->from, 6, out);
		text_add(out, " to ");
		trace_time_text(trace, window->to, 6, out);
		text_add(out, ":\n");
	}
}

/* What warnings_take() took. */
static void tell_again(struct text *said)
{
	char *rest = said->data;

	for (char *line; said->len && (line = strtok_r(rest, "\n", &rest));)
		warnings_tell("%s", line);
	warnings_end();
}

/*
 * The table's command prints it, as it would of a file.
 * Return: 1: the recorder has begun to finish the file meanwhile, so nothing was printed.
 */
static int print_window(struct live_text *live, struct trace *trace, int64_t to,
			struct ft_error *err)
{
	const struct time_range window = { true, live->from, to };
	struct command_file file = { .path = trace_path(trace, 0), .nr = 1, .trace = trace,
				     .index = live->printed, .window = &window };
	struct text out = { 0 }, said = { 0 };
	struct ft_error ignored;
	int64_t began = workers_now_ns();
	struct shell_words words = { 0 };
	bool ended;
	int ret;

	shell_words_addf(&words, "--from=%" PRId64 "ns", window.from);
	shell_words_addf(&words, "--to=%" PRId64 "ns", window.to);
	shell_words_addf(&words, "--format=%s", format_words[live->format]);
	if (live->sort)
		shell_words_addf(&words, "--sort=%s", live->sort);
	if (live->head || live->format == FORMAT_TEXT)
		shell_words_addf(&words, "--head=%s", live->head ?: TEXT_ROWS);
	add_heading(live, trace, &window, &out);
	output_take(&out);
	warnings_take(&said);
	ret = command_table_run(live->table, &words, &file, err);
	output_take(NULL);
	warnings_take(NULL);
	shell_words_fini(&words);
	ended = trace_grows(trace) && trace_has_ended(trace);
	if (!ended) {
		tell_again(&said);
		if (output_whole(STDOUT_FILENO, &out, ret ? &ignored : err))
			ret = -1;
		live->printed++;
	}
	text_fini(&out);
	text_fini(&said);
	live->took = workers_now_ns() - began;
	return ended ? 1 : ret;
}

/* Where the first window begins: of another one's recording, the last interval is shown. */
static void find_from(struct live_text *live, const struct trace *trace, int64_t known)
{
	int64_t first, last;

	if (live->has_from || known == INT64_MIN || !trace_span(trace, &first, &last) ||
	    first >= known)
		return;
	live->has_from = true;
	live->from = first;
	if (!live->records && known - live->interval > first)
		live->from = known - live->interval;
}

/*
 * Print the windows that end up to @known, from where on nothing is.  @is_end: nothing will be, so
 * the last one may be shorter.
 */
static int print_windows(struct live_text *live, struct trace *trace, int64_t known, bool is_end,
			 struct ft_error *err)
{
	int ret;

	find_from(live, trace, known);
	while (live->has_from && live->from < known && !is_done(live)) {
		int64_t step = live->interval * (1 + live->took / live->interval);
		int64_t end = known - live->from < step ? known : live->from + step;

		if (known - live->from < step && !is_end)
			break;
		ret = print_window(live, trace, end - 1, err);
		if (ret)
			return ret < 0 ? -1 : 0;
		live->from = end;
		look(live, 0);
	}
	return 0;
}

static struct trace *open_file(const struct text *path, bool follow, struct ft_error *err)
{
	const struct trace_options options = { .nr_workers = workers_cpus(), .hold_permille = -1,
					       .follow = follow, .filter_names = derived_names };
	const char *const paths[] = { text_str(path) };
	struct trace *trace = trace_open(paths, 1, true, &options, err);

	if (!trace || trace_unit(trace) == TRACE_UNIT_NS)
		return trace;
	ft_error_set(err, FT_E_USAGE, -1, "--text: the clock %s does not measure time",
		     trace_clock(trace));
	trace_close(trace);
	return NULL;
}

/* Forget the tasks that the recorder has dropped. */
static void renew(struct live_text *live, struct trace **trace)
{
	struct ft_error ignored = { 0 };	/* it has its name: the next look tells */
	struct trace *next = open_file(&live->part, true, &ignored);

	if (!next)
		return;
	trace_wait(next);
	trace_close(*trace);
	*trace = next;
	mem_trim();
}

/* While it is recorded. */
static int follow(struct live_text *live, struct trace **trace, struct ft_error *err)
{
	enum trace_growth growth = TRACE_SETTLED;
	int ret = 0;

	while (!ret && !is_done(live) && growth != TRACE_ENDED && growth != TRACE_WHOLE) {
		look(live, growth == TRACE_GREW ? 0 : LOOK_MS);
		growth = trace_grow(*trace);
		if (growth == TRACE_GREW && trace_grows(*trace))
			ret = print_windows(live, *trace, trace_end(*trace), false, err);
		if (growth == TRACE_GREW && trace_is_stale(*trace))
			renew(live, trace);
	}
	return ret;
}

/* The file has its name when the recorder has ended; that of a killed one keeps the other. */
static int print_rest(struct live_text *live, struct ft_error *err)
{
	bool is_part = access(text_str(&live->part), F_OK) == 0;
	struct trace *trace;
	int64_t first, last;
	int ret = 0;

	while (!live->records && is_part && !access(text_str(&live->file), F_OK) &&
	       !is_done(live)) {
		look(live, LOOK_MS);
		is_part = access(text_str(&live->part), F_OK) == 0;
	}
	trace = open_file(is_part ? &live->part : &live->file, false, err);
	if (!trace)
		return -1;
	trace_wait(trace);
	if (trace_span(trace, &first, &last))
		ret = print_windows(live, trace, last + 1, true, err);
	trace_close(trace);
	return ret;
}

/* Where the file is, and what it has. */
static void tell_end(const struct live_text *live)
{
	const struct record_progress *p = &live->progress;
	struct text line = { 0 };

	if (!p->written)
		return;
	text_printable(&line, text_str(&p->file), p->file.len);
	text_add(&line, ": ");
	text_counted(&line, p->events, "event");
	text_printf(&line, " in %.1f s", (double)p->time_ns / SECOND);
	if (p->stopped_by.len)
		text_printf(&line, "; stopped by %s", text_str(&p->stopped_by));
	if (p->lost) {
		text_add(&line, "; ");
		text_counted(&line, p->lost, "event");
		text_add(&line, " lost");
	}
	fprintf(stderr, "ftop-trace: %s\n", text_str(&line));
	text_fini(&line);
}

int live_text_run(struct live_text *live, struct ft_error *err)
{
	struct trace *trace = NULL;
	int ret = 0;

	/* a short recording may have ended already */
	if (runs(live) || !live->records) {
		trace = open_file(&live->part, true, err);
		ret = !trace && (!live->records || err->code == FT_E_USAGE) ? -1 : 0;
	}
	if (trace)
		ret = follow(live, &trace, err);
	trace_close(trace);
	if (ret)
		live->closed = true;	/* ends the recording */
	while (runs(live))
		look(live, LOOK_MS);
	if (!ret && !is_done(live) && (!live->records || live->progress.written))
		ret = print_rest(live, err);
	tell_end(live);
	if (!ret && live->records && !live->progress.written)
		return WIFEXITED(live->status) && WEXITSTATUS(live->status) ?
			       WEXITSTATUS(live->status) :
			       ft_error_set(err, FT_E_IO, -1, "%s: the recorder has died",
					    live->file.len ? text_str(&live->file) : "live");
	return ret;
}
