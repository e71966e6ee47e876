/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/prompt/filter_line.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"
#include "src/filter/filter_value.h"
#include "ui/desk/desk.h"
#include "ui/desk/views.h"
#include "ui/prompt/commands.h"
#include "ui/prompt/pairs.h"
#include "ui/prompt/prompts.h"
#include "ui/session/session.h"
#include "ui/rows/filter_terms.h"

#define HINT	"Tab complete  ↑ history  Enter keep  Esc undo"
#define HINT_LAST_TIME "↑ filter of last time  Tab complete  Enter keep  Esc undo"
#define NO_WORDS "nothing to complete here"
#define NO_FUNCTIONS "; function names need two letters"

static bool press(struct app *app, ui_key key, enum request request);
static void cancelled(struct app *app);

static const struct typed typed_filter = {
	.press = press,
	.changed = filter_line_changed,
	.cancelled = cancelled,
	.filters = true,
};

/* Remembers what Tab puts in the place of the wrong part, and says so. */
static void show_offers(struct app *app, const struct filter_offers *offers)
{
	struct text *hint = &app->prompt.hint;
	bool asks = hint->len && hint->data[hint->len - 1] == '?';

	app->prompts->filter_line.offers = *offers;
	if (offers->nr)
		text_add(hint, !asks          ? "; Tab does it" :
			       offers->nr > 1 ? " Tab takes the first" :
						" Tab takes it");
}

static void show_error(struct app *app, const struct filter_error *err)
{
	struct prompt *prompt = &app->prompt;

	prompt->wrong = true;
	prompt->wrong_at = (int)err->from;
	prompt->wrong_to = (int)err->to;
	text_add(&prompt->hint, text_str(&err->message));
	show_offers(app, &err->offers);
}

static const char *empty_reason(const struct app *app)
{
	const struct filters *filters = &app->shared.chosen.filters;
	unsigned int at = app->prompts->filter_line.at;

	return at < filters->nr ? filter_empty_reason(match_filter_of(filters->stack[at].handle)) :
				  NULL;
}

/* With several files: adds the files that have nothing the filter needs. */
static bool add_files(const struct app *app, struct text *out)
{
	const struct filters *filters = &app->shared.chosen.filters;
	unsigned int nr = trace_nr_files(filters->trace);
	struct text why = { 0 };
	size_t before = out->len;

	for (unsigned int i = 0; i < nr && app->prompts->filter_line.at < filters->nr; i++) {
		text_clear(&why);
		if (!filter_file_reason(match_filter_of(filters->stack[app->prompts->filter_line.at]
								.handle),
					i, &why))
			continue;
		text_add(out, out->len > before ? "; " : "no match in ");
		shared_file_name(&app->shared, i, out);
		text_printf(out, ": %s", text_str(&why));
	}
	text_fini(&why);
	return out->len > before;
}

/* While the text has an error, the former filter stays. */
void filter_line_apply(struct app *app)
{
	struct filter_line *line = &app->prompts->filter_line;
	struct prompt *prompt = &app->prompt;
	struct filter_error err = { 0 };
	const char *reason;

	if (app->typed != &typed_filter || !line->stale)
		return;
	line->stale = line->wrong = false;
	line->offers.nr = 0;
	text_clear(&prompt->hint);
	prompt->wrong = prompt->is_sentence = false;
	prompt->wrong_at = prompt->wrong_to = -1;
	if (filters_set(&app->shared.chosen.filters, line->at, text_str(&prompt->text),
			&app->shared.at.places, &err)) {
		line->wrong = true;
		show_error(app, &err);
		text_fini(&err.message);
		return;
	}
	views_changed(app);
	reason = empty_reason(app);
	prompt->is_sentence = reason || add_files(app, &prompt->hint);
	if (reason || !prompt->is_sentence)
		text_add(&prompt->hint, reason ? reason : HINT);
	if (reason)
		show_offers(app, filter_empty_offers(match_filter_of(
					 app->shared.chosen.filters.stack[line->at].handle)));
}

static void forget_words(struct filter_line *line)
{
	filter_words_free(line->words, line->nr_words);
	line->words = NULL;
	line->nr_words = 0;
	line->word = -1;
}

void filter_line_changed(struct app *app)
{
	forget_words(&app->prompts->filter_line);
	app->prompts->filter_line.stale = true;
}

