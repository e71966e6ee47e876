/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record_run - runs the recorder, a separate program that has the rights: starts it, stops it,
 * handles its end.
 */
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "src/sandbox/broker.h"
#include "src/base/output_names.h"
#include "src/base/paths.h"
#include "src/base/small_file.h"
#include "src/base/workers.h"
#include "src/recording/recording_words.h"
#include "ui/record/record_private.h"

#define JUDGED_LATE_NS	2000000000	/* --until looks at what is new every 0.4 s */
#define OUTPUT_NS	250000000	/* ns between two reads of the command's output */
#define SILENT_NS	2500000000
#define LOAD_NS		1000000000	/* ns over which the screen's own CPU time is counted */
#define OUTPUT_BYTES	8192		/* bytes of output to keep */

/* Time by the recorder's own count. */
/* It tells its state once a second, or more often.  0: it does. */
static int64_t silent_seconds(const struct record_ui *record)
{
	int64_t silent = workers_now_ns() - record->heard_at;

	return record->progress.phase == RECORD_RUNS && silent >= SILENT_NS ? silent / 1000000000 :
									      0;
}

void record_clock(const struct record_ui *record, struct text *out)
{
	uint64_t seconds = record->progress.time_ns / 1000000000;

	text_printf(out, "● rec %02" PRIu64 ":%02" PRIu64, seconds / 60, seconds % 60);
}

void record_status_text(const struct record_ui *record, struct text *out)
{
	if (!record_running(record))
		return;
	record_clock(record, out);
	if (silent_seconds(record))
		text_printf(out, ", silent for %" PRId64 " s", silent_seconds(record));
}

void record_load_text(const struct record_ui *record, struct text *out)
{
	const struct record_progress *p;
	uint64_t fill = 0, load;

	if (!record_running(record) || !record->progress.cpu_ns)
		return;
	if (silent_seconds(record)) {
		text_add(out, "buffers not known");
		return;
	}
	p = &record->progress;
	load = p->load_permille + record->load;
	for (unsigned int i = 0; i < p->nr_cpus; i++)
		fill = p->cpus[i].fill_percent > fill ? p->cpus[i].fill_percent : fill;
	text_printf(out, "buffers %" PRIu64 " %%, rec %" PRIu64 ".%" PRIu64 " %%", fill, load / 10,
		    load % 10);
	if (p->judged_ns_ago >= JUDGED_LATE_NS)
		text_printf(out, ", judged up to %" PRIu64 ".%" PRIu64 " s ago",
			    p->judged_ns_ago / 1000000000, p->judged_ns_ago / 100000000 % 10);
}

/* --- rights ------------------------------------------------------------------ */

/* Lets sudo ask for a password on the shell's terminal; sudo remembers it for a while. */
void record_authorize(struct record_ui *record)
{
	const char *const argv[] = { "sudo", "-v", NULL };
	struct child child;
	struct ft_error err = { 0 };
	int status = 0;

	term_leave(record_term(record),
		   "ftop-trace: only the recorder runs as root; sudo may ask for your password");
	if (broker_start(record->host->broker, &child, argv, CHILD_WRAPPED, false, &err)) {
		host_error(record->view_host, "%s", err.message);
	} else {
		while (!child_ended(&child, &status)) {
			struct pollfd fd = { .fd = child.pidfd, .events = POLLIN };

			poll(&fd, 1, child.pidfd < 0 ? 50 : -1);
		}
		if (status)
			host_error(
				record->view_host,
				"sudo refused; the list of events is unknown, and a recording asks again");
		child_fini(&child);
	}
	term_return(record_term(record));
}

/* Waits until the recorder runs or has failed: it may ask for a password. */
static void wait_for_rights(const struct record_ui *record)
{
	struct pollfd fds[2] = {
		{ .fd = record->recorder.from, .events = POLLIN },
		{ .fd = record->recorder.pidfd, .events = POLLIN },
	};

	while (poll(fds, 2, -1) < 0)
		;
}

/* --- starting and stopping ----------------------------------------------------- */

