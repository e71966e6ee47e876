/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_DESK_NARROW_H
#define FTOP_UI_DESK_NARROW_H
/* narrow - lists to choose from, which what is typed narrows: all whose picker has a label. */

struct app;

/* Call after the list is filled, and each time it is filled again. */
void narrow_open(struct app *app);
#endif
