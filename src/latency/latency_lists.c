/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * latency_lists - how long things took, as a list_source: kinds, the instances of a kind, their
 * groups, their histogram, and what CPUs did meanwhile.
 */
#include <stdlib.h>
#include <string.h>

#include "src/calls/graph_records.h"
#include "src/base/memory.h"
#include "src/base/paths.h"
#include "src/calls/graph_records.h"
#include "src/latency/latency_columns.h"
#include "src/latency/latency_groups.h"
#include "src/latency/latency_parts.h"
#include "src/model/list_source.h"
#include "src/sched/sched_tell.h"
#include "src/trace/groupings.h"
#include "src/trace/trace_guests.h"
#include "src/trace/trace_latency.h"
#include "src/trace/warnings.h"
#include "src/why/why_rule.h"

enum { OF_KINDS, OF_INSTANCES, OF_OPENS, OF_HISTOGRAM, OF_ANATOMY, OF_CULPRITS, OF_GROUPS,
       NR_LISTS };
enum { OPT_KIND = LIST_OWN, OPT_PAIR, OPT_HOOK, OPT_LIST };	/* OPT_LIST: + OF_OPENS, … */

#define KEEP_TO_SORT	(1u << 20)	/* instances in memory for --sort: 64 MB */
#define LEAST_SHARE	10		/* a part gets a rule from 1/10 of the wait on */
#define MOST_RULES	1000u		/* at most: each of them reads records */
#define KEEP_TO_CHECK	(1u << 18)	/* instances of a kind that bounds are found from: 16 MB */
#define KEEP_TO_PRINT	(1u << 19)	/* most instances that one pass keeps */

_Static_assert(DIFF_BINS == LATENCY_BINS, "histograms are copied");

struct latency_lists {
	struct trace	*trace;		/* borrowed */
	struct list_scope scope;
	struct latency_kinds kinds;
	int		 kind;		/* -1: all */
	unsigned int	 list;
	struct trace	*host;		/* owned: of a guest, if its file is among the operands */
	struct latency	*latency;	/* owned */
	struct latency_result result;
	bool		(*each)(void *arg, struct latency *latency, unsigned int kind,
				const struct latency_instance *i);	/* latency_options.each */
	void		*each_arg;
	uint64_t	 first;		/* instances before result's */
	struct sched	*sched;		/* owned, locked: of OF_ANATOMY and OF_CULPRITS */
	struct culprits	 culprits;
	struct latency_groups groups;
	void		*rows;		/* owned, [nr]: of lists that are in memory */
	uint64_t	 nr;
	/* The row at hand, of others: */
	union {
		struct latency_kind_row group;
		struct latency_row instance;
		struct latency_part_row part;
	}		 row;
	struct text	 what, words;
	/* OF_ANATOMY: the part that is next */
	uint64_t	 nr_begun;	/* instances, with that of the part */
	const struct latency_instance *instance;	/* NULL: it is the first of one */
	struct cpu_parts parts;
	bool		 has_unexplained;	/* CPU_PART_UNEXPLAINED is in the rows */
	unsigned int	 nr_rules;
};

/* Any file may: pairs are of any events. */
static bool has_any(struct trace *trace, unsigned int file)
{
	(void)trace;
	(void)file;
	return true;
}

static bool find(struct trace *trace, unsigned int *file, unsigned int *variant, bool next)
{
	*variant = 0;
	return list_find_file(trace, file, next, has_any);
}

/* What CPUs did while tasks waited. */
static bool is_of_cpus(const struct latency_lists *m)
{
	return m->list == OF_ANATOMY || m->list == OF_CULPRITS;
}

static bool has_instances(const struct latency_lists *m)
{
	return m->list == OF_INSTANCES || m->list == OF_OPENS;
}

/* --- options ---------------------------------------------------------------------------------- */

/* --pair, or -H. */
static int add_pair(struct latency_lists *m, const struct option_value *v, struct ft_error *err)
{
	bool hook = v->id == OPT_HOOK;
	struct text line = { 0 };
	struct ft_error e = { 0 };
	int ret = 0;

	if (!hook)
		text_add(&line, v->value);
	else if (latency_kinds_hook(v->value, &line, err))
		ret = -1;
	if (!ret && latency_kinds_add(&m->kinds, text_str(&line), true, &e))
		ret = ft_error_set(err, e.code, -1, "%s %s: %s", hook ? "-H" : "--pair",
				   text_str(&line), e.message);
	text_fini(&line);
	return ret;
}

/* @kind: its name; NULL: all.  Only the command reports mistakes in the file of pairs. */
static int choose_kind(struct latency_lists *m, const char *kind, struct ft_error *err)
{
	struct ft_error wrong = { 0 };
	struct text pairs = { 0 };
	char path[4096];

	latency_kinds_hooks(&m->kinds, m->trace, m->scope.what.file);
	if (latency_kinds_read(&m->kinds, paths_config("pairs", path, sizeof(path)), &pairs,
			       &wrong) &&
	    m->scope.options)
		warnings_tell("%s", wrong.message);
	text_fini(&pairs);
	m->kind = kind ? latency_kinds_find(&m->kinds, kind, err) : -1;
	return kind && m->kind < 0 ? -1 : 0;
}

