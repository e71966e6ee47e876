/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record_state - the state of the record screen: shown or not, recording or not, the words of its
 * preset.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "src/base/workers.h"
#include "src/recording/measure_keys.h"
#include "ui/record/record_private.h"

#define CHECK_AFTER_NS	150000000	/* ns from the last change of a plan to its check */

/* --- what it shows, and whether it records ---------------------------------- */

bool record_shown(const struct record_ui *record)
{
	return record && record->shown;
}

bool record_running(const struct record_ui *record)
{
	return record && record->running;
}

const char *record_question(const struct record_ui *record)
{
	if (!record || !record->running)
		return NULL;
	switch (record->asks) {
	case ASKS_NOTHING:
		return NULL;
	case ASKS_LEAVE:
		return "s Stop, open the trace  k Browse meanwhile  Esc Stay here";
	case ASKS_QUIT:
		return "s Stop and save  d Discard  k Leave it running  Esc Stay";
	}
	return NULL;
}

void record_want(struct record_ui *record, enum record_question question)
{
	record->wanted |= 1u << question;
	record->host->redraw(record->host->app);
}

/* Is there a program that grants root rights? */
static bool may_be_root(void)
{
	return child_exists("sudo") || child_exists("pkexec");
}

enum record_row record_shown_row(const struct record_ui *record, enum record_row row)
{
	const char *tracer = text_str(&record->setup.values[SETUP_TRACER]);
	bool shown = record->setup.values[SETUP_MEASURE].len > 0;

	if (row != ROW_SETUP + SETUP_DEPTH || !strcmp(tracer, "function_graph"))
		return row;
	for (unsigned int i = 0; measure_key(i); i++)
		shown |= measure_key_fits(measure_key(i), tracer);
	return shown ? ROW_MEASURE : row;
}

unsigned int record_nr_rows(const struct record_ui *record)
{
	bool choice = record->rights != RIGHTS_OWN ||
		      (capabilities_wants_root(&record->caps) && may_be_root());

	return choice ? NR_ROWS : NR_ROWS - 1;
}

/* The doctor's reason on one line, and after a newline the remedy. */
void record_obstacle(const struct record_ui *record, struct text *out)
{
	const struct capability_check *check = capabilities_obstacle(&record->caps);

	if (!check || record->rights != RIGHTS_OWN)
		return;
	if (capabilities_wants_root(&record->caps)) {
		text_printf(out, "only root can record here: %s\n", check->text);
		text_add(
			out,
			may_be_root() ?
				"choose below to run it as root, or in the shell: sudo ftop-trace" :
				"sudo and pkexec are missing: start ftop-trace from a root shell");
		return;
	}
	text_printf(out, "cannot record here: %s\n%s", check->text, check->remedy);
}

/* --- the preset as words ---------------------------------------------------- */

void record_prefix(const struct record_ui *record, struct shell_words *words)
{
	if (record->rights == RIGHTS_SUDO)
		shell_words_add(words, "sudo");
	else if (record->rights == RIGHTS_PKEXEC)
		shell_words_add(words, "pkexec");
}

/* Picks a free name if none was given: no existing trace is overwritten. */
static void free_name(struct text *out)
{
	for (unsigned int i = 0; i < 10000; i++) {
		char part[64];

		text_clear(out);
		text_printf(out, i ? "trace-%u.dat" : "trace.dat", i);
		snprintf(part, sizeof(part), "%s.part", text_str(out));
		if (access(text_str(out), F_OK) && access(part, F_OK))
			return;
	}
}

int record_words(struct record_ui *record, struct shell_words *words, struct ft_error *err)
{
	struct record_setup *setup = &record->setup;
	bool named = setup->values[SETUP_FILE].len > 0;
	int ret;

	text_clear(&record->file);
	if (named)
		text_add(&record->file, text_str(&setup->values[SETUP_FILE]));
	else
		free_name(&record->file);
	/* the recorder's default needs no option */
	if (!named && strcmp(text_str(&record->file), "trace.dat"))
		text_add(&setup->values[SETUP_FILE], text_str(&record->file));
	ret = record_setup_words(setup, words, err);
	if (!named)
		text_clear(&setup->values[SETUP_FILE]);
	return ret;
}

void record_refresh(struct record_ui *record)
{
	struct shell_words words = { 0 };
	struct ft_error err = { 0 };
	struct text raw = { 0 };

	record_prefix(record, &words);
	shell_words_add(&words, "ftop-trace");
	shell_words_add(&words, "record");
	record->count_ticked = true;
	record->failed = false;
	text_clear(&record->command);
	text_clear(&record->mistakes);
	if (record_words(record, &words, &err)) {
		text_printable(&record->mistakes, err.message, strlen(err.message));
		text_char(&record->mistakes, '\n');
	} else {
		record->check_at = workers_now_ns() + CHECK_AFTER_NS;
	}
	shell_words_join(&words, &raw);
	text_printable(&record->command, text_str(&raw), raw.len);
	shell_words_fini(&words);
	text_fini(&raw);
	record->host->redraw(record->host->app);
}

void record_changed(struct record_ui *record)
{
	record->edited = true;
	record_refresh(record);
}

void record_take_line(struct record_ui *record, const char *line, const char *name)
{
	struct ft_error err = { 0 };
	struct text file = { 0 }, command = { 0 };

	/* the output file and the command stay, unless the preset names its own */
	text_add(&file, text_str(&record->setup.values[SETUP_FILE]));
	text_add(&command, text_str(&record->setup.values[SETUP_COMMAND]));
	if (record_setup_read(&record->setup, record->host->command, line, &err)) {
		host_error(record->view_host, "%s: %s", name, err.message);
	} else {
		if (!record->setup.values[SETUP_FILE].len)
			text_add(&record->setup.values[SETUP_FILE], text_str(&file));
		if (!record->setup.values[SETUP_COMMAND].len)
			text_add(&record->setup.values[SETUP_COMMAND], text_str(&command));
		text_clear(&record->name);
		text_printable(&record->name, name, strlen(name));
		record_changed(record);
		record->edited = false;
	}
	text_fini(&file);
	text_fini(&command);
}
