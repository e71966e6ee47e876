/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recorder/plan/plan_functions.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "recorder/tracefs/kernel_module.h"
#include "recorder/tracefs/pattern.h"
#include "src/base/memory.h"

/* A list of patterns being checked, and the functions to compare them with. */
struct checking {
	struct record_plan		*plan;
	const char			*option;
	enum plan_functions_form	 form;
	struct name_list		 names, modules;	/* functions' names and modules, by
								 * line; "" = not in a module */
};

/* Split each line, "name [module]", into name and module, with the line's index in both lists. */
static void load_functions(struct checking *c, const char *text)
{
	while (*text) {
		size_t len = strcspn(text, " \t\n"), line = strcspn(text, "\n");
		const char *module = memchr(text, '[', line);

		name_list_add_bytes(&c->names, text, len);
		name_list_add_bytes(&c->modules, module ? module + 1 : "",
				    module ? strcspn(module + 1, "]\n") : 0);
		text += line;
		text += *text == '\n';
	}
}

static bool is_glob(const char *text)
{
	return strpbrk(text, "*?[");
}

static bool name_fits(const char *pattern, const char *name)
{
	return is_glob(pattern) ? !fnmatch(pattern, name, 0) : !strcmp(pattern, name);
}

/* Does the function exist?  @module: only in modules matching this pattern; NULL: anywhere. */
static bool is_known(const struct checking *c, const char *name, const char *module)
{
	for (size_t i = 0; i < c->names.nr; i++)
		if (name_fits(name, c->names.names[i]) &&
		    (!module || (c->modules.names[i][0] && name_fits(module, c->modules.names[i]))))
			return true;
	return false;
}

static void add_found(const struct checking *c, size_t i, struct text *found)
{
	if (c->form == PLAN_FUNCTIONS_BY_LINE)
		text_printf(found, "%zu ", i + 1);
	else
		text_printf(found, "%s ", c->names.names[i]);
}

/*
 * Collect the functions that a regular expression matches in @found.  Return: false if it is not
 * one, or is invalid (which is then a mistake of the plan).
 */
static bool matches_of(const struct checking *c, const char *text, struct text *found)
{
	struct pattern pattern;
	struct ft_error err;
	bool is_regex;

	if (pattern_init(&pattern, text, &err)) {
		record_plan_mistake(c->plan, "%s %s", c->option, err.message);
		return false;
	}
	is_regex = pattern.kind == PATTERN_REGEX;
	for (size_t i = 0; i < c->names.nr && is_regex; i++) {
		const struct pattern_subject subject = { .name = c->names.names[i] };

		if (pattern_matches(&pattern, &subject))
			add_found(c, i, found);
	}
	pattern_fini(&pattern);
	if (is_regex && !found->len)
		record_plan_mistake(c->plan, "%s '%s': no function that can be traced matches",
				    c->option, text);
	return is_regex && found->len;
}

/* --- modules ---------------------------------------------------------------------------------- */

/*
 * For set_ftrace_filter only, the kernel remembers a module that is not loaded, whatever its name,
 * and traces nothing until it is.
 */
static void check_missing_module(const struct checking *c, const char *text, const char *module)
{
	bool waits = c->form == PLAN_FUNCTIONS_BY_LINE;
	struct name_list known = { 0 };
	struct utsname uts = { 0 };

	uname(&uts);
	switch (kernel_module_find(c->plan->root, uts.release, module, &known)) {
	case KERNEL_MODULE_LOADED:
		record_plan_mistake(c->plan,
				    "%s %s: the module %s has no function that can be traced",
				    c->option, text, module);
		break;
	case KERNEL_MODULE_BUILT_IN:
		record_plan_mistake(
			c->plan,
			"%s %s: %s is built into this kernel, so its functions are not those of a module",
			c->option, text, module);
		break;
	case KERNEL_MODULE_INSTALLED:
		if (waits)
			text_printf(
				&c->plan->notes,
				"%s %s: the module %s is not loaded; it takes effect once it is\n",
				c->option, text, module);
		else
			record_plan_mistake(c->plan, "%s %s: the module %s is not loaded",
					    c->option, text, module);
		break;
	case KERNEL_MODULE_UNKNOWN:
		/* a glob would wait for a module with exactly that name */
		if (is_glob(module)) {
			record_plan_mistake(
				c->plan,
				"%s %s: no module with traceable functions has such a name",
				c->option, text);
			break;
		}
		if (waits && c->plan->force)
			break;
		record_plan_unknown(c->plan, name_list_nearest(&known, module),
				    waits ? "; --force waits for it" : "",
				    "%s %s: no module %s is loaded or installed for this kernel",
				    c->option, text, module);
		break;
	}
	name_list_fini(&known);
}

