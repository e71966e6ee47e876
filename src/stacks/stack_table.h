/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_STACKS_STACK_TABLE_H
#define FTOP_SRC_STACKS_STACK_TABLE_H
/*
 * stack_table - stacks with a weight and a count: a tree of frames, equal stacks added up.  Anybody
 * may add stacks; src/functions/flame.h draws the tree.
 *
 * A frame is the address of a function, or a word: a task's name, "--".  Words have numbers that no
 * address of a kernel has.
 */
#include <stdint.h>
#include "src/base/text.h"
#include "src/functions/call_paths.h"
#include "src/base/name_table.h"
#include "src/trace/trace.h"

struct stack_table;			/* opaque */

#define STACK_TABLE_PATHS	(1u << 20)	/* frames of the tree, at most */

/* @words: the numbers of words; borrowed.  Tables with the same have the same frames. */
struct stack_table *stack_table_new(struct name_table *words);
void stack_table_free(struct stack_table *table);	/* NULL is allowed */

/* A word as a frame.  @word is copied: raw bytes of a trace. */
uint64_t stack_table_word(struct stack_table *table, const char *word);

/*
 * The functions of a record with a stack, the outermost first: addresses, or words in a text trace.
 * @frames: room for TRACE_MAX_STACK.  Return: their number; 0: none.
 */
unsigned int stack_table_frames(struct stack_table *table, struct trace *trace,
				const struct trace_event *event, uint64_t *frames);

void stack_table_reverse(uint64_t *frames, unsigned int nr);

/* The path of these frames, the outermost first, made if need be. */
uint32_t stack_table_path(struct stack_table *table, const uint64_t *frames, unsigned int nr);
/* @frames: [nr], the outermost first.  @weight: in the unit of all weights of the table. */
void stack_table_add(struct stack_table *table, const uint64_t *frames, unsigned int nr,
		     uint64_t weight, uint64_t count);

/* Weights are in `self` and `total` of its paths, counts in `calls`. */
const struct call_paths *stack_table_paths(const struct stack_table *table);

/* Append a frame: the word, or the name of the function. */
void stack_table_frame(const struct stack_table *table, struct trace *trace, unsigned int file,
		       uint64_t frame, struct text *out);
#endif
