/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_APP_VIEW_TABLE_H
#define FTOP_UI_APP_VIEW_TABLE_H
/* view_table - the views of this version. */
#include "ui/view/view.h"

extern const struct view_ops *const view_table[NR_VIEWS];	/* NULL: not in this version */

/* The view with this title, in any case; NR_VIEWS: there is none.  @len: bytes of @title. */
enum view_id view_by_title(const char *title, size_t len);
#endif
