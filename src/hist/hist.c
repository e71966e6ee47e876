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
#define OF	"# of "			/* the recorder's line above those of an event */

enum form {			/* how a key is shown */
	FORM_PLAIN, FORM_HEX, FORM_SYMBOL, FORM_LOG2, FORM_BUCKET, FORM_TASK, FORM_SYSCALL,
	FORM_STACK
};

struct hist_reader {
	struct hist_list *list;
	struct hist	*hist;		/* being read, in the list; NULL: none that is wanted */
	enum form	 forms[HIST_MOST_COLUMNS];	/* how each key is shown */
	struct text	 entry;		/* its lines so far; "": between entries */
	struct text	 of;		/* the event of those that follow */
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

/* "[ffffffff81292c84] seq_read_iter": the name goes first, as it is sorted by. */
static const char *symbol_text(struct hist *h, const char *s, size_t len)
{
	const char *end = memchr(s, ']', len);
	size_t address = end ? (size_t)(end + 1 - s) : 0, name_len = len - address;
	const char *name = trim(s + address, &name_len);

	return arena_printf(&h->arena, "%.*s%s%.*s", (int)name_len, name,
			    name_len && address ? " " : "", (int)address, s);
}

/* "sh              [      1234]" as NAME, @before, 1234, @behind. */
static const char *numbered_text(struct hist *h, const char *s, size_t len, const char *before,
				 const char *behind)
{
	const char *open = memrchr(s, '[', len);
	size_t name_len = open ? (size_t)(open - s) : len;
	const char *name = trim(s, &name_len);

	return open ? arena_printf(&h->arena, "%.*s%s%llu%s", (int)name_len, name, before,
				   strtoull(open + 1, NULL, 10), behind) :
		      arena_strndup(&h->arena, s, len);
}

/* Lines, the innermost first. */
static const char *stack_text(struct hist *h, const char *s, size_t len)
{
	struct text folded = { 0 };
	const char *text;

	while (len) {
		const char *line = memrchr(s, '\n', len);
		size_t begin = line ? (size_t)(line + 1 - s) : 0, line_len = len - begin;
		const char *name = trim(s + begin, &line_len);

		if (line_len && folded.len)
			text_char(&folded, ';');
		text_bytes(&folded, name, line_len);
		len = line ? begin - 1 : 0;
	}
	text = arena_strndup(&h->arena, text_str(&folded), folded.len);
	text_fini(&folded);
	return text;
}

/* A cell from what the kernel prints of it: a part of the entry, trimmed. */
static void make_cell(struct hist *h, struct hist_column *column, enum form form,
		      struct hist_cell *cell, const char *s, size_t len)
{
	unsigned int power;