static void keep_as_last(struct record_ui *record)
{
	struct shell_words words = { 0 };
	struct text line = { 0 }, file = record->setup.values[SETUP_FILE];
	char path[4096];

	/* the next recording gets its own name */
	record->setup.values[SETUP_FILE] = (struct text){ 0 };
	if (paths_state("record-last", path, sizeof(path)) &&
	    !record_setup_words(&record->setup, &words, NULL)) {
		shell_words_join(&words, &line);
		text_char(&line, '\n');
		small_file_replace(path, &line, 0600, NULL);
	}
	record->setup.values[SETUP_FILE] = file;
	shell_words_fini(&words);
	text_fini(&line);
}

static int start_words(struct record_ui *record, struct shell_words *words, struct ft_error *err)
{
	bool own = record->rights == RIGHTS_OWN;

	record_prefix(record, words);
	if (record->rights == RIGHTS_PKEXEC)
		shell_words_add(words, "--keep-cwd");
	shell_words_add(words, record->host->program);
	shell_words_add(words, "record");
	shell_words_add(words, "--no-browse");
	shell_words_add(words, "--status-fd");
	shell_words_addf(words, "%d", own ? CHILD_FD : STDOUT_FILENO);
	if (!own) {
		shell_words_add(words, "--control-fd");
		shell_words_addf(words, "%d", STDIN_FILENO);
	}
	return record_words(record, words, err);
}

static bool may_start(struct record_ui *record)
{
	struct text why = { 0 };
	bool may = true;

	record_obstacle(record, &why);
	if (why.len) {
		host_error(record->view_host, "%.*s", (int)strcspn(text_str(&why), "\n"),
			   text_str(&why));
		may = false;
	} else if (record->mistakes.len) {
		host_error(record->view_host, "%.*s",
			   (int)strcspn(text_str(&record->mistakes), "\n"),
			   text_str(&record->mistakes));
		may = false;
	} else if (record->rights != RIGHTS_OWN && !record_term(record)) {
		host_error(record->view_host, "a password needs a terminal");
		may = false;
	}
	text_fini(&why);
	return may;
}

/* Leaves the terminal to questions from sudo, or from the command that is recorded. */
static int start_recorder(struct record_ui *record, const struct shell_words *words, bool *left,
			  struct ft_error *err)
{
	bool own = record->rights == RIGHTS_OWN;
	enum child_kind kind = own ? CHILD_TALKS : CHILD_WRAPPED;
	struct child *recorder = &record->recorder;
	int result;

	*left = !own;
	if (!own)
		term_leave(
			record_term(record),
			"ftop-trace: only the recorder runs as root; you may be asked for your password");
	result = broker_start(record->host->broker, recorder, (const char *const *)words->words,
			      kind, false, err);
	if (result != BROKER_ASKS)
		return result;
	if (!record_term(record))
		return ft_error_set(err, FT_E_USAGE, -1,
				    "this recording must be confirmed on a terminal");
	if (own)
		term_leave(record_term(record), "");
	*left = true;
	return broker_start(record->host->broker, recorder, (const char *const *)words->words, kind,
			    true, err);
}

void record_start(struct record_ui *record)
{
	struct shell_words words = { 0 };
	struct ft_error err = { 0 };
	bool left = false;

	if (record->running || !may_start(record))
		return;
	record_progress_fini(&record->progress);
	text_clear(&record->output);
	if (start_words(record, &words, &err)) {
		host_error(record->view_host, "%s", err.message);
		shell_words_fini(&words);
		return;
	}
	if (start_recorder(record, &words, &left, &err)) {
		host_error(record->view_host, "%s", err.message);
		if (left)
			term_return(record_term(record));
	} else {
		record->running = true;
		record->stopping = record->quit_after = record->kept = record->discards = false;
		record->watches = record->watched = false;
		record->asks = ASKS_NOTHING;
		record->in_list = false;
		record->died[0] = '\0';
		text_clear(&record->target);
		text_add(&record->target, text_str(&record->file));
		keep_as_last(record);
		if (record->rights != RIGHTS_OWN)
			wait_for_rights(record);
		if (left)
			term_return(record_term(record));
	}
	shell_words_fini(&words);
	record->host->redraw(record->host->app);
}

