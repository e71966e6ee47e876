/* SPDX-License-Identifier: GPL-2.0-or-later */
/* record_list - the choices for the selected field: a list that typing narrows. */
#include <ctype.h>
#include <dirent.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"
#include "ui/record/record_private.h"

#define FIND_MAX_BYTES	200

bool record_has_list(enum record_row row)
{
	switch ((int)row) {
	case ROW_NAME:
	case ROW_RIGHTS:
	case ROW_SETUP + SETUP_TRACER:
	case ROW_SETUP + SETUP_EVENTS:
	case ROW_SETUP + SETUP_FUNCTIONS:
	case ROW_SETUP + SETUP_TASKS:
	case ROW_SETUP + SETUP_CLOCK:
		return true;
	}
	return false;
}

const struct capability_list *record_list_of(const struct record_ui *record, enum record_row row)
{
	switch ((int)row) {
	case ROW_SETUP + SETUP_TRACER:
		return &record->caps.lists[CAPABILITY_TRACER];
	case ROW_SETUP + SETUP_EVENTS:
		return &record->caps.lists[CAPABILITY_EVENT];
	case ROW_SETUP + SETUP_FUNCTIONS:
		return &record->caps.lists[CAPABILITY_FUNCTION];
	case ROW_SETUP + SETUP_CLOCK:
		return &record->caps.lists[CAPABILITY_CLOCK];
	}
	return NULL;
}

const struct record_item *record_item_here(const struct record_ui *record)
{
	return record->list.at < record->nr_items ? &record->items[record->list.at] : NULL;
}

static enum setup_field field_of(enum record_row row)
{
	return (enum setup_field)(row - ROW_SETUP);
}

/* Does the field hold one value only? */
static bool is_single(enum record_row row)
{
	return row == ROW_SETUP + SETUP_TRACER || row == ROW_SETUP + SETUP_CLOCK;
}

/* --- texts and ticks -------------------------------------------------------- */

static bool has_word(const struct shell_words *words, const char *word)
{
	for (unsigned int i = 0; i < words->nr; i++)
		if (!strcmp(words->words[i], word))
			return true;
	return false;
}

/* Adds the name of the process with this pid, as read from /proc. */
static void add_comm(const struct record_ui *record, unsigned int pid, struct text *out)
{
	char wanted[16];
	int len = snprintf(wanted, sizeof(wanted), "%u ", pid);

	for (const char *p = text_str(&record->processes); *p; p += strcspn(p, "\n") + 1)
		if (!strncmp(p, wanted, (size_t)len)) {
			text_bytes(out, p + len, strcspn(p + len, "\n"));
			return;
		}
}

static const char *word_of(const struct record_ui *record, unsigned int value)
{
	if (record->row == ROW_SETUP + SETUP_EVENTS)
		return record->setup.events[value].pattern;
	if (record->row == ROW_SETUP + SETUP_FUNCTIONS)
		return record->setup.functions.words[value];
	if (record->row == ROW_SETUP + SETUP_TASKS)
		return record->setup.pids.words[value];
	return text_str(&record->setup.values[field_of(record->row)]);
}

/* Describes a word that was typed and that the kernel does not list. */
static const char *foreign_word(enum record_row row, const char *word)
{
	return !is_single(row) && word[strcspn(word, "*?[^$")] ? "a pattern" : "not of this kernel";
}

static const char *const rights_names[NR_RIGHTS] = {
	[RIGHTS_OWN] = "yourself", [RIGHTS_SUDO] = "root, with sudo",
	[RIGHTS_PKEXEC] = "root, with pkexec",
};

static void preset_text(const struct named_setup *preset, struct text *label, struct text *note)
{
	text_printable(label, preset->name, strlen(preset->name));
	if (preset->mistake && *preset->mistake) {
		text_printf(note, "not here: %s", preset->mistake);
		return;
	}
	if (preset->question)
		text_printf(note, "%s  ", preset->question);
	text_printable(note, preset->line, strlen(preset->line));
}