/* Shows the chosen word with its help first, then as many of the next words as fit. */
static void show_words(struct app *app)
{
	const struct filter_line *line = &app->prompts->filter_line;
	struct prompt *prompt = &app->prompt;
	unsigned int first = line->word < 0 ? 0 : (unsigned int)line->word;

	text_clear(&prompt->hint);
	prompt->wrong = prompt->is_sentence = false;
	for (unsigned int i = 0; i < line->nr_words && prompt->hint.len < 1024; i++) {
		const struct filter_word *word = &line->words[(first + i) % line->nr_words];

		text_add(&prompt->hint, i ? "  " : "");
		text_printf(&prompt->hint, line->word >= 0 && !i ? "[%s]" : "%s", word->text);
		if (line->word >= 0 && !i && word->help)
			text_printf(&prompt->hint, " %s", word->help);
	}
}

/* The length in bytes of the prefix that all words share. */
static size_t common_bytes(const struct filter_line *line)
{
	size_t len = strlen(line->words[0].text);

	for (unsigned int i = 1; i < line->nr_words; i++) {
		size_t same = 0;

		while (same < len && line->words[i].text[same] == line->words[0].text[same])
			same++;
		len = same;
	}
	while (len && (line->words[0].text[len] & 0xc0) == 0x80)
		len--;
	return len;
}

static void replace_word(struct app *app, const char *s, size_t len)
{
	struct prompt *prompt = &app->prompt;
	char *word = mem_strndup(s, len);

	/* The closing quote may be there already. */
	if (len > 1 && s[0] == '"' && s[len - 1] == '"' &&
	    text_str(&prompt->text)[prompt->cursor] == '"')
		prompt_key(prompt, UI_KEY_DELETE);
	prompt_replace(prompt, app->prompts->filter_line.word_from, word);
	app->prompts->filter_line.stale = true;
	free(word);
}

/* Tab in a text with an error: the offers take the place of the completions.  False: none. */
static bool take_offer(struct app *app)
{
	struct filter_line *line = &app->prompts->filter_line;
	struct prompt *prompt = &app->prompt;
	size_t after;

	filter_line_apply(app);
	if (!line->offers.nr)
		return false;
	after = prompt->cursor > line->offers.to ? prompt->cursor - line->offers.to : 0;
	forget_words(line);
	line->words = mem_array(line->offers.nr, sizeof(*line->words));
	for (; line->nr_words < line->offers.nr; line->nr_words++)
		line->words[line->nr_words].text = mem_strdup(line->offers.texts[line->nr_words]);
	line->word = 0;
	line->word_from = line->offers.from;
	prompt->cursor = line->offers.to;
	replace_word(app, line->words[0].text, strlen(line->words[0].text));
	if (line->nr_words == 1) {
		forget_words(line);
		prompt->cursor += after;
	}
	return true;
}

static void free_word(struct filter_word *word)
{
	free(word->text);
	free(word->help);
}

/* -1: all kinds */
static void keep_kind(struct filter_line *line, int kind)
{
	unsigned int nr = 0;

	for (unsigned int i = 0; i < line->nr_words; i++)
		if (kind < 0 || (int)line->words[i].kind == kind)
			line->words[nr++] = line->words[i];
		else
			free_word(&line->words[i]);
	line->nr_words = nr;
}

/* Words for the filter; after ":", commands, or a filter, an event or a field of ":pair". */
static void ask_words(struct app *app)
{
	struct filter_line *line = &app->prompts->filter_line;
	struct prompt *prompt = &app->prompt;
	const struct filter_options options = { .macros = app->session->named.macros,
						.nr_macros = app->session->named.nr };
	struct text filter = { 0 };
	ptrdiff_t shift = 0;
	int kind = -1;

	if (app->typed == &typed_filter)
		text_bytes(&filter, text_str(&prompt->text), prompt->cursor);
	else if (strcspn(text_str(&prompt->text), " ") >= prompt->cursor) {
		line->word_from = 0;
		line->nr_words = commands_complete(text_str(&prompt->text), prompt->cursor,
						   &line->words);
		return;
	} else if (!pairs_filter(text_str(&prompt->text), prompt->cursor, &filter, &shift, &kind))
		return;
	line->nr_words = filter_complete(app->shared.trace, text_str(&filter), filter.len, &options,
					 &line->word_from, &line->words);
	line->word_from += (size_t)shift;
	keep_kind(line, kind);
	text_fini(&filter);
}

static void find_words(struct app *app)
{
	struct filter_line *line = &app->prompts->filter_line;
	struct prompt *prompt = &app->prompt;
	size_t common;

	forget_words(line);
	ask_words(app);
	if (!line->nr_words && app->typed == &typed_filter && take_offer(app))
		return;
	if (!line->nr_words) {
		forget_words(line);
		prompt->wrong = prompt->is_sentence = false;
		text_clear(&prompt->hint);
		text_add(&prompt->hint, NO_WORDS);
		if (app->typed == &typed_filter)
			text_add(&prompt->hint, NO_FUNCTIONS);
		return;
	}
	common = common_bytes(line);
	if (common > prompt->cursor - line->word_from)
		replace_word(app, line->words[0].text, common);
	if (line->nr_words == 1) {
		forget_words(line);
		line->stale = true;
	}
}

