/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/help.h"

#include <stdio.h>
#include <string.h>

#define KEY_CELLS	17

static void add_request(struct popup *popup, enum request request)
{
	const struct request_info *info = request_info(request);
	struct text line = { 0 };
	const char *keys = info->keys;

	text_add(&line, keys);
	if (canvas_width(keys, strlen(keys)) < KEY_CELLS)
		text_pad(&line, KEY_CELLS - canvas_width(keys, strlen(keys)));
	else
		text_char(&line, ' ');
	text_add(&line, info->help);
	popup_add(popup, request, false, line.data);
	text_fini(&line);
}

/* Those who come from elsewhere look for their own words. */
static const char *const elsewhere[] = {
	"less: d u f b are     ^D ^U ^F ^B here; ?text is /text and N",
	"vim: m ' n N * # ( )  do what they do there; G g as in less",
	"trace-cmd report      the same rows; report -t: O sets 9 decimals; --ts-diff: column delta (v)",
	"KernelShark markers   Shift-click, Ctrl-click: a and b, or drag with the mouse",
	"mouse                 click selects, wheel scrolls, drag marks A and B; Shift leaves it to the terminal",
};

void help_open(struct popup *popup, const char *view, const enum request *here)
{
	char title[POPUP_TITLE_BYTES];

	snprintf(title, sizeof(title), "Help: %s      / find   q back      ^X is Ctrl-X", view);
	popup_open(popup, POPUP_HELP, title, "/ Find  n N Next  q Back", false);
	popup_add(popup, 0, true, "this row");
	for (; *here != REQ_NONE; here++)
		add_request(popup, *here);
	for (int group = 0; group < GROUP_LATER; group++) {
		popup_add(popup, 0, false, "");
		popup_add(popup, 0, true, request_group_title(group));
		for (int r = REQ_NONE + 1; r < NR_REQUESTS; r++)
			if (request_info(r)->group == (enum request_group)group)
				add_request(popup, r);
	}
	popup_add(popup, 0, false, "");
	popup_add(popup, 0, true, "coming from another tool");
	for (size_t i = 0; i < sizeof(elsewhere) / sizeof(elsewhere[0]); i++)
		popup_add(popup, 0, false, elsewhere[i]);
	popup_start(popup);
}