static int choose_by(struct latency_lists *m, const char *option, struct ft_error *err)
{
	int by = latency_groups_find(option, &m->kinds, (unsigned int)m->kind, err);

	if (by >= 0)
		m->groups.by = (enum latency_by)by;
	return by < 0 ? -1 : 0;
}

/* @kind, @by: set to their arguments. */
static int read_options(struct latency_lists *m, const char **kind, const char **by,
			struct ft_error *err)
{
	const struct option_list *list = m->scope.options;

	for (unsigned int i = 0; i < list->nr; i++) {
		const struct option_value *v = &list->values[i];
		unsigned int of = (unsigned int)(v->id - OPT_LIST);

		if (of < NR_LISTS && m->list && m->list != of)
			return ft_error_set(err, FT_E_USAGE, -1,
					    "only one of --open, --histogram, "
					    "--anatomy, --culprits, --by can be given");
		if (of < NR_LISTS)
			m->list = of;
		if (v->id == OPT_KIND && *kind && strcmp(*kind, v->value) != 0)
			return ft_error_set(err, FT_E_USAGE, -1,
					    "only one --kind: without it, all kinds are listed");
		if (v->id == OPT_KIND)
			*kind = v->value;
		if (of == OF_GROUPS)
			*by = v->value;
		if ((v->id == OPT_PAIR || v->id == OPT_HOOK) && add_pair(m, v, err))
			return -1;
	}
	return 0;
}

static int choose(struct latency_lists *m, struct ft_error *err)
{
	const char *kind = NULL, *by = NULL;

	if (read_options(m, &kind, &by, err) || choose_kind(m, kind, err))
		return -1;
	if (is_of_cpus(m) && !latency_has_parts(m->kind))
		return ft_error_set(
			err, FT_E_USAGE, -1,
			"--anatomy and --culprits need --kind=wakeup or --kind=preempted");
	if (m->list == OF_ANATOMY && m->scope.given->sort)
		return ft_error_set(err, FT_E_USAGE, -1,
				    "--sort: parts stay in the order of instances and time");
	if (m->list && !kind)
		return ft_error_set(err, FT_E_USAGE, -1,
				    "--open, --histogram and --by need --kind");
	if (kind && !m->list)
		m->list = OF_INSTANCES;
	return by ? choose_by(m, by, err) : 0;
}

static void end(void *model)
{
	struct latency_lists *m = model;

	if (m->sched)
		sched_unlock(m->sched);
	latency_free(m->latency);
	latency_result_fini(&m->result);
	trace_close(m->host);
	latency_groups_fini(&m->groups);
	culprits_fini(&m->culprits);
	sched_free(m->sched);
	latency_kinds_fini(&m->kinds);
	text_fini(&m->what);
	text_fini(&m->words);
	free(m->rows);
	free(m);
}

/* Without options, the words are a kind's name. */
static void *begin(const struct list_scope *scope, struct ft_error *err)
{
	struct latency_lists *m = mem_alloc(sizeof(*m));

	m->trace = scope->trace;
	m->scope = *scope;
	latency_kinds_init(&m->kinds);
	if (scope->options ? choose(m, err) :
			     choose_kind(m, *scope->words ? scope->words : NULL, err)) {
		end(m);
		return NULL;
	}
	if (m->kind < 0 || latency_kinds_is_silent(&m->kinds, m->kind))
		m->host = trace_guests_open(scope->options,
					    trace_file_of(m->trace, scope->what.file), TRACE_HOST,
					    &(unsigned int){ 0 });
	return m;
}

/* --- measuring -------------------------------------------------------------------------------- */

static uint32_t how_many(const struct latency_lists *m)
{
	const struct filter_given *given = m->scope.given;

	if (m->list == OF_KINDS)
		return m->scope.is_checked ? KEEP_TO_CHECK : 0;
	if (!has_instances(m) && m->list != OF_ANATOMY)
		return 0;
	if (given->sort)
		return KEEP_TO_SORT;
	return given->has_head ? LATENCY_KEEP : KEEP_TO_PRINT;
}

static bool wants(const void *given, uint32_t pid, const char *comm)
{
	return filter_given_wants(given, pid, comm);
}

static int measure(struct latency_lists *m, const struct latency_instance *after,
		   struct ft_error *err)
{
	const struct filter_given *given = m->scope.given;
	const struct latency_options options = {
		.what = m->scope.what,
		.kinds = &m->kinds,
		.only = m->kind,
		.wants = given && given->nr_tasks ? wants : NULL,
		.wants_arg = given,
		.keep = how_many(m),
		.after = after,
		.each = m->each,
		.each_arg = m->each_arg,
		.host = m->host,
	};
	struct latency *latency = latency_run(m->trace, &options, &m->result, err);

	if (!latency)
		return -1;
	latency_free(m->latency);
	m->latency = latency;
	return m->result.failed ? sched_tell_full(m->trace, m->scope.what.file, err) : 0;
}

