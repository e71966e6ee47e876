/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_SCHED_SCHED_FEED_H
#define FTOP_SRC_SCHED_SCHED_FEED_H
/*
 * sched_feed - the scheduling records of all CPUs of a buffer in one order: by key (the running
 * maximum of a CPU's time stamps); with equal keys the lower CPU first.
 *
 * Workers scan pieces of the CPUs ahead of the reader.  The reader never waits for a piece that no
 * worker has begun, but scans it itself, so the reader may be a worker, too, and a pool of one
 * thread is enough.  Memory does not grow with the trace.
 *
 * Of a trace that grows, a feed may park: it reads up to a time, and goes on when there is more.
 */
#include <stdatomic.h>
#include <stdbool.h>
#include "src/sched/sched_scan.h"
#include "src/trace/trace.h"
#include "src/base/workers.h"

struct sched_feed;			/* opaque */

struct sched_feed_options {
	struct sched_scan_options scan;
	unsigned int		 file, buffer;
	struct workers		*workers;	/* borrowed; NULL: the reader does everything */
	const atomic_bool	*stopped;	/* borrowed: checked frequently */
	bool			 parks;		/* only up to where sched_feed_go_on() says; without
						 * pairs that join */
};

struct sched_feed *sched_feed_new(const struct sched_feed_options *options);
void sched_feed_free(struct sched_feed *feed);	/* or NULL; waits for helpers: not for workers */

/* CPUs with a stream in this buffer, ascending. */
unsigned int sched_feed_nr_cpus(const struct sched_feed *feed);
int sched_feed_cpu(const struct sched_feed *feed, unsigned int i);
unsigned int sched_feed_stream(const struct sched_feed *feed, unsigned int i);	/* in the trace */

/**
 * sched_feed_next() - the next records
 * @items: [SCHED_ITEMS] receives them, valid until the next call.  Skip SCHED_KEY records.
 *
 * Return: their number; 0 at the end, or if stopped.
 */
uint32_t sched_feed_next(struct sched_feed *feed, struct sched_item *items);

/* All records with a key below this were returned; INT64_MIN: none yet. */
int64_t sched_feed_key(const struct sched_feed *feed);

struct sched_feed_totals {			/* over everything read so far */
	int64_t		last_ts;	/* largest ts of any record: at the end, T1 */
	bool		any;		/* there was a record */
	uint64_t	sched_records;	/* records of system sched */
	uint64_t	switches;	/* sched_switch */
	uint64_t	wakings, wakes;	/* sched_waking; with sched_wakeup and sched_wakeup_new */
	uint64_t	migrations;	/* sched_migrate_task */
	unsigned int	classes;	/* SCHED_CLASS_TELLS_* */
	uint64_t	damaged;	/* sub-buffers */
	uint64_t	pages, all_pages;
};
struct sched_feed_totals sched_feed_totals(const struct sched_feed *feed);

/*
 * Of a feed that parks: next records are those with keys below @until and of settled sub-buffers;
 * behind them sched_feed_next() returns 0.  Takes sub-buffers that were appended.
 */
void sched_feed_go_on(struct sched_feed *feed, int64_t until);
int64_t sched_feed_until(const struct sched_feed *feed);	/* the one now; INT64_MIN: none */
/*
 * What was appended shows that earlier records meant something else: a CPU's first task was not
 * known yet, a loss of events was not, or it was not that there are sched_waking records.
 */
bool sched_feed_is_wrong(const struct sched_feed *feed);
/* It is wrong, or the first records are dropped: who begins again does not know them. */
bool sched_feed_is_stale(const struct sched_feed *feed);
/* Has it read all records that a ring has dropped? */
bool sched_feed_has_all(struct sched_feed *feed);
/*
 * A ring has dropped records: the feed goes on, and knows more than one that begins with what is
 * left.  False: some of them were not read.  For the reader, before sched_feed_go_on().
 */
bool sched_feed_outlive(struct sched_feed *feed);
/*
 * A new feed of all that follows where a feed without workers is parked.  It may be wrong: what
 * follows, but is not settled whole, may tell of an earlier loss.
 */
struct sched_feed *sched_feed_fork(const struct sched_feed *parked, struct workers *workers,
				   const atomic_bool *stopped);

/* Does the buffer have sched_waking records?  The reader's; may read all that is left. */
bool sched_feed_has_waking(struct sched_feed *feed);
#endif
