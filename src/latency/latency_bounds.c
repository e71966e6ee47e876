/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * latency_bounds - between which numbers a figure of a kind is, from its worst instances: doubtful
 * and open ones are not in the sums.
 */
#include "src/latency/latency_columns.h"

#include <math.h>

#define ROUNDED		1.004	/* latency_sums.rounded */

/* The exit of an open call may be lost. */
static bool is_sure(const struct latency_instance *i, bool is_call)
{
	if (is_call && i->flags & LATENCY_OPEN)
		return false;
	return !(i->flags & LATENCY_DOUBTFUL) || i->flags & LATENCY_EXACT;
}

const struct latency_instance *latency_worst(const struct latency_kind *kind, unsigned int number)
{
	const struct latency_instance *open = kind->opens.nr ? kind->opens.list : NULL;
	bool is_longer = open && is_sure(open, number == LATENCY_CALL);

	for (uint32_t i = 0; i < kind->worst.nr; i++) {
		const struct latency_instance *of = &kind->worst.list[i];

		if (latency_counts(of))
			return is_longer && latency_duration(open) > latency_duration(of) ? open :
											    of;
	}
	return open;
}

/* Open ones that have lasted longer than this; the oldest come first. */
static uint64_t nr_longer(const struct latency_kept *opens, uint64_t than, bool sure, bool is_call)
{
	uint64_t nr = 0;

	for (uint32_t i = 0; i < opens->nr && latency_duration(&opens->list[i]) > than; i++)
		nr += !sure || is_sure(&opens->list[i], is_call);
	return nr;
}

/*
 * The duration with this rank from the longest on, 0 being that, with open ones as long as they
 * have lasted.  @sure: without doubtful ones.  UINT64_MAX: it is not kept.
 */
static uint64_t from_longest(const struct latency_kind *kind, uint64_t rank, bool sure,
			     bool is_call)
{
	const struct latency_kept *ended = &kind->worst, *opens = &kind->opens;
	uint32_t i = 0, k = 0;

	while (i < ended->nr || k < opens->nr) {
		bool is_ended = k == opens->nr ||
				(i < ended->nr && latency_duration(&ended->list[i]) >=
							  latency_duration(&opens->list[k]));
		const struct latency_instance *of = is_ended ? &ended->list[i++] :
							       &opens->list[k++];

		if (sure && !is_sure(of, is_call))
			continue;
		if (!rank--)
			return latency_duration(of);
	}
	return UINT64_MAX;
}

/* Rank of a percentile from the longest on. */
static uint64_t rank_of(unsigned int permille, uint64_t nr)
{
	uint64_t from_shortest = nr / 1000 * permille + (nr % 1000 * permille + 999) / 1000;

	return nr - (from_shortest ? from_shortest : 1);
}

static void bound_percentile(const struct latency_kind *kind, unsigned int number,
			     unsigned int permille, uint64_t figure, double *least, double *most)
{
	bool is_call = number == LATENCY_CALL;
	uint64_t n = kind->sums.n, doubtful = latency_nr_ended(number, &kind->sums) - n,
		 sure = n + nr_longer(&kind->opens, figure, true, is_call),
		 all = n + doubtful + nr_longer(&kind->opens, figure, false, is_call), rank, found;

	*least = 0;
	*most = INFINITY;
	if (!all)
		return;
	found = from_longest(kind, rank_of(permille, all), false, is_call);
	if (found != UINT64_MAX)
		*most = (double)found;
	/* doubtful ones may have taken no time */
	rank = rank_of(permille, sure + doubtful);
	found = rank < sure ? from_longest(kind, rank, true, is_call) : 0;
	if (found != UINT64_MAX)
		*least = (double)found;
	/* open ones make the maximum larger; of all others, the figure is one that may be */
	if (permille < 1000 && n) {
		*least = fmin(*least, (double)figure);
		*most = fmax(*most, (double)figure);
	}
}

bool latency_bounds(const struct latency_kind *kind, unsigned int number,
		    const struct table_column *column, double *least, double *most)
{
#define AT(member)	offsetof(struct latency_kind_row, sums.member)
	static const struct {
		size_t		at;
		unsigned int	permille;
	} ranks[] = { { AT(p50), 500 }, { AT(p95), 950 }, { AT(p99), 990 }, { AT(p999), 999 },
		      { AT(max), 1000 } };
	const struct latency_sums *s = &kind->sums;
	uint64_t doubtful = latency_nr_ended(number, s) - s->n;
	double n = (double)s->n, all = n + (double)doubtful,
	       longest = kind->worst.nr ? (double)latency_duration(kind->worst.list) : 0,
	       total = (double)s->total + (double)doubtful * longest;

	for (size_t i = 0; i < sizeof(ranks) / sizeof(ranks[0]); i++) {
		uint64_t figure;

		if (column->value.offset != ranks[i].at)
			continue;
		memcpy(&figure, (const char *)s + ranks[i].at - AT(n), sizeof(figure));
		if (!s->n && !doubtful && ranks[i].permille < 1000)
			return false;
		if (!s->n || doubtful || nr_longer(&kind->opens, figure, false, false)) {
			bound_percentile(kind, number, ranks[i].permille, figure, least, most);
		} else {
			*least = (double)figure;
			*most = s->rounded ? *least * ROUNDED : *least;
		}
		return true;
	}
	if (column->value.offset == AT(n)) {
		*least = n;
		*most = all;
	} else if (!s->n) {
		return false;
	} else if (column->value.offset == AT(total)) {
		*least = (double)s->total;
		*most = total;
	} else if (column->value.offset == AT(average)) {
		*least = doubtful ? (double)s->total / all : (double)s->average;
		*most = doubtful ? total / all : *least;
	} else if (column->value.offset == AT(min)) {
		*least = doubtful ? 0 : (double)s->min;
		*most = (double)s->min;
	} else {
		return false;
	}
	return true;
#undef AT
}