/* The model of all states; names of the time, from the whole trace, are ready then, too. */
static int make_states(struct latency_lists *m, struct ft_error *err)
{
	m->sched = sched_new(m->trace, m->scope.what.file, 0);
	sched_wait(m->sched);
	trace_wait_all(m->trace);
	sched_lock(m->sched);
	return sched_progress(m->sched).failed ?
		       sched_tell_full(m->trace, m->scope.what.file, err) :
		       0;
}

static bool add_culprits(void *arg, struct latency *latency, unsigned int kind,
			 const struct latency_instance *i)
{
	struct latency_lists *m = arg;

	(void)latency;
	(void)kind;
	latency_parts_add(&m->culprits, m->sched, i);
	return false;
}

/* Measures once more, as the rules that others replace are known now. */
static int make_groups(struct latency_lists *m, struct ft_error *err)
{
	m->groups.replaced = m->result.replaced;
	m->each = latency_groups_see;
	m->each_arg = &m->groups;
	trace_wait_all(m->trace);	/* births: whose life the pid was then, and its group */
	if (measure(m, NULL, err))
		return -1;
	latency_groups_end(&m->groups, &m->result.kinds[m->kind].sums);
	return 0;
}

/* --- rows ------------------------------------------------------------------------------------- */

static void make_kinds(struct latency_lists *m)
{
	struct latency_kind_row *rows = mem_array(m->result.nr + 1ul, sizeof(*rows));

	for (unsigned int i = 0; i < m->result.nr; i++)
		if (latency_has_any(&m->result.kinds[i].sums))
			rows[m->nr++] = latency_kind_row(&m->kinds, i, &m->result.kinds[i].sums);
	m->rows = rows;
}

static void make_bins(struct latency_lists *m)
{
	m->rows = mem_array(LATENCY_BINS, sizeof(struct latency_bin_row));
	m->nr = latency_bins(&m->result.kinds[m->kind].sums, LATENCY_BINS, m->rows);
}

static void make_culprits(struct latency_lists *m)
{
	struct culprit_row *rows = mem_array(m->culprits.nr + 1ul, sizeof(*rows));

	culprits_sort(&m->culprits);
	for (; m->nr < m->culprits.nr; m->nr++) {
		rows[m->nr] = culprits_row(&m->culprits, (uint32_t)m->nr, m->sched);
		m->has_unexplained |= rows[m->nr].culprit->kind == CPU_PART_UNEXPLAINED;
	}
	m->rows = rows;
}

/* No view has these lists, so all is measured at once. */
static enum list_state take(void *model, bool wait, unsigned int *permille, struct ft_error *err)
{
	struct latency_lists *m = model;

	if (permille)
		*permille = 0;
	if (!wait)
		return LIST_LATER;
	/* which process a task is of is known when all is read */
	if (latency_kinds_is_of_locks(&m->kinds, m->kind))
		trace_wait_all(m->trace);
	m->each = m->list == OF_CULPRITS ? add_culprits : NULL;
	m->each_arg = m;
	if ((is_of_cpus(m) && make_states(m, err)) || measure(m, NULL, err) ||
	    (m->list == OF_GROUPS && make_groups(m, err)))
		return LIST_FAILED;
	if (m->list == OF_KINDS)
		make_kinds(m);
	else if (m->list == OF_HISTOGRAM)
		make_bins(m);
	else if (m->list == OF_CULPRITS)
		make_culprits(m);
	return LIST_DONE;
}

static const void *group_at(void *model, uint64_t i)
{
	struct latency_lists *m = model;
	const struct latency_group *of = &m->groups.list[i];

	if (!latency_has_any(&of->sums))
		return NULL;
	text_clear(&m->what);
	m->row.group = latency_group_row(m->latency, (unsigned int)m->kind, m->groups.by, of,
					 &of->sums, &m->what);
	return &m->row.group;
}

/* The instances are in memory up to the one wanted, or the next ones are measured once more. */
static const struct latency_instance *instance_at(struct latency_lists *m, uint64_t i)
{
	struct latency_kind *kind = &m->result.kinds[m->kind];
	struct latency_kept *worst = &kind->worst;
	struct ft_error err = { 0 };

	if (i >= m->first + worst->nr && worst->left_out && worst->nr) {
		struct latency_instance last = worst->list[worst->nr - 1];

		m->first += worst->nr;
		if (measure(m, &last, &err))
			return NULL;
		kind = &m->result.kinds[m->kind];
		worst = &kind->worst;
	}
	if (i < m->first + worst->nr)
		return i >= m->first ? &worst->list[i - m->first] : NULL;
	i -= m->first + worst->nr;
	return i < kind->opens.nr ? &kind->opens.list[i] : NULL;
}

static const void *row_at(void *model, uint64_t i)
{
	struct latency_lists *m = model;
	const struct latency_instance *instance = instance_at(m, i);

	if (!instance)
		return NULL;
	text_clear(&m->what);
	m->row.instance = latency_row(m->latency, &m->kinds, (unsigned int)m->kind, instance,
				      &m->what);
	return &m->row.instance;
}