bool record_item_refused(const struct record_ui *record, const struct record_item *item)
{
	const char *mistake = item->kind == ITEM_NAMED ? record->named.all[item->value].mistake :
							 NULL;

	return mistake && *mistake;
}

void record_item_text(const struct record_ui *record, const struct record_item *item,
		      struct text *label, struct text *note)
{
	const struct capability_list *list = record_list_of(record, record->row);
	const struct capability *cap = item->kind == ITEM_CAPABILITY ? &list->items[item->value] :
								       NULL;

	switch (item->kind) {
	case ITEM_CAPABILITY:
		text_add(label, cap->name);
		if (record->row == ROW_SETUP + SETUP_EVENTS &&
		    *record_setup_filter_of(&record->setup, cap))
			text_printf(note, "if %s", record_setup_filter_of(&record->setup, cap));
		else if (cap->note && record->row == ROW_SETUP + SETUP_FUNCTIONS)
			text_printf(note, "[%s]", cap->note);
		else if (cap->note)
			text_add(note, cap->note);
		else if (record->row == ROW_SETUP + SETUP_TRACER &&
			 capabilities_refused(&record->caps, cap->name))
			text_add(note, "refused; d shows why");
		else if (is_single(record->row))
			text_add(note, record_meaning(field_of(record->row), cap->name));
		return;
	case ITEM_WORD:
		text_printable(label, word_of(record, item->value),
			       strlen(word_of(record, item->value)));
		if (record->row == ROW_SETUP + SETUP_TASKS)
			text_add(note, "no such process");
		else if (list && list->nr)
			text_add(note, foreign_word(record->row, word_of(record, item->value)));
		return;
	case ITEM_TYPED:
		text_add(label, text_str(&record->find));
		text_add(note, "Space uses this text, as a pattern too");
		return;
	case ITEM_NONE:
		text_add(label, record->row == ROW_SETUP + SETUP_TRACER ? "none" : "automatic");
		text_add(note, record->row == ROW_SETUP + SETUP_TRACER ?
				       "only events" :
				       "mono; local for function_graph and branch");
		return;
	case ITEM_NAMED:
		preset_text(&record->named.all[item->value], label, note);
		return;
	case ITEM_RIGHTS:
		text_add(label, rights_names[item->value]);
		text_add(note, item->value != RIGHTS_OWN ? "asks for your password" :
							   "has no rights in tracefs");
		return;
	case ITEM_ONLY_COMMAND:
		text_add(label, "only the command");
		text_add(note, "-F");
		return;
	case ITEM_CHILDREN:
		text_add(label, "with children");
		text_add(note, "-c");
		return;
	case ITEM_PROCESS:
		text_printf(label, "%u", item->value);
		add_comm(record, item->value, note);
		return;
	}
}

bool record_item_ticked(const struct record_ui *record, const struct record_item *item)
{
	const struct record_setup *setup = &record->setup;
	const struct capability_list *list = record_list_of(record, record->row);
	char pid[16];

	switch (item->kind) {
	case ITEM_CAPABILITY:
		if (record->row == ROW_SETUP + SETUP_EVENTS)
			return record_setup_ticked(setup, &list->items[item->value]);
		if (record->row == ROW_SETUP + SETUP_FUNCTIONS)
			return has_word(&setup->functions, list->items[item->value].name);
		return !strcmp(text_str(&setup->values[field_of(record->row)]),
			       list->items[item->value].name);
	case ITEM_WORD:
		return true;
	case ITEM_TYPED:
		return false;
	case ITEM_NONE:
		return !setup->values[field_of(record->row)].len;
	case ITEM_NAMED:
		return !strcmp(text_str(&record->name), record->named.all[item->value].name);
	case ITEM_RIGHTS:
		return record->rights == (enum record_rights)item->value;
	case ITEM_ONLY_COMMAND:
		return setup->only_command;
	case ITEM_CHILDREN:
		return setup->children;
	case ITEM_PROCESS:
		snprintf(pid, sizeof(pid), "%u", item->value);
		return has_word(&setup->pids, pid);
	}
	return false;
}

/* --- what is offered -------------------------------------------------------- */

