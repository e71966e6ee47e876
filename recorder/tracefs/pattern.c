/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recorder/tracefs/pattern.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"

static bool looks_like_regex(const char *text)
{
	if (strpbrk(text, "^$\\|()+{"))
		return true;
	/* Function names may contain dots: schedule.part.0 */
	for (const char *dot = text; (dot = strchr(dot, '.')); dot++)
		if (dot[1] == '*' || dot[1] == '?')
			return true;
	return false;
}

int pattern_init(struct pattern *pattern, const char *text, struct ft_error *err)
{
	char why[128];
	int ret;

	*pattern = (struct pattern){ .kind = PATTERN_WORD };
	if (!strncmp(text, ":mod:", 5)) {
		pattern->kind = PATTERN_MODULE;
		pattern->text = mem_strdup(text + 5);
		return 0;
	}
	pattern->text = mem_strdup(text);
	if (!looks_like_regex(text)) {
		if (strpbrk(text, "*?["))
			pattern->kind = PATTERN_GLOB;
		if (strchr(text, '/') && !strchr(text, ':'))
			*strchr(pattern->text, '/') = ':';
		return 0;
	}
	ret = regcomp(&pattern->regex, text, REG_EXTENDED | REG_ICASE | REG_NOSUB);
	if (!ret) {
		pattern->kind = PATTERN_REGEX;
		return 0;
	}
	regerror(ret, &pattern->regex, why, sizeof(why));
	pattern_fini(pattern);
	return ft_error_set(err, FT_E_USAGE, -1, "'%s': %s", text, why);
}

void pattern_fini(struct pattern *pattern)
{
	if (pattern->kind == PATTERN_REGEX)
		regfree(&pattern->regex);
	free(pattern->text);
	*pattern = (struct pattern){ .kind = PATTERN_WORD };
}

static bool matches_text(const struct pattern *pattern, const char *text)
{
	if (!text)
		return false;
	switch (pattern->kind) {
	case PATTERN_WORD:
		return !strcmp(pattern->text, text);
	case PATTERN_GLOB:
		return !fnmatch(pattern->text, text, 0);
	case PATTERN_REGEX:
		return !regexec(&pattern->regex, text, 0, NULL, 0);
	case PATTERN_MODULE:
		return false;
	}
	return false;
}

bool pattern_matches(const struct pattern *pattern, const struct pattern_subject *subject)
{
	if (pattern->kind == PATTERN_MODULE)
		return subject->module && !fnmatch(pattern->text, subject->module, 0);
	return matches_text(pattern, subject->name) || matches_text(pattern, subject->system) ||
	       matches_text(pattern, subject->event);
}

bool pattern_is_part_of(const struct pattern *pattern, const struct pattern_subject *subject)
{
	return pattern->kind == PATTERN_WORD && *pattern->text &&
	       strcasestr(subject->name, pattern->text);
}
