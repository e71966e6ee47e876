/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_FILTER_FILTER_H
#define FTOP_SRC_FILTER_FILTER_H
/*
 * filter - an expression that selects events: a superset of the language of `trace-cmd report -F`,
 * bound to a trace and matched on raw records.
 *
 *   text  --filter_new()-->  struct filter (immutable, any thread)
 *   struct filter  --filter_run_new()-->  struct filter_run (scratch of one thread)
 *   filter_run_stream(), then filter_run_match() for each of its records
 *
 * Binding decides the meaning of an expression for each event type: never, always, or a small
 * program on the record's bytes.  A term on a field that an event lacks is false for it; a field
 * that no event of the trace has is an error.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "src/base/text.h"
#include "src/trace/trace.h"

struct filter;				/* opaque, immutable */
struct event_type;
struct filter_run;			/* opaque, for one thread */

#define FILTER_OFFERS_MAX	3u

/* What was probably meant: one of these texts instead of the bytes [from, to). */
struct filter_offers {
	size_t		from, to;
	unsigned int	nr;
	char		texts[FILTER_OFFERS_MAX][64];
};

struct filter_error {
	unsigned int	source;		/* index of the source */
	size_t		from, to;	/* the wrong bytes of its text: [from, to); from == to:
					 * something is missing there */
	struct text	message;	/* "no event has a field prev_stat; did you mean
					 * prev_state?"; the caller frees it with text_fini() */
	struct filter_offers offers;	/* texts to put in its place */
};

/* The lines that text terms search, if not the kernel's: as the screen shows them. */
struct filter_lines {
	/* Append the line of a record; any thread.  False: the record has no line. */
	bool		 (*add)(const void *arg, void *scratch, const struct trace_event *event,
				struct text *out);
	void		*(*scratch_new)(void);	/* creates the scratch of one thread */
	void		 (*scratch_free)(void *scratch);
	const void	*arg;		/* must outlive the filter */
	/*
	 * Words of a line beside times, numbers, the record's task, flags and name, and its
	 * trace_row_pattern(), all with blanks between them.  NULL: not known.
	 */
	const char	*adds;
};

struct filter_source {
	const char	*text;
	const struct filter_lines *lines;	/* for text terms; NULL: the kernel's lines. Must
						 * outlive the filter */
	bool		 negate;	/* report -v: drop matching events */
	int		 file;		/* with several files: the one it applies to; -1 = all */
};

struct filter_macro {			/* a named filter: its name is replaced by its expression
					 * in brackets */
	const char	*name, *text;
};

struct filter_options {
	bool		 compat;	/* --compat-filter: trace-cmd's precedence; names are
					 * regexes, matched with the system, too */
	bool		 has_a, has_b;	/* are the marks set, for `between a b`? */
	int64_t		 a, b;		/* model time */
	const struct filter_macro *macros;
	unsigned int	 nr_macros;
	int		 only_type;	/* only records of this event type are tested; 0 = of all */
};

/**
 * filter_new() - parse expressions and bind them to a trace
 * @sources: any must match, but none of the negated ones
 * @options: may be NULL
 * @err:     zeroed by the caller, filled when NULL is returned
 *
 * Types of events, fields and symbols are checked here.  The trace is borrowed and must outlive the
 * filter.  An empty text keeps everything.
 */
struct filter *filter_new(struct trace *trace, const struct filter_source *sources, unsigned int nr,
			  const struct filter_options *options, struct filter_error *err);
/*
 * As filter_new(), but ready to match.  Waits for the whole trace if the filter uses names of
 * tasks, or names that only exist in event types that may not occur; and waits for its models.
 * Main thread.
 */
struct filter *filter_new_ready(struct trace *trace, const struct filter_source *sources,
				unsigned int nr, const struct filter_options *options,
				struct filter_error *err);
void filter_free(struct filter *filter);	/* NULL is allowed; free its runs first */
const char *filter_text(const struct filter *filter, unsigned int source);

/* Report the error for option -F: what is wrong, the expression, and ^ below the place. */
int filter_error_tell(const struct filter_source *sources, unsigned int nr,
		      const struct filter_error *e, struct ft_error *err);

/*
 * Why nothing can match, in words ("the trace has no sched_switch events"); NULL if something may.
 */
const char *filter_empty_reason(const struct filter *filter);
/*
 * The same before anything is recorded: the data of a name, "calls (function_graph)", that none of
 * the types has of which @is_recorded says that they will be.  NULL: nothing is missing.
 */
const char *filter_lacks(const struct filter *filter,
			 bool (*is_recorded)(const void *arg, const struct event_type *type),
			 const void *arg);
/* Texts that the reason offers; often none.  Call filter_empty_reason() first. */
const struct filter_offers *filter_empty_offers(const struct filter *filter);

/*
 * Why nothing in this one of several files can match: "it has no sched_switch events".  False if
 * one of its events may match, or the filter is not for it.
 */
bool filter_file_reason(const struct filter *filter, unsigned int file, struct text *out);

/*
 * The terms joined by &&, as bytes [from, to) of the text, so that each can be tested by itself.
 * None for several sources, negated sources, text terms or terms on lost events.
 */
#define FILTER_JOINED_MAX 16u
#define FILTER_TERM_CELLS 80		/* length of a term shown in a message */
unsigned int filter_joined(const struct filter *filter, size_t from[FILTER_JOINED_MAX],
			   size_t to[FILTER_JOINED_MAX]);

/*
 * Does the filter use names of tasks?  They are only final when the directory is complete
 * (trace_status()): until then a name may still be found in an earlier record, and matching uses
 * the names known so far.
 */
