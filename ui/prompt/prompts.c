/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/prompt/prompts.h"

#include <stdlib.h>

#include "ui/desk/desk.h"
#include "ui/prompt/filter_line.h"
#include "ui/prompt/search_line.h"
void prompts_free(struct app *app)
{
	struct app_prompts *prompts = app->prompts;

	free(prompts->choices);
	prompt_history_fini(&prompts->go_history);
	prompt_history_fini(&prompts->search_history);
	prompt_history_fini(&prompts->other_history);
	prompt_history_fini(&prompts->filter_history);
	filter_line_fini(&prompts->filter_line);
	search_line_fini(&prompts->search_line);
	free(prompts);
	app->prompts = NULL;
}
