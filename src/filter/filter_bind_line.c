/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * filter_bind_line - text anywhere in a record's line.
 *
 * Making lines is avoided if possible: the literals that the text requires are searched in the
 * pattern of the type's lines (text_pattern). If they can only occur in the task's name or in
 * strings of the record, these are searched first.
 *
 * A text that few lines contain is found 3.5 times faster by that among events of sched, 8 times
 * among system calls (CPU time, 500 MB); an expression 1.8 and 6 to 8 times.  Where an expression
 * ignores case, nothing is gained.
 */
#include "src/filter/filter_bind.h"

#include <ctype.h>
#include <string.h>

#include "parsers/printer/printer.h"
#include "parsers/print/text_pattern.h"
#include "parsers/source/source.h"
#include "src/filter/regex_literals.h"

/* Words that matching text requires: one of each set. */
struct filter_line_words {
	unsigned int	nr;
	struct line_set {
		unsigned int	nr;
		uint32_t	patterns[REGEX_LITERAL_WORDS];	/* their patterns */
		unsigned int	asked;		/* 1 + file whose symbols were asked */
		bool		is_symbol;	/* does one of these contain one? */
	} sets[REGEX_LITERAL_SETS];
};

/* --- words ------------------------------------------------------------------ */

static struct filter_line_words *words_of_regex(struct filter_binder *b,
						const struct filter_node *n)
{
	struct filter_line_words *words = arena_alloc(b->scratch, sizeof(*words));
	struct regex_literals literals = { .nr = 0 };

	if (!n->value)			/* ignoring case would need another search */
		regex_literals_init(&literals, n->text, n->len);
	for (; words->nr < literals.nr; words->nr++) {
		const struct regex_literal_set *from = &literals.sets[words->nr];
		struct line_set *to = &words->sets[words->nr];

		for (; to->nr < from->nr; to->nr++) {
			struct filter_pattern *m = filter_add_pattern(b->f, &to->patterns[to->nr]);

			filter_pattern_init(m, FILTER_PATTERN_CONTAINS, from->words[to->nr].s,
					    from->words[to->nr].len, false, 0, 0, NULL);
		}
	}
	regex_literals_fini(&literals);
	return words;
}

/* Made once for all types. */
static struct filter_line_words *words_of(struct filter_binder *b, const struct filter_node *n,
					  uint32_t pattern)
{
	struct filter_note *note = &b->notes[n->id];

	if (note->words)
		return note->words;
	if (n->kind == FILTER_NODE_REGEX) {
		note->words = words_of_regex(b, n);
	} else {
		note->words = arena_alloc(b->scratch, sizeof(*note->words));
		note->words->nr = note->words->sets[0].nr = 1;
		note->words->sets[0].patterns[0] = pattern;
	}
	return note->words;
}

/* May a symbol's name contain a word of the set? */
static bool is_symbol(struct filter_binder *b, struct line_set *set)
{
	uint64_t size;
	const char *text;

	if (set->asked == b->file + 1)
		return set->is_symbol;
	set->asked = b->file + 1;
	set->is_symbol = false;
	text = source_text(trace_file_of(b->f->trace, b->file), TRACE_TEXT_KALLSYMS, &size);
	for (unsigned int i = 0; text && i < set->nr; i++) {
		const struct filter_pattern *m = b->f->patterns[set->patterns[i]];

		set->is_symbol |= filter_pattern_test(m, NULL, text, size);
	}
	return set->is_symbol;
}

/* --- lines of a type ---------------------------------------------------------- */

/* "bash-1234 sched_switch: the text" */
static struct text_pattern *line_pattern(const struct filter_binder *b)
{
	struct text_pattern *p = text_pattern_new();

	text_pattern_hole(p, TEXT_PATTERN_TASK);
	text_pattern_str(p, "-");
	text_pattern_chars(p, TEXT_PATTERN_NUMBER);
	text_pattern_str(p, " ");
	text_pattern_str(p, b->type->name);
	text_pattern_str(p, ": ");
	printer_pattern(trace_printer(b->f->trace, b->file), PRINT_KERNEL, b->type, p);
	return p;
}