static uint64_t nr_ended(const struct latency_lists *m)
{
	return latency_nr_ended((unsigned int)m->kind, &m->result.kinds[m->kind].sums);
}

/* " (both are nice 0 and ~share the CPU)", of parts that are long enough to matter. */
static void add_rule(struct latency_lists *m, const struct cpu_part *part, struct text *out)
{
	const struct latency_instance *i = m->instance;
	uint32_t task = sched_rules_find(sched_pass_rules(sched_pass_of(m->sched)), i->pid,
					 i->start);
	size_t len = out->len;

	if (part->kind == CPU_PART_TASK && m->nr_rules < MOST_RULES &&
	    part->to - part->from >= (int64_t)latency_duration(i) / LEAST_SHARE)
		why_rule_text(m->sched, task, part->arg, part->from, part->to, 1, out);
	m->nr_rules += out->len > len;
}

/* The next part of any instance; NULL: there are no more. */
static const void *part_at(void *model, uint64_t i)
{
	struct latency_lists *m = model;
	const struct filter_given *given = m->scope.given;
	uint64_t most = given->has_head ? (uint64_t)given->head : UINT64_MAX;
	struct cpu_part part;

	(void)i;
	while (!m->instance || !cpu_parts_next(&m->parts, &part)) {
		if (m->nr_begun == nr_ended(m) || m->nr_begun == most)
			return NULL;
		m->instance = instance_at(m, m->nr_begun++);
		if (m->instance && !latency_parts_begin(&m->parts, m->sched, m->instance))
			m->instance = NULL;
	}
	text_clear(&m->what);
	text_clear(&m->words);
	m->has_unexplained |= part.kind == CPU_PART_UNEXPLAINED;
	cpu_part_text(m->sched, &part, &m->what);
	text_add(&m->words, text_str(&m->what));
	if (given->format == FORMAT_TEXT)
		add_rule(m, &part, &m->words);
	m->row.part = latency_part_row(m->instance, &part);
	m->row.part.what = text_str(&m->what);
	m->row.part.words = text_str(&m->words);
	return &m->row.part;
}

static const char *left_out(const struct latency_lists *m)
{
	return m->sched ? sched_pass_left_out(sched_pass_of(m->sched)) : m->result.left_out;
}

/* Of switches: the model of all states knows more than that of the options. */
static uint64_t nr_missing(const struct latency_lists *m)
{
	return m->sched ? sched_rules_missing(sched_pass_rules(sched_pass_of(m->sched))) :
			  m->result.missing;
}

static uint64_t nr_rows(const struct latency_lists *m)
{
	const struct latency_kind *kind = &m->result.kinds[m->kind < 0 ? 0 : m->kind];

	if (m->list == OF_GROUPS)
		return m->groups.nr;
	if (m->list == OF_ANATOMY)
		return nr_ended(m) ? UINT64_MAX : 0;
	if (!has_instances(m))
		return m->nr;
	return (kind->worst.left_out && !m->scope.given->sort ? nr_ended(m) : kind->worst.nr) +
	       (m->list == OF_OPENS ? kind->opens.nr : 0);
}

static struct list_rows rows(void *model, unsigned int list, unsigned int by)
{
	static const struct list_rows all[NR_LISTS] = {
		[OF_KINDS] = { .columns = &latency_kind_columns,
			       .bytes = sizeof(struct latency_kind_row) },
		[OF_INSTANCES] = { .columns = &latency_columns, .at = row_at },
		[OF_OPENS] = { .columns = &latency_columns, .at = row_at },
		[OF_HISTOGRAM] = { .columns = &latency_bin_columns,
				   .bytes = sizeof(struct latency_bin_row) },
		[OF_ANATOMY] = { .columns = &latency_part_columns, .at = part_at,
				 .is_head = true },
		[OF_CULPRITS] = { .columns = &culprit_columns,
				  .bytes = sizeof(struct culprit_row) },
		[OF_GROUPS] = { .columns = &latency_group_columns, .at = group_at },
	};
	const struct latency_lists *m = model;
	struct list_rows of = all[m->list];

	(void)list;			/* it has the one of the options */
	(void)by;
	of.array = m->rows;
	of.nr = nr_rows(m);
	of.lacks = !has_instances(m) ? 0 :
				       (m->kind == LATENCY_CALL ? 0 : LATENCY_OF_CALLS) |
					       (latency_kinds_is_of_locks(&m->kinds, m->kind) ?
							0 :
							LATENCY_OF_LOCKS);
	of.damaged = m->result.damaged;
	of.is_partial = nr_missing(m) || left_out(m);
	return of;
}

/* --- figures ---------------------------------------------------------------------------------- */

static struct list_place place_of(const struct latency_instance *i)
{
	return (struct list_place){ .is_moment = true, .ref = i->from, .ts = i->start,
				    .to = i->end, .pid = (int)i->pid,
				    .cpu = i->cpu == UINT16_MAX ? -1 : i->cpu };
}

