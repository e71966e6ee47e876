/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_FILTER_H
#define FTOP_SRC_FILTER_H
/*
 * filter - an expression that keeps some events: a superset of the language of
 * `trace-cmd report -F`, bound to a trace and matched on raw records.
 *
 *   text  --filter_new()-->  struct filter (immutable, any thread)
 *   struct filter  --filter_run_new()-->  struct filter_run (scratch of one thread)
 *   filter_run_stream(), then filter_run_match() for each of its records
 *
 * Binding decides per event type what an expression means: never, always, or a
 * small program on the record's bytes.  A field that an event lacks makes its
 * term false there; one that no event of the trace has is an error.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "src/base/text.h"
#include "src/trace/trace.h"

struct filter;				/* opaque, immutable */
struct filter_run;			/* opaque, one thread's */
struct filter_name;			/* filter_names.h */
struct match_item;			/* match_items.h */

struct filter_error {
	unsigned int	source;		/* which of the sources */
	size_t		from, to;	/* bytes of its text that are wrong: [from, to); from == to: something is missing there */
	struct text	message;	/* "no event has a field prev_stat; did you mean prev_state?"; the caller text_fini()s it */
};

/* Lines to look for text in, where they are not to be those of the kernel: as a screen shows them. */
struct filter_lines {
	/*
	 * Append the line of a record; any thread.  Where what is shown depends on the records around it, there are
	 * several: called with 0, 1 … until it returns false.
	 */
	bool		 (*add)(const void *arg, void *scratch, const struct trace_event *event, unsigned int variant,
				struct text *out);
	void		*(*scratch_new)(void);	/* what one thread needs for it */
	void		 (*scratch_free)(void *scratch);
	const void	*arg;		/* must live as long as the filter */
};

struct filter_source {
	const char	*text;
	const struct filter_lines *lines;	/* of its text terms; NULL: the kernel's.  Must live as long as the filter */
	bool		 negate;	/* report -v: events that match are dropped */
	int		 file;		/* of several: the one it is about; -1 = all */
};

struct filter_macro {			/* a named filter: its name stands for its expression in brackets */
	const char	*name, *text;
};

struct filter_options {
	bool		 compat;	/* --compat-filter: trace-cmd's precedence, names as regexes on the system too */
	bool		 has_a, has_b;	/* the marks, for `between a b` */
	int64_t		 a, b;		/* model time */
	const struct filter_macro *macros;
	unsigned int	 nr_macros;
	const struct filter_name *names;	/* of models, besides those of the table (filter_names.h); ended by .name NULL; may be NULL */
};

/**
 * filter_new() - parse expressions and bind them to a trace
 * @sources: any may match; of the negated ones none
 * @options: may be NULL
 * @err:     zeroed by the caller, filled when NULL is returned
 *
 * Types of events, fields and symbols are checked here.  The trace is borrowed and must live longer.  An empty text
 * keeps everything.
 */
struct filter *filter_new(struct trace *trace, const struct filter_source *sources, unsigned int nr,
			  const struct filter_options *options, struct filter_error *err);
void filter_free(struct filter *filter);	/* NULL is allowed; no run may be left */
const char *filter_text(const struct filter *filter, unsigned int source);

/* The error as one of the option -F: 'byte 9, "= 3": one = compares nothing: =='.  Return: -1. */
int filter_error_tell(const struct filter_source *sources, unsigned int nr, const struct filter_error *e, struct ft_error *err);

/* Why nothing can match, in words ("the trace has no sched_switch events"); NULL: something may. */
const char *filter_empty_reason(const struct filter *filter);

/* The same of one of several files: "it has no sched_switch events".  False: something of it may match, or it is not asked. */
bool filter_file_reason(const struct filter *filter, unsigned int file, struct text *out);

/*
 * The terms that && joins, as bytes [from, to) of the text, to be asked one by one.  None of a filter of several sources, of
 * what is negated, looks at lines or asks for lost events.
 */
#define FILTER_JOINED_MAX 16u
#define FILTER_TERM_CELLS 80		/* of a term that a message repeats */
unsigned int filter_joined(const struct filter *filter, size_t from[FILTER_JOINED_MAX], size_t to[FILTER_JOINED_MAX]);

/*
 * Do names of tasks matter?  They are known for sure once the directory is complete (trace_status()): a name that an
 * earlier record tells may still be found until then.  What is matched before is matched by what is known so far.
 */
bool filter_needs_names(const struct filter *filter);

/*
 * Models that names of it derive from (wait, state …) are made by workers, from filter_new() on.  Until they are, such a name
 * has no value.  Any thread; to wait for them: not a worker.
 */
