/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_VIEW_MANUAL_H
#define FTOP_UI_VIEW_MANUAL_H
/* manual - the views and their most important keys, as the man page describes them. */

/* Paragraphs, with an empty line between two of them. */
extern const char view_manual[];
#endif