/* Of a kind: the longest instance, or one without an end that has lasted longer. */
static bool origin(const void *model, unsigned int list, const void *row,
		   const struct table_column *column, struct list_place *place)
{
	const struct latency_lists *m = model;
	const struct latency_kind_row *kind = row;
	const struct latency_instance *worst;

	(void)list;
	if (has_instances(m)) {
		*place = place_of(&((const struct latency_row *)row)->i);
		return true;
	}
	if (m->list == OF_ANATOMY) {
		*place = (struct list_place){ .is_moment = true, .ref = TRACE_REF_NONE,
					      .ts = ((const struct latency_part_row *)row)->start,
					      .pid = -1, .cpu = -1 };
		return true;
	}
	if (m->list != OF_KINDS || column->bound == TABLE_AT_MOST)
		return false;
	worst = latency_worst(&m->result.kinds[kind->number], kind->number);
	if (worst)
		*place = place_of(worst);
	return worst;
}

static bool bounds(const void *model, unsigned int list, const void *row,
		   const struct table_column *column, double *least, double *most)
{
	const struct latency_lists *m = model;
	const struct latency_kind_row *kind = row;

	(void)list;
	return m->list == OF_KINDS &&
	       latency_bounds(&m->result.kinds[kind->number], kind->number, column, least, most);
}

/* --- words ------------------------------------------------------------------------------------ */

static void tell_kind(const struct latency_lists *m, unsigned int i)
{
	const struct latency_sums *sums = &m->result.kinds[i].sums;
	const char *name = m->kinds.names[i];

	if (sums->rounded)
		warnings_tell(
			"%s: percentiles are too low, by at most 0.4 %%: there are too many different durations",
			name);
	if (sums->replaced)
		warnings_tell(
			"%s: starts without an end of their own, as another one followed: %llu",
			name, (unsigned long long)sums->replaced);
	if (m->list == OF_GROUPS && m->groups.by == LATENCY_BY_TASK && !strcmp(name, "block"))
		warnings_tell(
			"block: the tasks are those that sent requests to the device, often a kworker; "
			"--kind=block_queue has those that asked for them");
	if (sums->unmatched && !strcmp(name, "block_queue"))
		warnings_tell("block_queue: requests whose end was not recorded: %llu",
			      (unsigned long long)sums->unmatched);
}

static void tell_32(const struct latency_lists *m)
{
	unsigned int nr = m->latency ? latency_nr_of_32(m->latency) : 0;

	if (nr)
		warnings_tell("syscall: %u task%s show%s by system calls to be of 32-bit programs; "
			      "others that are have wrong names, as records have numbers alone",
			      nr, PLURAL(nr), nr == 1 ? "s" : "");
}

static bool is_selected(const struct list_scope *scope)
{
	return scope->given->nr_tasks || scope->given->cpus || scope->what.nr_filters;
}

/* Why it was not inferred that time was stolen; or what else it may have been. */
static void tell_silent(const struct latency_lists *m, bool any)
{
	static const char *const ticks[] = { "hrtimer_expire_entry", "local_timer_entry",
					     "irq_handler_entry" };
	unsigned int file = m->scope.what.file, i = 0;
	const char *name = m->kinds.names[m->kind];

	if (m->latency && latency_knows_host(m->latency)) {
		if (!any)
			warnings_tell(
				"%s: the host ran each CPU of the guest whenever it ran a task",
				name);
		return;
	}
	while (i < 3 && !trace_has_event(m->trace, file, ticks[i]))
		i++;
	if (any)
		warnings_tell("%s is %s", name, latency_doubt(m->latency, (unsigned int)m->kind));
	else if (!strcmp(trace_machine(m->trace, file)->virt, "none"))
		warnings_tell("%s: the trace is not of a virtual machine", name);
	else if (!trace_has_switches(m->trace, file))
		warnings_tell(
			"%s: without sched_switch events it is unknown when CPUs were busy, so "
			"nothing is inferred",
			name);
	else if (i == 3)
		warnings_tell("%s: the trace has no events of the tick, so nothing is inferred; to "
			      "record them: -e sched_switch -e timer:hrtimer_expire_entry",
			      name);
	else
		warnings_tell("%s: no busy CPU was silent for a whole period of the tick after one "
			      "was due; or there are too few ticks to tell",
			      name);
}

/* @of_tasks: the kind is of what tasks did, or it is all kinds. */
static void tell_none(const struct latency_lists *m, bool of_tasks, bool any)
{
	if (!any && is_selected(&m->scope))
		warnings_tell("nothing that was measured is selected");
	else if (latency_kinds_is_silent(&m->kinds, m->kind))
		tell_silent(m, any);
	else if (!any && trace_text_header(m->trace))
		warnings_tell("the trace is the text of a latency tracer; ftop-trace info tells "
			      "what that measured");
	else if (!any && trace_is_untimed(m->trace, -1))
		warnings_tell("the text has no times: only calls have durations");
	else if (of_tasks && trace_is_of_tasks(m->trace, 0))
		warnings_tell(TRACE_OF_TASKS);
	else if (!any && (m->kind < 0 || !m->result.kinds[m->kind].sums.unmatched))
		warnings_tell("no %s was recorded from its start to its end",
			      m->kind >= 0 ? m->kinds.names[m->kind] : "such time");
}

