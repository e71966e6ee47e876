/* SPDX-License-Identifier: GPL-2.0-or-later */
/* record_ask - what the kernel offers, what stands in the way, what is wrong with a plan: asked one at a time. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/sandbox/broker.h"
#include "ui/record/record.h"

static const struct { const char *words[8]; } questions[NR_QUESTIONS] = {
	[QUESTION_DOCTOR] = { { "doctor", "--format=json" } },
	[QUESTION_LIST] = { { "list", "-t", "-e", "-C", "--format=json" } },
	[QUESTION_FUNCTIONS] = { { "list", "-f", "--format=json" } },
	[QUESTION_FORMATS] = { { "list", "--full", "--format=json" } },
	[QUESTION_CHECK] = { { "record", "--check" } },
	[QUESTION_RECOVER] = { { "recover", "-o" } },
};

const char *record_program(const struct app *app)
{
	return app->options->program ? app->options->program : "ftop-trace";
}

void record_prefix(const struct record *record, struct shell_words *words)
{
	if (record->rights == RIGHTS_SUDO)
		shell_words_add(words, "sudo");
	else if (record->rights == RIGHTS_PKEXEC)
		shell_words_add(words, "pkexec");
}

void record_want(struct app *app, enum record_question question)
{
	app->record->wanted |= 1u << question;
	app->dirty = true;
}

/* What would be asked of a kernel that cannot be recorded from, or with rights that are asked for each time, is left. */
static bool is_worth_asking(const struct app *app, enum record_question question)
{
	const struct record *record = app->record;

	switch (question) {
	case QUESTION_CHECK:
		return record->rights == RIGHTS_OWN && !capabilities_obstacle(&record->caps) && record->shown &&
		       !record->running && !record->mistakes.len;
	case QUESTION_LIST:
	case QUESTION_FUNCTIONS:
	case QUESTION_FORMATS:
		return record->rights != RIGHTS_PKEXEC;
	case QUESTION_DOCTOR:
	case QUESTION_RECOVER:
	case NR_QUESTIONS:
		break;
	}
	return true;
}

static int words_of(struct app *app, enum record_question question, struct shell_words *words, struct ft_error *err)
{
	struct record *record = app->record;

	if (record->rights == RIGHTS_SUDO && question != QUESTION_RECOVER) {
		shell_words_add(words, "sudo");
		shell_words_add(words, "-n");	/* with what it remembers; it does not ask */
	}
	shell_words_add(words, record_program(app));
	for (int i = 0; questions[question].words[i]; i++)
		shell_words_add(words, questions[question].words[i]);
	if (question == QUESTION_CHECK)
		return record_words(app, words, err);
	if (question == QUESTION_RECOVER) {
		shell_words_add(words, text_str(&record->target));
		shell_words_addf(words, "%s.part", text_str(&record->target));
	}
	return 0;
}

static void begin(struct app *app, enum record_question question)
{
	struct record *record = app->record;
	struct shell_words words = { 0 };
	struct ft_error err = { 0 };

	record->wanted &= ~(1u << question);
	if (!is_worth_asking(app, question))
		return;
	if (words_of(app, question, &words, &err) ||
	    broker_start(app->options->broker, &record->child, (const char *const *)words.words, CHILD_ASKED, false, &err)) {
		if (question == QUESTION_CHECK) {
			text_printable(&record->mistakes, err.message, strlen(err.message));
			text_char(&record->mistakes, '\n');
		} else {
			app_error(app, "%s", err.message);
		}
	} else {
		record->asking = (int)question;
	}
	shell_words_fini(&words);
}

static void take_line(void *arg, const char *s, size_t len)
{
	struct app *app = arg;

	capabilities_line(&app->record->answer, s, len);
}

/* What a command says on stderr, without its name before each line. */
static void said(struct child *child, struct text *out)
{
	static const char prefix[] = "ftop-trace: ", nothing[] = "nothing was recorded";
	struct text raw = { 0 };

	child_said(child, &raw);
	for (const char *p = text_str(&raw), *end; *p; p = *end ? end + 1 : end) {
		end = p + strcspn(p, "\n");
		if (!strncmp(p, prefix, sizeof(prefix) - 1))
			p += sizeof(prefix) - 1;
		/* that goes without saying */
		if (!strncmp(p, nothing, sizeof(nothing) - 1))
			continue;
		text_printable(out, p, (size_t)(end - p));
		text_char(out, '\n');
	}
	text_fini(&raw);
}

