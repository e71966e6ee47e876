/* SPDX-License-Identifier: GPL-2.0-or-later */
/* doctor - what can be recorded here, what stands in the way, and what mends it. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "recorder/ask/doctor.h"
#include "recorder/journal/leftover.h"
#include "src/commands/commands.h"
#include "src/base/output.h"

enum { OPT_FIX, OPT_EXPAND, OPT_FORMAT, OPT_TRACEFS, OPT_ROOT };

const struct command_def cmd_doctor_def = {
	.name = "doctor",
	.operands = "",
	.summary = "say what can be recorded here, what stands in the way, and the command that mends it",
	.details = "Each thing is tried, in a tracefs instance of its own that is removed again; tracefs is left as it was.\n"
		   "Exit status 0: events can be recorded. 1: they cannot.",
	.options = (const struct option_def[]){
		{ "fix", 0, NULL, OPT_FIX, "remove what interrupted recordings of ftop-trace left behind" },
		{ "expand", 0, NULL, OPT_EXPAND, "kernels before 6.7: size the top buffer, as first use does, to try all" },
		{ "format", 0, "text|csv|json", OPT_FORMAT, "json: an object a line" },
		{ "tracefs", 0, "DIR", OPT_TRACEFS, NULL },
		{ "root", 0, "DIR", OPT_ROOT, NULL },
		OPTION_END,
	},
};

#define TEXT_COLUMN	34		/* where it begins, behind the name of a check and its state */

static void heading(const struct doctor_report *report, struct text *out)
{
	text_printf(out, "%-*skernel ", TEXT_COLUMN, "doctor");
	text_printable(out, report->facts.release, strlen(report->facts.release));
	text_printf(out, ", lockdown: %s\n", kernel_facts_lockdown_name(report->facts.lockdown));
}

/* What was not tried for a reason that stands above is told in one line. */
static void blocked_as_text(const struct doctor_report *report, struct text *out)
{
	const char *why = NULL;

	for (int check = 0; check < DOCTOR_NR; check++) {
		const struct doctor_row *row = &report->rows[check];

		if (!row->blocked)
			continue;
		if (!why || strcmp(why, text_str(&row->text)))
			text_printf(out, "%s%-26s%-8s%s: ", why ? "\n" : "", "the rest", doctor_state_name(row->state),
				    text_str(&row->text));
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
	heading(report, out);
	for (int check = 0; check < DOCTOR_NR; check++) {
		const struct doctor_row *row = &report->rows[check];

		/* It stands in the heading, and matters where it forbids. */
		if (row->blocked || (check == DOCTOR_LOCKDOWN && row->state == DOCTOR_OK))
			continue;
		text_printf(out, "%-26s%-8s%s\n", doctor_check_title(check), doctor_state_name(row->state),
			    text_str(&row->text));
		if (row->remedy.len)
			text_printf(out, "%*smend it: %s\n", TEXT_COLUMN, "", text_str(&row->remedy));
	}
	blocked_as_text(report, out);
}

/* @cells: of a row of the terminal; 0: a check is a line, however long */
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

static void json_string(struct text *out, const char *key, const char *value)
{
	text_printf(out, ",\"%s\":", key);
	if (!value || !*value) {
		text_add(out, "null");
		return;
	}
	text_char(out, '"');
	text_json(out, value, strlen(value));
	text_char(out, '"');
}

static void as_json(const struct doctor_report *report, struct text *out)
{
	for (int check = 0; check < DOCTOR_NR; check++) {
		const struct doctor_row *row = &report->rows[check];

		text_printf(out, "{\"check\":\"%s\",\"state\":\"%s\"", doctor_check_name(check), doctor_state_name(row->state));
		json_string(out, "file", row->file);
		json_string(out, "errno", row->errnum ? tracefs_dir_errno(row->errnum) : NULL);
		json_string(out, "cause", row->cause);
		json_string(out, "text", text_str(&row->text));
		json_string(out, "remedy", text_str(&row->remedy));
		json_string(out, "kernel", report->facts.release);
		text_add(out, "}\n");
	}
}

static void csv_field(struct text *out, const char *value)
{
	text_char(out, ',');
	if (value)
		text_csv(out, value, strlen(value));
}

static void as_csv(const struct doctor_report *report, struct text *out)
{
	text_add(out, "check,state,file,errno,cause,text,remedy,kernel\n");
	for (int check = 0; check < DOCTOR_NR; check++) {
		const struct doctor_row *row = &report->rows[check];

		text_printf(out, "%s,%s", doctor_check_name(check), doctor_state_name(row->state));
		csv_field(out, row->file);
		csv_field(out, row->errnum ? tracefs_dir_errno(row->errnum) : NULL);
		csv_field(out, row->cause);
		csv_field(out, text_str(&row->text));
		csv_field(out, text_str(&row->remedy));
		csv_field(out, report->facts.release);
		text_char(out, '\n');
	}
}

/* The row that stands in the way of recording events: the first that says no, else that of the events. */
static const struct doctor_row *obstacle(const struct doctor_report *report)
{
	static const enum doctor_check needed[] = {
		DOCTOR_TRACEFS, DOCTOR_RIGHTS, DOCTOR_LOCKDOWN, DOCTOR_INSTANCE, DOCTOR_EVENTS, DOCTOR_PAGES,
	};

	for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++)
		if (report->rows[needed[i]].state == DOCTOR_NO)
			return &report->rows[needed[i]];
	return &report->rows[DOCTOR_EVENTS];
}

/* Lines may quote names of others. */
static void tell_fixed(const struct text *lines)
{
	struct text shown = { 0 };

	for (const char *p = text_str(lines); *p; p += strcspn(p, "\n") + (p[strcspn(p, "\n")] != '\0')) {
		text_printable(&shown, p, strcspn(p, "\n"));
		text_char(&shown, '\n');
	}
	fputs(text_str(&shown), stderr);
	text_fini(&shown);
}

int cmd_doctor(const struct option_list *list, struct ft_error *err)
{
	struct doctor_options options = { .root = "", .run_dir = leftover_run_dir() };
	struct doctor_report report;
	struct text out = { 0 };
	int format = FORMAT_TEXT, ret = 0;

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
			break;
		case OPT_ROOT:
			options.root = value;
			break;
		case OPT_FORMAT:
			format = command_format(value, err);
			if (format < 0)
				return -1;
			break;
		}
	}
	doctor_run(&options, &report);
	tell_fixed(&report.fixed);
	if (format == FORMAT_JSON)
		as_json(&report, &out);
	else if (format == FORMAT_CSV)
		as_csv(&report, &out);
	else
		as_folded_text(&report, output_cells(STDOUT_FILENO), &out);
	fwrite(text_str(&out), 1, out.len, stdout);
	if (!doctor_can_record(&report)) {
		fflush(stdout);
		ret = ft_error_set(err, FT_E_IO, -1, "events cannot be recorded here: %s", text_str(&obstacle(&report)->text));
	}
	text_fini(&out);
	doctor_fini(&report);
	return ret;
}
