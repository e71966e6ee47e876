/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_APP_TROUBLE_H
#define FTOP_UI_APP_TROUBLE_H
/* trouble - !: the next lost or damaged events; how many switches are missing, unmarked. */
struct app;

void trouble_next(struct app *app);
#endif
