/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/hist/hist.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/text.h"

#define HEAD	"# event histogram"
#define TRIGGER "# trigger info: "

/* A cell from what the kernel prints of it: a part of the entry, trimmed. */
typedef void (*make_cell)(struct hist *h, struct hist_column *column, struct hist_cell *cell,
			  const char *s, size_t len);

struct reader {
	struct hist	*hist;
	make_cell	 make[HIST_MOST_COLUMNS];	/* of keys */
	struct text	 entry;		/* its lines so far; "": between entries */
};

static bool starts(const char *s, const char *with)
{
	return !strncmp(s, with, strlen(with));
}

static const char *trim(const char *s, size_t *len)
{
	while (*len && isspace((unsigned char)*s)) {
		s++;
		(*len)--;
	}
	while (*len && isspace((unsigned char)s[*len - 1]))
		(*len)--;
	return s;
}

/* A whole number in decimal digits? */
static bool read_number(const char *s, uint64_t *number)
{
	int end = 0;

	return isdigit((unsigned char)*s) && sscanf(s, "%20" SCNu64 "%n", number, &end) == 1 &&
	       !s[end];
}

/* --- cells ------------------------------------------------------------------------------- */

static void make_plain(struct hist *h, struct hist_column *column, struct hist_cell *cell,
		       const char *s, size_t len)
{
	cell->text = arena_strndup(&h->arena, s, len);
	if (!read_number(cell->text, &cell->number))
		column->is_number = false;
}

/* "[ffffffff81292c84] seq_read_iter": the name goes first, as it is sorted by. */
static void make_symbol(struct hist *h, struct hist_column *column, struct hist_cell *cell,
			const char *s, size_t len)
{
	const char *end = memchr(s, ']', len);
	size_t address = end ? (size_t)(end + 1 - s) : 0, name_len = len - address;
	const char *name = trim(s + address, &name_len);

	column->is_number = false;
	cell->text = arena_printf(&h->arena, "%.*s%s%.*s", (int)name_len, name,
				  name_len && address ? " " : "", (int)address, s);
}

/* "sh              [      1234]" as NAME, @before, 1234, @behind. */
static void make_numbered(struct hist *h, struct hist_cell *cell, const char *s, size_t len,
			  const char *before, const char *behind)
{
	const char *open = memrchr(s, '[', len);
	size_t name_len = open ? (size_t)(open - s) : len;
	const char *name = trim(s, &name_len);

	cell->text = open ? arena_printf(&h->arena, "%.*s%s%llu%s", (int)name_len, name, before,
					 strtoull(open + 1, NULL, 10), behind) :
			    arena_strndup(&h->arena, s, len);
}

static void make_task(struct hist *h, struct hist_column *column, struct hist_cell *cell,
		      const char *s, size_t len)
{
	column->is_number = false;
	make_numbered(h, cell, s, len, "-", "");
}

static void make_syscall(struct hist *h, struct hist_column *column, struct hist_cell *cell,
			 const char *s, size_t len)
{
	column->is_number = false;
	make_numbered(h, cell, s, len, " [", "]");
}

/* "~ 2^5": up to 32. */
static void make_log2(struct hist *h, struct hist_column *column, struct hist_cell *cell,
		      const char *s, size_t len)
{
	unsigned int power;

	if (sscanf(s, "~ 2^%u", &power) != 1) {
		make_plain(h, column, cell, s, len);
		return;
	}
	cell->number = power < 64 ? UINT64_C(1) << power : UINT64_MAX;
	cell->text = arena_printf(&h->arena, "%" PRIu64, cell->number);
	column->title = arena_printf(&h->arena, "%s up to", column->name);
}

/* "~ 20-29": from 20. */
static void make_bucket(struct hist *h, struct hist_column *column, struct hist_cell *cell,
			const char *s, size_t len)
{
	if (sscanf(s, "~ %" SCNu64 "-", &cell->number) != 1) {
		make_plain(h, column, cell, s, len);
		return;
	}
	cell->text = arena_printf(&h->arena, "%" PRIu64, cell->number);
	column->title = arena_printf(&h->arena, "%s from", column->name);
}

/* Its text is made at the end, as long as the longest. */
static void make_hex(struct hist *h, struct hist_column *column, struct hist_cell *cell,
		     const char *s, size_t len)
{
	column->is_number = false;
	column->digits = len > column->digits ? len : column->digits;
	cell->number = strtoull(s, NULL, 16);
	cell->text = "";
	(void)h;
}

/* Lines, the innermost first. */
static void make_stack(struct hist *h, struct hist_column *column, struct hist_cell *cell,
		       const char *s, size_t len)
{
	struct text folded = { 0 };

	column->is_number = false;
	while (len) {
		const char *line = memrchr(s, '\n', len);
		size_t begin = line ? (size_t)(line + 1 - s) : 0, line_len = len - begin;
		const char *name = trim(s + begin, &line_len);

		column->is_stack = true;
		if (line_len && folded.len)
			text_char(&folded, ';');
		text_bytes(&folded, name, line_len);
		len = line ? begin - 1 : 0;
	}
	cell->text = arena_strndup(&h->arena, text_str(&folded), folded.len);
	text_fini(&folded);
}