static unsigned int find_set(struct filter_binder *b, const struct text_pattern *p,
			     struct line_set *set)
{
	unsigned int found = 0;

	for (unsigned int i = 0; i < set->nr; i++) {
		const struct filter_pattern *m = b->f->patterns[set->patterns[i]];

		found |= text_pattern_find(p, m->text, m->len, m->fold);
	}
	if ((found & TEXT_PATTERN_SYMBOL) && is_symbol(b, set))
		found |= TEXT_PATTERN_ELSEWHERE;
	return found;
}

static const struct filter_bound *test_of(struct filter_binder *b, enum filter_test_kind kind,
					  uint32_t index)
{
	return filter_bound_test(&b->f->arena,
				 &(struct filter_test){ .kind = kind, .index = index });
}

/* A necessary condition for a line to match, if it is cheaper to test than making the line. */
static const struct filter_bound *condition(struct filter_binder *b,
					    struct filter_line_words *words)
{
	const struct filter_bound *bound = &filter_bound_true;
	struct text_pattern *p;

	if (!words->nr)
		return bound;
	p = line_pattern(b);
	for (unsigned int i = 0; i < words->nr && bound->kind == FILTER_BOUND_TRUE; i++) {
		struct line_set *set = &words->sets[i];
		unsigned int where = find_set(b, p, set);

		if (where & TEXT_PATTERN_ELSEWHERE)
			continue;
		bound = &filter_bound_false;
		for (unsigned int k = 0; k < set->nr; k++) {
			bound = filter_bound_or(&b->f->arena, bound,
						test_of(b, FILTER_TEST_COMM, set->patterns[k]));
			if (where & TEXT_PATTERN_STRING)
				bound = filter_bound_or(&b->f->arena, bound,
							test_of(b, FILTER_TEST_BYTES,
								set->patterns[k]));
		}
	}
	text_pattern_free(p);
	return bound;
}

/* --- pages of a text ------------------------------------------------------------- */

/* A page needs one of the set's words in its lines, or in a task's name. */
static const struct filter_bound *part_condition(struct filter_binder *b,
						 const struct line_set *set, uint64_t nr_parts)
{
	const struct filter_bound *bound = &filter_bound_false;

	for (unsigned int i = 0; i < set->nr; i++) {
		struct filter_test test = { .kind = FILTER_TEST_PART, .index = set->patterns[i] };

		test.parts = arena_alloc(&b->f->arena, nr_parts * sizeof(*test.parts));
		bound = filter_bound_or(&b->f->arena, bound,
					test_of(b, FILTER_TEST_COMM, set->patterns[i]));
		bound = filter_bound_or(&b->f->arena, bound,
					filter_bound_test(&b->f->arena, &test));
	}
	return bound;
}

/* Words of "0.123 3 bash-1234 d..2. sched_switch the text", and those that lines add to it. */
static struct text_pattern *row_pattern(const struct filter_binder *b, const char *adds)
{
	struct text_pattern *p = text_pattern_new();

	text_pattern_chars(p, "0123456789.:+-−–");
	text_pattern_str(p, " ");
	text_pattern_str(p, adds);
	text_pattern_str(p, " ");
	text_pattern_hole(p, TEXT_PATTERN_TASK);
	text_pattern_str(p, "-");
	text_pattern_chars(p, TEXT_PATTERN_NUMBER);
	text_pattern_str(p, " ");
	text_pattern_hole(p, TEXT_PATTERN_STRING);
	text_pattern_str(p, " ");
	text_pattern_str(p, b->type->name);
	text_pattern_str(p, " ");
	trace_row_pattern(b->f->trace, b->file, b->type, p);
	return p;
}

/* May a word be anywhere but in names of tasks and the lines themselves, in any event? */
static bool is_elsewhere(struct filter_binder *b, struct line_set *set)
{
	const struct filter_lines *lines = b->f->sources[b->source].lines;
	const struct filter_file *ff = &b->f->files[b->file];
	bool found = false;

	for (unsigned int id = 0; id < ff->nr_ids && !found; id++) {
		struct text_pattern *p;

		b->type = ff->types[id];
		if (!b->type)
			continue;
		p = lines ? row_pattern(b, lines->adds) : line_pattern(b);
		found = find_set(b, p, set) & TEXT_PATTERN_ELSEWHERE;
		text_pattern_free(p);
	}
	b->type = NULL;
	return found;
}

