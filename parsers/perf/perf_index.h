/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_PERF_PERF_INDEX_H
#define FTOP_PARSERS_PERF_PERF_INDEX_H
/*
 * perf_index - one pass over all records: which of them are the pages of each CPU, and what they
 * tell of tasks.
 *
 * The records of a CPU are in the order of time within what perf read at once from one of its
 * buffers, and nearly so beyond: what comes behind two marks FINISHED_ROUND is later than what was
 * before them.  So records wait for these marks, and are sorted then.  A page is some pieces of the
 * file: all records of its CPU there, sorted by time, are the page's.  Mostly it is one piece.
 */
#include "parsers/perf/perf_deferred.h"
#include "parsers/perf/perf_file.h"
#include "parsers/perf/perf_tasks.h"
#include "src/base/varint.h"

#define PERF_PAGE_BYTES		(128u << 10)	/* room for the records of a page */
#define PERF_MAX_CPUS		16384u
/* bytes that a record is longer than what it is made of, at most */
#define PERF_OWN_BYTES		256u

struct perf_types;

/* Records that become events of their own, which only tell that something was so. */
enum perf_own { PERF_OWN_SWITCH, PERF_OWN_THROTTLE, PERF_OWN_UNTHROTTLE, PERF_NR_OWN };

/* What is not shown, but counted: records, and counts of unknown events. */
enum perf_left_out {
	PERF_LEFT_COUNTS, PERF_LEFT_AUX, PERF_LEFT_NAMESPACES, PERF_LEFT_KSYMBOLS, PERF_LEFT_BPF,
	PERF_LEFT_TEXT_POKES, PERF_LEFT_GROUPS, PERF_NR_LEFT_OUT
};

struct perf_piece {
	uint64_t offset;		/* in the file */
	uint32_t bytes;
	uint64_t grown_at;		/* of its first sample with counts, in the CPU's .grown */
};

struct perf_cpu {
	struct page_sum	*sums;		/* owned, [nr_pages]; one with neither events nor lost ones
					 * is not known: the page has to be read */
	struct perf_piece *pieces;	/* owned, [nr_pieces] */
	uint64_t	*pages;		/* owned, [nr_pages]: index of each one's first piece */
	uint64_t	 nr_pieces, cap_pieces, nr_pages, cap_pages, cap_sums;
	struct text	 grown;		/* of each sample with counts, in the order of the file:
					 * perf_grown_next() */
};

struct perf_seen {			/* events */
	bool		has_samples;
	bool		is_counted;	/* its rows are of samples of its group's leader */
};

struct perf_index {
	struct perf_cpu	*cpus;		/* owned, [nr_cpus] by number */
	unsigned int	 nr_cpus, cap_cpus;
	struct perf_seen *seen;		/* owned, [nr_seen], by attribute of the file */
	unsigned int	 nr_seen;
	bool		 has_switches;	/* SWITCH_CPU_WIDE */
	uint32_t	 has_own;	/* bits of enum perf_own */
	uint64_t	 left_out[PERF_NR_LEFT_OUT];
	struct type_count *counts;	/* owned, [nr_counts]: of all sums */
	uint64_t	 nr_counts, cap_counts;
	struct perf_tasks tasks;
	struct perf_deferred deferred;
};

/* Return: 0; -1: the file cannot be read.  Damage is a warning of the file's source. */
int perf_index_init(struct perf_index *index, struct perf_file *file, struct ft_error *err);
/* Types are known now: pages whose events have one say what they count. */
void perf_index_name(struct perf_index *index, const struct perf_file *file,
		     const struct perf_types *types);
void perf_index_fini(struct perf_index *index);

/* The event of its own that a record is; PERF_NR_OWN: none. */
enum perf_own perf_index_own(const struct perf_record *record);
/* Append what is left out, as "3 records of namespaces, …"; nothing if all is shown. */
void perf_index_left_out(const struct perf_index *index, struct text *out);

/* The CPU whose rows the record is among; -1: it is no row. */
int perf_index_cpu(const struct perf_file *file, const struct perf_record *record,
		   const struct perf_attr **attr, struct perf_stamp *stamp);
/*
 * The counts of a sample that are greater than in the sample before, one after the other: @nr of
 * the count, and by how much it has @grown.  False: there are no more; *at is at the next sample's.
 */
static inline bool perf_grown_next(const uint8_t **at, uint64_t *nr, uint64_t *grown)
{
	*nr = varint_take(at);
	if (!*nr)
		return false;
	--*nr;
	*grown = varint_take(at);
	return true;
}
/* Events that a record of LOST or LOST_SAMPLES counts, at most UINT32_MAX. */
uint32_t perf_index_lost(const struct perf_file *file, const struct perf_record *record);
#endif
