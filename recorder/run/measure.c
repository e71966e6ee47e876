/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recorder/run/measure.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "recorder/plan/plan_measure.h"
#include "recorder/run/priority.h"
#include "recorder/tracefs/refusal.h"
#include "src/base/memory.h"
#include "src/recording/measure_keys.h"

/* --- files ------------------------------------------------------------------------------------ */

struct files {
	struct journal			*journal;
	const struct tracefs_dir	*root;
	const struct record_plan	*plan;
};

static int write_file(const struct files *f, enum journal_kind kind, const char *file,
		      const char *value, struct ft_error *err)
{
	if (journal_write(f->journal, kind, file, value, false, err))
		return refusal_add(err, f->root, file, errno, NULL);
	return 0;
}

static int write_us(const struct files *f, const char *file, uint64_t us, struct ft_error *err)
{
	return write_file(f, JOURNAL_VALUE, file, TRACEFS_TEXT("%" PRIu64, us), err);
}

/* When tracing stops; the stack of what delayed the thread is wanted then, too. */
static int write_stops(const struct files *f, struct ft_error *err)
{
	uint64_t irq = (uint64_t)f->plan->stop_tracing_us,
		 total = (uint64_t)f->plan->stop_tracing_total_us;

	if (irq && write_us(f, "osnoise/stop_tracing_us", irq, err))
		return -1;
	if (total && write_us(f, "osnoise/stop_tracing_total_us", total, err))
		return -1;
	if ((!irq && !total) || plan_measure_of(f->plan, "osnoise/print_stack") ||
	    !tracefs_dir_has(f->root, "osnoise/print_stack"))
		return 0;
	return write_us(f, "osnoise/print_stack", total ? total : irq, err);
}

static int write_measure(const struct files *f, const struct plan_measure *m, struct ft_error *err)
{
	const struct measure_key *key = m->key;
	int ret = 0;

	switch (key->kind) {
	case MEASURE_TIME:
		ret = write_us(f, key->file, m->us, err);
		break;
	case MEASURE_CPUS:
		ret = write_file(f, JOURNAL_VALUE, key->file, m->value, err);
		break;
	case MEASURE_OPTION:
		ret = write_file(f, JOURNAL_WORDS, key->file, m->value, err);
		break;
	case MEASURE_PRIORITY:
		break;		/* the threads do not run yet */
	case MEASURE_CHOICE:
		ret = write_file(f, JOURNAL_CHOICE, key->file, m->value, err);
		break;
	}
	if (!ret && key->option)
		ret = write_file(f, JOURNAL_WORDS, MEASURE_OPTIONS, key->option, err);
	return ret;
}

/*
 * The order: of a period and the runtime in it, the kernel takes a value only if it fits the other
 * one that is set.  So a runtime comes before the period, unless it needs the longer period.
 */
static int rank_of(const struct files *f, const struct plan_measure *m)
{
	long long now = 0;

	if (!m->key->at_most)
		return 1;
	if (tracefs_dir_read_number(f->root, m->key->at_most, &now, NULL))
		return 0;
	return m->us > (uint64_t)now ? 2 : 0;
}

int measure_apply(struct journal *journal, const struct tracefs_dir *root,
		  const struct record_plan *plan, struct ft_error *err)
{
	const struct files f = { journal, root, plan };
	int *ranks = mem_array(plan->nr_measures + 1, sizeof(*ranks));
	int ret = write_stops(&f, err);

	for (size_t i = 0; i < plan->nr_measures; i++)
		ranks[i] = rank_of(&f, &plan->measures[i]);
	for (int rank = 0; rank < 3; rank++)
		for (size_t i = 0; i < plan->nr_measures && !ret; i++)
			if (ranks[i] == rank)
				ret = write_measure(&f, &plan->measures[i], err);
	free(ranks);
	return ret;
}

/* --- tasks ------------------------------------------------------------------------------------ */

/* The tracer whose threads measure. */
static const char *tracer_of(const struct record_plan *plan, const struct plan_measure *m)
{
	for (size_t i = 0; i < plan->nr_buffers; i++)
		if (measure_key_fits(m->key, plan->buffers[i].tracer))
			return plan->buffers[i].tracer;
	return "";
}

int measure_start(const struct record_plan *plan, struct ft_error *err)
{
	const struct plan_measure *prio = plan_measure_named(plan, "prio");

	if (!prio)
		return 0;
	return priority_set_threads(tracer_of(plan, prio), "/proc", &prio->priority, err);
}
