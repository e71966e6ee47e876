/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/perf/perf_deferred.h"

#include <stdlib.h>

#include "parsers/io/read_at.h"
#include "src/base/bisect.h"
#include "src/base/memory.h"

#define CONTEXT_USER_DEFERRED	((uint64_t)-640)
#define CHAIN_AT		(PERF_HEADER_BYTES + 16u)	/* after cookie and number */
/* parts of 8 bytes that other records than samples end with */
#define AT_THE_END                                                                                 \
	(1u << PERF_IDENTIFIER | 1u << PERF_CPU | 1u << PERF_STREAM_ID | 1u << PERF_ID |           \
	 1u << PERF_TIME | 1u << PERF_TID)

bool perf_deferred_cookie(const struct perf_sample *sample, bool swap, uint64_t *cookie)
{
	const uint8_t *last;

	if (sample->nr_chain < 2)
		return false;
	last = sample->chain + 8 * (sample->nr_chain - 2);
	*cookie = load_u64(last + 8, swap);
	return load_u64(last, swap) == CONTEXT_USER_DEFERRED;
}

/* Does the record have so many addresses, before what all records end with? */
static bool has_addresses(const struct perf_attr *attr, const struct perf_record *record,
			  uint64_t nr)
{
	uint32_t end = 8 * (uint32_t)__builtin_popcountll(attr->sample_type & AT_THE_END);

	return nr <= PERF_DEFERRED_MOST && CHAIN_AT + 8 * nr + end <= record->size;
}

void perf_deferred_take(struct perf_deferred *deferred, const struct perf_file *file,
			const struct perf_record *record)
{
	const struct perf_attr *attr = perf_file_attr(file, record);
	struct perf_stamp stamp;
	uint64_t nr;

	if (!attr || record->size < CHAIN_AT ||
	    !perf_record_stamp(attr, record, file->swap, &stamp))
		return;
	nr = load_u64(record->data + PERF_HEADER_BYTES + 8, file->swap);
	if (!has_addresses(attr, record, nr))
		return;
	mem_grow(&deferred->chains, deferred->nr, &deferred->cap);
	deferred->chains[deferred->nr++] = (struct perf_deferred_chain){
		.cookie = load_u64(record->data + PERF_HEADER_BYTES, file->swap),
		.offset = record->offset, .tid = stamp.tid, .nr = (uint32_t)nr
	};
}

void perf_deferred_want(struct perf_deferred *deferred, int tid, uint64_t cookie)
{
	const struct perf_deferred_chain *last =
		deferred->nr_wanted ? &deferred->wanted[deferred->nr_wanted - 1] : NULL;

	/* mostly those of a task come one after the other */
	if (last && last->tid == tid && last->cookie == cookie)
		return;
	mem_grow(&deferred->wanted, deferred->nr_wanted, &deferred->cap_wanted);
	deferred->wanted[deferred->nr_wanted++] =
		(struct perf_deferred_chain){ .cookie = cookie, .tid = tid };
}

static int compare(const void *a, const void *b)
{
	const struct perf_deferred_chain *x = a, *y = b;

	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	if (x->cookie != y->cookie)
		return x->cookie < y->cookie ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* The first one in the file: each event that asks for it gets a record. */
static const struct perf_deferred_chain *find(const struct perf_deferred *deferred, int tid,
					      uint64_t cookie)
{
	const struct perf_deferred_chain key = { .cookie = cookie, .tid = tid },
					 *all = deferred->chains;
	uint64_t at = bisect(deferred->nr, i, compare(&all[i], &key) < 0);

	return at < deferred->nr && all[at].tid == tid && all[at].cookie == cookie ? &all[at] :
										     NULL;
}

uint64_t perf_deferred_settle(struct perf_deferred *deferred)
{
	const struct perf_deferred_chain *wanted = deferred->wanted;
	uint64_t missing = 0;

	if (deferred->nr)
		qsort(deferred->chains, deferred->nr, sizeof(*deferred->chains), compare);
	if (deferred->nr_wanted)
		qsort(deferred->wanted, deferred->nr_wanted, sizeof(*wanted), compare);
	for (uint64_t i = 0; i < deferred->nr_wanted; i++)
		missing += (!i || compare(&wanted[i], &wanted[i - 1])) &&
			   !find(deferred, wanted[i].tid, wanted[i].cookie);
	free(deferred->wanted);
	deferred->wanted = NULL;
	deferred->nr_wanted = deferred->cap_wanted = 0;
	return missing;
}

uint32_t perf_deferred_read(const struct perf_deferred *deferred, const struct perf_file *file,
			    int tid, uint64_t cookie, uint8_t to[static 8 * PERF_DEFERRED_MOST])
{
	const struct perf_deferred_chain *chain = find(deferred, tid, cookie);
	uint32_t bytes = chain ? 8 * chain->nr : 0;

	/* the file may have become shorter since the pass */
	if (!bytes || read_at(file->fd, to, bytes, chain->offset + CHAIN_AT) != bytes)
		return 0;
	return chain->nr;
}

void perf_deferred_fini(struct perf_deferred *deferred)
{
	free(deferred->chains);
	free(deferred->wanted);
}