static void tell(const void *model, unsigned int list, bool any)
{
	const struct latency_lists *m = model;
	bool of_tasks = m->kind < LATENCY_OWN_KINDS && m->kind != LATENCY_CALL;

	(void)list;
	if (of_tasks)
		sched_tell_missing(m->trace, nr_missing(m));
	sched_tell_left_out(left_out(m));
	sched_tell_absence(m->result.absent);
	if (m->sched && any)
		sched_tell_queues(sched_pass_of(m->sched));
	if (m->sched && any)
		sched_tell_limits(sched_pass_of(m->sched), m->scope.what.file);
	if (m->has_unexplained)
		sched_tell_unexplained(sched_pass_of(m->sched), m->scope.what.file);
	if (m->kind >= 0 && !strcmp(m->kinds.names[m->kind], "syscall"))
		tell_32(m);
	tell_none(m, of_tasks, any);
	if (any && m->kind == LATENCY_CALL && m->result.lacks_irqs && !is_selected(&m->scope))
		warnings_tell(GRAPH_NET_HAS_IRQS);
	for (unsigned int i = 0; i < m->kinds.nr; i++)
		if (m->kind < 0 || m->kind == (int)i)
			tell_kind(m, i);
	if (any && (m->kind < 0 || m->kind == LATENCY_CALL) &&
	    latency_has_any(&m->result.kinds[LATENCY_CALL].sums) &&
	    graph_slow_alone(m->trace, m->scope.what.file))
		warnings_tell("%s", graph_slow_alone(m->trace, m->scope.what.file));
	if (m->result.lacks && (m->kind < 0 || m->kind == LATENCY_SLEEP ||
				m->kind == LATENCY_BLOCKED || m->kind == LATENCY_WAKEUP))
		warnings_tell("%s; to record them: -e sched_waking", m->result.lacks);
	if (m->result.unmeasured)
		warnings_tell(
			"timer_late: %llu timers are left out: the trace is too short to tell how long a jiffy is",
			(unsigned long long)m->result.unmeasured);
	if (m->kind >= 0 && m->scope.given->sort && m->result.kinds[m->kind].worst.left_out &&
	    m->list != OF_HISTOGRAM)
		warnings_tell("--sort: only the longest %u are sorted", KEEP_TO_SORT);
}

/* --- comparisons ------------------------------------------------------------------------------ */

static bool is_recorded(struct trace *trace, unsigned int file, const struct latency_event *event)
{
	char name[256];

	snprintf(name, sizeof(name), "%s%s%s", event->system ?: "", event->system ? ":" : "",
		 event->name);
	return trace_records_event(trace, file, name);
}

/* Were the events recorded that a kind is made of, so that there were none if it has none? */
static bool records_kind(const struct latency_lists *m, unsigned int kind)
{
	unsigned int file = m->scope.what.file, buffer;

	if (kind == LATENCY_CALL)
		return graph_has_calls(m->trace, file, &buffer);
	if (kind < LATENCY_OWN_KINDS)
		return trace_has_switches(m->trace, file) &&
		       !trace_is_of_tasks(m->trace, (int)file) &&
		       (kind == LATENCY_PREEMPTED || !sched_lacks_wakes(m->trace, file));
	for (unsigned int i = 0; i < m->kinds.nr_rules; i++) {
		const struct latency_rule *rule = &m->kinds.rules[i];

		if (rule->kind == kind && is_recorded(m->trace, file, &rule->ends[0]) &&
		    is_recorded(m->trace, file, &rule->ends[1]))
			return true;
	}
	return false;
}

static void compare_kinds(const struct latency_lists *m, struct diff *diff, unsigned int side)
{
	diff->is_whole[side] = false;
	for (unsigned int i = 0; i < m->result.nr; i++) {
		const struct latency_sums *sums = &m->result.kinds[i].sums;
		bool any = diff->any[side];
		struct diff_side *of;

		if (!sums->n && !records_kind(m, i))
			continue;
		of = diff_side(diff, m->kinds.names[i], side);
		diff->any[side] = any || sums->n;
		of->count = sums->n;
		of->total = sums->total;
		of->p50 = sums->p50;
		of->p99 = sums->p99;
		of->max = sums->max;
		of->lacks = i == LATENCY_SLEEP ? DIFF_IS_COST : 0;
		of->histogram = arena_copy(&diff->arena, sums->histogram, sizeof(sums->histogram));
	}
}

struct comparing {			/* the instances of a kind */
	struct latency_lists *m;
	struct diff	*diff;
	unsigned int	 side;
};

/*
 * Add an instance, unless another rule replaces its own.  The row of a task's state has the task's
 * name, that of another instance what it is.
 */
