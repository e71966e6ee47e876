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

const struct latency_instance *latency_longest(const struct latency_kind *kind)
{
	for (uint32_t i = 0; i < kind->worst.nr; i++)
		if (latency_counts(&kind->worst.list[i]))
			return &kind->worst.list[i];
	return kind->opens.nr ? kind->opens.list : NULL;
}

const struct latency_instance *latency_worst(const struct latency_kind *kind, unsigned int number)
{
	const struct latency_instance *open = kind->opens.nr ? kind->opens.list : NULL,
				      *of = latency_longest(kind);

	return open && is_sure(open, number == LATENCY_CALL) &&
			       latency_duration(open) > latency_duration(of) ?
		       open :
		       of;
}

/* Those that are looked at: that ended, and open ones that have lasted longer than a figure. */
struct ranking {
	const struct latency_kept *ended, *opens;
	uint32_t	nr_opens, nr_sure;	/* the first ones, as the oldest come first */
	bool		is_call;
};

static struct ranking ranking_of(const struct latency_kind *kind, bool is_call, uint64_t figure)
{
	struct ranking r = { &kind->worst, &kind->opens, .is_call = is_call };

	for (; r.nr_opens < r.opens->nr && latency_duration(&r.opens->list[r.nr_opens]) > figure;
	     r.nr_opens++)
		r.nr_sure += is_sure(&r.opens->list[r.nr_opens], is_call);
	return r;
}

/*
 * The duration with this rank from the longest on, 0 being that, with open ones as long as they
 * have lasted.  @sure: without doubtful ones.  UINT64_MAX: it is not kept.
 */
static uint64_t from_longest(const struct ranking *r, uint64_t rank, bool sure)
{
	uint32_t i = 0, k = 0;

	while (i < r->ended->nr || k < r->nr_opens) {
		bool is_ended = k == r->nr_opens ||
				(i < r->ended->nr && latency_duration(&r->ended->list[i]) >=
							     latency_duration(&r->opens->list[k]));
		const struct latency_instance *of = is_ended ? &r->ended->list[i++] :
							       &r->opens->list[k++];

		if (sure && !is_sure(of, r->is_call))
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

static void bound_percentile(const struct ranking *r, uint64_t n, uint64_t doubtful,
			     unsigned int permille, uint64_t figure, double *least, double *most)
{
	uint64_t sure = n + r->nr_sure, all = n + doubtful + r->nr_opens, rank, found;

	*least = 0;
	*most = INFINITY;
	if (!all)
		return;
	found = from_longest(r, rank_of(permille, all), false);
	if (found != UINT64_MAX)
		*most = (double)found;
	/* doubtful ones may have taken no time */
	rank = sure + doubtful ? rank_of(permille, sure + doubtful) : 0;
	found = rank < sure ? from_longest(r, rank, true) : 0;
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
		struct ranking ranking;
		uint64_t figure;

		if (column->value.offset != ranks[i].at)
			continue;
		memcpy(&figure, (const char *)s + ranks[i].at - AT(n), sizeof(figure));
		if (!s->n && !doubtful && ranks[i].permille < 1000)
			return false;
		ranking = ranking_of(kind, number == LATENCY_CALL, figure);
		if (s->shared) {	/* in a queue, the maximum is the least that may be */
			*least = ranks[i].permille == 1000 ? (double)figure : 0;
			*most = INFINITY;
		} else if (!s->n || doubtful || ranking.nr_opens) {
			bound_percentile(&ranking, s->n, doubtful, ranks[i].permille, figure, least,
					 most);
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
	} else if (s->unsettled && column->value.offset != AT(min)) {
		*least = 0;
		*most = INFINITY;
	} else if (column->value.offset == AT(total)) {
		*least = (double)s->total;
		*most = total;
	} else if (column->value.offset == AT(average)) {
		*least = doubtful ? (double)s->total / all : (double)s->average;
		*most = doubtful ? total / all : *least;
	} else if (column->value.offset == AT(min)) {
		*least = doubtful || s->shared ? 0 : (double)s->min;
		*most = (double)s->min;
	} else {
		return false;
	}
	return true;
#undef AT
}
