/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/types/kallsyms.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/bisect.h"
#include "src/base/memory.h"

/*
 * Symbols are sorted by address; those with the same address are in the reverse order of the text,
 * as in libtraceevent.  Names stay in the text until they are needed: of a hundred thousand symbols
 * a session shows a few dozen.
 */
struct symbol {
	uint64_t	address;
	uint32_t	name;		/* offset in the text */
	uint16_t	name_len;
	uint16_t	module_len;	/* 0 = none; after the symbol's name and "\t[" */
};

#define MOST_OF_LAST	(1u << 20)	/* bytes of the kernel's own last symbol */

struct symbol_names {			/* NUL-ended copies */
	const char	*name;
	const char	*module;
};

struct symbol_table {			/* the parsed text; made on the first look-up */
	const char	*text;		/* borrowed */
	struct symbol	*symbols;	/* owned, [nr] */
	unsigned int	nr;
	bool		hidden;		/* all addresses are zero */
	/* Owned, [nr], made on first use; each is published by one store. */
	_Atomic(const struct symbol_names *) *names;
};

struct kallsyms {
	const char	*text;		/* borrowed: not parsed yet; or */
	uint64_t	 size;
	kallsyms_text	*get_text;	/* called once for the text; NULL if `text` is set */
	const void	*arg;
	_Atomic(struct symbol_table *) table;	/* owned; published by one store */
	pthread_mutex_t	lock;		/* held while the table or a name is made */
	struct arena	arena;
};

#define LINE_BYTES	40		/* bytes of a usual line, roughly */

struct symbol_line {
	uint64_t	address;
	char		type;
	const char	*name, *module;
	uint32_t	name_len, module_len;
	const char	*next;		/* start of the next line */
};

