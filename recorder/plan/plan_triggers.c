/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "recorder/plan/plan_triggers.h"
#include "src/base/memory.h"

/* "# Available triggers:\n# traceon traceoff ..."; not shown if the event has triggers. */
static void read_triggers(const struct tracefs_dir *root, const char *system, const char *name,
			  struct name_list *known)
{
	static const char heading[] = "# Available triggers:\n#";
	struct text t = { 0 };

	if (!tracefs_dir_read(root, TRACEFS_TEXT("events/%s/%s/trigger", system, name), &t, NULL) &&
	    !strncmp(text_str(&t), heading, sizeof(heading) - 1))
		name_list_words(known, text_str(&t) + sizeof(heading) - 1);
	text_fini(&t);
}

void plan_triggers_check(struct record_plan *plan, const struct plan_event *event,
			 const char *system, const char *name, const struct tracefs_dir *root)
{
	struct name_list known = { 0 };

	read_triggers(root, system, name, &known);
	for (size_t i = 0; i < event->triggers.nr && known.nr; i++) {
		const char *trigger = event->triggers.names[i];
		char *word = mem_strndup(trigger, strcspn(trigger, ": \t"));

		if (!name_list_has(&known, word)) {
			struct text all = { 0 };

			text_add(&all, "; this kernel has:");
			for (size_t k = 0; k < known.nr; k++)
				text_printf(&all, " %s", known.names[k]);
			record_plan_unknown(plan, name_list_nearest(&known, word), text_str(&all),
					    "-R '%s': no such trigger", trigger);
			text_fini(&all);
		}
		free(word);
	}
	name_list_fini(&known);
}
