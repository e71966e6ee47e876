/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_APP_VIEW_TABLE_H
#define FTOP_UI_APP_VIEW_TABLE_H
/* view_table - the views of this version. */
#include "ui/view/view.h"

extern const struct view_ops *const view_table[NR_VIEWS];	/* NULL: not in this version */
#endif