static bool add_instance(void *arg, struct latency *latency, unsigned int kind,
			 const struct latency_instance *i)
{
	struct comparing *c = arg;
	struct latency_lists *m = c->m;
	struct diff_side *of;

	if (!latency_counts(i) || (kind >= LATENCY_OWN_KINDS && m->result.replaced[i->rule]))
		return true;
	text_clear(&m->what);
	if (kind != LATENCY_CALL && kind < LATENCY_OWN_KINDS)
		task_kind_name(latency_comm(latency, i->pid, i->start), &m->what);
	else
		latency_what(latency, kind, i, false, &m->what);
	of = diff_side(c->diff, text_str(&m->what), c->side);
	of->count++;
	of->total += latency_duration(i);
	of->lacks = kind == LATENCY_SLEEP ? DIFF_IS_COST : 0;
	duration_set_add(&of->durations, latency_duration(i));
	return true;
}

/* Of a kind, the instances are measured once more, as it is known now which rules are replaced. */
static void compare(void *model, unsigned int list, struct diff *diff, unsigned int side)
{
	struct latency_lists *m = model;
	struct comparing c = { m, diff, side };
	struct ft_error err = { 0 };

	(void)list;
	if (m->kind < 0) {
		compare_kinds(m, diff, side);
		return;
	}
	diff->is_whole[side] = records_kind(m, (unsigned int)m->kind);
	m->each = add_instance;
	m->each_arg = &c;
	measure(m, NULL, &err);
}

/* --- the source ------------------------------------------------------------------------------- */

static const struct list_def lists[NR_LISTS] = {
	[OF_KINDS] = { "kind" },	 [OF_INSTANCES] = { "instance" },
	[OF_OPENS] = { "instance" },	 [OF_HISTOGRAM] = { "range" },
	[OF_ANATOMY] = { "part" },	 [OF_CULPRITS] = { "culprit" },
	[OF_GROUPS] = { "group" },
};

static const struct list_keys keys[] = {
	{ "latency", "A kind.", .columns = &latency_kind_columns },
	{ "latency --kind=wakeup", "An instance; the same keys for all kinds.",
	  .columns = &latency_columns },
	{ "latency --kind=wakeup --by=task", "A group of instances; the same keys for all groups.",
	  .columns = &latency_group_columns },
	{ "latency --kind=wakeup --histogram", "A range of durations: from_ns <= duration < to_ns.",
	  .columns = &latency_bin_columns },
	{ "latency --kind=wakeup --anatomy", "A part of the instance that began at start_ns.",
	  .columns = &latency_part_columns },
	{ "latency --kind=wakeup --culprits",
	  "What CPUs did meanwhile, in all instances; \"idle (not explained)\" as in why.",
	  .columns = &culprit_columns },
	{ 0 },
};

