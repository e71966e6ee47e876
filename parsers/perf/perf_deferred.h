/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_PERF_PERF_DEFERRED_H
#define FTOP_PARSERS_PERF_PERF_DEFERRED_H
/*
 * perf_deferred - the part of user space of call chains that comes after its samples
 * (CALLCHAIN_DEFERRED, Linux 6.19): the kernel finds it when the task returns to user space.
 *
 * Such a sample's chain ends with a context of its own and a cookie; the record has the cookie and
 * the addresses.  One record belongs to all samples of its task that have its cookie.
 */
#include "parsers/perf/perf_file.h"

#define PERF_DEFERRED_MOST	512u	/* addresses: the kernel writes no more */

struct perf_deferred_chain {
	uint64_t	cookie;
	uint64_t	offset;		/* of its record in the file */
	int		tid;
	uint32_t	nr;		/* addresses */
};

struct perf_deferred {
	struct perf_deferred_chain *chains;	/* owned, [nr]; once settled by task and cookie */
	uint64_t	 nr, cap;
	struct perf_deferred_chain *wanted;	/* owned, [nr_wanted]: of samples; .offset 0 */
	uint64_t	 nr_wanted, cap_wanted;
};

/* The cookie that the chain of a sample ends with.  False: it ends otherwise. */
bool perf_deferred_cookie(const struct perf_sample *sample, bool swap, uint64_t *cookie);

/* In the pass over all records: a record CALLCHAIN_DEFERRED; a sample that waits for one. */
void perf_deferred_take(struct perf_deferred *deferred, const struct perf_file *file,
			const struct perf_record *record);
void perf_deferred_want(struct perf_deferred *deferred, int tid, uint64_t cookie);
/* After it.  Return: how many chains that samples wait for are not in the file. */
uint64_t perf_deferred_settle(struct perf_deferred *deferred);

/* The addresses, in the byte order of the file.  Return: how many; 0: none are known. */
uint32_t perf_deferred_read(const struct perf_deferred *deferred, const struct perf_file *file,
			    int tid, uint64_t cookie, uint8_t to[static 8 * PERF_DEFERRED_MOST]);
void perf_deferred_fini(struct perf_deferred *deferred);
#endif
