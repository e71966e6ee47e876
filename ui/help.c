/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/help.h"

#include <stdio.h>
#include <string.h>

#define KEY_CELLS	17
#define ELSEWHERE_CELLS	23

static void add_request(struct popup *popup, int cols, enum request request)
{
	const struct request_info *info = request_info(request);

	popup_add_entry(popup, cols, request, KEY_CELLS, info->keys, info->help);
}

/* Those who come from elsewhere look for their own words. */
static const struct { const char *what, *here; } elsewhere[] = {
	{ "less: d u f b", "^D ^U ^F ^B here; ?text is /text and N" },
	{ "vim: m ' n N * # ( )", "do what they do there; g G as in less" },
	{ "trace-cmd report", "the same rows; -t: O sets 9 decimals; --ts-diff: the column delta; -l: flags (v)" },
	{ "KernelShark", "Shift-click and Ctrl-click: a and b, or drag with the mouse" },
	{ "mouse", "click selects, wheel scrolls, drag marks A and B, a click into the overview goes there; "
		   "Shift leaves it to the terminal" },
};

void help_open(struct popup *popup, int cols, const char *view, const enum request *here)
{
	char title[POPUP_TITLE_BYTES];

	snprintf(title, sizeof(title), "Help: %s      / find   q back      ^X is Ctrl-X", view);
	popup_open(popup, POPUP_HELP, title, "/ Find  n N Next  q Back", false);
	popup_add(popup, 0, true, "this row");
	for (; *here != REQ_NONE; here++)
		add_request(popup, cols, *here);
	for (int group = 0; group < GROUP_LATER; group++) {
		popup_add(popup, 0, false, "");
		popup_add(popup, 0, true, request_group_title(group));
		for (int r = REQ_NONE + 1; r < NR_REQUESTS; r++)
			if (request_info(r)->group == (enum request_group)group)
				add_request(popup, cols, r);
	}
	popup_add(popup, 0, false, "");
	popup_add(popup, 0, true, "coming from another tool");
	for (size_t i = 0; i < sizeof(elsewhere) / sizeof(elsewhere[0]); i++)
		popup_add_entry(popup, cols, 0, ELSEWHERE_CELLS, elsewhere[i].what, elsewhere[i].here);
	popup_start(popup);
}