static const struct {
	const char	*name;
	make_cell	 make;
} modifiers[] = {
	{ "hex", make_hex },	    { "sym", make_symbol },	 { "sym-offset", make_symbol },
	{ "log2", make_log2 },	    { "buckets", make_bucket },	 { "execname", make_task },
	{ "syscall", make_syscall }, { "stacktrace", make_stack },
};

/* --- the trigger ------------------------------------------------------------------------- */

/* "call_site.sym", "$lat.buckets=10", "stacktrace". */
static void add_key(struct reader *r, const char *s, size_t len)
{
	struct hist *h = r->hist;
	const char *name = arena_strndup(&h->arena, s + (*s == '$'), len - (*s == '$'));
	const char *dot = strrchr(name, '.');
	make_cell *make = &r->make[h->nr_keys];

	*make = make_plain;
	for (unsigned int i = 0; dot && i < sizeof(modifiers) / sizeof(modifiers[0]); i++) {
		size_t modifier = strlen(modifiers[i].name);

		if (starts(dot + 1, modifiers[i].name) &&
		    (!dot[1 + modifier] || dot[1 + modifier] == '='))
			*make = modifiers[i].make;
	}
	if (*make != make_plain)
		name = arena_strndup(&h->arena, name, (size_t)(dot - name));
	if (strstr(name, "stacktrace"))
		*make = make_stack;
	h->columns[h->nr_keys++] = (struct hist_column){ name, name, .is_number = true };
	h->nr_columns = h->nr_keys;
}

static void read_trigger(struct reader *r, const char *s)
{
	const char *keys = strstr(s, "keys=");

	r->hist->trigger = arena_printf(&r->hist->arena, "%s", s);
	if (!keys)
		return;
	for (keys += strlen("keys="); r->hist->nr_keys < HIST_MOST_COLUMNS / 2;) {
		size_t len = strcspn(keys, ",: ");

		add_key(r, keys, len);
		if (keys[len] != ',')
			break;
		keys += len + 1;
	}
}

/* --- entries ----------------------------------------------------------------------------- */

/* Where the ", NAME:" of a key is in the rest of an entry's keys; NULL: nowhere. */
static const char *find_key(const struct reader *r, unsigned int i, const char *s)
{
	char label[256];

	/* a stack's may have no colon */
	snprintf(label, sizeof(label), ", %s%s", r->hist->columns[i].name,
		 r->make[i] == make_stack ? "" : ":");
	return strstr(s, label);
}

/* Some kernels write "common_cpucommon_cpu" into the trigger: the entries are right. */
static void take_name(struct hist *h, struct hist_column *column, const char *s)
{
	size_t len = strcspn(s, ": ");

	if (!starts(s, column->name) && s[len] == ':')
		column->name = column->title = arena_strndup(&h->arena, s, len);
}

/* "NAME: value, NAME: value "; false: these are not the keys. */
static bool read_keys(struct reader *r, const char *s, struct hist_cell *cells)
{
	struct hist *h = r->hist;

	for (unsigned int i = 0; i < h->nr_keys; i++) {
		struct hist_column *column = &h->columns[i];
		const char *end, *value;
		size_t len;

		take_name(h, column, s);
		if (!starts(s, column->name))
			return false;
		s += strlen(column->name);
		s += strspn(s, ":");
		end = i + 1 < h->nr_keys ? find_key(r, i + 1, s) : s + strlen(s);
		if (!end)
			return false;
		len = (size_t)(end - s);
		value = trim(s, &len);
		r->make[i](h, column, &cells[i], value, len);
		s = *end ? end + 2 : end;
	}
	return h->nr_keys > 0;
}

/* The column of a value, made by the first entry that has it; NULL: there are too many. */
static struct hist_column *value_column(struct hist *h, const char *name, size_t len,
					unsigned int *i)
{
	for (*i = h->nr_keys; *i < h->nr_columns; ++*i)
		if (starts(name, h->columns[*i].name) && strlen(h->columns[*i].name) == len)
			return &h->columns[*i];
	if (*i == HIST_MOST_COLUMNS)
		return NULL;
	h->columns[*i] = (struct hist_column){ .name = arena_strndup(&h->arena, name, len),
					       .is_number = !h->nr && name[len - 1] != ')' };
	h->columns[*i].title = h->columns[*i].name;
	return &h->columns[h->nr_columns++];
}

/* Up to the two blanks before the next name; none: that name is here (a bar may be empty). */
static size_t value_len(const char *s)
{
	const char *blanks = strstr(s, "  ");
	size_t len = strcspn(s, "\n"), word = strcspn(s, " \n");

	if (blanks && (size_t)(blanks - s) < len)
		len = (size_t)(blanks - s);
	return word && s[word - 1] == ':' ? 0 : len;
}

/* Is it one of :vals=, with .hex? */
static bool is_hex_value(const struct hist *h, const char *name)
{
	const char *vals = strstr(h->trigger, ":vals=");
	size_t len = strlen(name);

	for (vals = vals ? vals + strlen(":vals=") : ""; *vals && *vals != ':'; vals++) {
		if (!strncmp(vals, name, len) && starts(vals + len, ".hex"))
			return true;
		vals += strcspn(vals, ",:");
		if (*vals != ',')
			break;
	}
	return false;
}

