/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records of tasks out of made-up traces, in one order, beside the list of what is in them: feed,
 * scan, types and names.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/sched/sched_feed.h"
#include "tests/lib/gen_sched.h"

static const enum sched_op ops[] = {
	[GEN_SCHED_SWITCH - GEN_SCHED_SWITCH] = SCHED_SWITCH,
	[GEN_SCHED_WAKING - GEN_SCHED_SWITCH] = SCHED_WAKING,
	[GEN_SCHED_WAKEUP - GEN_SCHED_SWITCH] = SCHED_WAKEUP,
	[GEN_SCHED_WAKEUP_NEW - GEN_SCHED_SWITCH] = SCHED_WAKEUP_NEW,
	[GEN_SCHED_MIGRATE - GEN_SCHED_SWITCH] = SCHED_MIGRATE,
	[GEN_SCHED_STAT - GEN_SCHED_SWITCH] = SCHED_SYSTEM,
	[GEN_SCHED_SOFTIRQ_ENTRY - GEN_SCHED_SWITCH] = SCHED_ENTER,
	[GEN_SCHED_SOFTIRQ_EXIT - GEN_SCHED_SWITCH] = SCHED_LEAVE,
	[GEN_SCHED_IRQ_ENTRY - GEN_SCHED_SWITCH] = SCHED_ENTER,
	[GEN_SCHED_IRQ_EXIT - GEN_SCHED_SWITCH] = SCHED_LEAVE,
};

struct subject {
	struct gen_sched	*gen;
	struct trace		*trace;
	struct sched_types	*types;
	struct name_table	*names;
	char			path[64];
	atomic_bool		stopped;
};

static struct sched_feed *open_feed(struct subject *s, uint64_t seed, uint32_t steps,
				    unsigned int workers, bool pictures)
{
	struct gen_sched_options options = gen_sched_sample(seed, steps);
	struct trace_options open = { .nr_workers = workers ? workers : 1,
				      .hold_permille = -1,
				      .no_index = true };
	const char *path = s->path;
	struct ft_error err = { 0 };
	struct sched_feed_options feed = { 0 };

	/* all is recorded or lost: tests/compare/sched.py knows what is neither */
	options.pauses = 0;
	if (options.max_delta > 140000000)
		options.max_delta = 140000000;
	snprintf(s->path, sizeof(s->path), "/tmp/test_sched_feed.XXXXXX");
	close(mkstemp(s->path));
	s->gen = gen_sched_new(&options);
	if (gen_sched_write(s->gen, s->path, &err))
		fail_msg("%s", err.message);
	s->trace = trace_open(&path, 1, true, &open, &err);
	if (!s->trace)
		fail_msg("%s", err.message);
	s->types = sched_types_new(s->trace, 0, pictures, false);
	s->names = name_table_new();
	feed.scan.trace = s->trace;
	feed.buffer = options.second_buffer;
	feed.scan.types = s->types;
	feed.scan.names = s->names;
	feed.workers = workers ? trace_workers(s->trace) : NULL;
	feed.stopped = &s->stopped;
	return sched_feed_new(&feed);
}

static void close_feed(struct subject *s, struct sched_feed *feed)
{
	sched_feed_free(feed);
	trace_close(s->trace);
	free(s->types);
	name_table_free(s->names);
	gen_sched_free(s->gen);
	unlink(s->path);
}

static bool is_wanted(const struct gen_sched_event *e, bool pictures)
{
	return e->type >= GEN_SCHED_SWITCH && e->type != GEN_SCHED_STAT &&
	       (pictures || e->type <= GEN_SCHED_MIGRATE);
}

static void assert_name(struct subject *s, uint32_t name, const char *expected)
{
	assert_string_equal(name_table_text(s->names, name), expected);
}