static void complete(struct app *app, int step)
{
	struct filter_line *line = &app->prompts->filter_line;
	const char *word;

	if (!line->nr_words) {
		find_words(app);
		return;
	}
	line->word = line->word < 0 && step < 0 ?
			     (int)line->nr_words - 1 :
			     (line->word + step + (int)line->nr_words) % (int)line->nr_words;
	word = line->words[line->word].text;
	replace_word(app, word, strlen(word));
}

/* Drops the filters of last time, which were never on: a new one is not joined with them. */
static bool drop_last_time(struct app *app)
{
	struct filters *filters = &app->shared.chosen.filters;
	struct filter_error err = { 0 };

	if (!filters->of_last_time)
		return false;
	for (unsigned int i = 0; i < filters->nr; i++)
		prompt_history_add(&app->prompts->filter_history, filters->stack[i].text);
	while (filters->nr)
		filters_set(filters, filters->nr - 1, "", &app->shared.at.places, &err);
	return true;
}

/* Esc, and Enter on an empty line, bring them back. */
static void restore_last_time(struct app *app)
{
	struct filters *filters = &app->shared.chosen.filters;

	filters_add_lines(filters, text_str(&app->prompts->filter_line.last_time),
			  &app->shared.at.places);
	filters_switch(filters, false);
	filters->of_last_time = true;
	text_clear(&app->prompts->filter_line.last_time);
}

void filter_line_open(struct app *app, bool add)
{
	struct filters *filters = &app->shared.chosen.filters;
	struct filter_line *line = &app->prompts->filter_line;
	const char *text;

	text_clear(&line->last_time);
	if (filters->of_last_time) {
		filters_lines(filters, &line->last_time);
		drop_last_time(app);
	}
	if (add && filters->nr == FILTERS_MAX) {
		app_message(app, "at most %d filters at once", FILTERS_MAX);
		return;
	}
	line->at = add || !filters->nr ? filters->nr : filters->nr - 1;
	text = line->at < filters->nr ? filters->stack[line->at].text : "";
	free(line->former);
	line->former = mem_strdup(text);
	line->was_off = filters->off;
	line->wrong = false;
	app->prompts->before_filter = views_now(app);
	app->shared.at.anchored = app->shared.at.here.set;
	app->shared.at.anchor = app->shared.at.here;
	app->shared.at.anchor_line = app->shared.at.here_line;
	app_open_prompt(app, &typed_filter,
			filters->nr && line->at == filters->nr ? "filter & " : "filter: ", text,
			&app->prompts->filter_history);
	text_add(&app->prompt.hint, line->last_time.len ? HINT_LAST_TIME : HINT);
	/* Filters that were off are on while one is edited. */
	line->stale = filters->off;
}

static void leave(struct app *app)
{
	forget_words(&app->prompts->filter_line);
	app->typed = NULL;
	app->shared.at.anchored = false;
}

/* False: the text has an error, and stays to be corrected. */
static bool accept(struct app *app)
{
	struct prompt *prompt = &app->prompt;

	filter_line_apply(app);
	if (app->prompts->filter_line.wrong)
		return false;
	prompt_history_add(&app->prompts->filter_history, text_str(&prompt->text));
	if (app->prompts->filter_line.last_time.len && !app->shared.chosen.filters.nr)
		restore_last_time(app);
	leave(app);
	if (app->prompts->before_filter.filters != views_now(app).filters)
		places_leave(&app->shared.at.places, &app->prompts->before_filter);
	return true;
}

/* A text with an error stays in the line, to be corrected. */
void filter_line_set(struct app *app, const char *text)
{
	filter_line_open(app, false);
	app_open_prompt(app, &typed_filter, "filter: ", text, &app->prompts->filter_history);
	app->prompts->filter_line.stale = true;
	accept(app);
}

static void cancelled(struct app *app)
{
	struct filters *filters = &app->shared.chosen.filters;
	struct filter_line *line = &app->prompts->filter_line;
	struct filter_error err = { 0 };

	filters_set(filters, line->at, line->former, &app->shared.at.places, &err);
	text_fini(&err.message);
	if (line->last_time.len)
		restore_last_time(app);
	else if (line->was_off)
		filters_switch(filters, false);
	views_changed(app);
	leave(app);
}

bool filter_line_tab(struct app *app, ui_key key)
{
	if (key != UI_KEY_TAB && key != UI_KEY_SHIFT_TAB)
		return false;
	complete(app, key == UI_KEY_TAB ? 1 : -1);
	return true;
}

