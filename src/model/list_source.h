/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_MODEL_LIST_SOURCE_H
#define FTOP_SRC_MODEL_LIST_SOURCE_H
/*
 * list_source - the interface between a model that makes lists and everything that shows them: its
 * command, its view, comparisons and files.
 *
 * A model describes itself in a struct list_source (X_lists.c in its folder) and is a line of
 * src/lists/sources.h.  The rest is there once: src/commands/list_command.c, ui/lists,
 * src/lists/comparison.c.
 */
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include "src/base/error.h"
#include "src/base/options.h"
#include "src/base/table_out.h"
#include "src/diff/diff.h"
#include "src/match/event_sweep.h"
#include "src/match/filter_option.h"
#include "src/trace/trace.h"

#define LIST_MOST	16u		/* lists of a model */
#define LIST_MOST_FILES	1024u		/* operands of a command */

struct sched;

/* Times as the screen shows them, for sentences. */
struct list_speech {
	void		(*time)(const void *arg, int64_t ts, struct text *out);
	void		(*span)(const void *arg, int64_t length, struct text *out);
	const void	*arg;
};

/* Who has a model of all states (src/sched/sched.h) for others, too.  @arg is theirs. */
struct list_states {
	struct sched	*(*take)(void *arg, unsigned int file);
	void		(*give)(void *arg, struct sched *sched);
	void		*arg;
};

/* What is to be listed.  All that it points to is borrowed until the model ends. */
struct list_scope {
	struct trace	*trace;
	struct event_sweep_options what;	/* the file, and which of its events */
	unsigned int	list;		/* the one to print; of a view and a comparison 0 */
	bool		all_columns;	/* each may be asked for; else those of text, and --sort */
	bool		compared;	/* for list_source.compare */
	unsigned int	variant;	/* number of the file's variant, see list_source.find */
	const struct option_list *options;	/* the command's options; NULL: a view, with: */
	const char	*words;		/* the user's: ":count WORDS"; "": none */
	const struct filter_given *given;	/* the command's, with --task; NULL: a view, or a
						 * comparison of all tasks */
	bool		is_checked;	/* origin() and bounds() are asked about figures */
	const char	*frame;		/* "a.dat;": above all frames of stacks; NULL: nothing */
	const struct list_speech *speech;
	const struct list_states *states;	/* NULL: a model makes its own */
	bool		same_columns;	/* the columns may not depend on the trace */
	const void	*former;	/* model of the same, but for an earlier range; or NULL */
};

/* What a row stands for in the trace. */
struct list_place {
	bool		is_moment;	/* else it has only a task or a CPU */
	trace_ref	ref;		/* its record; TRACE_REF_NONE: none */
	int64_t		ts, to;		/* to: above ts: the end of an interval */
	int		pid, cpu;	/* -1: none, or several */
};

/* What Enter on a row does. */
struct list_step {
	enum list_step_to {
		LIST_STAYS,		/* shows the message */
		LIST_TO_LIST,		/* another list of the model; with has_key at that row */
		LIST_TO_EVENTS, LIST_TO_TIMELINE, LIST_TO_GRAPH
	}		to;
	unsigned int	list;
	bool		has_key;
	uint64_t	key;
	struct list_place place;
	bool		marks;		/* A and B are set to the row's start and end */
	const char	*message;
};

#define LIST_BY_ORDER	UINT_MAX
#define LIST_ANY	UINT_MAX	/* for comparisons: what the trace is best compared by */

