/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_TESTS_LIB_GROWING_H
#define FTOP_TESTS_LIB_GROWING_H
/*
 * growing - traces that are opened while they are recorded: recorded ones and made-up ones are
 * written once more as a NAME.part, page by page, in random steps.  With a ring, the oldest pages
 * are dropped.  The made-up ones have all shapes; with FTOP_TEST_LONG they are longer.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "recorder/output/output.h"
#include "src/trace/trace.h"
#include "tests/lib/gen_trace.h"

struct growing_row {
	size_t		 nr;		/* in the whole trace */
	trace_ref	 ref;
	int64_t		 key;
	uint64_t	 raw_ts;
	enum trace_row_kind kind;
	uint32_t	 size;
	bool		 lost_known;
	uint64_t	 lost;
};

struct growing {			/* a trace, and its NAME.part */
	struct trace	*whole;
	struct growing_row *all;	/* owned, [nr_all] */
	size_t		 nr_all;
	unsigned int	 cap;
	struct growing_row *rows;	/* owned, [nr]: those that are not dropped */
	size_t		 nr;
	bool		 is_ring;
	bool		 is_sane;	/* recorded, or as if it were, and no clock goes back */
	uint64_t	*dropped, *gone; /* owned, [nr_streams]: pages; those given back */
	uint64_t	 given_back;	/* bytes */
	struct source	*source;	/* owned: of the whole */
	struct page_reader *reader;
	struct output_file *o;
	struct output_stream **streams;	/* owned, [nr_streams] */
	uint64_t	*written;	/* owned, [nr_streams]: pages */
	unsigned int	 nr_streams;
	struct gen_random random;
};

/* A folder of the test. */
extern char growing_dir[64];
int growing_set_up(void **state);
int growing_tear_down(void **state);
/* FTOP_TEST_SEED of the environment, or 0: it is added to all seeds. */
uint64_t growing_seed(void);

/* --- step by step ---------------------------------------------------------------------------- */
void growing_begin(struct growing *g, const char *path, uint64_t seed, bool is_ring);
void growing_end(struct growing *g);
/* A recording of cpu4 that grows and has no records yet; growing_come() gives it some. */
struct trace *growing_open_empty(struct growing *g, uint64_t seed);
void growing_come(struct growing *g, struct trace *trace);
/* The recorder is gone, and the trace is closed. */
void growing_end_with(struct growing *g, struct trace *trace);
/* Append up to @nr pages of a stream.  This and the next: output_update() tells it. */
void growing_append(struct growing *g, unsigned int stream, uint64_t nr);
/* What was dropped the time before, which the reader has seen, is given back. */
void growing_drop(struct growing *g, unsigned int stream, uint64_t nr);
void growing_give_back(struct growing *g, unsigned int stream);
void growing_keep_rows(struct growing *g);	/* g->rows: those that are left */
/* The NAME.part as who follows it has it. */
struct trace *growing_open(void);
enum trace_growth growing_catch_up(struct trace *trace);	/* with all that is written */
/* Another file of the same buffers, as @name; its streams, [nr_streams]. */
struct output_file *growing_output(const struct growing *g, const char *name,
				   struct output_stream **streams);
void growing_copy_page(const struct growing *g, unsigned int stream, uint64_t nr,
		       struct output_file *o, struct output_stream *to);

/* --- to the end ------------------------------------------------------------------------------ */
struct growing_case {
	const char	*path;
	unsigned int	 nr;		/* from 1 on */
	uint64_t	 most_pages;	/* appended, dropped at a time */
	bool		 is_sane;
};

struct growing_checks {			/* NULL: nothing to do */
	/* It is opened.  What the others get. */
	void		*(*begin)(struct growing *g, struct trace *trace);
	void		(*grew)(void *arg, struct growing *g, struct trace *trace);
	/* The recorder is gone, and it is the whole trace. */
	void		(*whole)(void *arg, struct growing *g, struct trace *trace);
	void		(*end)(void *arg, struct growing *g);	/* then the trace is closed */
};

void growing_check(const struct growing_case *c, bool is_ring, const struct growing_checks *checks);
void growing_each_made_up(void (*check)(const struct growing_case *c));
void growing_each_recorded(void (*check)(const struct growing_case *c));
#endif
