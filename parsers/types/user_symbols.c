/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/types/user_symbols.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/bisect.h"
#include "src/base/index_map.h"

#define MOST_MAPS_BACK	256u	/* maps of other times or lengths that are looked at */
#define MOST_NAMES_BACK	16u

struct user_symbols {
	struct arena	 strings;
	struct user_file *files;	/* owned */
	struct user_map	*maps;		/* owned */
	struct user_name *names;	/* owned */
	uint32_t	 nr_files, cap_files;
	uint32_t	 nr_maps, cap_maps;
	uint32_t	 nr_names, cap_names;
};

struct user_symbols *user_symbols_new(void)
{
	return mem_alloc(sizeof(struct user_symbols));
}

void user_symbols_free(struct user_symbols *s)
{
	if (!s)
		return;
	arena_fini(&s->strings);
	free(s->files);
	free(s->maps);
	free(s->names);
	free(s);
}

/* --- lines ------------------------------------------------------------------------------------ */

struct user_line {				/* what is left of it */
	const char	*p, *end;
};

/* A number, and then @behind; '\0': the end of the line. */
static bool take_number(struct user_line *l, unsigned int base, char behind, uint64_t *v)
{
	const char *start = l->p;

	for (*v = 0; l->p < l->end; l->p++) {
		char c = *l->p;
		unsigned int digit = c >= '0' && c <= '9' ? (unsigned int)(c - '0') :
				     c >= 'a' && c <= 'f' ? (unsigned int)(c - 'a') + 10 :
							    base;

		if (digit >= base)
			break;
		if (*v > (UINT64_MAX - digit) / base)
			return false;
		*v = *v * base + digit;
	}
	if (l->p == start)
		return false;
	return behind ? l->p < l->end && *l->p++ == behind : l->p == l->end;
}

/* A word up to a blank. */
static struct user_line take_word(struct user_line *l)
{
	const char *blank = memchr(l->p, ' ', (size_t)(l->end - l->p));
	struct user_line word = { l->p, blank ? blank : l->end };

	l->p = blank ? blank + 1 : l->end;
	return word;
}

static bool word_is(struct user_line word, const char *text)
{
	return (size_t)(word.end - word.p) == strlen(text) && !memcmp(word.p, text, strlen(text));
}

static const char *keep(struct user_symbols *s, struct user_line word)
{
	return arena_strndup(&s->strings, word.p, (size_t)(word.end - word.p));
}

static bool is_hex(struct user_line word)
{
	for (const char *p = word.p; p < word.end; p++)
		if (!((*p >= '0' && *p <= '9') || (*p >= 'a' && *p <= 'f')))
			return false;
	return word.p < word.end;
}

static uint32_t add_file(struct user_symbols *s, const struct user_file *file)
{
	mem_grow(&s->files, s->nr_files, &s->cap_files);
	s->files[s->nr_files] = *file;
	return s->nr_files++;
}

static void add_map(struct user_symbols *s, const struct user_map *map)
{
	if (map->from >= map->to || s->nr_maps == USER_SYMBOLS_MAX)
		return;
	mem_grow(&s->maps, s->nr_maps, &s->cap_maps);
	s->maps[s->nr_maps++] = *map;
}

/* Files have numbers, so a malformed one counts, too: no path leads to it. */
static void take_file(struct user_symbols *s, struct user_line l)
{
	struct user_line id = take_word(&l), unit = take_word(&l);
	struct user_file file = { .path = "", .build_id = "" };

	if (s->nr_files == USER_SYMBOLS_MAX)
		return;
	if (is_hex(id))
		file.build_id = keep(s, id);
	file.by_address = word_is(unit, "address");
	if (file.by_address || word_is(unit, "offset"))
		file.path = keep(s, l);
	add_file(s, &file);
}

static void take_map(struct user_symbols *s, struct user_line l)
{
	struct user_map map = { .file = USER_NO_FILE };
	uint64_t tgid, file;

	if (!take_number(&l, 10, ' ', &tgid) || tgid > INT32_MAX ||
	    !take_number(&l, 16, '-', &map.from) || !take_number(&l, 16, ' ', &map.to) ||
	    !take_number(&l, 16, ' ', &map.place) || !take_number(&l, 10, ' ', &map.first) ||
	    !take_number(&l, 10, ' ', &map.last))
		return;
	map.tgid = (int)tgid;
	if (!word_is(l, "-")) {
		if (!take_number(&l, 10, '\0', &file) || file >= USER_NO_FILE)
			return;
		map.file = (uint32_t)file;
	}
	add_map(s, &map);
}

