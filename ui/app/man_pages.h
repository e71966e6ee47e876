/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_APP_MAN_PAGES_H
#define FTOP_UI_APP_MAN_PAGES_H
/* man_pages - ftop-trace-keys(7) and ftop-trace-config(5), made from the browser's own tables. */
#include <stdio.h>

void man_pages_keys(FILE *out);
void man_pages_config(FILE *out);
#endif