static void recovered(struct app *app, const struct text *words, bool ok)
{
	struct record *record = app->record;
	struct text path = { 0 };
	char died[128];
	bool opened;

	/* one that cannot be made whole can be looked at all the same */
	text_printf(&path, ok ? "%s" : "%s.part", text_str(&record->target));
	snprintf(died, sizeof(died), "%s", record->died);
	opened = !access(text_str(&path), F_OK) && reopen_file(app, text_str(&path));
	if (opened) {
		record->shown = false;
		app_error(app, "recorder %s: this is what it had written; the next one mends tracefs", died);
	} else {
		app_error(app, "recorder %s, and it left no trace: %.*s", died, (int)strcspn(text_str(words), "\n"),
			  text_str(words));
	}
	text_fini(&path);
}

/* What was known stays until all of the answer is there: the screen shows places in it. */
static void take_answer(struct record *record, enum record_question question)
{
	if (question == QUESTION_DOCTOR) {
		capabilities_take_checks(&record->caps, &record->answer);
	} else if (question == QUESTION_LIST) {
		capabilities_take(&record->caps, &record->answer, CAPABILITY_TRACER);
		capabilities_take(&record->caps, &record->answer, CAPABILITY_EVENT);
		capabilities_take(&record->caps, &record->answer, CAPABILITY_CLOCK);
	} else if (question == QUESTION_FUNCTIONS) {
		capabilities_take(&record->caps, &record->answer, CAPABILITY_FUNCTION);
	} else if (question == QUESTION_FORMATS && record->answer.lists[CAPABILITY_EVENT].nr) {
		capabilities_take(&record->caps, &record->answer, CAPABILITY_EVENT);
	}
	capabilities_fini(&record->answer);
}

static void answered(struct app *app, enum record_question question, int status)
{
	struct record *record = app->record;
	struct text words = { 0 };

	said(&record->child, &words);
	take_answer(record, question);
	record->answered |= 1u << question;
	switch (question) {
	case QUESTION_CHECK:
		/* one that was overtaken, by a change or by what it should foretell, says nothing */
		if (record->failed || record->check_at || record->wanted & 1u << QUESTION_CHECK)
			break;
		text_clear(&record->mistakes);
		if (status)
			text_add(&record->mistakes, text_str(&words));
		break;
	case QUESTION_LIST:
		text_clear(&record->listing);
		if (status)
			text_add(&record->listing, text_str(&words));
		else
			record_want(app, QUESTION_FORMATS);
		break;
	case QUESTION_FUNCTIONS:
		if (status && record->row == ROW_SETUP + SETUP_FUNCTIONS)
			app_message(app, "%.*s", (int)strcspn(text_str(&words), "\n"), text_str(&words));
		break;
	case QUESTION_RECOVER:
		recovered(app, &words, status == 0);
		break;
	case QUESTION_DOCTOR:
		if (app->popup.kind == POPUP_DOCTOR)
			record_fill_doctor(app);
		/* whether it can be checked was not known before */
		if (record->shown)
			record_want(app, QUESTION_CHECK);
		break;
	case QUESTION_FORMATS:
	case NR_QUESTIONS:
		break;
	}
	record->count_ticked = true;
	if (question != QUESTION_CHECK && question != QUESTION_DOCTOR)
		record_list_fill(app);
	text_fini(&words);
	app->dirty = true;
}

void record_ask_step(struct app *app)
{
	struct record *record = app->record;
	int status = 0;

	if (record->asking >= 0) {
		enum record_question question = (enum record_question)record->asking;

		if (child_lines(&record->child, take_line, app) || !child_ended(&record->child, &status))
			return;
		record->asking = -1;
		answered(app, question, status);
		child_fini(&record->child);
	}
	for (int i = 0; i < NR_QUESTIONS && record->asking < 0; i++)
		if (record->wanted & 1u << i)
			begin(app, (enum record_question)i);
}