	column->is_stack |= form == FORM_STACK;
	if (form == FORM_HEX) {		/* its text is made at the end, as long as the longest */
		column->digits = len > column->digits ? len : column->digits;
		cell->number = strtoull(s, NULL, 16);
		cell->text = "";
	} else if (form == FORM_SYMBOL) {
		cell->text = symbol_text(h, s, len);
	} else if (form == FORM_TASK) {
		cell->text = numbered_text(h, s, len, "-", "");
	} else if (form == FORM_SYSCALL) {
		cell->text = numbered_text(h, s, len, " [", "]");
	} else if (form == FORM_STACK) {
		cell->text = stack_text(h, s, len);
	} else if (form == FORM_LOG2 && sscanf(s, "~ 2^%u", &power) == 1) {
		cell->text = arena_printf(&h->arena, "%" PRIu64,
					  power < 64 ? UINT64_C(1) << power : UINT64_MAX);
	} else if (form == FORM_BUCKET && sscanf(s, "~ %" SCNu64 "-", &cell->number) == 1) {
		cell->text = arena_printf(&h->arena, "%" PRIu64, cell->number);
	} else {
		cell->text = arena_strndup(&h->arena, s, len);
	}
}

static const struct {
	const char	*name;
	enum form	 form;
} modifiers[] = {
	{ "hex", FORM_HEX },	     { "sym", FORM_SYMBOL },	 { "sym-offset", FORM_SYMBOL },
	{ "log2", FORM_LOG2 },	     { "buckets", FORM_BUCKET }, { "execname", FORM_TASK },
	{ "syscall", FORM_SYSCALL }, { "stacktrace", FORM_STACK },
};

/* --- the trigger ------------------------------------------------------------------------- */

/* "call_site.sym", "$lat.buckets=10", "stacktrace". */
static void add_key(struct hist_reader *r, const char *s, size_t len)
{
	struct hist *h = r->hist;
	const char *name = arena_strndup(&h->arena, s + (*s == '$'), len - (*s == '$'));
	const char *dot = strrchr(name, '.');
	enum form form = FORM_PLAIN;

	for (unsigned int i = 0; dot && i < sizeof(modifiers) / sizeof(modifiers[0]); i++) {
		size_t modifier = strlen(modifiers[i].name);

		if (starts(dot + 1, modifiers[i].name) &&
		    (!dot[1 + modifier] || dot[1 + modifier] == '='))
			form = modifiers[i].form;
	}
	if (form != FORM_PLAIN)
		name = arena_strndup(&h->arena, name, (size_t)(dot - name));
	if (strstr(name, "stacktrace"))
		form = FORM_STACK;
	r->forms[h->nr_keys] = form;
	h->columns[h->nr_keys++] = (struct hist_column){
		name, form == FORM_LOG2	  ? arena_printf(&h->arena, "%s up to", name) :
		      form == FORM_BUCKET ? arena_printf(&h->arena, "%s from", name) :
					    name };
	h->nr_columns = h->nr_keys;
}

static void read_trigger(struct hist_reader *r, const char *s)
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
static const char *find_key(const struct hist_reader *r, unsigned int i, const char *s)
{
	char label[256];

	/* a stack's may have no colon */
	snprintf(label, sizeof(label), ", %s%s", r->hist->columns[i].name,
		 r->forms[i] == FORM_STACK ? "" : ":");
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
static bool read_keys(struct hist_reader *r, const char *s, struct hist_cell *cells)
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
		make_cell(h, column, r->forms[i], &cells[i], value, len);
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
	name = arena_strndup(&h->arena, name, len);
	h->columns[*i] = (struct hist_column){ name, name };
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
	const char *vals = strstr(h->trigger, ":vals="), *found;
	char value[256];

	snprintf(value, sizeof(value), "%s.hex", name);
	found = vals ? strstr(vals, value) : NULL;
	return found && strchr("=,", found[-1]);
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
		else if (column)
			make_cell(h, column, is_hex_value(h, column->name) ? FORM_HEX : FORM_PLAIN,
				  &cells[i], s + blanks, len);
		s += blanks + len;
	}
}

/* "{ keys } values": the lines of an entry. */
static void end_entry(struct hist_reader *r)
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

static void read_line(struct hist_reader *r, const char *s)
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
static void end_column(struct hist *h, unsigned int k)
{
	struct hist_column *column = &h->columns[k];

	column->is_number = !column->digits && !column->is_stack;
	for (uint32_t i = 0; i < h->nr; i++) {
		struct hist_cell *cell = &h->entries[i].cells[k];

		if (cell->text && column->digits)
			cell->text = arena_printf(&h->arena, "0x%0*" PRIx64, (int)column->digits,
						  cell->number);
		else if (!cell->text || !read_number(cell->text, &cell->number))
			column->is_number = false;
	}
}

static void end_hist(struct hist_reader *r)
{
	if (!r->hist)
		return;
	end_entry(r);
	for (unsigned int k = 0; k < r->hist->nr_columns; k++)
		end_column(r->hist, k);
	r->hist = NULL;
}

static void begin_hist(struct hist_reader *r, unsigned int file, unsigned int number)
{
	struct hist_list *list = r->list;

	mem_grow(&list->list, list->nr, &list->cap);
	r->hist = &list->list[list->nr++];
	*r->hist = (struct hist){ .trigger = "", .file = file, .number = number };
	r->hist->of = arena_strndup(&r->hist->arena, text_str(&r->of), r->of.len);
}