void record_follow(struct record_ui *record)
{
	record->watches = true;		/* record_run_step() shows it */
	record->host->redraw(record->host->app);
}

void record_live(struct record_ui *record, const char *words)
{
	record_open(record);
	/* of what was recorded last, nothing stays: these words are all */
	text_clear(&record->setup.values[SETUP_FILE]);
	text_clear(&record->setup.values[SETUP_COMMAND]);
	record_take_line(record, words, "live");
	record_list_fill(record);	/* it lists words of the former ones */
	record_start(record);
	record_follow(record);
}

void record_stop(struct record_ui *record)
{
	if (!record->running)
		return;
	child_tell(&record->recorder, record->discards ? "discard" : "stop");
	/* before it listens, or on the second request: as Ctrl-C in a shell */
	if (record->rights == RIGHTS_OWN &&
	    (record->stopping || record->progress.phase == RECORD_PREPARES))
		child_interrupt(&record->recorder);
	record->stopping = true;
	record->host->redraw(record->host->app);
}

/* --- its end -------------------------------------------------------------------- */

static void summary(const struct record_ui *record, struct text *out)
{
	const struct record_progress *p = &record->progress;

	text_printable(out, text_str(&p->file), p->file.len);
	text_add(out, ": ");
	recording_events(p->events, p->bytes,
			 !p->partial  ? RECORDING_WHOLE :
			 p->error.len ? RECORDING_PART :
					RECORDING_NEWEST,
			 out);
	text_printf(out, " in %.1f s", (double)p->time_ns / 1e9);
	if (record->watched && p->stopped_by.len)
		text_printf(out, "; stopped by %s", text_str(&p->stopped_by));
	recording_rest(p->bytes, p->file_bytes, "; ", out);
	if (p->lost) {
		text_add(out, "; ");
		text_count(out, p->lost);
		text_add(out, " lost");
		if (p->needs_kb)
			text_printf(out, ": -b %" PRIu64 "M would hold them", p->needs_kb >> 10);
	}
	if (p->command_status)
		text_printf(out, "; the command's exit status was %" PRIu64, p->command_status);
}

/* Keeps the recorder's notes for :messages. */
static void keep_notes(struct record_ui *record)
{
	for (const char *p = text_str(&record->progress.notes); *p; p += strcspn(p, "\n") + 1)
		host_message(record->view_host, "recorder: %.*s", (int)strcspn(p, "\n"), p);
}

/* Opens the trace if the user waited for it; else only reports it. */
static void show_result(struct record_ui *record)
{
	struct text words = { 0 };

	text_clear(&record->setup.values[SETUP_FILE]);	/* the name is taken now */
	summary(record, &words);
	keep_notes(record);
	if (record->quit_after) {
		record->host->quit(record->host->app, text_str(&words));
	} else if (record->watched && !record->shown) {
		host_message(record->view_host, "%s", text_str(&words));
	} else if (record->shown || !record->host->has_trace(record->host->app)) {
		record->shown = !record->host->open_file(record->host->app,
							 text_str(&record->progress.file));
		if (!record->shown)
			host_message(record->view_host, "%s", text_str(&words));
	} else {
		host_message(record->view_host, "%s; :e %s opens it", text_str(&words),
			     text_str(&record->progress.file));
	}
	if (!record->progress.ok)
		host_error(record->view_host, "%s", text_str(&record->progress.error));
	text_fini(&words);
}

/* Nothing was written: shows the plan again, with the error. */
static void show_failure(struct record_ui *record)
{
	struct text said = { 0 };

	if (record->discards && record->progress.ok) {
		text_printable(&said, text_str(&record->target), record->target.len);
		text_add(&said, " was discarded");
		record->host->quit(record->host->app, text_str(&said));
		text_fini(&said);
		return;
	}
	record_refresh(record);
	record->check_at = 0;
	record->failed = true;
	text_add(&said, text_str(&record->progress.notes));
	if (record->progress.error.len && !said.len)
		text_printf(&said, "%s\n", text_str(&record->progress.error));
	if (!said.len)
		text_add(&said, text_str(&record->output));
	if (!said.len)
		text_printf(&said, "the recorder failed at once: %s\n", record->died);
	text_clear(&record->mistakes);
	text_add(&record->mistakes, text_str(&said));
	host_error(record->view_host, "nothing was recorded: %.*s",
		   (int)strcspn(text_str(&said), "\n"), text_str(&said));
	if (record->quit_after)
		record->host->quit(record->host->app, NULL);
	text_fini(&said);
}

