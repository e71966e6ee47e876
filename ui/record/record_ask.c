/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record_ask - runs programs that list what the kernel offers, find obstacles and check a plan, one
 * at a time.
 */
#include <string.h>
#include <unistd.h>

#include "src/base/memory.h"
#include "src/sandbox/broker.h"
#include "ui/record/record_private.h"

static const struct { const char *words[8]; } questions[NR_QUESTIONS] = {
	[QUESTION_DOCTOR] = { { "doctor", "--format=json" } },
	[QUESTION_LIST] = { { "list", "-t", "-e", "-C", "--format=json" } },
	[QUESTION_FUNCTIONS] = { { "list", "-f", "--format=json" } },
	[QUESTION_FORMATS] = { { "list", "--full", "--format=json" } },
	[QUESTION_CHECK] = { { "record", "--check" } },
	[QUESTION_PRESET] = { { "record", "--check" } },	/* the first not checked */
	[QUESTION_RECOVER] = { { "recover", "-o" } },
};

/* Skip questions about a kernel that cannot be recorded from, or that need a password each time. */
static bool is_worth_asking(const struct record_ui *record, enum record_question question)
{
	switch (question) {
	case QUESTION_CHECK:
		return record->rights == RIGHTS_OWN && !capabilities_obstacle(&record->caps) &&
		       record->shown && !record->running && !record->mistakes.len;
	case QUESTION_PRESET:
		return record->rights == RIGHTS_OWN && !capabilities_obstacle(&record->caps) &&
		       record->shown && !record->running;
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

static struct named_setup *unchecked_preset(const struct record_ui *record)
{
	for (unsigned int i = 0; i < record->named.nr; i++)
		if (!record->named.all[i].mistake)
			return &record->named.all[i];
	return NULL;
}

/* A preset without a command is for any command: the check gets one. */
static int preset_words(const struct record_ui *record, struct shell_words *words,
			struct ft_error *err)
{
	struct record_setup setup = { 0 };
	int ret = record_setup_read(&setup, record->host->command, text_str(&record->preset), err);

	if (!ret && !setup.values[SETUP_COMMAND].len)
		text_add(&setup.values[SETUP_COMMAND], "true");
	if (!ret)
		ret = record_setup_words(&setup, words, err);
	record_setup_fini(&setup);
	return ret;
}

/* Takes why the preset cannot be recorded here, or "", and goes on to the next one. */
static void preset_checked(struct record_ui *record, const char *mistakes)
{
	struct text first = { 0 };

	text_printable(&first, mistakes, strcspn(mistakes, "\n"));
	for (unsigned int i = 0; i < record->named.nr; i++) {
		struct named_setup *preset = &record->named.all[i];

		if (!preset->mistake && !strcmp(preset->line, text_str(&record->preset)))
			preset->mistake = mem_strdup(text_str(&first));
	}
	if (unchecked_preset(record))
		record_want(record, QUESTION_PRESET);
	text_fini(&first);
}

static int words_of(struct record_ui *record, enum record_question question,
		    struct shell_words *words, struct ft_error *err)
{
	if (record->rights == RIGHTS_SUDO && question != QUESTION_RECOVER) {
		shell_words_add(words, "sudo");
		shell_words_add(words, "-n");	/* use cached credentials, never prompt */
	}
	shell_words_add(words, record->host->program);
	for (int i = 0; questions[question].words[i]; i++)
		shell_words_add(words, questions[question].words[i]);
	if (question == QUESTION_CHECK)
		return record_words(record, words, err);
	if (question == QUESTION_PRESET)
		return preset_words(record, words, err);
	if (question == QUESTION_RECOVER) {
		shell_words_add(words, text_str(&record->target));
		shell_words_addf(words, "%s.part", text_str(&record->target));
	}
	return 0;
}

static void begin(struct record_ui *record, enum record_question question)
{
	struct shell_words words = { 0 };
	struct ft_error err = { 0 };

	record->wanted &= ~(1u << question);
	if (!is_worth_asking(record, question))
		return;
	if (question == QUESTION_PRESET) {
		if (!unchecked_preset(record))
			return;
		text_clear(&record->preset);
		text_add(&record->preset, unchecked_preset(record)->line);
	}
	if (words_of(record, question, &words, &err) ||
	    broker_start(record->host->broker, &record->child, (const char *const *)words.words,
			 CHILD_ASKED, false, &err)) {
		if (question == QUESTION_CHECK) {
			text_printable(&record->mistakes, err.message, strlen(err.message));
			text_char(&record->mistakes, '\n');
		} else if (question == QUESTION_PRESET) {
			preset_checked(record, err.message);
		} else {
			host_error(record->view_host, "%s", err.message);
		}
	} else {
		record->asking = (int)question;
	}
	shell_words_fini(&words);
}

static void take_line(void *arg, const char *s, size_t len)
{
	struct record_ui *record = arg;

	capabilities_line(&record->answer, s, len);
}

/* A command's stderr, without the command's name on each line. */
static void said(struct child *child, struct text *out)
{
	static const char prefix[] = "ftop-trace: ", nothing[] = "nothing was recorded";
	struct text raw = { 0 };

	child_said(child, &raw);
	for (const char *p = text_str(&raw), *end; *p; p = *end ? end + 1 : end) {
		end = p + strcspn(p, "\n");
		if (!strncmp(p, prefix, sizeof(prefix) - 1))
			p += sizeof(prefix) - 1;
		/* obvious: not worth showing */
		if (!strncmp(p, nothing, sizeof(nothing) - 1))
			continue;
		text_printable(out, p, (size_t)(end - p));
		text_char(out, '\n');
	}
	text_fini(&raw);
}

static void recovered(struct record_ui *record, const struct text *words, bool ok)
{
	struct text path = { 0 };
	char died[128];
	bool opened;

	/* a trace that cannot be completed can still be opened; it may have been complete before */
	text_printf(&path, ok || !record_has_part(record) ? "%s" : "%s.part",
		    text_str(&record->target));
	snprintf(died, sizeof(died), "%s", record->died);
	opened = !access(text_str(&path), F_OK) &&
		 record->host->open_file(record->host->app, text_str(&path));
	if (opened) {
		record->shown = false;
		host_error(record->view_host, "recorder %s: this is what it wrote", died);
	} else {
		host_error(record->view_host, "recorder %s and left no trace: %.*s", died,
			   (int)strcspn(text_str(words), "\n"), text_str(words));
	}
	text_fini(&path);
}

/* The old answer stays until the new one is complete: the screen refers to items in it. */
static void take_answer(struct record_ui *record, enum record_question question)
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

static const struct picker doctor = { .keys = "j k Move  / Find  q Back" };

void record_fill_doctor(struct record_ui *record)
{
	const struct capabilities *caps = &record->caps;
	struct text line = { 0 };

	popup_open(record->host->popup, &doctor, "Doctor: what can be recorded here");
	if (!caps->nr_checks)
		popup_add(record->host->popup, 0, false, "asking…");
	for (unsigned int i = 0; i < caps->nr_checks; i++) {
		const struct capability_check *check = &caps->checks[i];

		text_clear(&line);
		text_printf(&line, "%-16s %s", check->name, check->state);
		popup_add_entry(record->host->popup, record->host->canvas->cols, 0, 26,
				text_str(&line), check->text);
		if (*check->remedy) {
			text_clear(&line);
			text_printf(&line, "fix: %s", check->remedy);
			popup_add_entry(record->host->popup, record->host->canvas->cols, 0, 26, "",
					text_str(&line));
		}
	}
	popup_start(record->host->popup);
	text_fini(&line);
}

static void answered(struct record_ui *record, enum record_question question, int status)
{
	struct text words = { 0 };

	said(&record->child, &words);
	take_answer(record, question);
	record->answered |= 1u << question;
	switch (question) {
	case QUESTION_CHECK:
		/* ignore an answer that a change, or the real attempt, has overtaken */
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
			record_want(record, QUESTION_FORMATS);
		break;
	case QUESTION_FUNCTIONS:
		if (status && record->row == ROW_SETUP + SETUP_FUNCTIONS)
			host_message(record->view_host, "%.*s",
				     (int)strcspn(text_str(&words), "\n"), text_str(&words));
		break;
	case QUESTION_RECOVER:
		recovered(record, &words, status == 0);
		break;
	case QUESTION_DOCTOR:
		if (record->host->popup->picker == &doctor)
			record_fill_doctor(record);
		/* now it is known whether the plan can be checked */
		if (record->shown)
			record_want(record, QUESTION_CHECK);
		break;
	case QUESTION_PRESET:
		preset_checked(record, status ? text_str(&words) : "");
		break;
	case QUESTION_FORMATS:
	case NR_QUESTIONS:
		break;
	}
	record->count_ticked = true;
	if (question != QUESTION_CHECK && question != QUESTION_DOCTOR &&
	    question != QUESTION_PRESET)
		record_list_fill(record);
	text_fini(&words);
	record->host->redraw(record->host->app);
}

void record_ask_step(struct record_ui *record)
{
	int status = 0;

	if (record->asking >= 0) {
		enum record_question question = (enum record_question)record->asking;

		if (child_lines(&record->child, take_line, record) ||
		    !child_ended(&record->child, &status))
			return;
		record->asking = -1;
		answered(record, question, status);
		child_fini(&record->child);
	}
	for (int i = 0; i < NR_QUESTIONS && record->asking < 0; i++)
		if (record->wanted & 1u << i)
			begin(record, (enum record_question)i);
}
