/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/session/newcomer.h"

#include <stdio.h>
#include <strings.h>

#include "src/base/paths.h"
#include "src/base/small_file.h"
#include "ui/desk/desk.h"
#include "ui/session/session.h"

#define OPENINGS	3

/* Reads lines such as "Events 2", one for each view; 0 if unknown. */
static void read_openings(const char *path, unsigned int openings[NR_VIEWS])
{
	FILE *file = fopen(path, "re");
	char name[32];
	unsigned int nr;

	if (!file)
		return;
	for (int line = 0; line < NR_VIEWS && fscanf(file, " %31s %6u", name, &nr) == 2; line++)
		for (int id = 0; id < NR_VIEWS; id++)
			if (!strcasecmp(name, view_title(id)))
				openings[id] = nr;
	fclose(file);
}

/* If the count cannot be saved, the hint stays. */
void newcomer_count(struct app *app)
{
	unsigned int openings[NR_VIEWS] = { 0 };
	struct text t = { 0 };
	char path[4096];

	app->session->hint[app->view_id] = true;
	if (!app->term || !paths_state("openings", path, sizeof(path)))
		return;
	read_openings(path, openings);
	app->session->hint[app->view_id] = openings[app->view_id] < OPENINGS;
	if (!app->session->hint[app->view_id])
		return;
	openings[app->view_id]++;
	for (int id = 0; id < NR_VIEWS; id++)
		if (openings[id])
			text_printf(&t, "%s %u\n", view_title(id), openings[id]);
	small_file_replace(path, &t, 0600, NULL);
	text_fini(&t);
}