/* A list as it is now.  All that it points to is borrowed until the model changes. */
struct list_rows {
	const struct table_columns *columns;	/* the first one is the row's name on the screen */
	const void	*array;		/* [nr] rows of these bytes each; NULL, of models without a
					 * view in ui/lists: */
	size_t		bytes;
	/* Row @i, valid until the next call; NULL: it is left out, or nr is not known: the end. */
	const void	*(*at)(void *model, uint64_t i);
	uint64_t	nr;		/* UINT64_MAX: not known */
	bool		is_head;	/* these are what --head wants: it does not count rows */
	uint64_t	whole;		/* TABLE_PART is a part of this; 0: not known */
	unsigned int	lacks;		/* bits of table_column.needs: not recorded, so text and the
					 * screen leave these columns out */
	unsigned int	order;		/* column to sort by at first; 0: the name */
	bool		ascending;
	unsigned int	figure;		/* column that `y v` copies; 0: the name; LIST_BY_ORDER: the
					 * one that rows are sorted by */
	const char	*row;		/* what one is called; NULL: as in list_def */
	const char	*heading;	/* what was read: "timerlat"; NULL: nothing to say */
	const char	*above;		/* a line above the rows; NULL: none */
	const char	*command;	/* prints the list: "noise --samples" */
	const char	*nothing;	/* why there are no rows; NULL: list_source.left or .none */
	bool		is_unrecorded;	/* all was read, and nothing of the kind was recorded */
	uint64_t	damaged;	/* sub-buffers that could not be read */
	bool		is_partial;	/* figures are bounds: sched_pass_is_partial() */
};

struct list_tab {			/* a list that Tab, o and :list choose */
	char		letter;		/* LIST_NO_KEY and above: no key chooses it */
	const char	*name;		/* "samples" */
};
#define LIST_NO_KEY	0x80		/* each has a letter of its own from here on */

static inline bool list_tab_has_key(const struct list_tab *tab)
{
	return (unsigned char)tab->letter < LIST_NO_KEY;
}

struct list_def {			/* one of the lists */
	const char	*row;		/* "sample": in "sample 1 of 236" */
	bool		entered;	/* only Enter leads to it: no tab while it has no rows */
	int		name_least, name_most;	/* cells of the name on the screen */
	const char	*figure_word;	/* what `y v` copies; NULL: "figure" */
	/* Identifies a row in later lists of the same kind.  NULL: its number. */
	uint64_t	(*key)(const void *row);
	bool		(*is_dim)(const void *row);	/* NULL: none is */
};

/* What ftop-trace-json(5) says of an object. */
struct list_keys {
	const char	*command;	/* prints it: "noise --samples" */
	const char	*what;		/* sentences: "A sample." */
	const char	*keys;		/* in the order in which they are printed; NULL: those of */
	const struct table_columns *columns;	/* NULL: those that this returns: */
	const struct table_columns *(*made)(void);
};

/* What the help of the view says of keys.  NULL: what it says in all lists. */
struct list_help {
	const char	*enter_bar, *enter;	/* Enter: its word in the key bar, and the help */
	const char	*next, *choose;		/* Tab and o: lists */
	const char	*mark_a, *mark_b, *only_bar, *only, *without, *search;
};

/* @list is an index into lists; @row a row of that list. */
struct list_source {
	const char	*title;		/* title of its view, a word: "Noise" */
	const char	*short_title;	/* where there is little room; NULL: the title */
	const char	*about;		/* what it shows: for the list of views */
	char		key;		/* shows its view; 0: its digit, if it is of the first */
	/*
	 * The command; its word in diff --by is in src/lists/sources.h.  Its options end with
	 * LIST_OPTIONS, and have the id LIST_OPTION(i) for each list but the first, unless begin()
	 * reads which list it is.
	 */
	struct command_def command;
	const struct list_keys *keys;	/* what the command prints; ended by command NULL */
	const struct list_def *lists;	/* [nr]; the command prints the first without an option */
	const struct list_tab *tabs;	/* [nr], then n for the next variant or file; ended by
					 * letter 0.  NULL: there is one list */
	unsigned int	nr;
	struct list_help help;
	const char	*record;	/* ftop-trace record with these arguments makes rows */
	bool		picks_tasks;	/* --task is of rows: list_scope.given; else of events */
	bool		unindexed;	/* begin() needs no index, so the command makes none */
	bool		takes_words;	/* the user may say what is read: ":count WORDS" */
	const char	*next_word;	/* a file's next variant: "next tracer" */
	const char	*left;		/* no row is left: "No such event is left." */
	const char	*none;		/* there is nothing to read, and how to record it */