void hist_list_read(struct hist_list *list, const struct text *text, unsigned int file,
		    unsigned int number)
{
	const char *s = text_str(text), *end = s + text->len, *newline;
	struct hist_reader r = { .list = list };
	struct text line = { 0 };
	unsigned int nr = 0;

	for (; s < end; s = newline + 1) {
		newline = memchr(s, '\n', (size_t)(end - s)) ?: end;
		text_clear(&line);
		text_bytes(&line, s, (size_t)(newline - s));
		if (starts(text_str(&line), OF)) {
			end_hist(&r);
			text_clear(&r.of);
			text_bytes(&r.of, line.data + strlen(OF), line.len - strlen(OF));
		}
		if (starts(text_str(&line), HEAD)) {
			end_hist(&r);
			if (++nr == number || !number)
				begin_hist(&r, file, nr);
		}
		if (r.hist)
			read_line(&r, text_str(&line));
	}
	end_hist(&r);
	text_fini(&line);
	text_fini(&r.entry);
	text_fini(&r.of);
}

void hist_list_fini(struct hist_list *list)
{
	for (unsigned int i = 0; i < list->nr; i++) {
		free(list->list[i].entries);
		arena_fini(&list->list[i].arena);
	}
	free(list->list);
	*list = (struct hist_list){ 0 };
}

/* --- as a table --------------------------------------------------------------------------- */

#define ADDRESS_LEN	8u		/* digits, at least */

/* "f [ffffffff81292c84]", not "sys_read [0]" */
static size_t without_address(const char *s)
{
	const char *open = strstr(s, " [");

	return open && strlen(open) > ADDRESS_LEN + 2 ? (size_t)(open - s) : strlen(s);
}

void hist_add_value(const struct hist_row *row, unsigned int i, bool whole, struct text *out)
{
	const char *s = row->cells[i].text ?: TABLE_NONE, *end = s + strlen(s);

	if (!row->hist->columns[i].is_stack) {
		text_printable(out, s, whole ? strlen(s) : without_address(s));
		return;
	}
	while (end) {
		const char *semicolon = memrchr(s, ';', (size_t)(end - s)),
			   *name = semicolon ? semicolon + 1 : s;
		size_t len = (size_t)(end - name), bare = strcspn(name, "+;");

		text_printable(out, name, whole || bare > len ? len : bare);
		text_add(out, semicolon ? " <- " : "");
		end = semicolon;
	}
}

static void add_name(const void *arg, struct text *out)
{
	hist_add_value(arg, ((const struct hist_row *)arg)->hist->name, false, out);
}

#define BAR_CELLS	20

static void add_bar(const void *arg, struct text *out)
{
	const struct hist_row *row = arg;
	double value = (double)row->cells[row->hist->shared].number;

	text_bar(out, value / (double)row->hist->most, BAR_CELLS);
}

/* Cells of a column. */
static int column_width(const struct hist *h, unsigned int i)
{
	const char *title = h->columns[i].title;
	int most = text_cells(title, strlen(title));

	for (uint32_t k = 0; k < h->nr; k++) {
		const char *text = h->entries[k].cells[i].text;
		int width = text ? text_cells(text, strlen(text)) : 0;

		most = width > most ? width : most;
	}
	return most;
}

/* Which column has a share, and its figures; sum 0: none has. */
static void share(struct hist_table *t, struct hist *h, const char *shared)
{
	bool any;

	h->shared = h->nr_keys;
	for (unsigned int i = h->nr_keys; i < h->nr_columns && shared; i++)
		if (h->columns[i].is_number && !strcmp(h->columns[i].name, shared))
			h->shared = i;
	any = h->shared < h->nr_columns && h->columns[h->shared].is_number;
	h->sum = h->most = 0;
	for (uint32_t k = 0; k < h->nr; k++) {
		uint64_t value = any ? h->entries[k].cells[h->shared].number : 0;

		h->entries[k].hist = h;
		if (__builtin_add_overflow(h->sum, value, &h->sum))
			h->sum = UINT64_MAX;
		h->most = h->most > value ? h->most : value;
	}
	if (any)
		snprintf(t->share_title, sizeof(t->share_title), "%% of %s",
			 h->columns[h->shared].name);
}

static struct table_column make_column(const struct hist *h, unsigned int i)
{
	const struct hist_column *column = &h->columns[i];
	int width = column_width(h, i) + (h->dropped && i >= h->nr_keys);	/* ">" */

	struct table_column of = {
		.name = column->name,
		.title = column->title,
		.width = column->is_stack ? 1 : width,
		.cells = (width < 30 ? width : 30) + 3,
		.place = column->is_stack,	/* the last */
		.align = TABLE_LEFT,
		TABLE_MEMBER(struct hist_row, cells[i].text),
	};