const struct list_source latency_list_source = {
	.title = "Latency",
	.command = {
		.name = "latency",
		.operands = "[FILE...]",
		.summary = "how long things took: calls, wake-ups, sleep, interrupts, system calls, pairs of events",
		.is_main = true,
		.details = "Without --kind, the table has a line for each kind that the trace contains:\n"
			   "  call                  from the entry of a function to its return\n"
			   "  wakeup                from the wake-up of a task until it runs\n"
			   "  preempted             until the task runs again\n"
			   "  blocked, sleep        until the wake-up; blocked is state D\n"
			   "  irq, softirq, vector  the handler\n"
			   "  softirq_raise         from the raise to the handler\n"
			   "  timer, timer_late     its function; how late it expired\n"
			   "  steal                 inferred: how long the tick of a busy CPU was\n"
			   "                        overdue while it recorded nothing: the\n"
			   "                        hypervisor may have run others; known, not\n"
			   "                        inferred, if the file of the host is given, too\n"
			   "  work, work_delay      its function; the wait in the queue\n"
			   "  syscall               entry to return; from raw_syscalls if the events\n"
			   "                        of syscalls are less than half as many\n"
			   "  futex                 the wait in the system call futex: for a lock of\n"
			   "                        its program, mostly (record --setup=locks)\n"
			   "  lock                  the wait for a contended lock of the kernel\n"
			   "  irqsoff, preemptoff   how long interrupts or preemption were off\n"
			   "  block, block_queue    until the request ends: from its issue to\n"
			   "                        the device, or from the queue\n"
			   "  marker                slices that programs wrote to trace_marker as\n"
			   "                        Android's do: B|PID|NAME to E, S|PID|NAME|COOKIE\n"
			   "                        to F, G to H\n"
			   "  rv                    how long a monitor (record --monitor) was in a\n"
			   "                        state, until it left it or was violated;\n"
			   "                        -F 'rv:error_*': only the latter\n"
			   "and those of virtual machines, GPUs, file systems, networks and devices, which\n"
			   "ftop-trace fields --kinds lists, and the pairs of events that are defined. With\n"
			   "--kind, the instances of that kind are listed, the longest first.\n\n"
			   "A ~ marks a doubtful instance: records are missing, so it may have been\n"
			   "shorter. Lists contain doubtful instances; counts, averages, percentiles and\n"
			   "maxima leave them out. An open instance has begun in the trace, and its end is\n"
			   "not there; nothing is open of a task that is gone. Without\n"
			   "sched_waking, kind wakeup has lower bounds (>), and so has a request that was\n"
			   "sent back, if its first issue was not recorded. A softirq whose task is switched\n"
			   "out (PREEMPT_RT) is paused: that time is not part of it.\n\n"
			   "If several requests for the same sectors were under way, which end is whose is\n"
			   "not known: their durations, and what is made of them, have a ~, too. Their sum\n"
			   "and mean have none if all of them are in it. shared, in csv and json, is how\n"
			   "many of n these are.\n\n"
			   "raw_syscalls has numbers of system calls. On x86_64 and arm64, those of 32-bit\n"
			   "programs are other ones: a task whose calls show that it is one has their names,\n"
			   "other tasks have those of 64-bit programs.\n\n"
			   "-F keeps an instance if its first or its last event matches. For wakeup,\n"
			   "preempted, blocked and sleep, the last event must match, and its pid, comm and\n"
			   "tgid are those of the task that waited.\n\n"
			   "A pair is NAME START [FILTER] END [FILTER] by KEY: two events, each with an\n"
			   "optional filter in brackets. KEY joins an END to its START: pid, cpu, none, a\n"
			   "field of both, FIELD=FIELD if the names differ, or several of these with commas.\n"
			   "With END | END, whichever comes first counts.\n"
			   "Of several starts before an end, the last one counts; with the word first, the\n"
			   "first one does; with nested, starts form a stack. The file pairs can define\n"
			   "more, see ftop-trace-config(5).\n\n"
			   "With record --setup=locks, waits of futex and lock have the holder, the task\n"
			   "that held the lock when the wait began. It is empty for locks that do not name\n"
			   "their owner: condition variables, semaphores, locks of other libraries than\n"
			   "glibc, locks held by readers, spinlocks. woken by is the task that woke the one\n"
			   "that waited.\n\n"
			   "In csv and json, wakeup_ns is the time from sched_waking to sched_wakeup, and\n"
			   "moved is true if the task ran on another CPU than before; it is empty where\n"
			   "records are missing that would show this. at_least is true for a lower bound\n"
			   "(>). For a call, leaf is true if it called no traced function, net_ns is its\n"
			   "time without recorded interrupts and time off the CPU, and mark is the kernel's\n"
			   "mark for its duration: + over 10 us, ! 100 us, # 1 ms, * 10 ms, @ 100 ms,\n"
			   "$ 1 s. The duration of a doubtful call is\n"
			   "exact and counts; its net_ns is missing. net_ns is also missing if an event in\n"
			   "the call was recorded in an interrupt that was not, and for all calls unless\n"
			   "sched_switch was recorded with the clock local.",
		.word_means = "--kind=%s",
		.examples = "The ten longest wake-up latencies, and what the CPU did meanwhile:\n"
			    "  ftop-trace latency --kind=wakeup --head=10\n"
			    "  ftop-trace latency --kind=wakeup --culprits\n"
			    "System calls by name, those of one task:\n"
			    "  ftop-trace latency --kind=syscall --by=what --task=bash",
		.max_operands = LIST_MOST_FILES,
		.options = (const struct option_def[]){
			{ .name = "kind", .arg = "KIND", .id = OPT_KIND,
			  .help = "list the instances of this kind, the longest first" },
			{ .name = "pair", .arg = "PAIR", .id = OPT_PAIR,
			  .help = "also measure a pair of events (repeatable): \"io block_bio_queue block_bio_complete by dev,sector\"" },
			{ .letter = 'H', .arg = "HOOK", .id = OPT_HOOK,
			  .help = "the same, in the syntax of trace-cmd record -H: START,FIELD[,PID]/END,FIELD[,FLAGS]" },
			{ .name = "open", .id = OPT_LIST + OF_OPENS,
			  .help = "with --kind: also list instances without an end, the oldest first" },
			{ .name = "histogram", .id = OPT_LIST + OF_HISTOGRAM,
			  .help = "with --kind: count the instances by length, in powers of two" },
			{ .name = "anatomy", .id = OPT_LIST + OF_ANATOMY,
			  .help = "with --kind=wakeup or preempted: show what the CPU for which the task waited did meanwhile; ~: no record tells which one that was, so it is taken for the one on which the task ran; --head=N: in the longest N instances" },
			{ .name = "culprits", .id = OPT_LIST + OF_CULPRITS,
			  .help = "the same, summed over all instances that are not doubtful" },
			{ .name = "by", .arg = LATENCY_BY_OPTION, .id = OPT_LIST + OF_GROUPS,
			  .help = "with --kind: sum up the instances that have this in common; prio and moved exist for wakeup, mark, net and leaf for call, holder, address and waiter for futex and lock" },
			PART_OPTIONS("only instances that start there and have a matching event"),
			TABLE_OPTIONS,
			FILE_OPTIONS,
			OPTION_END,
		},
	},
	.picks_tasks = true,
	.unindexed = true,
	.keys = keys,
	.lists = lists,
	.nr = NR_LISTS,
	.find = find,
	.begin = begin,
	.end = end,
	.take = take,
	.rows = rows,
	.origin = origin,
	.bounds = bounds,
	.tell = tell,
	.compare = compare,
};
