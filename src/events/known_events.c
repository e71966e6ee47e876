/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/events/known_events.h"

#include <ctype.h>
#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"
#include "src/base/small_file.h"
#include "src/events/known_files.h"	/* made from known/, see local.mk */
#include "src/events/template.h"

#define NR_FILES	(sizeof(known_files) / sizeof(known_files[0]))
#define MOST_LINES	4096u		/* most lines of a user for each first word */

struct known_list {			/* zeroed: empty */
	struct known_line *lines;	/* owned, [nr]; their strings are in the arena */
	unsigned int	 nr, cap;
};

/* Made at the beginning, and only read after that. */
static struct known_events {
	struct known_list lists[KNOWN_WORDS];
	struct arena	 arena;
} built_in, own;
static pthread_once_t built_in_once = PTHREAD_ONCE_INIT;

/* --- reading a line ------------------------------------------------------------------------- */

enum word_place { AFTER_SYSTEM, AFTER_EVENT, OF_EVENTS, AFTER_KIND, ANYWHERE };

/* What the words mean; templates have ways of their own beside those for numbers. */
static const struct {
	const char	*name;
	enum word_place	 place;
	const char	*ways;		/* ways allowed in its templates, with blanks between them;
					 * NULL: no template */
	bool		 has_numbers;	/* template_is_number() are ways, too */
} words[KNOWN_WORDS] = {
	[KNOWN_NAMES] = { "names", AFTER_SYSTEM, NULL, false },
	[KNOWN_SENTENCE] = { "sentence", OF_EVENTS,
			     "call caller target until mapping rw words", true },
	[KNOWN_SHORT] = { "short", OF_EVENTS, "state", true },
	[KNOWN_COLOUR] = { "colour", OF_EVENTS, NULL, false },
	[KNOWN_PATTERN] = { "pattern", AFTER_EVENT, "", false },
	[KNOWN_ALSO] = { "also", AFTER_EVENT, NULL, false },
	[KNOWN_FIELDS] = { "fields", AFTER_EVENT, NULL, false },
	[KNOWN_MEASURES] = { "measures", AFTER_KIND, NULL, false },
	[KNOWN_INSTANCE] = { "instance", AFTER_KIND, "", false },
	[KNOWN_CHOSEN] = { "chosen", AFTER_KIND, NULL, false },
	[KNOWN_FINAL] = { "final", AFTER_KIND, NULL, false },
	[KNOWN_PAIR] = { "pair", ANYWHERE, NULL, false },
};

struct events_reader {
	struct known_events *events;
	const struct known_checks *checks;	/* NULL: nothing is checked */
	const char	*file;		/* known_line.file */
	const char	*system, *names, *kind;	/* that lines are about; NULL: none */
	struct ft_error	*err;
};

static bool is_kind(const struct template_part *part)
{
	for (unsigned int i = 0; i < TEMPLATE_KINDS; i++)
		if (*template_kinds[i] && template_how_is(part, template_kinds[i]))
			return true;
	return false;
}

/* May it be a field's name?  An empty one may. */
static bool is_name(const struct template_part *part)
{
	size_t len = 0;

	while (len < part->name_len &&
	       (isalnum((unsigned char)part->name[len]) || part->name[len] == '_'))
		len++;
	return len == part->name_len;
}

static int check_template(const struct events_reader *r, enum known_word word, const char *text)
{
	const char *at = text, *ways = words[word].ways;
	struct template_part part;

	while (template_next(&at, &part)) {
		if (!part.name && memchr(part.text, '{', part.text_len) &&
		    part.text[part.text_len - 1] != '{')
			return ft_error_set(r->err, FT_E_FORMAT, -1, "a { is not closed: %s", text);
		if (word == KNOWN_PATTERN && part.name && !is_name(&part))
			return ft_error_set(r->err, FT_E_FORMAT, -1, "%.*s cannot be a field",
					    (int)part.name_len, part.name);
		if (!part.how_len || known_events_lists(ways, part.how, part.how_len, NULL) ||
		    (words[word].has_numbers && template_is_number(&part)) ||
		    (word == KNOWN_PATTERN && is_kind(&part)))
			continue;
		return ft_error_set(r->err, FT_E_FORMAT, -1, "there is no way %.*s in a %s",
				    (int)part.how_len, part.how, words[word].name);
	}
	return 0;
}