static void assert_record(struct subject *s, const struct sched_feed *feed, unsigned int cpu,
			  const struct sched_rec *rec, const struct gen_sched_event *e)
{
	int step = s->gen->options.cpu_step ? s->gen->options.cpu_step : 1;

	assert_int_equal(rec->op, ops[e->type - GEN_SCHED_SWITCH]);
	assert_int_equal(rec->ts, e->ts);
	assert_int_equal(sched_feed_cpu(feed, cpu), e->cpu);
	if (e->type >= GEN_SCHED_SOFTIRQ_ENTRY) {
		assert_int_equal(rec->pid, e->state);
		assert_int_equal(rec->pid2, e->type);
		assert_int_equal(rec->detail, e->type >= GEN_SCHED_IRQ_ENTRY ?
						      SCHED_CONTEXT_IRQ :
						      SCHED_CONTEXT_SOFTIRQ);
		return;
	}
	assert_int_equal(rec->pid, e->pid);
	assert_int_equal(rec->prio, e->prio);
	assert_name(s, rec->comm, e->comm);
	if (e->type == GEN_SCHED_SWITCH) {
		assert_int_equal(rec->pid2, e->pid2);
		assert_name(s, rec->comm2, e->comm2);
		assert_int_equal(rec->cpu, e->state);
		return;
	}
	assert_int_equal(rec->pid2, e->common_pid);
	assert_int_equal(rec->detail, e->flags);
	assert_int_equal(rec->cpu, e->target * step);
}

/*
 * The next event of the list that the feed tells of; where a stretch begins on the way is noted for
 * its STRETCH.
 */
struct walk {
	uint32_t	at;		/* event */
	bool		begun[1024];	/* by CPU number: it has had a record */
	bool		cut[1024];	/* its next record comes after a loss, as was told */
	int64_t		last_ts[1024];
	struct missing	*missing;	/* owned, [events] */
	uint32_t	told[1024];	/* from this event on missing switches are to be told */
};

struct missing {			/* a switch before an event */
	bool		is;
	bool		may_be_lost;	/* among events that are: there is no gap of its own */
	int64_t		after;		/* ts of the record before */
};

/* The first switch of the stretch that begins with event i; NULL: it has none. */
static const struct gen_sched_event *first_switch(const struct gen_sched *gen, uint32_t i)
{
	int cpu = gen->events[i].cpu;

	for (uint32_t k = i; k < gen->nr; k++) {
		const struct gen_sched_event *e = &gen->events[k];

		if (e->cpu == cpu && k > i && e->lost)
			return NULL;
		if (e->cpu == cpu && e->type == GEN_SCHED_SWITCH)
			return e;
	}
	return NULL;
}

/* Do records before a stretch's first switch tell who ran? */
static bool is_proved(const struct gen_sched *gen, uint32_t i)
{
	const struct gen_sched_event *e = first_switch(gen, i);

	return e && e->pid == e->common_pid;
}

/*
 * The stretch that begins with event i of the list: which task its first switch leaves, or that
 * there is none.
 */
static void assert_stretch(struct subject *s, const struct sched_rec *rec, uint32_t i,
			   const struct walk *w)
{
	const struct gen_sched_event *begin = &s->gen->events[i], *first = first_switch(s->gen, i);

	bool others = false;

	assert_int_equal(rec->ts, begin->ts);
	assert_int_equal(rec->end, begin->lost && w->begun[begin->cpu] ? w->last_ts[begin->cpu] :
									 SCHED_NO_END);
	if (!first) {
		assert_int_equal(rec->detail, SCHED_FIRST_NOBODY);
		return;
	}
	for (const struct gen_sched_event *e = begin; e < first; e++)
		others |= e->cpu == begin->cpu && e->common_pid != first->pid;
	assert_int_equal(rec->detail, !is_proved(s->gen, i) ? SCHED_FIRST_BLIND :
				      others                ? SCHED_FIRST_OTHERS :
							      SCHED_FIRST_TASK);
	assert_int_equal(rec->pid, first->pid);
}

