/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/filter/filter_named.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/filter/filter_lex.h"
#include "src/filter/filter_names.h"
#include "src/base/memory.h"
#include "src/base/small_file.h"

static const struct {
	const char *name, *text, *help;
} ready_made[] = {
	{ "slow_calls", "dur >= 1ms", "calls of at least 1 ms" },
	{ "errors", "ret < 0 && ret >= -4095",
	  "system calls that returned an error, and calls if their return value was recorded" },
	{ "involuntary_switches", "sched_switch: state == preempted", "tasks that were preempted" },
	{ "long_waits", "wait > 1ms", "tasks that waited more than 1 ms for a CPU" },
	{ "softirq_storms", "softirq_entry && comm ~ \"ksoftirqd*\"",
	  "softirqs that ksoftirqd had to run" },
};

#define NR_READY_MADE	(sizeof(ready_made) / sizeof(ready_made[0]))

static bool is_word_char(char c, bool first)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
	       (!first && c >= '0' && c <= '9');
}

static size_t word_bytes(const char *s)
{
	size_t len = 0;

	while (is_word_char(s[len], !len))
		len++;
	return len;
}

/* Words of the language cannot name a filter: that would change the meaning of other filters. */
static bool is_of_language(const char *name, size_t len, const struct filter_name *const *more)
{
	struct arena arena = { 0 };
	char *word = arena_strndup(&arena, name, len);
	bool is = filter_lex(word, 0, &arena, NULL).kind != TOKEN_WORD ||
		  filter_name_find(word, more) || !strcmp(word, "CPUS") || !strcmp(word, "true") ||
		  !strcmp(word, "false");

	arena_fini(&arena);
	return is;
}

bool filter_named_is_name(const char *name, const struct filter_name *const *more)
{
	return *name && !name[word_bytes(name)] && !is_of_language(name, strlen(name), more);
}

const char *filter_named_help(const struct filter_named *named, unsigned int i)
{
	return i >= named->nr_own && i < named->nr ? ready_made[i - named->nr_own].help : NULL;
}

static void add(struct filter_named *named, const char *name, size_t name_len, const char *text,
		size_t text_len)
{
	named->macros[named->nr++] = (struct filter_macro){ mem_strndup(name, name_len),
							    mem_strndup(text, text_len) };
}

/* --- lines --------------------------------------------------------------- */

struct line {
	const char	*s;
	size_t		 len;
	size_t		 name, name_len;	/* name: in it; name_len 0 = a comment or an
						 * empty line */
	size_t		 text, text_len;
};

/* The next line of a text; false at the end.  *wrong: the problem with it, or NULL. */
static bool next_line(const char **at, struct line *line, const char **wrong)
{
	const char *s = *at;
	size_t i;

	*wrong = NULL;
	if (!*s)
		return false;
	*line = (struct line){ .s = s, .len = strcspn(s, "\n") };
	*at = s + line->len + (s[line->len] == '\n');
	i = strspn(s, " \t");
	if (i >= line->len || s[i] == '#')
		return true;
	line->name = i;
	i += word_bytes(s + i);
	line->name_len = i - line->name;
	i += strspn(s + i, " \t");
	if (!line->name_len || s[i] != '=') {
		*wrong = "a line is NAME = EXPRESSION; a name has letters, digits and _";
		line->name_len = 0;
		return true;
	}
	i++;
	i += strspn(s + i, " \t");
	line->text = i;
	line->text_len = i < line->len ? line->len - i : 0;
	while (line->text_len && strchr(" \t\r", s[i + line->text_len - 1]))
		line->text_len--;
	if (!line->text_len)
		*wrong = "there is no expression after the =";
	return true;
}

static int read_lines(struct filter_named *named, const char *contents, const char *path,
		      const struct filter_name *const *more, struct ft_error *err)
{
	struct ft_error ignored = { 0 };
	struct line line;
	const char *wrong;
	int result = 0;

	for (unsigned int nr = 1; next_line(&contents, &line, &wrong); nr++) {
		if (line.name_len && is_of_language(line.s + line.name, line.name_len, more))
			wrong = "this word already has a meaning: choose another name";
		if (!wrong && line.name_len && named->nr == FILTER_NAMED_MAX)
			wrong = "too many filters";
		if (wrong) {
			result = ft_error_set(result ? &ignored : err, FT_E_FORMAT, -1,
					      "%s, line %u: %s", path, nr, wrong);
			continue;
		}
		if (line.name_len)
			add(named, line.s + line.name, line.name_len, line.s + line.text,
			    line.text_len);
	}
	return result;
}

/* --- all of them --------------------------------------------------------- */

int filter_named_read(struct filter_named *named, const char *path,
		      const struct filter_name *const *more, struct ft_error *err)
{
	struct text contents = { 0 };
	int result = path && !access(path, F_OK) ?
			     small_file_read(path, FILTER_NAMED_BYTES, &contents, err) :
			     0;

	*named = (struct filter_named){ .macros = mem_array(FILTER_NAMED_MAX + NR_READY_MADE,
							    sizeof(*named->macros)) };
	if (!result)
		result = read_lines(named, text_str(&contents), path ? path : "", more, err);
	named->nr_own = named->nr;
	for (size_t i = 0; i < NR_READY_MADE; i++)
		add(named, ready_made[i].name, strlen(ready_made[i].name), ready_made[i].text,
		    strlen(ready_made[i].text));
	text_fini(&contents);
	return result;
}

void filter_named_fini(struct filter_named *named)
{
	for (unsigned int i = 0; i < named->nr; i++) {
		free((char *)named->macros[i].name);
		free((char *)named->macros[i].text);
	}
	free(named->macros);
	*named = (struct filter_named){ 0 };
}

void filter_named_change(const char *contents, const char *name, const char *expression,
			 struct text *out)
{
	bool done = !*expression;
	struct line line;
	const char *wrong;

	while (next_line(&contents, &line, &wrong)) {
		if (line.name_len != strlen(name) ||
		    strncmp(line.s + line.name, name, line.name_len)) {
			text_bytes(out, line.s, line.len);
			text_char(out, '\n');
		} else if (!done) {
			text_printf(out, "%s = %s\n", name, expression);
			done = true;
		}
	}
	if (!done)
		text_printf(out, "%s = %s\n", name, expression);
}