static bool is_found(const struct record_ui *record, const char *name)
{
	const char *find = text_str(&record->find);

	if (!*find)
		return true;
	if (strpbrk(find, "*?[")) {
		char glob[FIND_MAX_BYTES + 3];

		snprintf(glob, sizeof(glob), "*%s*", find);
		return !fnmatch(glob, name, FNM_CASEFOLD);
	}
	return strcasestr(name, find);
}

static void add(struct record_ui *record, enum record_item_kind kind, unsigned int value)
{
	mem_grow(&record->items, record->nr_items, &record->cap_items);
	record->items[record->nr_items++] = (struct record_item){ kind, value };
}

/*
 * Adds chosen words that the list lacks, such as patterns without a match, so that they can be seen
 * and removed.
 */
static void add_words(struct record_ui *record)
{
	const struct capability_list *list = record_list_of(record, record->row);
	const struct record_setup *setup = &record->setup;

	if (record->row == ROW_SETUP + SETUP_EVENTS) {
		for (unsigned int i = 0; i < setup->nr_events; i++) {
			bool known = false;

			for (unsigned int k = 0; k < list->nr && !known; k++)
				known = record_setup_matches(setup->events[i].pattern,
							     &list->items[k]);
			if (!known && is_found(record, setup->events[i].pattern))
				add(record, ITEM_WORD, i);
		}
	} else if (record->row == ROW_SETUP + SETUP_FUNCTIONS) {
		for (unsigned int i = 0; i < setup->functions.nr; i++)
			if (!capabilities_has(&record->caps, CAPABILITY_FUNCTION,
					      setup->functions.words[i]) &&
			    is_found(record, setup->functions.words[i]))
				add(record, ITEM_WORD, i);
	} else if (is_single(record->row)) {
		const char *value = text_str(&setup->values[field_of(record->row)]);
		bool known = !*value;

		for (unsigned int k = 0; k < list->nr && !known; k++)
			known = !strcmp(list->items[k].name, value);
		if (!known && is_found(record, value))
			add(record, ITEM_WORD, 0);
	}
}

/* Is it among the ticked ones that come first, as the others are many? */
static bool comes_first(const struct record_ui *record, unsigned int i)
{
	const struct record_item item = { ITEM_CAPABILITY, i };

	return (record->row == ROW_SETUP + SETUP_FUNCTIONS ||
		record->row == ROW_SETUP + SETUP_EVENTS) &&
	       record_item_ticked(record, &item);
}

static void add_capabilities(struct record_ui *record)
{
	const struct capability_list *list = record_list_of(record, record->row);

	for (unsigned int i = 0; i < list->nr; i++)
		if (is_found(record, list->items[i].name) && comes_first(record, i))
			add(record, ITEM_CAPABILITY, i);
	for (unsigned int i = 0; i < list->nr; i++) {
		if (record->row == ROW_SETUP + SETUP_TRACER && !strcmp(list->items[i].name, "nop"))
			continue;
		if (is_found(record, list->items[i].name) && !comes_first(record, i))
			add(record, ITEM_CAPABILITY, i);
	}
}

/* Reads "PID COMM" of all processes, sorted by pid. */
static void read_processes(struct record_ui *record)
{
	struct dirent **names;
	int nr = scandir("/proc", &names, NULL, versionsort);

	text_clear(&record->processes);
	for (int i = 0; i < nr; i++) {
		char path[300], comm[64] = "";
		FILE *file;

		snprintf(path, sizeof(path), "/proc/%s/comm", names[i]->d_name);
		file = isdigit((unsigned char)names[i]->d_name[0]) ? fopen(path, "re") : NULL;
		if (file && fgets(comm, sizeof(comm), file)) {
			text_printf(&record->processes, "%s ", names[i]->d_name);
			text_printable(&record->processes, comm, strcspn(comm, "\n"));
			text_char(&record->processes, '\n');
		}
		if (file)
			fclose(file);
		free(names[i]);
	}
	if (nr >= 0)
		free(names);
}

