/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_FILTER_PRIVATE_H
#define FTOP_SRC_FILTER_PRIVATE_H
/*
 * filter_private - what the files of the filter share: filter.c (making one),
 * filter_bind*.c (trees to tests), filter_run.c (matching), filter_page.c (pages,
 * streams and rows that are no events).
 */
#include "parsers/types/comm_table.h"
#include "parsers/types/kallsyms.h"
#include "src/filter/filter.h"
#include "src/filter/filter_match.h"
#include "src/filter/filter_names.h"
#include "src/filter/filter_program.h"
#include "src/filter/filter_tree.h"

/* Patterns of events, and which types of each file they name. */
struct filter_scope {
	const struct filter_node *node;
	uint8_t			**types;	/* owned, [nr_files]: bits by type id; NULL: of files that the source is not about */
};

struct filter_file {
	struct filter_code	 code;
	const struct event_type	**types;	/* owned, [nr_ids] by id; NULL: no such format */
	uint32_t		*entry;		/* owned, [nr_ids]: first instruction by type id */
	unsigned int		 nr_ids;
	uint32_t		 unknown;	/* entry of ids without a format */
	uint32_t		 text;		/* of lines of latency text */
	const struct filter_bound *general;	/* what is asked whatever the type: for pages, streams, other rows */
	bool			 swap;
};

struct filter {
	struct trace		*trace;
	unsigned int		 nr_sources;
	struct filter_source	*sources;	/* owned, and their texts */
	struct filter_tree	*trees;		/* owned, [nr_sources] */
	bool			 compat;
	struct filter_options	 options;	/* as they were given, but for the macros */
	const struct filter_name *more_names;
	unsigned int		 nr_files;
	struct filter_file	*files;		/* owned */
	unsigned int		 nr_matchers, cap_matchers;
	struct filter_matcher	**matchers;	/* owned */
	unsigned int		 nr_sets, cap_sets;
	struct filter_set	**sets;		/* owned */
	unsigned int		 nr_scopes, cap_scopes;
	struct filter_scope	*scopes;	/* owned */
	struct filter_scratch	*lookup;	/* of names of events, while it is made */
	struct arena		 arena;		/* bound trees, their tests and steps */
	bool			 uses_comm;	/* names of tasks matter: results are final once the directory is complete */
	bool			 uses_tgid;	/* and so do their processes */
	bool			 uses_text;	/* lines are rendered */
	bool			 uses_models;	/* a name that is derived: values want the record's type */
	bool			 of_other;	/* a name is of the task that a record tells of */
	bool			 of_leaving;	/* a name is of the task that leaves at a switch */
	struct filter_model {
		unsigned int		 file;
		const struct filter_name *name;	/* one that is of the model */
		bool			 whole;	/* more is asked of it than what is wanted below */
	}			*models;	/* owned: those that have to be made before records are matched */
	unsigned int		 nr_models, cap_models;
	struct filter_wanted {
		unsigned int		 file;
		const struct filter_name *name;
		const struct filter_set	*numbers;	/* of the filter's sets, or NULL */
		const struct filter_node *node;		/* what computes; NULL: all that is asked of the file does, or nothing */
		struct filter		*asks;		/* owned, until the model takes it */
		bool			 negate;
		bool			 computes;	/* .asks is asked during the model's pass */
		void			*model;		/* for is_among(), holds(), value_set_has(); dropped with the filter; NULL: not yet */
	}			*wanted;	/* owned */
	unsigned int		 nr_wanted, cap_wanted;
	struct filter_question {
		int			 type_id;
		const struct filter_bound *bound;
	}			*questions;	/* owned: of one that a model asks (filter_computed.c) */
	unsigned int		 nr_questions, cap_questions;
	const struct filter_name *asked[4];	/* names of the table with .needs, [nr_asked] */
	unsigned int		 nr_asked;
	bool			 uses_lost;
	bool			 uses_origin;	/* it names files or instances */
	bool			 uses_mark[2];	/* a, b: of the user's */
	int64_t			 mark[2];
	bool			 names_cut_off;	/* a regular expression took too many steps for names of functions, or values */
	bool			 is_doubtful;	/* a name may be of nothing that occurs */
	struct text		 empty_reason;	/* made when asked for */
};

/* Can it match no record, by itself: cpu == 0 && cpu == 1?  False where that is not certain.  Its sets and matchers are of @f. */
bool filter_bound_excludes_itself(const struct filter *f, const struct filter_bound *bound);

/*
 * Some terms of the text of a filter of one source, as a filter that is to be asked whether it may match: filter_free() it
 * before @f.  NULL where they mean nothing by themselves.
 */
struct filter *filter_of_terms(const struct filter *f, const struct filter_node *const *terms, unsigned int nr);

uint32_t filter_add_set(struct filter *f, struct filter_set *set);	/* sorts and takes it */
struct filter_matcher *filter_add_matcher(struct filter *f, uint32_t *index);
/* It is to be made once all is bound; @whole: not only what is wanted of it. */
void filter_use_model(struct filter *f, unsigned int file, const struct filter_name *name, bool whole);
const char *filter_model_trouble(const struct filter *f);	/* in words; NULL: none */
void filter_drop_wanted(struct filter *f, unsigned int first);	/* from that one on; before it begins */
void filter_begin_models(struct filter *f);	/* all is bound: the filter will be asked */
void filter_fini_models(struct filter *f);

/* Without sources, or with copies of these; nothing is bound. */
struct filter *filter_alloc(struct trace *trace, const struct filter_source *sources, unsigned int nr,
			    const struct filter_options *options);
void filter_load_types(struct filter *f, unsigned int file);	/* all event types of a file by id */

/* Is a source about this file? */
static inline bool filter_source_asks(const struct filter_source *source, unsigned int file)
{
	return source->file < 0 || (unsigned int)source->file == file;
}

/* Is a type one of those a scope names? */
static inline bool filter_scope_has(const struct filter_scope *scope, unsigned int file, int id)
{
	return scope->types[file] && (scope->types[file][id / 8] & 1u << id % 8);
}
#endif