	/*
	 * The first variant of a file (tracers, say), from these on, of which there is something as
	 * far as it is indexed; @next: the one after it.  The first follows the last.  False: there
	 * is none; nothing has changed.
	 */
	bool		(*find)(struct trace *trace, unsigned int *file, unsigned int *variant,
				bool next);
	/* Start; the trace is indexed.  The model that the others get; NULL with FT_E_USAGE. */
	void		*(*begin)(const struct list_scope *scope, struct ft_error *err);
	void		(*end)(void *model);	/* stops workers; frees */
	/*
	 * Is all of it read?  @wait: until it is.  @permille: set to how much is read; may be NULL.
	 */
	enum list_state { LIST_LATER, LIST_DONE, LIST_FAILED }
			(*take)(void *model, bool wait, unsigned int *permille,
				struct ft_error *err);

	/* The functions below need a model that was read to the end. */
	/* @by: index of the column that they are sorted by; 0: the name, or none is chosen yet. */
	struct list_rows (*rows)(void *model, unsigned int list, unsigned int by);
	/* Its start or @end.  False: it is not in the trace.  NULL: no row is. */
	bool		(*place)(const void *model, unsigned int list, const void *row,
				 bool end, struct list_place *place);
	/*
	 * Where a figure of a row is from: its longest instance, say.  False: not known.  NULL: as
	 * place() has it.
	 */
	bool		(*origin)(const void *model, unsigned int list, const void *row,
				  const struct table_column *column, struct list_place *place);
	/* Between which numbers a figure is.  False, or NULL: as table_out_bounds() has it. */
	bool		(*bounds)(const void *model, unsigned int list, const void *row,
				  const struct table_column *column, double *least, double *most);
	/* Enter.  Rows are asked for again, as they may have changed.  NULL: nothing happens. */
	struct list_step (*enter)(void *model, unsigned int list, const void *row);
	/* Append a filter that keeps the row's events; false: there is none.  NULL: by place. */
	bool		(*filter)(const void *model, unsigned int list,
				  const void *row, struct text *out);
	/* Append what the row is, and sentences about it. */
	void		(*say)(const void *model, unsigned int list, const void *row,
			       struct text *heading, struct text *words);
	/*
	 * Report on stderr what figures do not show.  @any: there were rows, or it was reported why
	 * a filter keeps none.
	 */
	void		(*tell)(const void *model, unsigned int list, bool any);
	/* Print the list in another form.  1: it did; 0: no; -1 with its error.  May be NULL. */
	int		(*print)(void *model, unsigned int list, struct text *out,
				 struct ft_error *err);
	/*
	 * Add what a trace has to a comparison, by names that another trace may have, too.  NULL:
	 * it cannot be compared.
	 */
	void		(*compare)(void *model, unsigned int list, struct diff *diff,
				   unsigned int side);
	const char	*compared;	/* what a row is, for ftop-trace-json(5): "A stack." */
	unsigned int	compares;	/* which figures it sets: DIFF_HAS_TOTAL … */
};

/* Options that all have: the end of the table. */
#define LIST_OPTIONS	PART_OPTIONS(NULL), TABLE_OPTIONS, FILE_OPTIONS, OPTION_END

/* Ids of options: of the i-th list; of the source's own, from LIST_OWN on. */
#define LIST_OPTION(i)	(1000 + (int)(i))
#define LIST_OWN	LIST_OPTION(LIST_MOST)

/* list_source.find without variants: the first file from this one on that has it. */
bool list_find_file(struct trace *trace, unsigned int *file, bool next,
		    bool (*has)(struct trace *trace, unsigned int file));

/* Has the file what this list is of?  Then what it has no row of did not happen. */
bool list_has_file(const struct list_source *source, struct trace *trace, unsigned int file);

/* list_source.take of a model that a sweep makes. */
enum list_state list_take_sweep(struct event_sweep *sweep, bool wait, unsigned int *permille);
#endif