static int check(const struct events_reader *r, enum known_word word, const char *text)
{
	if (words[word].place == AFTER_SYSTEM && (!r->system || r->names || r->kind))
		return ft_error_set(r->err, FT_E_FORMAT, -1, "%s must be below a system",
				    words[word].name);
	if (words[word].place == AFTER_EVENT && !r->names)
		return ft_error_set(r->err, FT_E_FORMAT, -1, "%s must be below an event",
				    words[word].name);
	if (words[word].place == OF_EVENTS && (!r->system || r->kind))
		return ft_error_set(r->err, FT_E_FORMAT, -1, "%s must be below a system or event",
				    words[word].name);
	if (words[word].place == AFTER_KIND && !r->kind)
		return ft_error_set(r->err, FT_E_FORMAT, -1, "%s must be below a kind",
				    words[word].name);
	if (!*text)
		return ft_error_set(r->err, FT_E_FORMAT, -1, "a text must be behind %s",
				    words[word].name);
	if (!r->checks)
		return 0;
	if (word == KNOWN_COLOUR)
		return r->checks->colour(text, r->err);
	if (word == KNOWN_PAIR)
		return r->checks->pair(text, r->err);
	return words[word].ways ? check_template(r, word, text) : 0;
}

/* A line for an event that has one of this word would never count. */
static int check_first(const struct events_reader *r, enum known_word word)
{
	const struct known_list *list = &r->events->lists[word];

	for (const char *name = r->names; *name; name += strspn(name, " \t")) {
		size_t len = strcspn(name, " \t");

		for (unsigned int i = 0; i < list->nr && !memchr(name, '*', len); i++)
			if (list->lines[i].names && !strcmp(list->lines[i].of, r->system) &&
			    known_events_lists(list->lines[i].names, name, len, NULL))
				return ft_error_set(r->err, FT_E_FORMAT, -1,
						    "%.*s has a %s already, above", (int)len, name,
						    words[word].name);
		name += len;
	}
	return 0;
}

static int add(struct events_reader *r, enum known_word word, const char *text)
{
	struct known_list *list = &r->events->lists[word];
	bool is_own = r->events == &own;

	if (check(r, word, text) ||
	    (r->checks && words[word].place == OF_EVENTS && r->names && check_first(r, word)))
		return -1;
	if (is_own && list->nr == MOST_LINES)
		return ft_error_set(r->err, FT_E_LIMIT, -1, "more than %u lines %s", MOST_LINES,
				    words[word].name);
	mem_grow(&list->lines, list->nr, &list->cap);
	list->lines[list->nr++] = (struct known_line){
		.of = r->kind ?: r->system ?: "",
		.names = word == KNOWN_NAMES ? text : r->names,
		.text = text,
		.file = r->file,
		.is_own = is_own,
	};
	return 0;
}

/* system NAME, event NAME…, kind NAME: what the lines below are about. */
static int take_heading(struct events_reader *r, const char *word, const char *text)
{
	if (!*text)
		return ft_error_set(r->err, FT_E_FORMAT, -1, "a name must be behind %s", word);
	if (!strcmp(word, "event") && !r->system)
		return ft_error_set(r->err, FT_E_FORMAT, -1, "event must be below a system");
	r->kind = r->names = NULL;
	if (!strcmp(word, "system"))
		r->system = text;
	else if (!strcmp(word, "event"))
		r->names = text;
	else
		r->kind = text;
	return 0;
}

