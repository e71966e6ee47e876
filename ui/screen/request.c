/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/screen/request.h"

#include <stddef.h>
#include <string.h>

static const char *const group_titles[NR_REQUEST_GROUPS] = {
	[GROUP_GENERAL] = "general",
	[GROUP_MOVE] = "move",
	[GROUP_JUMP] = "jump",
	[GROUP_FIND] = "search",
	[GROUP_FILTER] = "filter",
	[GROUP_MARK] = "measure and mark",
	[GROUP_SHOW] = "display",
	[GROUP_KEEP] = "save and copy",
};

static const struct request_info requests[NR_REQUESTS] = {
#define REQUEST(request, ...) [request] = { __VA_ARGS__ },
#include "ui/screen/request_list.h"
#undef REQUEST
};

const struct request_info *request_info(enum request request)
{
	return request > REQ_NONE && request < NR_REQUESTS ? &requests[request] : NULL;
}

const char *request_group_title(enum request_group group)
{
	return group < NR_REQUEST_GROUPS ? group_titles[group] : "";
}

/* Further lists act as the first one. */
static bool has_view(const char *views, char digit)
{
	return strchr(views, digit < 'a' ? digit : '7');
}

bool request_is_for(enum request request, char digit)
{
	const struct request_info *info = request_info(request);

	return info && (!info->views || has_view(info->views, digit));
}

bool request_is_alias(enum request request, char digit)
{
	const struct request_info *info = request_info(request);

	return info && info->aliased && has_view(info->aliased, digit);
}

bool request_takes_letter(enum request request)
{
	const struct request_info *info = request_info(request);

	return info && info->letters;
}

bool request_accepts(enum request request, char letter)
{
	const struct request_info *info = request_info(request);

	if (!info || !letter)
		return false;
	if (info->any_letter && letter >= info->any_letter[0] && letter <= info->any_letter[1])
		return true;
	return info->choices && strchr(info->choices, letter);
}

int request_rows(enum request request, int height, bool *scrolls)
{
	int page = height > 1 ? height - 1 : 1, half = (page + 1) / 2;

	if (scrolls)
		*scrolls = request != REQ_DOWN && request != REQ_UP;
	switch ((int)request) {
	case REQ_DOWN:
		return 1;
	case REQ_UP:
		return -1;
	case REQ_PAGE_DOWN:
		return page;
	case REQ_PAGE_UP:
		return -page;
	case REQ_HALF_DOWN:
		return half;
	case REQ_HALF_UP:
		return -half;
	}
	return 0;
}