bool filter_ready(const struct filter *filter);
void filter_wait(const struct filter *filter);

/* Bytes that those hold for it alone, or for filters that ask the same.  Any thread. */
uint64_t filter_memory(const struct filter *filter);

/*
 * Is it about the task that a switch leads to, or that is woken (wait, wakelat), rather than about the one that ran?  Then
 * sched_values_other_pid() tells whose a match is.
 */
bool filter_is_of_other(const struct filter *filter);

/* Is it, at a switch, about the task that leaves (ran, state), and at a wake-up about the one that is woken? */
bool filter_is_of_leaving(const struct filter *filter);

/*
 * Is a name known only to types of events of which it is not known whether they occur?  Once the directory is complete
 * filter_new() says whether it is wrong.
 */
bool filter_is_doubtful(const struct filter *filter);

/* Has a mark that it asks for (`between a b`) moved?  Then it is to be made again. */
bool filter_marks_moved(const struct filter *filter, const struct filter_options *options);

bool filter_needs_text(const struct filter *filter);	/* does it render lines to search in them? */
bool filter_asks_lost(const struct filter *filter);	/* may it keep rows of lost events and damage? */

/* Every match of @narrow is one of @wide: what @wide drops needs no second look.  May say false where it is true. */
bool filter_implies(const struct filter *narrow, const struct filter *wide);

struct page_sets;

enum filter_verdict { FILTER_NEVER, FILTER_ALWAYS, FILTER_TEST };

struct filter_run *filter_run_new(const struct filter *filter);
void filter_run_free(struct filter_run *run);	/* NULL is allowed */

/* Records that follow are of this stream.  NEVER: none of them can match (its CPU, buffer or file is not asked for). */
enum filter_verdict filter_run_stream(struct filter_run *run, unsigned int stream);

/* What is known of a record by its common_type alone. */
enum filter_verdict filter_run_type(const struct filter_run *run, int type_id);

/* Is all that is asked of the records of a type whether a number lies in a range (filter_program.h)?  May say false where it is. */
struct filter_range;
bool filter_run_range(const struct filter_run *run, int type_id, struct filter_range *range);

/*
 * May a sub-buffer of the stream hold a match?  Its sets of event types and pids are those of the page directory
 * (parsers/pages/page_index.h), its times model time, both included.
 */
bool filter_run_page(const struct filter_run *run, const struct page_sets *sets, int64_t first, int64_t last);

/*
 * What the filter keeps of some sub-buffers of the stream, where a model has made just that for it: a reference to be let go by
 * match_item_unref() (match_items.h); NULL: nobody has.
 */
struct match_item *filter_run_item(const struct filter_run *run, uint64_t page, uint32_t nr_pages);

/* Does the record match?  @ref: its row; @size bytes of payload, @room readable ones; @ts: model time. */
bool filter_run_match(struct filter_run *run, trace_ref ref, int type_id, const uint8_t *data, uint32_t size, uint32_t room,
		      int64_t ts);

/* The same for a row of any kind, with its stream: lost events and damage match `lost` only. */
bool filter_run_event(struct filter_run *run, const struct trace_event *event);

/* A hostile regex ran into its limit: said once, in words; NULL: none did. */
const char *filter_run_trouble(const struct filter_run *run);

/* One of its regular expressions was given up (filter_match.h): what it keeps is not what was asked for.  Any thread. */
bool filter_given_up(const struct filter *filter);
#define FILTER_GIVEN_UP "a regular expression took too many steps too often, and was given up"

/* --- what can be asked (completion, `ftop-trace fields`) ----------------- */

enum filter_word_kind { FILTER_WORD_EVENT, FILTER_WORD_FIELD, FILTER_WORD_NAME, FILTER_WORD_OPERATOR, FILTER_WORD_VALUE, FILTER_WORD_MACRO };

struct filter_word {
	enum filter_word_kind kind;
	char		*text;		/* as it is to be written, quoted where it must be */
	char		*help;		/* "int, sched_switch sched_wakeup", "1 284 events"; or NULL */
};

/**
 * filter_complete() - words that may stand at a place of an expression
 * @at:   byte of @text where the cursor is
 * @from: receives where the word begins that they replace
 *
 * Only what occurs in this trace.  Return: how many; *words is the caller's, filter_words_free().
 */
unsigned int filter_complete(struct trace *trace, const char *text, size_t at, const struct filter_options *options,
			     size_t *from, struct filter_word **words);
void filter_words_free(struct filter_word *words, unsigned int nr);
#endif