/*
 * Bytes of a text's beginning that may be the end of "\t", "\x1b", "\u200b", as which a line shows
 * other characters.
 */
static size_t escaped(const char *s, size_t len)
{
	int first = len ? tolower((unsigned char)*s) : 0;
	size_t n = first == 'x' || first == 'u';

	if (first == 'n' || first == 't' || first == 'r')
		return 1;
	while (n < len && n < 9 && isxdigit((unsigned char)s[n]))
		n++;
	return n;
}

/* The longest word of a text; len 0: it has none whose bytes the lines have as they are. */
static struct regex_literal longest_word(const char *s, size_t len)
{
	size_t at = escaped(s, len);
	struct regex_literal best = { s, 0 };

	while (at < len && !memchr(s, '\\', len)) {
		const char *blank = memchr(s + at, ' ', len - at) ?: s + len;

		if ((size_t)(blank - s) - at > best.len)
			best = (struct regex_literal){ s + at, (size_t)(blank - s) - at };
		at = (size_t)(blank - s) + 1;
	}
	return best;
}

/* Words that the bytes of a text have where a shown line has one of the set; nr 0: not known. */
static struct line_set shown_set(struct filter_binder *b, const struct line_set *set)
{
	struct line_set shown = { .nr = 0 };

	for (unsigned int i = 0; i < set->nr; i++) {
		const struct filter_pattern *text = b->f->patterns[set->patterns[i]];
		struct regex_literal word = longest_word(text->text, text->len);
		struct filter_pattern *m;

		if (!word.len)
			return (struct line_set){ .nr = 0 };
		m = filter_add_pattern(b->f, &shown.patterns[shown.nr++]);
		filter_pattern_init(m, FILTER_PATTERN_CONTAINS, word.s, word.len, text->fold, 0, 0,
				    NULL);
	}
	return shown;
}

static const struct filter_bound *of_any_type(struct filter_binder *b, const struct filter_node *n,
					      uint32_t pattern)
{
	uint64_t nr_parts = source_info(trace_file_of(b->f->trace, b->file))->nr_parts;
	const struct filter_lines *lines = b->f->sources[b->source].lines;
	const struct filter_bound *bound = filter_unknown(b);
	struct filter_line_words *words;

	if (!nr_parts || (lines && !lines->adds))
		return bound;
	words = words_of(b, n, pattern);
	for (unsigned int i = 0; i < words->nr; i++) {
		struct line_set set = lines ? shown_set(b, &words->sets[i]) : words->sets[i];

		if (set.nr && !is_elsewhere(b, &set))
			bound = filter_bound_and(&b->f->arena, part_condition(b, &set, nr_parts),
						 bound);
	}
	return bound;
}

/* Like in searches, case is ignored unless the text contains a capital letter. */
const struct filter_bound *filter_bind_line(struct filter_binder *b, const struct filter_node *n)
{
	struct filter_test test = { .kind = FILTER_TEST_TEXT,
				    .lines = b->f->sources[b->source].lines };
	bool is_regex = n->kind == FILTER_NODE_REGEX;
	const struct filter_bound *text;
	const struct filter_pattern *m;

	if (!n->len)
		return &filter_bound_true;
	m = filter_node_pattern(b, n, is_regex ? FILTER_PATTERN_REGEX : FILTER_PATTERN_CONTAINS,
				is_regex ? n->value : !text_has_capital(n->text, n->len),
				&test.index);
	if (!m)
		return &filter_bound_false;
	/* the event's name is part of the kernel's line, so the line need not be made for it */
	if (!is_regex && b->type && !test.lines &&
	    filter_pattern_test(m, NULL, b->type->name, strlen(b->type->name)))
		return &filter_bound_true;
	b->f->uses_text = b->f->uses_comm = true;
	if (b->general)
		return of_any_type(b, n, test.index);
	text = filter_bound_test(&b->f->arena, &test);
	if (!b->type || test.lines)
		return text;
	return filter_bound_and(&b->f->arena, condition(b, words_of(b, n, test.index)), text);
}