/* @line: in the arena */
static int read_line(struct events_reader *r, char *line)
{
	char *word = line + strspn(line, " \t"), *end = word + strcspn(word, " \t\r");
	char *text = end + strspn(end, " \t\r");

	if (!*word || *word == '#')
		return 0;
	*end = '\0';
	for (char *tail = text + strlen(text); tail > text && strchr(" \t\r", tail[-1]);)
		*--tail = '\0';
	if (!strcmp(word, "system") || !strcmp(word, "event") || !strcmp(word, "kind"))
		return take_heading(r, word, text);
	for (unsigned int i = 0; i < KNOWN_WORDS; i++)
		if (!strcmp(word, words[i].name))
			return add(r, i, text);
	return ft_error_set(r->err, FT_E_FORMAT, -1, "no line begins with %s", word);
}

static int read_text(struct known_events *events, const struct known_file *file,
		     const struct known_checks *checks, struct ft_error *err)
{
	char *rest = arena_strndup(&events->arena, file->contents, strlen(file->contents)), *line;
	const char *name = events == &own ? file->name : strrchr(file->name, '/') + 1;
	struct ft_error wrong = { 0 };
	struct events_reader r = { .events = events, .checks = checks, .err = &wrong,
				   .file = arena_strndup(&events->arena, name, strlen(name)) };
	int ret = 0;

	for (unsigned int nr = 1; (line = strsep(&rest, "\n")); nr++)
		if (read_line(&r, line) && !ret)
			ret = ft_error_set(err, wrong.code, -1, "%s:%u: %s", file->name, nr,
					   wrong.message);
	return ret;
}

/* --- the files ------------------------------------------------------------------------------ */

static void read_built_in(void)
{
	for (size_t i = 0; i < NR_FILES; i++)
		read_text(&built_in, &known_files[i], NULL, NULL);
}

static void drop(struct known_events *events)
{
	for (unsigned int i = 0; i < KNOWN_WORDS; i++)
		free(events->lists[i].lines);
	arena_fini(&events->arena);
	*events = (struct known_events){ 0 };
}

void known_events_fini(void)
{
	drop(&own);
}

int known_events_check(const struct known_checks *checks, struct ft_error *err)
{
	struct known_events events = { 0 };
	int ret = 0;

	for (size_t i = 0; i < NR_FILES && !ret; i++)
		ret = read_text(&events, &known_files[i], checks, err);
	drop(&events);
	return ret;
}

int known_events_add(const char *contents, const char *name, const struct known_checks *checks,
		     struct ft_error *err)
{
	return read_text(&own, &(struct known_file){ name, contents }, checks, err);
}

static int is_events_file(const struct dirent *entry)
{
	size_t len = strlen(entry->d_name);

	return *entry->d_name != '.' && len > 7 && !strcmp(entry->d_name + len - 7, ".events");
}

int known_events_read(const char *folder, const struct known_checks *checks, struct ft_error *err)
{
	struct dirent **files;
	int nr = folder ? scandir(folder, &files, is_events_file, alphasort) : 0, ret = 0;

	for (int i = 0; i < nr; i++) {
		struct text path = { 0 }, contents = { 0 };
		struct ft_error wrong = { 0 };
		int failed;

		text_printf(&path, "%s/%s", folder, files[i]->d_name);
		failed = i == KNOWN_FILES ?
				 ft_error_set(&wrong, FT_E_LIMIT, -1, "%s: more than %u files",
					      folder, KNOWN_FILES) :
			 small_file_read(text_str(&path), KNOWN_FILE_BYTES, &contents, &wrong) ?
				 -1 :
				 known_events_add(text_str(&contents), text_str(&path), checks,
						  &wrong);
		if (failed && !ret)
			ret = ft_error_set(err, wrong.code, -1, "%s", wrong.message);
		text_fini(&path);
		text_fini(&contents);
		free(files[i]);
	}
	if (nr > 0)
		free(files);
	return ret;
}