/* A CUT comes in time: all events up to it were told of, and the next one on its CPU is lost. */
static void assert_cut(struct subject *s, struct walk *w, int cpu, const struct sched_rec *rec)
{
	int64_t last = SCHED_NO_END;
	uint32_t next = s->gen->nr;

	for (uint32_t i = 0; i < s->gen->nr && next == s->gen->nr; i++) {
		const struct gen_sched_event *e = &s->gen->events[i];

		if (e->cpu != cpu)
			continue;
		if (i >= w->at && e->lost)
			next = i;
		else
			last = e->ts;
	}
	assert_true(next < s->gen->nr);
	assert_int_equal(rec->ts, last);
	w->cut[cpu] = true;
}

/* By each event: is its task one that cannot run there? */
static void find_missing(const struct gen_sched *gen, int cpu, struct missing *missing)
{
	int64_t last = 0;
	int on = -1, left = -1;		/* -1: not known */
	bool begun = false, lost = false;	/* lost: the switch away from `on` may be */

	for (uint32_t i = 0; i < gen->nr; i++) {
		const struct gen_sched_event *e = &gen->events[i];
		bool switches = e->type == GEN_SCHED_SWITCH;

		if (e->cpu != cpu)
			continue;
		if (e->lost || !begun) {
			on = is_proved(gen, i) ? e->common_pid : -1;
			/* what leaves makes no sched events */
			lost = e->lost || e->type < GEN_SCHED_SWITCH || e->type > GEN_SCHED_STAT;
		}
		begun = true;
		if (on >= 0 && (!switches || e->pid == e->common_pid) && e->common_pid != on &&
		    (switches || e->common_pid != left))
			missing[i] = (struct missing){ true, lost, last };
		lost &= !switches && e->common_pid == on;
		if (on >= 0 && (e->common_pid == on || missing[i].is)) {
			on = e->common_pid;
			left = -1;
		}
		if (switches) {
			on = e->pid == e->common_pid ? e->pid2 : -1;
			left = e->pid;
		}
		last = e->ts;
	}
}

static void find_all_missing(const struct gen_sched *gen, const struct sched_feed *feed,
			     struct walk *w)
{
	w->missing = calloc(gen->nr + 1, sizeof(*w->missing));
	for (unsigned int i = 0; i < sched_feed_nr_cpus(feed); i++)
		find_missing(gen, sched_feed_cpu(feed, i), w->missing);
}

/* The CUT or the STRETCH of a missing switch is the next one of its CPU. */
static void assert_missing(struct subject *s, struct walk *w, int cpu, const struct sched_rec *rec)
{
	uint32_t i = w->told[cpu];

	while (i < s->gen->nr && (s->gen->events[i].cpu != cpu || !w->missing[i].is))
		i++;
	assert_true(i < s->gen->nr);
	assert_int_equal(rec->op == SCHED_CUT ? rec->ts : rec->end, w->missing[i].after);
	assert_true(rec->op == SCHED_STRETCH || !w->missing[i].may_be_lost);
	w->told[cpu] = i;
	if (rec->op == SCHED_CUT)
		return;
	assert_int_equal(rec->ts, s->gen->events[i].ts);
	assert_int_equal(rec->pid, s->gen->events[i].common_pid);
	w->missing[i].is = false;
}

/*
 * An interrupt had ended before an event that was not made in it: at the record before, if there is
 * one.  False: it is another record.
 */
static bool assert_ended(struct subject *s, int cpu, const struct sched_rec *rec)
{
	int64_t before = INT64_MIN;

	if (rec->op != SCHED_LEAVE || rec->detail != SCHED_CONTEXT_TASK)
		return rec->op == SCHED_KEY;

	for (uint32_t i = 0; i < s->gen->nr; i++) {
		const struct gen_sched_event *e = &s->gen->events[i];

		if (e->cpu != cpu)
			continue;
		if (e->ts == rec->ts && rec->end == (before == INT64_MIN ? e->ts : before) &&
		    (e->flags & SCHED_IN_INTERRUPT) == rec->cpu)
			return true;
		before = e->ts;
	}
	fail_msg("no event tells that an interrupt had ended at %lld", (long long)rec->end);
	return true;
}