/* The function of the module nearest to a name that it does not have. */
static const char *nearest_of_module(const struct checking *c, const char *name, const char *module)
{
	struct name_list names = { 0 };
	const char *near, *found = NULL;

	for (size_t i = 0; i < c->names.nr; i++)
		if (name_fits(module, c->modules.names[i]))
			name_list_add(&names, c->names.names[i]);
	near = is_glob(name) ? NULL : name_list_nearest(&names, name);
	for (size_t i = 0; i < c->names.nr && near && !found; i++)
		if (!strcmp(near, c->names.names[i]))
			found = c->names.names[i];
	name_list_fini(&names);
	return found;
}

/* "FUNC:mod:MODULE", where both may be globs; FUNC may be empty, MODULE may match several. */
static void check_module(const struct checking *c, char **text, const char *name,
			 const char *module)
{
	const char *functions = *name ? name : "*";
	struct text found = { 0 };

	/* "!ext4": not this module; "" and "*": any */
	if (*module == '!' || !*module)
		return;
	if (!is_known(c, "*", module)) {
		check_missing_module(c, *text, module);
	} else if (!is_known(c, functions, module)) {
		record_plan_unknown(c->plan, nearest_of_module(c, name, module), "",
				    "%s %s: the module %s has no such function that can be traced",
				    c->option, *text, module);
	} else if (c->form == PLAN_FUNCTIONS_BY_NAME) {
		/* these files do not know modules */
		for (size_t i = 0; i < c->names.nr; i++)
			if (name_fits(functions, c->names.names[i]) && c->modules.names[i][0] &&
			    name_fits(module, c->modules.names[i]))
				add_found(c, i, &found);
		free(*text);
		*text = mem_strdup(text_str(&found));
	}
	text_fini(&found);
}

/* --- all of them ------------------------------------------------------------------------------ */

static void check_one(const struct checking *c, char **text)
{
	char *name = mem_strndup(*text, strcspn(*text, ": "));
	const char *command = *text + strlen(name);
	unsigned int mistakes = c->plan->nr_mistakes;
	struct text found = { 0 };

	if (!strncmp(command, ":mod:", 5)) {
		check_module(c, text, name, command + 5);
		goto out;
	}
	/* a line number of that file is allowed, too */
	if (!*name || isdigit((unsigned char)*name) || is_known(c, name, NULL))
		goto out;
	if (matches_of(c, *text, &found)) {
		free(*text);
		*text = mem_strdup(text_str(&found));
	} else if (c->plan->nr_mistakes == mistakes) {
		record_plan_unknown(c->plan,
				    is_glob(name) ? NULL : name_list_nearest(&c->names, name), "",
				    "%s %s: no function that can be traced has this name",
				    c->option, name);
	}
out:
	text_fini(&found);
	free(name);
}

void plan_functions_check(struct record_plan *plan, const char *option, struct name_list *patterns,
			  enum plan_functions_form form, const struct tracefs_dir *root)
{
	struct checking c = { .plan = plan, .option = option, .form = form };
	struct text t = { 0 };

	/* if the list cannot be read, the kernel checks the names later */
	if (patterns->nr && !tracefs_dir_read(root, "available_filter_functions", &t, NULL) &&
	    t.len) {
		load_functions(&c, text_str(&t));
		for (size_t i = 0; i < patterns->nr; i++)
			check_one(&c, &patterns->names[i]);
	}
	name_list_fini(&c.names);
	name_list_fini(&c.modules);
	text_fini(&t);
}
