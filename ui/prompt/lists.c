/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/prompt/lists.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"
#include "ui/desk/desk.h"
#include "ui/desk/narrow.h"
#include "ui/desk/views.h"
#include "ui/prompt/prompts.h"

static bool same_choice(const struct list_choice *a, const struct list_choice *b)
{
	if (a->kind != b->kind)
		return false;
	switch (a->kind) {
	case LIST_ALL:
		return true;
	case LIST_CPU:
		return a->cpu == b->cpu;
	case LIST_INSTANCE:
		return a->file == b->file && a->buffer == b->buffer;
	case LIST_FILE:
		return a->file == b->file;
	}
	return false;
}

static unsigned int add_choice(struct list_choice *choices, unsigned int nr, unsigned int max,
			       struct list_choice choice)
{
	for (unsigned int i = 0; i < nr; i++)
		if (same_choice(&choices[i], &choice))
			return nr;
	if (nr < max)
		choices[nr++] = choice;
	return nr;
}

/* All choices of a kind, in the order of the streams. */
static unsigned int choices_of(const struct app *app, enum list_choice_kind kind,
			       struct list_choice *choices, unsigned int max)
{
	unsigned int nr = 0;

	for (unsigned int i = 0; i < trace_nr_streams(app->shared.trace); i++) {
		struct trace_stream_info info = trace_stream_info(app->shared.trace, i);

		nr = add_choice(choices, nr, max,
				(struct list_choice){ kind, info.cpu, info.file, info.buffer });
	}
	return nr;
}

static void take_list(struct app *app, struct list_choice choice)
{
	struct text name = { 0 };

	shared_choose_list(&app->shared, choice);
	views_changed(app);
	shared_list_name(&app->shared, &name);
	if (name.len)
		app_message(app, "only %s; o a or Tab shows all again", text_str(&name));
	else
		app_message(app, "all rows");
	text_fini(&name);
}

static int by_cpu(const void *a, const void *b)
{
	const struct list_choice *x = a, *y = b;

	return (x->cpu > y->cpu) - (x->cpu < y->cpu);
}

static const char *list_name(const struct list_tab *list, char letter)
{
	for (; list->letter; list++)
		if (list->letter == letter)
			return list->name;
	return "";
}

/* Selects one of the view's own lists. */
static void choose_own_list(struct app *app, char letter)
{
	app->behind = true;
	if (app->ops->lists->choose(app->view, letter))
		return;
	if (letter == 'n')
		app_message(app, "there is no other file with such lists");
	else
		app_message(app, "%s: the list is empty", list_name(app->ops->lists->all, letter));
}

/* Goes to the next list that is not empty, and wraps around. */
static void step_own_list(struct app *app, int step)
{
	const struct list_tab *lists = view_lists_now(app->ops, app->view);
	int nr = 0, at = 0;

	for (; lists[nr].letter; nr++)
		if (lists[nr].letter == app->ops->lists->shown(app->view))
			at = nr;
	app->behind = true;
	for (int i = 1; i < nr; i++)
		if (app->ops->lists->choose(app->view, lists[(at + i * step + i * nr) % nr].letter))
			return;
	if (nr < 2)
		app_message(app, "there is only one list");
	else
		app_message(app, "all other lists of %s are empty", view_title(app->view_id));
}

static void take_choice(struct app *app, int i)
{
	take_list(app, app->prompts->choices[i]);
}

static const struct picker list_picker = {
	.keys = "↑ ↓ Choose  Enter Take  Esc Back",
	.label = "only: ",
	.take = take_choice,
};

void lists_open(struct app *app, char letter)
{
	enum list_choice_kind kind = letter == 'c' ? LIST_CPU :
				     letter == 'i' ? LIST_INSTANCE :
						     LIST_FILE;
	unsigned int max = trace_nr_streams(app->shared.trace), nr;
	struct list_choice former = app->shared.chosen.list, *choices;

	if (app->ops->lists) {
		choose_own_list(app, letter);
		return;
	}
	if (letter == 'a') {
		take_list(app, (struct list_choice){ .kind = LIST_ALL });
		return;
	}
	choices = mem_array(max ? max : 1, sizeof(*choices));
	nr = choices_of(app, kind, choices, max);
	if (kind == LIST_CPU)
		qsort(choices, nr, sizeof(*choices), by_cpu);
	if (nr < 2) {
		app_message(app, kind == LIST_CPU ?
					 nr ? "there is only one CPU" : "no CPU has events" :
				 kind == LIST_INSTANCE ? "there is only one instance" :
							 "there is only one file");
	} else {
		popup_open(&app->popup, &list_picker, "Show only the rows of");
		free(app->prompts->choices);
		app->prompts->choices = choices;
		choices = NULL;
		for (unsigned int i = 0; i < nr; i++) {
			struct text name = { 0 };

			app->shared.chosen.list = app->prompts->choices[i];
			shared_list_name(&app->shared, &name);
			popup_add(&app->popup, (int)i, false, text_str(&name));
			text_fini(&name);
		}
		app->shared.chosen.list = former;
		narrow_open(app);
	}
	free(choices);
}

void lists_open_named(struct app *app, const char *name)
{
	const struct list_tab *tab = view_lists_now(app->ops, app->view), *found = NULL;
	struct text names = { 0 };

	for (; tab->letter; tab++) {
		if (!strcmp(tab->name, name) || (!found && !strncmp(tab->name, name, strlen(name))))
			found = tab;
		text_printf(&names, "%s%s", names.len ? ", " : "", tab->name);
	}
	if (found && *name)
		choose_own_list(app, found->letter);
	else
		app_error(app, ":list %s: the lists here are %s", name, text_str(&names));
	text_fini(&names);
}

/* Tab: all, then each instance; with several files, each file. */
void lists_step(struct app *app, int step)
{
	unsigned int max = trace_nr_streams(app->shared.trace), nr, at = 0;
	enum list_choice_kind kind = trace_nr_files(app->shared.trace) > 1 ? LIST_FILE :
									     LIST_INSTANCE;
	struct list_choice *choices;

	if (app->ops->lists) {
		step_own_list(app, step);
		return;
	}
	choices = mem_array(max + 1, sizeof(*choices));
	nr = choices_of(app, kind, choices + 1, max) + 1;
	for (unsigned int i = 1; i < nr; i++)
		if (same_choice(&choices[i], &app->shared.chosen.list))
			at = i;
	/* it shows a CPU: Tab does not reach it */
	if (!at && app->shared.chosen.list.kind != LIST_ALL)
		take_list(app, choices[0]);
	else if (nr <= 2 && !at)
		app_message(app, "there is only one list; o c shows one CPU");
	else
		take_list(app, choices[(at + nr + (unsigned int)step) % nr]);
	free(choices);
}
