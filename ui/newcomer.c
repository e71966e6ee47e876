/* SPDX-License-Identifier: GPL-2.0-or-later */
/* newcomer - until a view was opened three times, its bottom line begins with one hint. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/paths.h"
#include "ui/app_state.h"
#include "ui/kept.h"

#define OPENINGS	3

/* "events 2" in the user's state; 0 where it is not known. */
static unsigned int openings(const char *path)
{
	FILE *file = fopen(path, "re");
	unsigned int nr = 0;

	if (!file)
		return 0;
	if (fscanf(file, "events %6u", &nr) != 1)
		nr = 0;
	fclose(file);
	return nr;
}

/* That it cannot be counted leaves the hint where it is. */
void newcomer_count(struct app *app)
{
	struct text t = { 0 };
	char path[4096];
	unsigned int nr;

	app->hint = true;
	if (!app->term || !paths_state("openings", path, sizeof(path)))
		return;
	nr = openings(path);
	app->hint = nr < OPENINGS;
	if (!app->hint)
		return;
	text_printf(&t, "events %u\n", nr + 1);
	kept_replace(path, &t, 0600, NULL);
	text_fini(&t);
}
