/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recorder/run/measure.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

static bool has_timerlat(const struct record_plan *plan)
{
	for (size_t i = 0; i < plan->nr_buffers; i++)
		if (plan->buffers[i].tracer && !strcmp(plan->buffers[i].tracer, "timerlat"))
			return true;
	return false;
}

/* When tracing stops; with timerlat, the stack of what delayed the thread is wanted then, too. */
static int write_stops(const struct files *f, struct ft_error *err)
{
	uint64_t irq = (uint64_t)f->plan->stop_tracing_us,
		 total = (uint64_t)f->plan->stop_tracing_total_us;

	if (irq && write_us(f, "osnoise/stop_tracing_us", irq, err))
		return -1;
	if (total && write_us(f, "osnoise/stop_tracing_total_us", total, err))
		return -1;
	if ((!irq && !total) || plan_measure_of(f->plan, "osnoise/print_stack") ||
	    !has_timerlat(f->plan) || !tracefs_dir_has(f->root, "osnoise/print_stack"))
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
	case MEASURE_USER:
	case MEASURE_KERNEL:
	case MEASURE_LATENCY:
		break;		/* when the tracer is set */
	case MEASURE_CHOICE:
		ret = write_file(f, JOURNAL_CHOICE, key->file, m->value, err);
		break;
	}
	if (!ret && key->option && tracefs_dir_has(f->root, MEASURE_OPTIONS))
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

/* The kernel keeps to it as long as the file is open. */
static int hold_latency(struct measuring *m, const struct plan_measure *latency,
			struct ft_error *err)
{
	static const char file[] = "/dev/cpu_dma_latency";
	int32_t us = (int32_t)latency->us;

	m->latency_fd = open(file, O_WRONLY | O_CLOEXEC);
	if (m->latency_fd < 0 || write(m->latency_fd, &us, sizeof(us)) != sizeof(us))
		return tracefs_dir_refused(err, errno, "dma-latency: %s", file);
	return 0;
}

int measure_start(struct measuring *m, const struct tracefs_dir *root,
		  const struct record_plan *plan, const struct await *await, struct ft_error *err)
{
	const struct plan_measure *prio = plan_measure_named(plan, "prio"),
				  *latency = plan_measure_named(plan, "dma-latency");

	if (latency && hold_latency(m, latency, err))
		return -1;
	if (plan_measure_named(plan, "user"))
		return timerlat_user_start(&m->user, root, plan->nr_cpus,
					   prio ? &prio->priority : NULL, await, err);
	if (!prio)
		return 0;
	return priority_set_threads(tracer_of(plan, prio), "/proc", &prio->priority, err);
}

void measure_end(struct measuring *m, struct text *notes)
{
	timerlat_user_end(&m->user, notes);
	if (m->latency_fd >= 0)
		close(m->latency_fd);
	m->latency_fd = -1;
}