static void add_tasks(struct record_ui *record)
{
	if (is_found(record, "only the command"))
		add(record, ITEM_ONLY_COMMAND, 0);
	if (is_found(record, "with children"))
		add(record, ITEM_CHILDREN, 0);
	for (unsigned int i = 0; i < record->setup.pids.nr; i++) {
		struct text line = { 0 };

		text_printf(&line, "\n%s ", record->setup.pids.words[i]);
		if (!strstr(text_str(&record->processes), text_str(&line) + 1) &&
		    is_found(record, record->setup.pids.words[i]))
			add(record, ITEM_WORD, i);
		text_fini(&line);
	}
	for (const char *p = text_str(&record->processes); *p; p += strcspn(p, "\n") + 1) {
		char *line = mem_strndup(p, strcspn(p, "\n"));

		if (is_found(record, line))
			add(record, ITEM_PROCESS, (unsigned int)atoi(line));
		free(line);
	}
}

/*
 * Offer the typed word if the list lacks it: it may be a glob or a probe, or the list is unknown.
 */
static void add_typed(struct record_ui *record)
{
	const char *find = text_str(&record->find);
	const struct capability_list *list = record_list_of(record, record->row);

	if (!*find || record->row == ROW_NAME || record->row == ROW_RIGHTS || strchr(find, ' '))
		return;
	if (record->row == ROW_SETUP + SETUP_TASKS && find[strspn(find, "0123456789")])
		return;
	for (unsigned int i = 0; list && i < list->nr; i++)
		if (!strcmp(list->items[i].name, find))
			return;
	if (record->row == ROW_SETUP + SETUP_TASKS && record->nr_items == 1)
		return;
	add(record, ITEM_TYPED, 0);
}

void record_list_fill(struct record_ui *record)
{
	record->nr_items = 0;
	switch ((int)record->row) {
	case ROW_NAME:
		for (unsigned int i = 0; i < record->named.nr; i++)
			if (is_found(record, record->named.all[i].name))
				add(record, ITEM_NAMED, i);
		break;
	case ROW_RIGHTS:
		add(record, ITEM_RIGHTS, RIGHTS_OWN);
		if (child_exists("sudo"))
			add(record, ITEM_RIGHTS, RIGHTS_SUDO);
		if (child_exists("pkexec"))
			add(record, ITEM_RIGHTS, RIGHTS_PKEXEC);
		break;
	case ROW_SETUP + SETUP_TASKS:
		add_tasks(record);
		break;
	default:
		if (!record_list_of(record, record->row))
			break;
		if (is_single(record->row) && !record->find.len)
			add(record, ITEM_NONE, 0);
		add_words(record);
		add_capabilities(record);
	}
	add_typed(record);
	list_window_select(&record->list, record->list.at, record->nr_items);
	record->host->redraw(record->host->app);
}

/* Puts the cursor on the chosen item, in fields with one value. */
static void to_chosen(struct record_ui *record)
{
	if (record->row == ROW_SETUP + SETUP_EVENTS || record->row == ROW_SETUP + SETUP_TASKS)
		return;
	for (unsigned int i = 0; i < record->nr_items; i++)
		if (record_item_ticked(record, &record->items[i])) {
			record->list.at = i;
			return;
		}
}

void record_list_open(struct record_ui *record)
{
	text_clear(&record->find);
	record->in_list = record->chose = false;
	record->list.at = record->list.top = 0;
	if (record->row == ROW_SETUP + SETUP_TASKS)
		read_processes(record);
	if (record->row == ROW_SETUP + SETUP_FUNCTIONS &&
	    !(record->answered & 1u << QUESTION_FUNCTIONS))
		record_want(record, QUESTION_FUNCTIONS);
	record_list_fill(record);
	to_chosen(record);
}

/* --- choosing --------------------------------------------------------------- */

static void toggle_word(struct shell_words *words, const char *word)
{
	struct shell_words was = *words;
	bool had = has_word(&was, word);

	*words = (struct shell_words){ 0 };
	for (unsigned int i = 0; i < was.nr; i++)
		if (strcmp(was.words[i], word))
			shell_words_add(words, was.words[i]);
	if (!had)
		shell_words_add(words, word);
	shell_words_fini(&was);
}

