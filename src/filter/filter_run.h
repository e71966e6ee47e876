/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_FILTER_RUN_H
#define FTOP_SRC_FILTER_RUN_H
/*
 * filter_run - the scratch of one thread that matches: shared by filter_run.c
 * (records) and filter_page.c (pages, streams, rows that are no events).
 */
#include "src/filter/filter_private.h"
#include "src/trace/trace_private.h"
#include "src/filter/value_sets.h"

#define FILTER_CUT_OFF	"a regular expression took too many steps: where it did, it counts as not matching"
#define FILTER_COMM_SLOTS	512u		/* a power of two */
#define FILTER_MAX_PIDS		64u		/* looked for one by one in a page's set of pids */

/* The name of a task, as long as it has it, and what matchers said of it. */
struct filter_comm_slot {
	int32_t		 pid;
	uint64_t	 changes;	/* of the table, 1 added; 0 = unused */
	int64_t		 from, to;
	const char	*name;
	uint64_t	 known, hits;	/* by number of matcher */
};

/* The process of a task, and from when to when. */
struct filter_tgid_slot {
	uint64_t	changes;	/* 1 + tgid_table_changes() */
	int64_t		from, to;
	int32_t		pid;
	int32_t		tgid;
	bool		known;
};

/* Tasks that ever had a name which a matcher wants. */
struct filter_comm_pids {
	bool		 known, few;
	uint64_t	 changes;
	unsigned int	 nr;
	uint64_t	 bits[FILTER_MAX_PIDS];	/* page_pid_bits() */
};

/* The same of processes, of the tests that were asked of pages last. */
#define FILTER_TGID_TESTS	4u
struct filter_tgid_pids {
	const struct filter_test *test;	/* NULL: unused */
	struct filter_comm_pids	 pids;
};

struct filter_run {
	const struct filter	*f;
	struct filter_scratch	*scratch;
	struct text		 line;		/* TEXT */
	struct text		 shown;		/* SHOWN */
	unsigned int		 stream;	/* UINT32_MAX: none yet */
	unsigned int		 file;
	const struct filter_file *ff;
	struct trace_source	*source;
	struct comm_table	*comms;
	struct filter_record	 rec;
	struct value_seen	 seen[VALUE_SEEN];
	const struct filter_told *told;		/* of this record, during a model's pass; else NULL */
	uint32_t		 room;
	bool			 is_text;	/* a line of latency text: data is made up */
	const uint8_t		*line_data;
	uint32_t		 line_size;
	bool			 line_made;	/* of this record */
	const struct filter_lines *lines;	/* that the scratch is for; NULL: there is none */
	void			*lines_scratch;	/* owned */
	struct filter_comm_slot	 slots[FILTER_COMM_SLOTS];
	struct filter_tgid_slot	 tgids[FILTER_COMM_SLOTS];
	/* What a page's set of types is compared with: bits of all types that may match, and of each scope. */
	uint32_t		 nr_kinds;	/* that the bits below know; UINT32_MAX: none yet */
	uint32_t		 bits;		/* page_kinds.changes of them */
	uint64_t		 alive;
	uint64_t		*scope_bits;	/* owned, [nr_scopes] */
	struct filter_comm_pids	*comm_pids;	/* owned, [nr_matchers] */
	struct filter_tgid_pids	 tgid_pids[FILTER_TGID_TESTS];
	unsigned int		 next_tgid_pids;	/* which one is given up next */
};

/* Loads, for both files: false where the record has no such number. */
bool filter_run_load(struct filter_run *run, const struct filter_load *load, uint64_t *v);
bool filter_run_test(struct filter_run *run, const struct filter_test *test);
bool filter_run_program(struct filter_run *run, uint32_t entry);
#endif
