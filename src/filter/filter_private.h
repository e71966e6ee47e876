/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_FILTER_FILTER_PRIVATE_H
#define FTOP_SRC_FILTER_FILTER_PRIVATE_H
/*
 * filter_private - shared by the files of the filter: filter.c (makes one), filter_bind*.c (turn
 * trees into tests), filter_run.c (matches records), filter_page.c (pages, streams, and rows that
 * are not events).
 */
#include "parsers/types/comm_table.h"
#include "parsers/types/kallsyms.h"
#include "src/filter/filter.h"
#include "src/filter/filter_pattern.h"
#include "src/filter/filter_names.h"
#include "src/filter/filter_program.h"
#include "src/filter/filter_tree.h"

/* Patterns of events, and the types of each file that they match. */
struct filter_scope {
	const struct filter_node *node;
	uint8_t			**types;	/* owned, [nr_files]: bits by type id; NULL for
						 * files that the source is not for */
};

struct filter_file {
	struct filter_code	 code;
	const struct event_type	**types;	/* owned, [nr_ids] by id; NULL = no such format */
	uint32_t		*entry;		/* owned, [nr_ids]: first instruction by type id */
	unsigned int		 nr_ids;
	uint32_t		 unknown;	/* entry for ids without a format */
	const struct filter_bound *general;	/* the expression regardless of type: for pages,
						 * streams, other rows */
	bool			 swap;
};

struct filter {
	struct trace		*trace;
	unsigned int		 nr_sources;
	struct filter_source	*sources;	/* owned, and their texts */
	struct filter_tree	*trees;		/* owned, [nr_sources] */
	bool			 compat;
	struct filter_options	 options;	/* as given, without the macros */
	const struct filter_name *const *more_names;	/* borrowed from the trace */
	unsigned int		 nr_files;
	struct filter_file	*files;		/* owned */
	unsigned int		 nr_patterns, cap_patterns;
	struct filter_pattern	**patterns;	/* owned */
	unsigned int		 nr_sets, cap_sets;
	struct filter_set	**sets;		/* owned */
	unsigned int		 nr_scopes, cap_scopes;
	struct filter_scope	*scopes;	/* owned */
	struct filter_scratch	*lookup;	/* for names of events, while the filter is made */
	struct arena		 arena;		/* bound trees, their tests and steps */
	bool			 uses_comm;	/* uses names of tasks: results are final when
						 * the directory is complete */
	bool			 uses_tgid;	/* likewise for tgids */
	bool			 uses_who;	/* and for the words about processes */
	bool			 uses_text;	/* lines are rendered */
	bool			 uses_models;	/* uses derived names: values need the record's
						 * type */
	bool			 of_other;	/* a name refers to the other task of a record */
	bool			 of_leaving;	/* a name refers to the task that leaves at a
						 * switch */
	struct filter_used_model {
		unsigned int		 file;
		const struct filter_model *model;
		bool			 values;	/* its value() is used, besides what its
							 * pass makes */
	}			*models;	/* owned: models that must be ready before
						 * matching */
	unsigned int		 nr_models, cap_models;
	struct filter_wanted {
		unsigned int		 file;
		const struct filter_name *name;
		const struct filter_set	*functions;	/* WORD: one of .sets; else NULL */
		struct derived_value	*value;		/* a reference */
	}			*wanted;	/* owned: values that models' passes make */
	unsigned int		 nr_wanted, cap_wanted;
	const struct filter_name *asked[4];	/* names of the table with .needs, [nr_asked] */
	unsigned int		 nr_asked;
	bool			 uses_lost;
	bool			 uses_origin;	/* it names files or instances */
	bool			 uses_mark[2];	/* uses the marks a, b */
	int64_t			 mark[2];
	bool			 is_doubtful;	/* a name may only exist in types that do not
						 * occur */
	struct text		 empty_reason;	/* made on first use */
	struct filter_offers	 empty_offers;	/* belong to it */
};

/*
 * Does an expression contradict itself: cpu == 0 && cpu == 1?  False if that is not certain.  Its
 * sets and patterns are @f's.
 */
bool filter_bound_excludes_itself(const struct filter *f, const struct filter_bound *bound);

/*
 * A filter of some terms of a filter with one source, to test whether it may match; free it before
 * @f.  NULL if the terms have no meaning by themselves.
 */
struct filter *filter_of_terms(const struct filter *f, const struct filter_node *const *terms,
			       unsigned int nr);

/* sorts the set and takes it over */
uint32_t filter_add_set(struct filter *f, struct filter_set *set);
struct filter_pattern *filter_add_pattern(struct filter *f, uint32_t *index);
/* A name of a model is used: start the model after binding. */
void filter_use_model(struct filter *f, unsigned int file, const struct filter_name *name);
/* Request a value from its model's pass, or find the one that the filter requested before. */
const struct derived_value *filter_want(struct filter *f, unsigned int file,
					const struct filter_name *name,
					const struct filter_set *functions);
const char *filter_model_trouble(const struct filter *f);	/* a message; NULL = none */
void filter_begin_models(struct filter *f);	/* call it after binding */
void filter_fini_models(struct filter *f);

/* Does a source apply to this file? */
static inline bool filter_source_asks(const struct filter_source *source, unsigned int file)
{
	return source->file < 0 || (unsigned int)source->file == file;
}

/* The tree of a filter with a single source that is not negated; NULL if it has others. */
static inline const struct filter_node *filter_only_tree(const struct filter *f)
{
	return f->nr_sources == 1 && !f->sources[0].negate && !f->compat ? f->trees[0].root : NULL;
}

/* Does a scope contain a type? */
static inline bool filter_scope_has(const struct filter_scope *scope, unsigned int file, int id)
{
	return scope->types[file] && (scope->types[file][id / 8] & 1u << id % 8);
}
#endif