static void check_feed(uint64_t seed, uint32_t steps, unsigned int workers, bool pictures)
{
	struct subject s = { 0 };
	struct sched_feed *feed = open_feed(&s, seed, steps, workers, pictures);
	struct sched_item items[SCHED_ITEMS];
	struct walk *w = calloc(1, sizeof(*w));
	int64_t last = INT64_MIN;
	uint32_t nr;

	find_all_missing(s.gen, feed, w);
	while ((nr = sched_feed_next(feed, items))) {
		for (uint32_t i = 0; i < nr; i++) {
			const struct sched_rec *rec = items[i].rec;
			unsigned int cpu = items[i].cpu;
			const struct gen_sched_event *e;

			if (rec->op == SCHED_KEY || rec->op == SCHED_SEEN ||
			    assert_ended(&s, sched_feed_cpu(feed, cpu), rec))
				continue;
			if ((rec->op == SCHED_CUT || rec->op == SCHED_STRETCH) && rec->missing) {
				assert_missing(&s, w, sched_feed_cpu(feed, cpu), rec);
				continue;
			}
			if (rec->op == SCHED_CUT) {
				assert_cut(&s, w, sched_feed_cpu(feed, cpu), rec);
				continue;
			}
			/* What the feed says nothing of; a STRETCH stands before any event. */
			for (;; w->at++) {
				assert_true(w->at < s.gen->nr);
				e = &s.gen->events[w->at];
				if (!w->begun[e->cpu] || e->lost || is_wanted(e, pictures))
					break;
				w->last_ts[e->cpu] = e->ts;
			}
			if (rec->op == SCHED_STRETCH) {
				assert_true(!w->begun[e->cpu] || e->lost);
				assert_int_equal(sched_feed_cpu(feed, cpu), e->cpu);
				assert_int_equal(w->cut[e->cpu], e->lost);
				w->cut[e->cpu] = false;
				assert_stretch(&s, rec, w->at, w);
				w->begun[e->cpu] = true;
				s.gen->events[w->at].lost = false;	/* told */
				continue;
			}
			assert_record(&s, feed, cpu, rec, e);
			w->last_ts[e->cpu] = e->ts;
			w->at++;
		}
	}
	for (uint32_t i = 0; i < s.gen->nr; i++)
		assert_false(w->missing[i].is);
	for (; w->at < s.gen->nr; w->at++)
		assert_false(is_wanted(&s.gen->events[w->at], pictures));
	for (uint32_t i = 0; i < s.gen->nr; i++)
		last = s.gen->events[i].ts > last ? s.gen->events[i].ts : last;
	if (s.gen->nr)
		assert_int_equal(sched_feed_totals(feed).last_ts, last);
	assert_int_equal(sched_feed_totals(feed).pages, sched_feed_totals(feed).all_pages);
	free(w->missing);
	free(w);
	close_feed(&s, feed);
}

static void records_come_in_order(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 60; seed++)
		check_feed(seed, 1200, (unsigned int)(seed % 4), seed % 2);
}

/* More than a piece of each CPU: workers go ahead. */
static void pieces_are_joined(void **state)
{
	(void)state;
	for (uint64_t seed = 100; seed < 106; seed++)
		check_feed(seed, 60000, (unsigned int)(seed % 3), true);
}

static void a_stop_is_heeded(void **state)
{
	struct subject s = { 0 };
	struct sched_feed *feed = open_feed(&s, 3, 20000, 2, true);
	struct sched_item items[SCHED_ITEMS];

	(void)state;
	assert_int_not_equal(sched_feed_next(feed, items), 0);
	atomic_store(&s.stopped, true);
	assert_int_equal(sched_feed_next(feed, items), 0);
	assert_int_equal(sched_feed_next(feed, items), 0);
	close_feed(&s, feed);
}

