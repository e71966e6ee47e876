/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recorder/plan_functions.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "recorder/pattern.h"
#include "src/memory.h"

/* Of each line, "name [module]", the name: the list's place is the line's. */
static void load_functions(struct name_list *known, const char *text)
{
	while (*text) {
		name_list_add_bytes(known, text, strcspn(text, " \t\n"));
		text += strcspn(text, "\n");
		text += *text == '\n';
	}
}

static bool is_known(const struct name_list *known, const char *name)
{
	bool glob = strpbrk(name, "*?[");

	for (size_t i = 0; i < known->nr; i++)
		if (glob ? !fnmatch(name, known->names[i], 0) : !strcmp(name, known->names[i]))
			return true;
	return false;
}

/* What a regular expression matches, in @found.  Returns false where it is none, or has a mistake that was told. */
static bool matches_of(struct record_plan *plan, const char *option, const char *text, const struct name_list *known,
		       enum plan_functions_form form, struct text *found)
{
	struct pattern pattern;
	struct ft_error err;
	bool is_regex;

	if (pattern_init(&pattern, text, &err)) {
		record_plan_mistake(plan, "%s %s", option, err.message);
		return false;
	}
	is_regex = pattern.kind == PATTERN_REGEX;
	for (size_t i = 0; i < known->nr && is_regex; i++) {
		const struct pattern_subject subject = { .name = known->names[i] };

		if (!pattern_matches(&pattern, &subject))
			continue;
		if (form == PLAN_FUNCTIONS_BY_LINE)
			text_printf(found, "%zu ", i + 1);
		else
			text_printf(found, "%s ", known->names[i]);
	}
	pattern_fini(&pattern);
	if (is_regex && !found->len)
		record_plan_mistake(plan, "%s '%s': no function that can be traced matches", option, text);
	return is_regex && found->len;
}

static void check_one(struct record_plan *plan, const char *option, char **text, const struct name_list *known,
		      enum plan_functions_form form)
{
	char *name = mem_strndup(*text, strcspn(*text, ": "));
	unsigned int mistakes = plan->nr_mistakes;
	struct text found = { 0 };
	const char *near;

	/* a line number of that file is allowed too */
	if (!*name || isdigit((unsigned char)*name) || is_known(known, name))
		goto out;
	if (matches_of(plan, option, *text, known, form, &found)) {
		free(*text);
		*text = mem_strdup(text_str(&found));
	} else if (plan->nr_mistakes == mistakes) {
		near = strpbrk(name, "*?[") ? NULL : name_list_nearest(known, name);
		record_plan_mistake(plan, "%s %s: no function that can be traced has this name%s%s%s", option, name,
				    near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
	}
out:
	text_fini(&found);
	free(name);
}

void plan_functions_check(struct record_plan *plan, const char *option, struct name_list *patterns, enum plan_functions_form form,
			  const struct tracefs_dir *root)
{
	struct name_list known = { 0 };
	struct text t = { 0 };

	/* where the list cannot be read the kernel is asked later */
	if (patterns->nr && !tracefs_dir_read(root, "available_filter_functions", &t, NULL) && t.len) {
		load_functions(&known, text_str(&t));
		for (size_t i = 0; i < patterns->nr; i++)
			check_one(plan, option, &patterns->names[i], &known, form);
	}
	name_list_fini(&known);
	text_fini(&t);
}