bool record_has_part(const struct record_ui *record)
{
	struct text part = { 0 };
	bool there;

	output_name_add(OUTPUT_PART, text_str(&record->target), 0, &part);
	there = access(text_str(&part), F_OK) == 0;
	text_fini(&part);
	return there;
}

/* It may have died between giving the file its name and saying so. */
static bool has_left_a_file(const struct record_ui *record)
{
	return record_has_part(record) ||
	       (record->progress.phase == RECORD_STOPS && !access(text_str(&record->target), F_OK));
}

static void take_output(struct record_ui *record)
{
	struct text raw = { 0 };

	child_said(&record->recorder, &raw);
	for (const char *p = text_str(&raw); *p;) {
		size_t len = strcspn(p, "\n");

		text_printable(&record->output, p, len);
		if (p[len])
			text_char(&record->output, '\n');
		p += len + (p[len] == '\n');
	}
	if (record->output.len > OUTPUT_BYTES) {
		const char *cut = strchr(record->output.data + record->output.len - OUTPUT_BYTES,
					 '\n');
		size_t gone = cut ? (size_t)(cut + 1 - record->output.data) : record->output.len;

		memmove(record->output.data, record->output.data + gone,
			record->output.len - gone + 1);
		record->output.len -= gone;
	}
	text_fini(&raw);
}

static void ended(struct record_ui *record, int status)
{
	bool told = record->progress.phase == RECORD_ENDED;

	take_output(record);
	if (!*child_result(status, record->died, sizeof(record->died)))
		snprintf(record->died, sizeof(record->died), "exited without a message");
	record->running = false;
	record->asks = ASKS_NOTHING;
	child_fini(&record->recorder);
	record->host->redraw(record->host->app);
	if (told && record->progress.written) {
		show_result(record);
	} else if ((!told || record->progress.bytes) && has_left_a_file(record)) {
		keep_notes(record);
		if (told)
			snprintf(record->died, sizeof(record->died), "%s",
				 text_str(&record->progress.error));
		record_want(record, QUESTION_RECOVER);
	} else {
		show_failure(record);
	}
}

static void take_line(void *arg, const char *s, size_t len)
{
	struct record_ui *record = arg;

	record->heard_at = workers_now_ns();
	record_progress_line(&record->progress, s, len);
	record->host->redraw(record->host->app);
}

static void see_load(struct record_ui *record, int64_t now)
{
	int64_t cpu = workers_cpu_ns();

	if (now - record->load_at < LOAD_NS)
		return;
	record->load = record->load_at ? (uint64_t)((double)(cpu - record->load_cpu) * 1000 /
						    (double)(now - record->load_at)) :
					 0;
	record->load_at = now;
	record->load_cpu = cpu;
	if (silent_seconds(record))
		record->host->redraw(record->host->app);
}

void record_run_step(struct record_ui *record)
{
	int64_t now = workers_now_ns();
	int status = 0;
	bool more;

	if (!record->running)
		return;
	see_load(record, now);
	more = child_lines(&record->recorder, take_line, record);
	if (record->watches && record->progress.phase == RECORD_RUNS) {
		record->watches = false;
		record->watched = true;
		record->shown = !record->host->open_file(record->host->app,
							 text_str(&record->progress.part));
	}
	if (now - record->output_at > OUTPUT_NS) {
		size_t before = record->output.len;

		record->output_at = now;
		take_output(record);
		if (record->output.len != before)
			record->host->redraw(record->host->app);
	}
	if (!more && child_ended(&record->recorder, &status))
		ended(record, status);
}