	if (column->is_number) {
		of.kind = TABLE_COUNT;
		of.bar = i < h->nr_keys ? TABLE_NO_BAR : i == h->shared ? TABLE_BAR_TOO : TABLE_BAR;
		of.align = TABLE_RIGHT;
		of.value = (struct table_member)TABLE_AT(struct hist_row, cells[i].number);
		if (i >= h->nr_keys)	/* some of the dropped hits may belong to any row */
			of.least = (struct table_member)TABLE_THROUGH(struct hist_row, hist,
								      dropped);
	}
	return of;
}

void hist_table_init(struct hist_table *t, struct hist *h, const char *shared)
{
	unsigned int nr = 0, name = 0;

	*t = (struct hist_table){ .hist = h };
	share(t, h, shared);
	while (name < h->nr_keys && !h->columns[name].is_stack)
		name++;
	h->name = name < h->nr_keys ? name : 0;
	if (h->nr_columns) {
		t->list[nr++] = (struct table_column){ .title = h->columns[h->name].title,
						       .cells = 20, .text = add_name };
		t->list[nr] = make_column(h, h->name);
		t->list[nr++].cells = 0;
	}
	for (unsigned int i = 0; i < h->nr_columns; i++)
		if (i != h->name)
			t->list[nr++] = make_column(h, i);
#define SHARED	TABLE_MEMBER(struct hist_row, cells[h->shared].number), \
		TABLE_IF_OF(struct hist_row, hist, sum)
	t->list[nr++] = (struct table_column){
		.title = t->share_title, .width = (int)strlen(t->share_title),
		.kind = TABLE_PERCENT, SHARED, TABLE_DOUBT_OF(struct hist_row, hist, dropped),
		.whole = TABLE_THROUGH(struct hist_row, hist, sum) };
	t->list[nr] = t->list[nr - 1];
	t->list[nr].title = "%";
	t->list[nr].width = 0;
	t->list[nr].cells = 6;
	t->list[nr++].goes_first = true;
	t->list[nr++] = (struct table_column){
		.title = "bar", .width = BAR_CELLS, .align = TABLE_LEFT,
		.kind = TABLE_NUMBER, SHARED, .text = add_bar };
	t->list[nr++] = (struct table_column){ .name = "histogram", .only = FORMAT_JSON,
					       .kind = TABLE_NUMBER,
					       TABLE_MEMBER_OF(struct hist_row, hist, number) };
	if (h->dropped)
		t->list[nr++] = (struct table_column){
			.name = "histogram_dropped", .only = FORMAT_JSON, .kind = TABLE_NUMBER,
			TABLE_MEMBER_OF(struct hist_row, hist, dropped) };
	if (*h->of)
		t->list[nr++] = (struct table_column){
			.name = "histogram_of", .only = FORMAT_JSON,
			TABLE_MEMBER_OF(struct hist_row, hist, of) };
	t->columns = (struct table_columns){ .list = t->list, .nr = nr, .gap = 2, .exact = true };
}

/* "…:sort=lat.log2,bytes.descending:size=…" */
unsigned int hist_table_sorted_by(const struct hist_table *t)
{
	const char *sort = strstr(t->hist->trigger, ":sort=");

	sort = sort ? sort + strlen(":sort=") : "";
	for (unsigned int i = 0; i < t->columns.nr; i++) {
		const char *name = t->list[i].name;
		size_t len = name ? strlen(name) : 0;

		if (len && !strncmp(sort, name, len) && (!sort[len] || strchr(".,: ", sort[len])))
			return i;
	}
	return 0;
}

void hist_totals(const struct hist *h, struct text *out)
{
	if (!h->has_totals) {
		text_add(out, "the text ends before the totals");
		return;
	}
	text_add(out, h->dropped ? ">" : "");
	text_counted(out, h->hits, "hit");
	text_printf(out, ", %" PRIu64 " %s, %" PRIu64 " dropped", h->nr_kernel,
		    h->nr_kernel == 1 ? "entry" : "entries", h->dropped);
	if (h->dropped)
		text_add(out, ": the table was full, a larger :size= holds more rows");
}