static bool press(struct app *app, ui_key key, enum request request)
{
	(void)request;
	if (key == UI_KEY_ENTER)
		accept(app);
	return key == UI_KEY_ENTER || filter_line_tab(app, key);
}

void filter_line_fini(struct filter_line *line)
{
	forget_words(line);
	free(line->former);
	line->former = NULL;
	text_fini(&line->last_time);
}

/* Shows the number of rows next to the text, and the completions above it after Tab. */
void filter_line_count(struct app *app)
{
	struct prompt *prompt = &app->prompt;

	text_clear(&prompt->note);
	if (app->prompts->filter_line.nr_words)
		show_words(app);
	if (app->typed == &typed_filter && filters_active(&app->shared.chosen.filters))
		filters_count(&app->shared.chosen.filters, &prompt->note);
	if (app->typed == &typed_filter && !app->prompts->filter_line.wrong &&
	    !app->prompts->filter_line.nr_words && filters_trouble(&app->shared.chosen.filters)) {
		text_clear(&prompt->hint);
		text_add(&prompt->hint, filters_trouble(&app->shared.chosen.filters));
		prompt->is_sentence = true;
	}
}

/* --- keys ---------------------------------------------------------------- */

void filter_line_switch(struct app *app)
{
	struct filters *filters = &app->shared.chosen.filters;

	if (!filters->nr) {
		app_message(app, "there is no filter yet; f adds one");
		return;
	}
	views_leave(app);
	filters_switch(filters, filters->off);
	views_changed(app);
	app_message(app,
		    filters->off ? "filters are off; F switches them on again" : "filters are on");
}

void filter_line_dim(struct app *app)
{
	struct filters *filters = &app->shared.chosen.filters;

	filters->dim = !filters->dim;
	views_changed(app);
	app_message(app, filters->dim ? "rows that do not match a filter are dimmed" :
					"rows that do not match a filter are hidden");
}

void filter_line_rows_around(struct app *app, bool more)
{
	static const unsigned int steps[] = { 0, 1, 2, 3, 5, 10, FILTERS_MAX_AROUND };
	const size_t nr = sizeof(steps) / sizeof(steps[0]);
	struct filters *filters = &app->shared.chosen.filters;
	size_t i = 0;

	if (!filters_hiding(filters)) {
		app_message(app,
			    filters_active(filters) ?
				    "rows that do not match are dimmed, not hidden; z hides them" :
				    "there is no filter to show rows around; f adds one");
		return;
	}
	while (i + 1 < nr && steps[i] < filters->around)
		i++;
	if (more ? i + 1 == nr : !i) {
		app_message(app,
			    more ? "%u rows on either side is the maximum; z shows all, dimmed" :
				   "only rows that match the filter are shown",
			    steps[i]);
		return;
	}
	filters->around = steps[more ? i + 1 : i - 1];
	views_changed(app);
	if (filters->around)
		app_message(app,
			    "%u row%s before and after each match, dimmed; + shows more, - "
			    "fewer",
			    filters->around, PLURAL(filters->around));
	else
		app_message(app, "only rows that match the filter");
}

void filter_line_by(struct app *app, const char *name, const char *value, bool without)
{
	struct filters *filters = &app->shared.chosen.filters;
	struct text text = { 0 };
	struct filter_error err = { 0 };
	struct step before = views_now(app);
	bool dropped = drop_last_time(app);
	unsigned int at = filters->nr ? filters->nr - 1 : 0;

	filter_terms_add(filters->nr ? filters->stack[at].text : "", name, value, without,
			 trace_filter_names(app->shared.trace), &text);
	if (filters_set(filters, at, text_str(&text), &app->shared.at.places, &err)) {
		app_error(app, "%s: %s", text_str(&text), text_str(&err.message));
	} else {
		prompt_history_add(&app->prompts->filter_history, text_str(&text));
		places_leave(&app->shared.at.places, &before);
		views_changed(app);
		app_message(app,
			    dropped ? "filter: %s (the last session's filter: f ↑ ↑)" :
				      "filter: %s",
			    text_str(&text));
		app->message_from_end = true;
	}
	text_fini(&err.message);
	text_fini(&text);
}

void filter_line_by_process(struct app *app, unsigned int file, int pid, int64_t ts, bool without)
{
	struct trace *trace = app->shared.trace;
	struct text value = { 0 };
	int tgid;

	if (trace_tgid(trace, file, pid, ts, &tgid)) {
		text_printf(&value, "%d", tgid);
		filter_line_by(app, "tgid", text_str(&value), without);
	} else {
		filter_text_quote(trace_comm(trace, file, pid, ts), &value);
		filter_line_by(app, "comm", text_str(&value), without);
	}
	text_fini(&value);
}
