/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/stacks/stack_table.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"

/* Bits that differ, as no address has them: kernels lie at the upper end, or below 4 GiB. */
#define WORD	(UINT64_C(1) << 62)

struct stack_table {
	struct call_paths *paths;	/* owned */
	struct name_table *words;	/* borrowed */
};

struct stack_table *stack_table_new(struct name_table *words)
{
	struct stack_table *t = mem_alloc(sizeof(*t));

	t->paths = call_paths_new(STACK_TABLE_PATHS);
	t->words = words;
	return t;
}

void stack_table_free(struct stack_table *t)
{
	if (!t)
		return;
	call_paths_free(t->paths);
	free(t);
}

uint64_t stack_table_word(struct stack_table *t, const char *word)
{
	return WORD | name_table_add(t->words, word, strlen(word));
}

/* " => schedule", "<ffffffff81000000> schedule": what is behind the mark. */
static unsigned int line_frames(struct stack_table *t, struct trace *trace,
				const struct trace_event *event, uint64_t *frames)
{
	struct text *lines;
	unsigned int nr = trace_event_stack(trace, event, &lines), used = 0;

	for (unsigned int i = 0; i < nr && used < TRACE_MAX_STACK; i++) {
		const char *line = text_str(&lines[i]);

		line += strspn(line, " =>");
		if (*line)
			frames[used++] = stack_table_word(t, line);
	}
	trace_stack_free(lines, nr);
	return used;
}

void stack_table_reverse(uint64_t *frames, unsigned int nr)
{
	for (unsigned int i = 0; i < nr / 2; i++) {
		uint64_t frame = frames[i];

		frames[i] = frames[nr - 1 - i];
		frames[nr - 1 - i] = frame;
	}
}

unsigned int stack_table_frames(struct stack_table *t, struct trace *trace,
				const struct trace_event *event, uint64_t *frames)
{
	unsigned int nr = trace_event_addresses(trace, event, frames, TRACE_MAX_STACK);
	uint64_t offset;

	/* return addresses become the functions that they are in */
	for (unsigned int i = 0; i < nr; i++)
		if (trace_symbol(trace, event->file, frames[i], &offset))
			frames[i] -= offset;
	if (!nr)
		nr = line_frames(t, trace, event, frames);
	stack_table_reverse(frames, nr);
	return nr;
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
	const char *word = name_table_text(t->words, (uint32_t)frame);

	if (frame >> 32 == WORD >> 32)
		text_printable(out, word, strlen(word));
	else
		trace_function_name(trace, file, frame, out);
}
