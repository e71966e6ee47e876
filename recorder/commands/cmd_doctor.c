/* SPDX-License-Identifier: GPL-2.0-or-later */
/* doctor - what can be recorded here, what prevents the rest, and how to fix that. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "recorder/commands/record_commands.h"
#include "recorder/ask/doctor.h"
#include "recorder/journal/leftover.h"
#include "recorder/tracefs/invoker.h"
#include "src/base/output.h"
#include "src/base/table_out.h"
#include "src/sandbox/confine.h"

enum { OPT_FIX, OPT_EXPAND, OPT_FORMAT, OPT_TRACEFS, OPT_ROOT };

const struct command_def cmd_doctor_def = {
	.name = "doctor",
	.operands = "",
	.summary = "check what can be recorded here, what prevents it, and how to fix that",
	.details = "Each check runs in a tracefs instance of its own, which is then removed; tracefs\n"
		   "stays as it was. The exit status is 0 if events can be recorded, and 1 if not.",
	.options = (const struct option_def[]){
		{ "fix", 0, NULL, OPT_FIX, "remove the leftovers of interrupted recordings",
		  OPTION_OF_SHELL },
		{ "expand", 0, NULL, OPT_EXPAND,
		  "before Linux 6.7: expand the top buffer, as its first use does, so that all can be checked",
		  OPTION_OF_SHELL },
		{ "format", 0, "text|csv|json", OPT_FORMAT, "json: one object per line",
		  OPTION_HARMLESS },
		{ "tracefs", 0, "DIR", OPT_TRACEFS, NULL, OPTION_PATH, OPTION_OF_SHELL },
		{ "root", 0, "DIR", OPT_ROOT, NULL, OPTION_PATH, OPTION_OF_SHELL },
		OPTION_END,
	},
};

#define TEXT_COLUMN	34		/* its column, after the name of a check and its state */

static void add_heading(const struct doctor_report *report, struct text *out)
{
	text_printf(out, "%-*skernel ", TEXT_COLUMN, "doctor");
	if (*report->facts.release)
		text_printable(out, report->facts.release, strlen(report->facts.release));
	else
		text_add(out, "not known (no /proc)");
	text_printf(out, ", lockdown: %s\n", kernel_facts_lockdown_name(report->facts.lockdown));
}

/* Checks that were not tried because of an earlier row are listed in one line. */
static void blocked_as_text(const struct doctor_report *report, struct text *out)
{
	const char *why = NULL;

	for (int check = 0; check < DOCTOR_NR; check++) {
		const struct doctor_row *row = &report->rows[check];

		if (!row->blocked)
			continue;
		if (!why || strcmp(why, text_str(&row->text)))
			text_printf(out, "%s%-26s%-8s%s: ", why ? "\n" : "", "the rest",
				    doctor_state_name(row->state), text_str(&row->text));
		else
			text_add(out, ", ");
		text_add(out, doctor_check_title(check));
		why = text_str(&row->text);
	}
	if (why)
		text_char(out, '\n');
}

static void as_text(const struct doctor_report *report, struct text *out)
{
	add_heading(report, out);
	for (int check = 0; check < DOCTOR_NR; check++) {
		const struct doctor_row *row = &report->rows[check];

		/* the heading shows it; it only matters if it forbids something */
		if (row->blocked || (check == DOCTOR_LOCKDOWN && row->state == DOCTOR_OK))
			continue;
		text_printf(out, "%-26s%-8s%s\n", doctor_check_title(check),
			    doctor_state_name(row->state), text_str(&row->text));
		if (row->remedy.len)
			text_printf(out, "%*sfix it: %s\n", TEXT_COLUMN, "",
				    text_str(&row->remedy));
	}
	blocked_as_text(report, out);
}

/* @cells: width of the terminal; 0: one line per check, of any length */
static void as_folded_text(const struct doctor_report *report, int cells, struct text *out)
{
	struct text lines = { 0 };

	as_text(report, &lines);
	if (cells >= 2 * TEXT_COLUMN)
		text_fold(out, text_str(&lines), cells, TEXT_COLUMN);
	else
		text_add(out, text_str(&lines));
	text_fini(&lines);
}