/* " hitcount:         10  bytes_alloc:      40960" */
static void read_values(struct hist *h, const char *s, struct hist_cell *cells)
{
	for (s += strspn(s, " \t\n"); *s; s += strspn(s, " \t\n")) {
		const char *colon = strchr(s, ':');
		struct hist_column *column;
		size_t blanks, len;
		unsigned int i;

		if (!colon)
			return;
		column = value_column(h, s, (size_t)(colon - s), &i);
		s = colon + 1;
		blanks = strspn(s, " ");
		len = value_len(s + blanks);
		if (column && strstr(column->name, "(%)"))
			cells[i].text = arena_printf(&h->arena, "%6.*s", (int)len, s + blanks);
		else if (column && is_hex_value(h, column->name))
			make_hex(h, column, &cells[i], s + blanks, len);
		else if (column)
			make_plain(h, column, &cells[i], s + blanks, len);
		s += blanks + len;
	}
}

/* "{ keys } values": the lines of an entry. */
static void end_entry(struct reader *r)
{
	struct hist *h = r->hist;
	struct hist_cell *cells;
	char *end = NULL;

	if (!r->entry.len)
		return;
	for (char *p = strstr(r->entry.data, "} "); p; p = strstr(p + 1, "} "))
		end = p;
	mem_grow(&h->entries, h->nr, &h->cap);
	h->entries[h->nr] = (struct hist_row){ 0 };
	cells = h->entries[h->nr].cells;
	if (end)
		*end = '\0';
	if (!end || !read_keys(r, r->entry.data + strlen("{ "), cells)) {
		h->bad++;
	} else {
		read_values(h, end + 1, cells);
		h->nr++;
	}
	text_clear(&r->entry);
}

/* --- the whole --------------------------------------------------------------------------- */

static void read_line(struct reader *r, const char *s)
{
	struct hist *h = r->hist;

	if (starts(s, "{ "))
		end_entry(r);
	if (starts(s, "{ ") || (r->entry.len && *s)) {
		text_printf(&r->entry, "%s\n", s);
		return;
	}
	end_entry(r);
	if (starts(s, TRIGGER))
		read_trigger(r, s + strlen(TRIGGER));
	else if (starts(s, "Totals:"))
		h->has_totals = true;
	else if (!h->has_totals || (sscanf(s, " Hits: %" SCNu64, &h->hits) != 1 &&
				    sscanf(s, " Entries: %" SCNu64, &h->nr_kernel) != 1 &&
				    sscanf(s, " Dropped: %" SCNu64, &h->dropped) != 1))
		h->bad += *s && *s != '#';
}

/* What is known of a column only when all entries are. */
static void end_columns(struct hist *h)
{
	for (uint32_t i = 0; i < h->nr; i++) {
		for (unsigned int k = 0; k < h->nr_columns; k++) {
			struct hist_cell *cell = &h->entries[i].cells[k];
			struct hist_column *column = &h->columns[k];

			if (!cell->text)
				column->is_number = false;
			else if (column->digits)
				cell->text = arena_printf(&h->arena, "0x%0*" PRIx64,
							  (int)column->digits, cell->number);
		}
	}
}

/* Return: the bytes up to the next histogram; 0: there is none. */
static size_t read_hist(const char *text, size_t len, struct hist *hist)
{
	struct reader r = { .hist = hist };
	struct text line = { 0 };
	bool begun = false;
	size_t at = 0;

	*hist = (struct hist){ .trigger = "" };
	while (at < len) {
		const char *newline = memchr(text + at, '\n', len - at);
		size_t line_len = newline ? (size_t)(newline - text) - at : len - at;

		text_clear(&line);
		text_bytes(&line, text + at, line_len);
		if (starts(text_str(&line), HEAD)) {
			if (begun)
				break;
			begun = true;
		}
		if (begun)
			read_line(&r, text_str(&line));
		at += line_len + (newline != NULL);
	}
	end_entry(&r);
	end_columns(hist);
	text_fini(&line);
	text_fini(&r.entry);
	return begun ? at : 0;
}

static void fini(struct hist *hist)
{
	free(hist->entries);
	arena_fini(&hist->arena);
}

void hist_list_read(struct hist_list *list, const struct text *text, unsigned int file,
		    unsigned int number)
{
	const char *s = text_str(text);
	size_t left = text->len, len;
	struct hist hist;

	for (unsigned int i = 1; (len = read_hist(s, left, &hist)); i++, s += len, left -= len) {
		if (number && number != i) {
			fini(&hist);
			continue;
		}
		hist.file = file;
		hist.number = i;
		mem_grow(&list->list, list->nr, &list->cap);
		list->list[list->nr++] = hist;
	}
	fini(&hist);
}

void hist_list_fini(struct hist_list *list)
{
	for (unsigned int i = 0; i < list->nr; i++)
		fini(&list->list[i]);
	free(list->list);
	*list = (struct hist_list){ 0 };
}