static const signed char hex_digits[256] = {
	['0'] = 1, ['1'] = 2, ['2'] = 3, ['3'] = 4, ['4'] = 5, ['5'] = 6, ['6'] = 7, ['7'] = 8,
	['8'] = 9, ['9'] = 10,
	['a'] = 11, ['b'] = 12, ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16,
	['A'] = 11, ['B'] = 12, ['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16,
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

static const char *skip_blanks(const char *p, const char *end)
{
	while (p < end && is_blank(*p))
		p++;
	return p;
}

static const char *skip_word(const char *p, const char *end)
{
	while (p < end && !is_blank(*p))
		p++;
	return p;
}

/*
 * "ffffffff81000000 T _text" or "ffffffffc0000000 t ext4_fn	[ext4]"; false if it is
 * not a line of kallsyms.
 */
static bool parse_line(const char *p, const char *text_end, struct symbol_line *line)
{
	const char *end = memchr(p, '\n', (size_t)(text_end - p)), *start, *tab, *blank;

	if (!end)
		end = text_end;
	line->next = end;
	start = p = skip_blanks(p, end);
	line->address = 0;
	while (p < end && p - start < 16 && hex_digits[(unsigned char)*p]) {
		line->address = line->address << 4 | (uint64_t)(hex_digits[(unsigned char)*p] - 1);
		p++;
	}
	if (p == start)
		return false;
	p = skip_blanks(p, end);
	if (p >= end)
		return false;
	line->type = *p++;
	line->name = p = skip_blanks(p, end);
	if (p >= end)
		return false;
	/*
	 * The name ends at the tab before a module, at an unexpected blank, or at the end of the
	 * line.
	 */
	tab = memchr(p, '\t', (size_t)(end - p));
	blank = memchr(p, ' ', (size_t)((tab ? tab : end) - p));
	p = blank ? blank : tab ? tab : end;
	line->name_len = (uint32_t)(p - line->name);
	line->module = NULL;
	line->module_len = 0;
	if (end - p > 2 && p[0] == '\t' && p[1] == '[') {
		line->module = p + 2;
		line->module_len = (uint32_t)(skip_word(p + 2, end) - line->module);
		if (line->module_len)
			line->module_len--;	/* the closing bracket */
	}
	return true;
}

/*
 * Skip what is not a function: mapping symbols of ARM, and per-CPU offsets that x86-64 lists as
 * absolute.
 */
static bool is_wanted(const struct symbol_line *line)
{
	return line->name[0] != '$' && line->type != 'A' && line->type != 'a';
}

static void parse_text(struct symbol_table *syms, const char *p, const char *end)
{
	unsigned int cap = (unsigned int)((end - p) / LINE_BYTES);
	struct symbol_line line;

	if (cap)
		syms->symbols = mem_array(cap, sizeof(*syms->symbols));

	while (p < end) {
		if (*p == '\n') {
			p++;
			continue;
		}
		if (!parse_line(p, end, &line) || syms->nr == UINT32_MAX / 2)
			return;
		if (is_wanted(&line) && line.name_len <= UINT16_MAX &&
		    line.module_len <= UINT16_MAX) {
			mem_grow(&syms->symbols, syms->nr, &cap);
			syms->symbols[syms->nr++] = (struct symbol){ line.address,
				(uint32_t)(line.name - syms->text),
								     (uint16_t)line.name_len,
								     (uint16_t)line.module_len };
		}
		p = line.next;
	}
}

/*
 * By address, then by the text from its end: libtraceevent sorts its reversed list with a stable
 * sort.
 */
static int compare_symbols(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return x->name > y->name ? -1 : x->name < y->name;
}

static void reverse_symbols(struct symbol *s, unsigned int from, unsigned int to)
{
	while (from + 1 < to) {
		struct symbol t = s[from];

		s[from++] = s[--to];
		s[to] = t;
	}
}

/* Kernels list their own symbols in order, and then those of modules: sort the rest, and merge. */
static void sort_symbols(struct symbol_table *syms)
{
	struct symbol *s = syms->symbols, *rest;
	unsigned int sorted = 0, nr = syms->nr, i, j, out;

	while (sorted < nr && (sorted == 0 || s[sorted - 1].address <= s[sorted].address))
		sorted++;
	for (i = 0; i < sorted; i = j) {
		for (j = i + 1; j < sorted && s[j].address == s[i].address; j++)
			;
		reverse_symbols(s, i, j);
	}
	if (sorted == nr)
		return;
	qsort(s + sorted, nr - sorted, sizeof(*s), compare_symbols);
	rest = mem_array(nr - sorted, sizeof(*s));
	memcpy(rest, s + sorted, (nr - sorted) * sizeof(*s));
	for (i = sorted, j = nr - sorted, out = nr; j; out--) {
		if (i && compare_symbols(&s[i - 1], &rest[j - 1]) > 0)
			s[out - 1] = s[--i];
		else
			s[out - 1] = rest[--j];
	}
	free(rest);
}

static struct symbol_table *make_table(const struct kallsyms *syms)
{
	struct symbol_table *t = mem_alloc(sizeof(*t));
	uint64_t size = syms->size;

	t->text = syms->get_text ? syms->get_text(syms->arg, &size) : syms->text;
	if (size > UINT32_MAX)
		size = UINT32_MAX;
	size = t->text ? strnlen(t->text, size) : 0;
	if (size)
		parse_text(t, t->text, t->text + size);
	sort_symbols(t);
	t->names = mem_array(t->nr, sizeof(*t->names));
	t->hidden = !t->nr || !t->symbols[t->nr - 1].address;
	return t;
}

static const struct symbol_table *get_table(const struct kallsyms *asked)
{
	struct symbol_table *t = atomic_load_explicit(&asked->table, memory_order_acquire);
	struct kallsyms *syms = (struct kallsyms *)asked;

	if (t)
		return t;
	pthread_mutex_lock(&syms->lock);
	t = atomic_load(&syms->table);
	if (!t) {
		t = make_table(syms);
		atomic_store_explicit(&syms->table, t, memory_order_release);
	}
	pthread_mutex_unlock(&syms->lock);
	return t;
}

struct kallsyms *kallsyms_new(const char *text, uint64_t size)
{
	struct kallsyms *syms = mem_alloc(sizeof(*syms));

	pthread_mutex_init(&syms->lock, NULL);
	syms->text = text;
	syms->size = size;
	return syms;
}

struct kallsyms *kallsyms_new_lazy(kallsyms_text *get_text, const void *arg)
{
	struct kallsyms *syms = kallsyms_new(NULL, 0);

	syms->get_text = get_text;
	syms->arg = arg;
	return syms;
}

void kallsyms_free(struct kallsyms *syms)
{
	struct symbol_table *t;

	if (!syms)
		return;
	t = atomic_load(&syms->table);
	if (t) {
		free(t->symbols);
		free(t->names);
		free(t);
	}
	arena_fini(&syms->arena);
	pthread_mutex_destroy(&syms->lock);
	free(syms);
}

static const struct symbol_names *make_names(struct kallsyms *syms, const struct symbol_table *t,
					     unsigned int i)
{
	const struct symbol *s = &t->symbols[i];
	const char *name = t->text + s->name;
	const struct symbol_names *old;
	struct symbol_names *names;

	pthread_mutex_lock(&syms->lock);
	old = atomic_load(&t->names[i]);
	if (!old) {
		names = arena_alloc(&syms->arena, sizeof(*names));
		names->name = arena_strndup(&syms->arena, name, s->name_len);
		if (s->module_len)
			names->module = arena_strndup(&syms->arena, name + s->name_len + 2,
						      s->module_len);
		atomic_store_explicit(&t->names[i], names, memory_order_release);
		old = names;
	}
	pthread_mutex_unlock(&syms->lock);
	return old;
}

static void fill_symbol(const struct kallsyms *syms, const struct symbol_table *t, unsigned int i,
			struct kallsyms_symbol *out)
{
	const struct symbol_names *names = atomic_load_explicit(&t->names[i], memory_order_acquire);
	unsigned int next = i + 1;

	if (!names)
		names = make_names((struct kallsyms *)syms, t, i);
	while (next < t->nr && t->symbols[next].address == t->symbols[i].address)
		next++;
	out->name = names->name;
	out->module = names->module;
	out->start = t->symbols[i].address;
	out->end = t->symbols[next < t->nr ? next : i].address;
}

/* Is it code that has no symbol, far above the kernel's own last one: a filter of seccomp, say? */
static bool is_above_kernel(const struct symbol_table *t, unsigned int i, uint64_t address)
{
	return !t->symbols[i].module_len && (i + 1 == t->nr || t->symbols[i + 1].module_len) &&
	       address - t->symbols[i].address >= MOST_OF_LAST;
}

bool kallsyms_find(const struct kallsyms *syms, uint64_t address, struct kallsyms_symbol *out)
{
	const struct symbol_table *t = get_table(syms);
	unsigned int nr = bisect(t->nr, i, t->symbols[i].address <= address);

	if (t->hidden || !nr || is_above_kernel(t, nr - 1, address))
		return false;
	fill_symbol(syms, t, nr - 1, out); /* the last of equal addresses
						   is the first one listed */
	return true;
}

void kallsyms_name(const struct kallsyms *syms, uint64_t address, struct text *out)
{
	struct kallsyms_symbol symbol;

	if (!kallsyms_find(syms, address, &symbol)) {
		text_printf(out, "0x%" PRIx64, address);
		return;
	}
	text_add(out, symbol.name);
	if (symbol.module)
		text_printf(out, " [%s]", symbol.module);
}

bool kallsyms_address(const struct kallsyms *syms, const char *name, uint64_t *address)
{
	const struct symbol_table *t = get_table(syms);
	size_t len = strlen(name);

	for (unsigned int i = 0; i < t->nr; i++)
		if (t->symbols[i].name_len == len &&
		    !memcmp(t->text + t->symbols[i].name, name, len)) {
			*address = t->symbols[i].address;
			return true;
		}
	return false;
}

/*
 * libtraceevent bisects for an entry at the address, or below it with the next entry above it.  So
 * it finds whichever of several aliases its search meets first, and nothing above the last symbol.
 */
bool kallsyms_find_as_tep(const struct kallsyms *syms, uint64_t address,
			  struct kallsyms_symbol *out)
{
	const struct symbol_table *t = get_table(syms);
	unsigned int low = 0, high = t->nr;

	while (low < high) {
		unsigned int mid = low + (high - low) / 2;
		uint64_t at = t->symbols[mid].address;
		uint64_t next = mid + 1 < t->nr ? t->symbols[mid + 1].address : 0;

		if (address == at || (address > at && address < next)) {
			fill_symbol(syms, t, mid, out);
			return true;
		}
		if (address < at)
			high = mid;
		else
			low = mid + 1;
	}
	return false;
}

void kallsyms_match(const struct kallsyms *syms,
		    bool (*match)(void *arg, const char *name, uint32_t len, uint32_t module_len),
		    void (*found)(void *arg, uint64_t first, uint64_t last), void *arg)
{
	const struct symbol_table *t = get_table(syms);

	if (t->hidden)
		return;
	for (unsigned int i = 0, next = 0; i < t->nr; i++) {
		const struct symbol *s = &t->symbols[i];

		if (next <= i)
			for (next = i + 1; next < t->nr && t->symbols[next].address == s->address;
			     next++)
				;
		if (match(arg, t->text + s->name, s->name_len, s->module_len))
			found(arg, s->address,
			      next < t->nr ? t->symbols[next].address - 1 : UINT64_MAX);
	}
}