static void take_name(struct user_symbols *s, struct user_line l)
{
	struct user_name name;
	uint64_t file;

	if (!take_number(&l, 10, ' ', &file) || file >= USER_NO_FILE ||
	    !take_number(&l, 16, '-', &name.from) || !take_number(&l, 16, ' ', &name.to) ||
	    name.from >= name.to || l.p == l.end || s->nr_names == USER_SYMBOLS_MAX)
		return;
	name.file = (uint32_t)file;
	name.name = keep(s, l);
	mem_grow(&s->names, s->nr_names, &s->cap_names);
	s->names[s->nr_names++] = name;
}

/* The next line of a text; false: there is none. */
static bool next_line(const char **text, const char *end, struct user_line *l)
{
	const char *newline = *text < end ? memchr(*text, '\n', (size_t)(end - *text)) : NULL;

	*l = (struct user_line){ *text, newline ? newline : end };
	*text = newline ? newline + 1 : end;
	return l->p < end;
}

void user_symbols_add(struct user_symbols *s, const char *text, uint64_t size)
{
	const char *end = text + size;
	struct user_line l;

	while (next_line(&text, end, &l)) {
		struct user_line key = take_word(&l);

		if (word_is(key, "file"))
			take_file(s, l);
		else if (word_is(key, "map"))
			take_map(s, l);
		else if (word_is(key, "name"))
			take_name(s, l);
	}
}

/* --- PROCMAPS --------------------------------------------------------------------------------- */

/* The number of a file with this path, whose places are addresses. */
static uint32_t image_of(struct user_symbols *s, struct index_map *paths, struct user_line path)
{
	size_t len = (size_t)(path.end - path.p);
	uint32_t hash = index_map_hash_bytes(path.p, len);

	index_map_each (paths, hash, i)
		if (!strncmp(s->files[i].path, path.p, len) && !s->files[i].path[len])
			return i;
	if (s->nr_files == USER_SYMBOLS_MAX)
		return USER_NO_FILE;
	index_map_add(paths, hash, s->nr_files);
	return add_file(s, &(struct user_file){ keep(s, path), "", true });
}

/*
 * trace-cmd's text, tracecmd/trace-record.c: "PID NR NAME", then NR lines "FROM TO PATH"; numbers
 * are hexadecimal.  The maps of a file follow each other, the lowest first: it is the beginning of
 * the image.
 */
static void add_process(struct user_symbols *s, struct index_map *paths, const char *text,
			const char *end)
{
	struct user_map map = { .last = UINT64_MAX };
	uint32_t first = s->nr_maps;
	uint64_t pid;
	struct user_line l;

	if (!next_line(&text, end, &l) || !take_number(&l, 16, ' ', &pid) || pid > INT32_MAX)
		return;
	map.tgid = (int)pid;
	while (next_line(&text, end, &l)) {
		if (!take_number(&l, 16, ' ', &map.from) || !take_number(&l, 16, ' ', &map.to))
			continue;
		map.file = image_of(s, paths, l);
		map.place = 0;
		for (uint32_t i = s->nr_maps; i-- > first && s->maps[i].file == map.file;)
			if (s->maps[i].from <= map.from)
				map.place = map.from - s->maps[i].from + s->maps[i].place;
		add_map(s, &map);
	}
}

void user_symbols_add_procmaps(struct user_symbols *s, const char *text, uint64_t size)
{
	const char *end = text + size, *next;
	struct index_map paths = { 0 };

	for (; text < end; text = next + 1) {
		next = text + strnlen(text, (size_t)(end - text));
		add_process(s, &paths, text, next);
	}
	index_map_fini(&paths);
}

/* --- looking up ------------------------------------------------------------------------------- */

static int by_map(const void *a, const void *b)
{
	const struct user_map *x = a, *y = b;

	if (x->tgid != y->tgid)
		return x->tgid < y->tgid ? -1 : 1;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->first < y->first ? -1 : x->first > y->first;
}

static int by_name(const void *a, const void *b)
{
	const struct user_name *x = a, *y = b;

	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->to < y->to ? -1 : x->to > y->to;
}

void user_symbols_sort(struct user_symbols *s)
{
	if (s->nr_maps)
		qsort(s->maps, s->nr_maps, sizeof(*s->maps), by_map);
	if (s->nr_names)
		qsort(s->names, s->nr_names, sizeof(*s->names), by_name);
	for (uint32_t i = 0; i < s->nr_maps; i++) {
		struct user_map *map = &s->maps[i], *before = map - !!i;

		map->reach = map->to;
		if (map->file >= s->nr_files)
			map->file = USER_NO_FILE;
		if (before->tgid == map->tgid && before->reach > map->reach)
			map->reach = before->reach;
	}
}