bool filter_needs_names(const struct filter *filter);

/*
 * Workers build the models for derived names (wait, state …), from filter_new() on.  Until then
 * such names have no value.  Any thread; workers must not wait for it.
 */
bool filter_ready(const struct filter *filter);
void filter_wait(const struct filter *filter);
/* Does it ask models?  Of a trace that grows, they know what was there when it was made. */
bool filter_asks_models(const struct filter *filter);

/* Bytes that models hold for this filter; what several filters use is divided.  Any thread. */
uint64_t filter_memory(const struct filter *filter);

/*
 * Is the filter about the next task of a switch, or the task being woken (wait, wakelat), and not
 * about the record's own task?  Then sched_values_other_pid() gives the task of a match.
 */
bool filter_is_of_other(const struct filter *filter);

/*
 * At a switch, is it about the task that leaves (ran, state), and at a wakeup about the one being
 * woken?
 */
bool filter_is_of_leaving(const struct filter *filter);

/* Has a mark that the filter uses (`between a b`) moved?  Then make the filter again. */
bool filter_marks_moved(const struct filter *filter, const struct filter_options *options);

bool filter_asks_lost(const struct filter *filter); /* may it keep rows of lost
							   events and damage? */

/*
 * Does every match of @narrow match @wide?  Then rows that @wide dropped need no test.  May return
 * false although it is true.
 */
bool filter_implies(const struct filter *narrow, const struct filter *wide);

struct page_sets;

enum filter_verdict { FILTER_NEVER, FILTER_ALWAYS, FILTER_TEST };

struct filter_run *filter_run_new(const struct filter *filter);
void filter_run_free(struct filter_run *run);	/* NULL is allowed */

/*
 * Set the stream of the next records.  NEVER: none of them can match (because of its CPU, buffer or
 * file).
 */
enum filter_verdict filter_run_stream(struct filter_run *run, unsigned int stream);

/* The verdict on a record from its common_type. */
enum filter_verdict filter_run_type(const struct filter_run *run, int type_id);

/*
 * Is the whole test for records of a type whether one number is in a range (filter_program.h)?  May
 * return false although it is.
 */
struct filter_range;
bool filter_run_range(const struct filter_run *run, int type_id, struct filter_range *range);

/*
 * May sub-buffer @page of the stream contain a match?  @sets: its event types and pids from the
 * page directory (parsers/pages/page_index.h); times are model time, both included.
 */
bool filter_run_page(const struct filter_run *run, uint64_t page, const struct page_sets *sets,
		     int64_t first, int64_t last);

/*
 * Does the record match?  @ref: its row; @size bytes of payload, @room readable ones; @ts: model
 * time.
 */
bool filter_run_match(struct filter_run *run, trace_ref ref, int type_id, const uint8_t *data,
		      uint32_t size, uint32_t room, int64_t ts);

/*
 * Does the row match?  It may be of any kind and of any stream: lost events and damage only match
 * `lost`.
 */
bool filter_run_event(struct filter_run *run, const struct trace_event *event);

/* Several filters.  A record must match all of them.  For one thread. */
struct filter_runs {
	struct filter_run	**list;		/* owned, [nr] */
	unsigned int		 nr;
};

/* The filters are borrowed. */
void filter_runs_init(struct filter_runs *runs, const struct filter *const *filters,
		      unsigned int nr);
void filter_runs_fini(struct filter_runs *runs);	/* a zeroed one is allowed */
/* As filter_run_stream(), filter_run_type() and filter_run_match(); false: NEVER. */
bool filter_runs_stream(struct filter_runs *runs, unsigned int stream);
bool filter_runs_type(const struct filter_runs *runs, int type_id);
/*
 * For `under`, the records that follow belong to this task (borrowed), whatever their bytes say;
 * NULL: again to the task that they say.
 */
void filter_runs_own_pid(struct filter_runs *runs, const int32_t *pid);
bool filter_runs_match(struct filter_runs *runs, trace_ref ref, int type_id, const uint8_t *data,
		       uint32_t size, uint32_t room, int64_t ts);

/*
 * Was one of its regular expressions abandoned (filter_pattern.h)? Then the result is incomplete.
 * Any thread may ask.
 */
bool filter_given_up(const struct filter *filter);
/* -1 with FT_E_LIMIT if so. */
int filter_check(const struct filter *filter, struct ft_error *err);
/* Why the result may be incomplete: that, or another limit was reached.  NULL: it is not. */
const char *filter_trouble(const struct filter *filter);
#define FILTER_GIVEN_UP "matching stopped: a regular expression took too many steps too often"

/* --- what can be asked (completion, `ftop-trace fields`) ----------------- */

enum filter_word_kind {
	FILTER_WORD_EVENT,
	FILTER_WORD_FIELD,
	FILTER_WORD_NAME,
	FILTER_WORD_OPERATOR,
	FILTER_WORD_VALUE,
	FILTER_WORD_MACRO
};

struct filter_word {
	enum filter_word_kind kind;
	char		*text;		/* ready to insert, quoted if necessary */
	char		*help;		/* "int, sched_switch sched_wakeup",
					   "1 284 events"; or NULL */
};

/**
 * filter_complete() - find words that fit at a place in an expression
 * @at:   byte of @text where the cursor is
 * @from: receives the start of the word that they replace
 *
 * Only words that occur in this trace.  Return: their number; the caller frees *words with
 * filter_words_free().
 */
unsigned int filter_complete(struct trace *trace, const char *text, size_t at,
			     const struct filter_options *options, size_t *from,
			     struct filter_word **words);
void filter_words_free(struct filter_word *words, unsigned int nr);
#endif
