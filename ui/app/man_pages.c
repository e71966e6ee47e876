/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/app/man_pages.h"

#include <string.h>

#include "ui/desk/desk.h"
#include "ui/desk/view_table.h"
#include "ui/prompt/commands.h"
#include "ui/session/options.h"
#include "src/base/man.h"
#include "ui/view/manual.h"

/* --- keys ------------------------------------------------------------------------------------- */

static void add_request(enum request request, const char *help, FILE *out)
{
	man_pair(request_info(request)->keys, help, out);
}

/* Is it for a view that this version has? */
static bool is_there(enum request request)
{
	for (int id = 0; id < NR_VIEWS; id++)
		if (view_table[id] && request_is_for(request, view_key(id)))
			return true;
	return false;
}

/* "2  show Graph: calls as a tree", for each view with a key. */
static void add_views(FILE *out)
{
	struct text help = { 0 };

	for (int id = 0; id < NR_VIEWS; id++) {
		char key[2] = { view_key(id), '\0' };

		if (!view_table[id] || !view_has_key(id))
			continue;
		text_clear(&help);
		text_printf(&help, "show %s: %s", view_title(id), view_about(id));
		man_pair(key, text_str(&help), out);
	}
	text_fini(&help);
}

static void add_groups(FILE *out)
{
	for (int group = 0; group < NR_REQUEST_GROUPS; group++) {
		man_subsection(request_group_title(group), out);
		for (int r = REQ_NONE + 1; r < NR_REQUESTS; r++) {
			if (request_info(r)->group != (enum request_group)group || !is_there(r))
				continue;
			if (r == REQ_VIEW)
				add_views(out);
			else
				add_request(r, request_info(r)->help, out);
		}
	}
}

/* The keys that mean something of their own in a view, if there are any. */
static void add_view(const struct view_ops *ops, enum view_id id, FILE *out)
{
	bool has_title = false;

	for (int r = REQ_NONE + 1; r < NR_REQUESTS; r++) {
		if (!request_is_for(r, view_key(id)) || request_is_alias(r, view_key(id)) ||
		    !strcmp(view_help(ops, r), request_info(r)->help))
			continue;
		if (!has_title)
			man_subsection(view_title(id), out);
		has_title = true;
		add_request(r, view_help(ops, r), out);
	}
}

void man_pages_keys(FILE *out)
{
	struct text words = { 0 };
	const char *help;

	man_begin("ftop-trace-keys", "7", "views, keys and commands of the trace browser", out);
	man_section("VIEWS", out);
	man_text(view_manual, out);
	man_section("KEYS", out);
	man_text(
		"^X is Ctrl-X; S-Tab is Shift-Tab. ? in the browser lists the keys of the view. Some keys\n"
		"wait for a letter, and the bottom line then lists the letters. Keys of earlier versions still\n"
		"work: } and { go to the next and the previous event of this task, * and # to the next and the\n"
		"previous event of this name; c closes a row, C all rows.",
		out);
	add_groups(out);
	man_section("KEYS OF THE VIEWS", out);
	man_text("These keys mean something else in a view.", out);
	for (int id = 0; id < NR_VIEWS; id++)
		if (view_table[id])
			add_view(view_table[id], id, out);
	man_section("COMMANDS", out);
	man_text(
		"Type these after a colon. A word that begins with a digit, a sign or one of # % @ ' is a\n"
		"place; see the key : above.",
		out);
	for (unsigned int i = 0; (help = commands_describe(i, &words)); i++)
		man_pair(text_str(&words), help, out);
	text_fini(&words);
	man_end("ftop-trace-keys", out);
}

/* --- configuration ---------------------------------------------------------------------------- */

void man_pages_config(FILE *out)
{
	struct text help = { 0 };
	const char *name;

	man_begin("ftop-trace-config", "5", "settings of the trace browser", out);
	man_section("DESCRIPTION", out);
	man_text(
		"$XDG_CONFIG_HOME/ftop-trace/ (default: ~/.config/ftop-trace/) holds the user's settings, in\n"
		"plain text.",
		out);
	man_section("OPTIONS", out);
	man_text(
		"O in the browser lists the options, and :set NAME VALUE sets one; :set NAME VALUE --save\n"
		"also writes it into the file config, whose lines are name = value. A # begins a comment. Errors\n"
		"are reported with line and column; only that line is ignored. Options of the command line\n"
		"have priority.",
		out);
	for (unsigned int i = 0; (name = options_describe(i, &help)); i++)
		man_pair(name, text_str(&help), out);
	text_fini(&help);
	man_section("VIEWS", out);
	man_text(
		"A line VIEW.KEY = VALUE of the file config sets how a view begins, for a trace that was not\n"
		"opened before: events.hide = delta, cpu; tasks.sort = run_ns. Later, each trace opens as you\n"
		"left it.",
		out);
	man_pair("list", "the letter of a list, as after o", out);
	man_pair("show, hide", "columns, separated by commas", out);
	man_pair("sort, sort-inverted", "the column to sort by, as CSV names it", out);
	man_section("FILES", out);
	man_pair("config", "options, and how views begin: theme = light", out);
	man_pair("filters",
		 "named filters, one per line: NAME = EXPRESSION; see ftop-trace-filter(7)", out);
	man_pair(
		"pairs",
		"pairs of events that the view Latency and ftop-trace latency measure, one per line:\n"
		"pair io block_bio_queue block_bio_complete by dev,sector, where io is the name of the pair.\n"
		":pair in the browser adds one, and Tab completes its events and fields. A pair is left out if\n"
		"the trace does not have its events.",
		out);
	man_pair(
		"events/*.events",
		"descriptions of events that the program does not know, or other ones for events that it\n"
		"knows. system NAME and event NAME... begin a part. The lines below it are sentence TEXT\n"
		"for the detail pane, short TEXT for the rows, colour ROLE, where ROLE is a name of the themes,\n"
		"and pattern TEXT for traces that are text: sentence {comm}-{pid} slept for {delay:ns}.\n"
		"{NAME} stands for the value of a field; {NAME:WAY} shows it as ns, us, hex, error, result, or\n"
		"no|yes. kind NAME with measures TEXT, instance TEXT and pair NAME START -> END by KEY defines\n"
		"a kind of latency, which ftop-trace fields --kinds lists. Errors are reported with file and\n"
		"line; only that line is ignored.",
		out);
	man_pair("record-setups", "named presets of the record screen", out);
	man_pair(
		"themes/NAME.theme",
		"the theme of --theme=NAME. Each line gives the look of a role: selected = on #264f78 bold.\n"
		"Indented lines after it, such as 16 = white on blue, are for terminals with 256 or 16\n"
		"colours, or for mono. A role without a line looks like text.",
		out);
	man_end("ftop-trace-config", out);
}