/* What leaves a CPU how, by the letters of each era. */
static void classes_follow_the_print_format(void **state)
{
	static const struct {
		enum gen_sched_era era;
		uint64_t	state;
		enum sched_class class;
	} cases[] = {
		{ GEN_SCHED_2_6, 0, SCHED_CLASS_RUNNABLE }, { GEN_SCHED_2_6, 1, SCHED_CLASS_SLEEP },
		{ GEN_SCHED_2_6, 2, SCHED_CLASS_BLOCKED }, { GEN_SCHED_2_6, 64, SCHED_CLASS_GONE },
		{ GEN_SCHED_2_6, 128, SCHED_CLASS_SLEEP },
		{ GEN_SCHED_3, 1024, SCHED_CLASS_RUNNABLE },
		{ GEN_SCHED_3, 1025, SCHED_CLASS_RUNNABLE },
		{ GEN_SCHED_3, 256, SCHED_CLASS_SLEEP },
		{ GEN_SCHED_3, 64, SCHED_CLASS_GONE },
		{ GEN_SCHED_3, 0x10000000, SCHED_CLASS_SLEEP },
		{ GEN_SCHED_4_14, 256, SCHED_CLASS_RUNNABLE },
		{ GEN_SCHED_4_14, 16, SCHED_CLASS_GONE },
		{ GEN_SCHED_4_14, 32, SCHED_CLASS_GONE }, { GEN_SCHED_4_14, 64, SCHED_CLASS_SLEEP },
		{ GEN_SCHED_4_14, 130, SCHED_CLASS_BLOCKED },
		/* numbers of bits: T, X, Z, P */
		{ GEN_SCHED_4_14, 3, SCHED_CLASS_SLEEP }, { GEN_SCHED_4_14, 5, SCHED_CLASS_GONE },
		{ GEN_SCHED_4_14, 6, SCHED_CLASS_GONE }, { GEN_SCHED_4_14, 7, SCHED_CLASS_SLEEP },
		{ GEN_SCHED_3, 3, SCHED_CLASS_BLOCKED },
		{ GEN_SCHED_7, 128, SCHED_CLASS_SLEEP },
	};

	(void)state;
	for (unsigned int i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct subject s = { 0 };
		struct sched_feed *feed = open_feed(&s, cases[i].era, 1, 0, false);

		assert_int_equal(sched_types_class(s.types, cases[i].state) & SCHED_CLASS_MASK,
				 cases[i].class);
		close_feed(&s, feed);
	}
}

static void equal_names_are_equal_numbers(void **state)
{
	struct name_table *names = name_table_new();
	uint32_t numbers[500];
	char name[16];

	(void)state;
	for (unsigned int i = 0; i < 500; i++) {
		memset(name, 'x', sizeof(name));
		snprintf(name, sizeof(name), "n%u", i);
		numbers[i] = name_table_add(names, name, sizeof(name));
		assert_int_not_equal(numbers[i], 0);
	}
	for (unsigned int i = 0; i < 500; i++) {
		snprintf(name, sizeof(name), "n%u", i);
		assert_int_equal(name_table_add(names, name, strlen(name)), numbers[i]);
		assert_string_equal(name_table_text(names, numbers[i]), name);
	}
	assert_string_equal(name_table_text(names, name_table_add(names, "", 0)), "");
	assert_string_equal(name_table_text(names, name_table_add(names, "16 bytes, no NUL", 16)),
			    "16 bytes, no NUL");
	name_table_free(names);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_come_in_order),
		cmocka_unit_test(pieces_are_joined),
		cmocka_unit_test(a_stop_is_heeded),
		cmocka_unit_test(classes_follow_the_print_format),
		cmocka_unit_test(equal_names_are_equal_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