/* --- looking it up -------------------------------------------------------------------------- */

const struct known_line *known_events_next(enum known_word word, unsigned int *at)
{
	unsigned int nr = own.lists[word].nr, i = (*at)++;

	pthread_once(&built_in_once, read_built_in);
	if (i < nr)
		return &own.lists[word].lines[i];
	return i - nr < built_in.lists[word].nr ? &built_in.lists[word].lines[i - nr] : NULL;
}

static bool fits(const char *name, size_t name_len, const char *s, size_t len,
		 struct known_star *star)
{
	const char *at = memchr(name, '*', name_len);
	size_t head = at ? (size_t)(at - name) : name_len, tail = at ? name_len - head - 1 : 0;

	if ((at ? len < head + tail : len != head) || memcmp(s, name, head) ||
	    (tail && memcmp(s + len - tail, at + 1, tail)))
		return false;
	if (star)
		*star = (struct known_star){ s + head, len - head - tail };
	return true;
}

bool known_events_lists(const char *names, const char *name, size_t len, struct known_star *star)
{
	for (size_t n; *names; names += n + strspn(names + n, " \t")) {
		n = strcspn(names, " \t");
		if (fits(names, n, name, len, star))
			return true;
	}
	return false;
}

const char *known_events_system(const char *name, size_t len)
{
	const struct known_line *line;

	for (unsigned int at = 0; (line = known_events_next(KNOWN_NAMES, &at));)
		if (known_events_lists(line->names, name, len, NULL))
			return line->of;
	return NULL;
}

/* The line "event FROM", "also TO" has one name each; the * stands for the same text. */
static const char *other_name(const char *system, const char *name, bool is_kernels, char *to)
{
	const struct known_line *line;
	struct known_star star;

	for (unsigned int at = 0; (line = known_events_next(KNOWN_ALSO, &at));) {
		const char *theirs = is_kernels ? line->text : line->names,
			   *other = is_kernels ? line->names : line->text;
		size_t head = strcspn(other, "*");

		if (strcmp(line->of, system) != 0 ||
		    !known_events_lists(theirs, name, strlen(name), &star))
			continue;
		snprintf(to, KNOWN_NAME_BYTES, "%.*s%.*s%s", (int)head, other, (int)star.len,
			 star.s, other + head + (other[head] == '*'));
		return to;
	}
	return NULL;
}

const char *known_events_theirs(const char *system, const char *name, char *to)
{
	return other_name(system, name, false, to);
}

const char *known_events_kernels(const char *system, const char *name, char *to)
{
	return other_name(system, name, true, to);
}

/* The line for the event; else *all receives the one for its system. */
static const char *text_of(enum known_word word, const char *system, const char *name, size_t len,
			   struct known_star *star, const char **all)
{
	const struct known_line *line;

	for (unsigned int at = 0; (line = known_events_next(word, &at));) {
		if (strcmp(line->of, system) != 0)
			continue;
		if (!line->names)
			*all = *all ?: line->text;
		else if (known_events_lists(line->names, name, len, star))
			return line->text;
	}
	return NULL;
}

const char *known_events_text(enum known_word word, const char *system, const char *name,
			      struct known_star *star)
{
	char kernels[KNOWN_NAME_BYTES];
	const char *all = NULL, *text = text_of(word, system, name, strlen(name), star, &all);

	if (!text && known_events_kernels(system, name, kernels)) {
		text = text_of(word, system, kernels, strlen(kernels), star, &all);
		/* both names end with what the * stands for */
		if (text && star)
			star->s = name + strlen(name) - star->len;
	}
	if (!text && star)
		*star = (struct known_star){ name, 0 };
	return text ?: all;
}

const char *known_events_kind(enum known_word word, const char *kind)
{
	const struct known_line *line;

	for (unsigned int at = 0; (line = known_events_next(word, &at));)
		if (!strcmp(line->of, kind))
			return line->text;
	return NULL;
}
