/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/prompt/view_list.h"

#include "ui/desk/desk.h"
#include "ui/desk/narrow.h"
#include "ui/desk/view_table.h"
#include "ui/desk/views.h"

#define TITLE_CELLS	14	/* width of "1 Functions" and the blanks after it */

static bool has(const struct app *app, enum view_id id)
{
	const struct view_ops *ops = view_table[id];

	if (shared_has_no_events(&app->shared))
		return id == VIEW_COUNTS;
	if (ops->source && ops->source->takes_words)
		return true;			/* any events can be counted */
	return ops->has ? ops->has(&app->shared) : !ops->applies || ops->applies(ops, &app->shared);
}

static void show(struct app *app, int id)
{
	if (id != VIEW_KERNEL)
		views_show(app, (enum view_id)id);
	else if (!app->shared.at.here.set)
		app_message(app, "there is no row here");
	else if (app->view_id != VIEW_KERNEL)
		views_kernel_text(app);
}

static const struct picker view_picker = {
	.keys = "↑ ↓ Choose  Enter Show  Esc Back",
	.label = "view: ",
	.take = show,
};

void view_list_open(struct app *app)
{
	const char *not = trace_status(app->shared.trace).complete ? ": not in this trace" :
								     ": not seen so far";
	struct text head = { 0 }, words = { 0 };

	popup_open(&app->popup, &view_picker, "Views");
	for (int id = 0; id < NR_VIEWS; id++) {
		if (!view_table[id])
			continue;
		text_clear(&head);
		text_clear(&words);
		view_label(id, view_title(id), &head);
		text_printf(&words, "%s%s", view_about(id), has(app, id) ? "" : not );
		if (id == (int)app->view_id)
			app->popup.window.at = app->popup.nr;
		popup_add_entry(&app->popup, app->canvas.cols, id, TITLE_CELLS, text_str(&head),
				text_str(&words));
	}
	text_fini(&head);
	text_fini(&words);
	narrow_open(app);
}
