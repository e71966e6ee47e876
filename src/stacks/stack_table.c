/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/stacks/stack_table.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/index_map.h"
#include "src/base/memory.h"

/* Bits that differ, as no address has them: kernels lie at the upper end, or below 4 GiB. */
#define WORD	(UINT64_C(1) << 62)

struct stack_table {
	struct call_paths *paths;	/* owned */
	char		**words;	/* owned, [nr] */
	uint32_t	 nr, cap;
	struct index_map map;		/* of words */
};

struct stack_table *stack_table_new(void)
{
	struct stack_table *t = mem_alloc(sizeof(*t));

	t->paths = call_paths_new(STACK_TABLE_PATHS);
	return t;
}

struct stack_table *stack_table_alike(const struct stack_table *other)
{
	struct stack_table *t = stack_table_new();

	for (uint32_t i = 0; i < other->nr; i++)
		stack_table_word(t, other->words[i]);
	return t;
}

void stack_table_free(struct stack_table *t)
{
	if (!t)
		return;
	for (uint32_t i = 0; i < t->nr; i++)
		free(t->words[i]);
	free(t->words);
	index_map_fini(&t->map);
	call_paths_free(t->paths);
	free(t);
}

uint64_t stack_table_word(struct stack_table *t, const char *word)
{
	uint32_t hash = index_map_hash_bytes(word, strlen(word));

	index_map_each (&t->map, hash, i)
		if (!strcmp(t->words[i], word))
			return WORD | i;
	mem_grow(&t->words, t->nr, &t->cap);
	t->words[t->nr] = mem_strdup(word);
	index_map_add(&t->map, hash, t->nr);
	return WORD | t->nr++;
}

uint32_t stack_table_path(struct stack_table *t, const uint64_t *frames, unsigned int nr)
{
	uint32_t path = CALL_PATH_ROOT;

	for (unsigned int i = 0; i < nr; i++)
		path = call_paths_below(t->paths, path, frames[i]);
	return path;
}

void stack_table_add(struct stack_table *t, const uint64_t *frames, unsigned int nr,
		     uint64_t weight, uint64_t count)
{
	call_paths_add(t->paths, stack_table_path(t, frames, nr), weight, count);
}

const struct call_paths *stack_table_paths(const struct stack_table *t)
{
	return t->paths;
}

void stack_table_frame(const struct stack_table *t, struct trace *trace, unsigned int file,
		       uint64_t frame, struct text *out)
{
	uint64_t word = frame ^ WORD;

	if (word < t->nr)
		text_printable(out, t->words[word], strlen(t->words[word]));
	else
		trace_function_name(trace, file, frame, out);
}

void stack_table_folded(const struct stack_table *t, struct trace *trace, unsigned int file,
			uint32_t path, struct text *out)
{
	uint32_t *way = NULL, nr = 0, cap = 0;

	for (; path != CALL_PATH_ROOT; path = call_paths_at(t->paths, path)->parent) {
		mem_grow(&way, nr, &cap);
		way[nr++] = path;
	}
	while (nr) {
		size_t start = out->len;

		stack_table_frame(t, trace, file, call_paths_at(t->paths, way[--nr])->address, out);
		for (size_t i = start; i < out->len; i++)
			if (out->data[i] == ';')
				out->data[i] = ':';
		if (nr)
			text_char(out, ';');
	}
	free(way);
}
