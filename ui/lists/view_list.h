/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_LISTS_VIEW_LIST_H
#define FTOP_UI_LISTS_VIEW_LIST_H
/* view_list - a view for each model that makes lists, by its number in src/lists/sources.h. */
#include "src/lists/sources.h"
#include "ui/view/view.h"

extern const struct view_ops view_list_ops[LIST_NR_SOURCES];
#endif
