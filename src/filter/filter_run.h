/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_FILTER_FILTER_RUN_H
#define FTOP_SRC_FILTER_FILTER_RUN_H
/*
 * filter_run - the state of one thread that matches; shared by filter_run.c (records) and
 * filter_page.c (pages, streams, rows that are not events).
 */
#include "src/filter/filter_private.h"
#include "src/filter/derived_values.h"
#include "src/trace/trace_streams.h"

#define FILTER_COMM_SLOTS	512u		/* a power of two */
#define FILTER_MAX_PIDS		64u		/* searched one by one in a page's set of pids */

/* A task's name while it is valid, and results of patterns for it. */
struct filter_comm_slot {
	int32_t		 pid;
	uint64_t	 changes;	/* 1 + the table's count of changes; 0 = unused */
	int64_t		 from, to;
	const char	*name;
	uint64_t	 known, hits;	/* by index of pattern */
};

/* A task's tgid, and the time span in which it is valid. */
struct filter_tgid_slot {
	uint64_t	changes;	/* 1 + tgid_table_changes() */
	int64_t		from, to;
	int32_t		pid;
	int32_t		tgid;
	bool		known;
};

/* Who a task is, and the time span in which it is. */
struct filter_who_slot {
	uint64_t	changes;	/* 1 + trace_who_changes() */
	int64_t		from, to;
	int32_t		pid;
	bool		known;
	struct who	who;
};

/* Pids that ever had a name which a pattern accepts. */
struct filter_comm_pids {
	bool		 known, few;
	uint64_t	 changes;
	unsigned int	 nr;
	uint64_t	 bits[FILTER_MAX_PIDS];	/* pid_bits() */
};

/* Pids of tasks whose tgids pass a test, for the tests used most recently on pages. */
#define FILTER_TGID_TESTS	4u
struct filter_tgid_pids {
	const struct filter_test *test;	/* NULL = unused */
	struct filter_comm_pids	 pids;
};

struct filter_run {
	const struct filter	*f;
	struct filter_scratch	*scratch;
	struct text		 line;		/* TEXT */
	struct text		 shown;		/* SHOWN */
	struct text		 part;		/* PART */
	unsigned int		 stream;	/* UINT32_MAX = none yet */
	unsigned int		 file;
	const struct filter_file *ff;
	struct trace_source	*source;
	struct comm_table	*comms;
	struct filter_record	 rec;
	struct derived_seen	 seen[DERIVED_SEEN];
	const int32_t		*own_pid;	/* the record's task, if its bytes have another
						 * one; else NULL */
	uint32_t		 room;
	bool			 line_made;	/* `line` is this record's */
	const struct filter_lines *lines;	/* the kind of lines that the scratch is for;
						 * NULL = none */
	void			*lines_scratch;	/* owned */
	struct filter_comm_slot	 slots[FILTER_COMM_SLOTS];
	struct filter_tgid_slot	 tgids[FILTER_COMM_SLOTS];
	struct filter_who_slot	 whos[FILTER_COMM_SLOTS];
	/*
	 * Compared with a page's set of types: the bits of all types that may match, and of each
	 * scope.
	 */
	uint32_t		 nr_kinds;	/* number of kinds that the bits below include;
						 * UINT32_MAX = none yet */
	uint32_t		 bits;		/* page_kinds.changes when they were made */
	uint64_t		 alive;
	uint64_t		*scope_bits;	/* owned, [nr_scopes] */
	struct filter_comm_pids	*comm_pids;	/* owned, [nr_patterns] */
	struct filter_tgid_pids	 tgid_pids[FILTER_TGID_TESTS];
	unsigned int		 next_tgid_pids;	/* the one to replace next */
};

bool filter_run_test(struct filter_run *run, const struct filter_test *test);
#endif