static void drop_event_pattern(struct record_setup *setup, unsigned int at)
{
	free(setup->events[at].pattern);
	free(setup->events[at].filter);
	setup->nr_events--;
	memmove(&setup->events[at], &setup->events[at + 1],
		(setup->nr_events - at) * sizeof(*setup->events));
}

static void add_event_pattern(struct record_setup *setup, const char *pattern)
{
	mem_grow(&setup->events, setup->nr_events, &setup->cap_events);
	setup->events[setup->nr_events++] = (struct setup_event){ mem_strdup(pattern), NULL };
}

static void tick_event(struct record_ui *record, const struct record_item *item, bool whole_system,
		       bool on)
{
	if (item->kind == ITEM_CAPABILITY)
		record_setup_tick(&record->setup, &record->caps.lists[CAPABILITY_EVENT],
				  item->value, whole_system, on);
	else if (item->kind == ITEM_WORD && !on)
		drop_event_pattern(&record->setup, item->value);
	else if (item->kind == ITEM_TYPED && on)
		add_event_pattern(&record->setup, text_str(&record->find));
}

static void take_rights(struct record_ui *record, enum record_rights rights)
{
	if (record->rights == rights)
		return;
	record->rights = rights;
	record->answered = 0;
	if (rights == RIGHTS_SUDO && record_term(record))
		record_authorize(record);
	record_want(record, QUESTION_DOCTOR);
	record_want(record, QUESTION_LIST);
	record_refresh(record);
}

static void tick_task(struct record_ui *record, const struct record_item *item)
{
	char pid[16];

	if (item->kind == ITEM_ONLY_COMMAND)
		record->setup.only_command = !record->setup.only_command;
	else if (item->kind == ITEM_CHILDREN)
		record->setup.children = !record->setup.children;
	else if (item->kind == ITEM_WORD)
		toggle_word(&record->setup.pids, record->setup.pids.words[item->value]);
	else if (item->kind == ITEM_TYPED)
		toggle_word(&record->setup.pids, text_str(&record->find));
	if (item->kind == ITEM_PROCESS) {
		snprintf(pid, sizeof(pid), "%u", item->value);
		toggle_word(&record->setup.pids, pid);
	}
}

/* Space on an item; or Enter in fields with one value. */
static void tick(struct record_ui *record, const struct record_item *item)
{
	struct text label = { 0 }, note = { 0 };

	record_item_text(record, item, &label, &note);
	switch ((int)record->row) {
	case ROW_NAME:
		record_take_line(record, record->named.all[item->value].line,
				 record->named.all[item->value].name);
		break;
	case ROW_RIGHTS:
		take_rights(record, (enum record_rights)item->value);
		break;
	case ROW_SETUP + SETUP_EVENTS:
		tick_event(record, item, false, !record_item_ticked(record, item));
		break;
	case ROW_SETUP + SETUP_FUNCTIONS:
		toggle_word(&record->setup.functions, text_str(&label));
		break;
	case ROW_SETUP + SETUP_TASKS:
		tick_task(record, item);
		break;
	default:
		text_clear(&record->setup.values[field_of(record->row)]);
		if (item->kind != ITEM_NONE)
			text_add(&record->setup.values[field_of(record->row)], text_str(&label));
	}
	text_fini(&label);
	text_fini(&note);
	if (item->kind == ITEM_TYPED)
		text_clear(&record->find);
	if (item->kind != ITEM_NAMED && item->kind != ITEM_RIGHTS)
		record_changed(record);
	record_list_fill(record);
}

/* + and -: ticks or clears all events of a system. */
static void tick_system(struct record_ui *record, bool on)
{
	if (record->row != ROW_SETUP + SETUP_EVENTS) {
		host_message(record->view_host, "+ and - are for the events of a system");
		return;
	}
	if (!record->nr_items)
		return;
	tick_event(record, record_item_here(record), true, on);
	record_changed(record);
	record_list_fill(record);
}