const struct user_file *user_symbols_files(const struct user_symbols *s, uint32_t *nr)
{
	*nr = s->nr_files;
	return s->files;
}

const struct user_map *user_symbols_maps(const struct user_symbols *s, uint32_t *nr)
{
	*nr = s->nr_maps;
	return s->maps;
}

const struct user_name *user_symbols_names(const struct user_symbols *s, uint32_t file,
					   uint32_t *nr)
{
	uint32_t first = bisect(s->nr_names, i, s->names[i].file < file);

	*nr = bisect(s->nr_names, i, s->names[i].file <= file) - first;
	return s->names + first;
}

const struct user_map user_map_unsure = { .file = USER_NO_FILE };

bool user_map_is_same(const struct user_map *a, const struct user_map *b)
{
	return a->file == b->file && a->place - a->from == b->place - b->from;
}

const struct user_map *user_symbols_map(const struct user_symbols *s, int tgid,
					const struct user_time *when, uint64_t address)
{
	uint64_t raw = when->raw;
	const struct user_map *before = NULL, *behind = NULL, *now = NULL;
	uint32_t nr = bisect(s->nr_maps, i,
			     s->maps[i].tgid < tgid ||
				     (s->maps[i].tgid == tgid && s->maps[i].from <= address));

	for (uint32_t i = nr; i-- > 0 && nr - i <= MOST_MAPS_BACK;) {
		const struct user_map *map = &s->maps[i];

		if (map->tgid != tgid || map->reach <= address)
			break;
		if (map->to <= address || map->last < when->from || map->first > when->to)
			continue;
		if (map->first <= raw && raw <= map->last) {
			if (now && !user_map_is_same(now, map))
				return &user_map_unsure;
			now = map;
		}
		if (map->last < raw && (!before || before->last < map->last))
			before = map;
		if (map->first > raw && (!behind || behind->first > map->first))
			behind = map;
	}
	if (now)
		return now;
	if (before && behind && !user_map_is_same(before, behind))
		return &user_map_unsure;
	return before ? before : behind;
}

const struct user_name *user_symbols_name(const struct user_symbols *s, uint32_t file,
					  uint64_t place)
{
	uint32_t nr = bisect(s->nr_names, i,
			     s->names[i].file < file ||
				     (s->names[i].file == file && s->names[i].from <= place));

	/* one may lie within another */
	for (uint32_t i = nr; i-- > 0 && nr - i <= MOST_NAMES_BACK && s->names[i].file == file;)
		if (place < s->names[i].to)
			return &s->names[i];
	return NULL;
}

bool user_symbols_place(const struct user_symbols *s, const struct user_map *map, uint64_t address,
			struct user_place *place)
{
	const struct user_name *name;

	if (!map || map->file == USER_NO_FILE)
		return false;
	*place = (struct user_place){ .file = &s->files[map->file],
				      .place = address - map->from + map->place };
	name = user_symbols_name(s, map->file, place->place);
	if (name) {
		place->function = name->name;
		place->offset = place->place - name->from;
	}
	return true;
}

/* --- text ------------------------------------------------------------------------------------- */

void user_place_text(const struct user_place *place, bool exact, struct text *out)
{
	const char *slash = strrchr(place->file->path, '/');
	const char *name = slash && slash[1] ? slash + 1 : place->file->path;

	/* the kernel writes [vdso] in brackets already */
	if (!place->function)
		text_printf(out, "%s+0x%" PRIx64, name, place->place);
	else if (exact)
		text_printf(out, *name == '[' ? "%s+0x%" PRIx64 " %s" : "%s+0x%" PRIx64 " [%s]",
			    place->function, place->offset, name);
	else
		text_printf(out, *name == '[' ? "%s %s" : "%s [%s]", place->function, name);
}

void user_file_line(const struct user_file *file, struct text *out)
{
	text_printf(out, "file %s %s %s\n", *file->build_id ? file->build_id : "-",
		    file->by_address ? "address" : "offset", file->path);
}

void user_map_line(const struct user_map *map, struct text *out)
{
	text_printf(out, "map %d %" PRIx64 "-%" PRIx64 " %" PRIx64 " %" PRIu64 " %" PRIu64,
		    map->tgid, map->from, map->to, map->place, map->first, map->last);
	if (map->file == USER_NO_FILE)
		text_add(out, " -\n");
	else
		text_printf(out, " %u\n", map->file);
}

void user_name_line(const struct user_name *name, struct text *out)
{
	text_printf(out, "name %u %" PRIx64 "-%" PRIx64 " %s\n", name->file, name->from, name->to,
		    name->name);
}