struct doctor_line {
	/* NULL: nothing to be said */
	const char	*check, *state, *file, *error, *cause, *text, *remedy, *kernel;
};

static const struct table_column columns[] = {
	{ "check", TABLE_MEMBER(struct doctor_line, check) },
	{ "state", TABLE_MEMBER(struct doctor_line, state) },
	{ "file", TABLE_MEMBER(struct doctor_line, file) },
	{ "errno", TABLE_MEMBER(struct doctor_line, error) },
	{ "cause", TABLE_MEMBER(struct doctor_line, cause) },
	{ "text", TABLE_MEMBER(struct doctor_line, text) },
	{ "remedy", TABLE_MEMBER(struct doctor_line, remedy) },
	{ "kernel", TABLE_MEMBER(struct doctor_line, kernel) },
};

static const struct table_columns line_columns = { TABLE_COLUMNS(columns) };

static const char *or_null(const char *s)
{
	return s && *s ? s : NULL;
}

static void as_table(const struct doctor_report *report, enum table_format format, struct text *out)
{
	struct table_out table;

	table_out_init(&table, &line_columns, format, false);
	table_out_heading(&table, out);
	for (int check = 0; check < DOCTOR_NR; check++) {
		const struct doctor_row *row = &report->rows[check];
		const struct doctor_line line = {
			.check = doctor_check_name(check),
			.state = doctor_state_name(row->state),
			.file = or_null(row->file),
			.error = row->errnum ? tracefs_dir_errno(row->errnum) : NULL,
			.cause = or_null(row->cause),
			.text = or_null(text_str(&row->text)),
			.remedy = or_null(text_str(&row->remedy)),
			.kernel = or_null(report->facts.release),
		};

		table_out_row(&table, &line, out);
	}
	table_out_fini(&table);
}

/* The row that prevents recording events: the first with NO, else that of the events. */
static const struct doctor_row *find_obstacle(const struct doctor_report *report)
{
	static const enum doctor_check needed[] = {
		DOCTOR_TRACEFS, DOCTOR_RIGHTS, DOCTOR_LOCKDOWN, DOCTOR_INSTANCE, DOCTOR_EVENTS,
		DOCTOR_PAGES,
	};

	for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++)
		if (report->rows[needed[i]].state == DOCTOR_NO)
			return &report->rows[needed[i]];
	return &report->rows[DOCTOR_EVENTS];
}

/* Lines may contain names from others. */
static void tell_fixed(const struct text *lines)
{
	struct text shown = { 0 };

	text_terminal(&shown, text_str(lines), lines->len, true);
	fputs(text_str(&shown), stderr);
	text_fini(&shown);
}

int cmd_doctor(const struct option_list *list, struct ft_error *err)
{
	struct doctor_options options = { .root = "", .run_dir = leftover_run_dir() };
	struct confine sandbox = confine_try();
	struct doctor_report report;
	struct text out = { 0 };
	enum table_format format = FORMAT_TEXT;
	int ret = 0;

	for (unsigned int i = 0; i < list->nr; i++) {
		const char *value = list->values[i].value;

		switch (list->values[i].id) {
		case OPT_FIX:
			options.fix = true;
			break;
		case OPT_EXPAND:
			options.expand = true;
			break;
		case OPT_TRACEFS:
			options.tracefs = value;
			if (invoker_check_folder("--tracefs", value, err))
				return -1;
			break;
		case OPT_ROOT:
			options.root = value;
			if (invoker_check_folder("--root", value, err))
				return -1;
			break;
		case OPT_FORMAT:
			if (table_format_parse(value, &format, err))
				return -1;
			break;
		}
	}
	options.landlock = sandbox.files;
	options.seccomp = sandbox.calls;
	doctor_run(&options, &report);
	tell_fixed(&report.fixed);
	if (format != FORMAT_TEXT)
		as_table(&report, format, &out);
	else
		as_folded_text(&report, output_cells(STDOUT_FILENO), &out);
	ret = output_whole(STDOUT_FILENO, &out, err);
	if (!ret && !doctor_can_record(&report))
		ret = ft_error_set(err, FT_E_IO, -1, "events cannot be recorded here: %s",
				   text_str(&find_obstacle(&report)->text));
	doctor_fini(&report);
	return ret;
}