/*
 * Enter. A field with one value takes the item under the cursor. In other fields Enter leaves the
 * list, and takes the item under the cursor if none was ticked.
 */
static void take(struct record_ui *record)
{
	const struct record_item *item = record_item_here(record);
	bool first = (record->row == ROW_SETUP + SETUP_FUNCTIONS ||
		      record->row == ROW_SETUP + SETUP_TASKS) &&
		     !record->chose;

	if (item && record->row == ROW_SETUP + SETUP_EVENTS && item->kind == ITEM_CAPABILITY) {
		const struct capability *event =
			&record->caps.lists[CAPABILITY_EVENT].items[item->value];

		snprintf(record->prompt_label, sizeof(record->prompt_label),
			 "only %.60s if: ", event->name);
		record->prompt = RECORD_PROMPT_FILTER;
		record->host->ask(record->host->app, record->prompt_label,
				  record_setup_filter_of(&record->setup, event), event->fields,
				  true);
		return;
	}
	if (item && item->kind == ITEM_TYPED && !is_single(record->row) && record->nr_items == 1 &&
	    record_list_of(record, record->row) && record_list_of(record, record->row)->nr) {
		host_message(record->view_host, "no match; Space uses %s as typed",
			     text_str(&record->find));
		return;
	}
	if (item &&
	    (is_single(record->row) || record->row == ROW_NAME || record->row == ROW_RIGHTS ||
	     item->kind == ITEM_TYPED || (first && !record_item_ticked(record, item))))
		tick(record, item);
	text_clear(&record->find);
	record->in_list = false;
	record_list_fill(record);
}

/* --- keys ------------------------------------------------------------------- */

/* If "function" is typed in full, select it before function_graph. */
static void to_whole_name(struct record_ui *record)
{
	const struct capability_list *list = record_list_of(record, record->row);

	for (unsigned int i = 0; i < record->nr_items && record->find.len; i++) {
		const struct capability *cap;

		if (record->items[i].kind != ITEM_CAPABILITY)
			continue;
		cap = &list->items[record->items[i].value];
		if (!strcmp(cap->name, record->find.data) ||
		    (cap->system_len &&
		     !strcmp(cap->name + cap->system_len + 1, record->find.data))) {
			record->list.at = i;
			return;
		}
	}
}

static void narrow(struct record_ui *record, ui_key key)
{
	struct text *find = &record->find;

	if (key == UI_KEY_BACKSPACE) {
		if (find->len)
			find->data[--find->len] = '\0';
		else
			record->in_list = false;
	} else if (key == UI_KEY_CTRL('U') || key == UI_KEY_ESC) {
		text_clear(find);
	} else if (find->len < FIND_MAX_BYTES) {
		text_char(find, (char)key);
	}
	record->list.at = record->list.top = 0;
	record_list_fill(record);
	to_whole_name(record);
}

bool record_list_press(struct record_ui *record, ui_key key, enum request request)
{
	bool narrows = (key >= ' ' && key <= '~') || key == UI_KEY_CTRL('U');

	if (!narrows && list_window_request(&record->list, request, record->nr_items))
		return true;
	switch (key) {
	case ' ':
		if (record->nr_items)
			tick(record, record_item_here(record));
		record->chose = true;
		if (record->row == ROW_NAME || record->row == ROW_RIGHTS)
			record->in_list = false;
		return true;
	case '+':
	case '-':
		tick_system(record, key == '+');
		return true;
	case UI_KEY_ENTER:
		take(record);
		return true;
	case UI_KEY_ESC:
		if (!record->find.len)
			record->in_list = false;
		else
			narrow(record, key);
		return true;
	case UI_KEY_LEFT:
	case UI_KEY_TAB:
	case UI_KEY_SHIFT_TAB:
	case UI_KEY_CTRL('C'):
		record->in_list = false;
		return true;
	case UI_KEY_BACKSPACE:
	case UI_KEY_CTRL('U'):
		narrow(record, key);
		return true;
	}
	if (key <= ' ' || key > '~' || key == '?' || (key == 'R' && !record->find.len))
		return false;
	narrow(record, key);
	return true;
}
