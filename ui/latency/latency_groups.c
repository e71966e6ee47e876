/* SPDX-License-Identifier: GPL-2.0-or-later */
/* latency_groups - sums of the instances of a kind that have a task, CPU, label… in common. */
#include <stdlib.h>
#include <string.h>

#include "src/base/bisect.h"
#include "src/base/memory.h"
#include "src/latency/latency_list.h"
#include "ui/latency/view_latency.h"

struct keyed {
	uint64_t	 key;
	uint32_t	 nr;		/* among kind->worst, then kind->opens */
};

/* The kernel's marks of durations, as text_duration_mark() has them. */
static const char marks[] = " +!#*@$";
enum { NOT_KNOWN = sizeof(marks) - 1, OPEN };

static const char *const mark_names[] = {
	"  10 µs or less", "+ over 10 µs", "! over 100 µs", "# over 1 ms", "* over 10 ms",
	"@ over 100 ms", "$ over 1 s", [NOT_KNOWN] = "not known", [OPEN] = "open",
};
static const char *const moved_names[] = { "not moved", "moved" };
static const char *const leaf_names[] = { "not a leaf", "leaf", [NOT_KNOWN] = "not known" };

const struct latency_by_words latency_by_words[LATENCY_NR_BY] = {
	[LATENCY_BY_WHAT] = { "what", "by what it was", -1 },
	[LATENCY_BY_TASK] = { "task", "by task", -1 },
	[LATENCY_BY_CPU] = { "CPU", "by CPU", -1 },
	[LATENCY_BY_PRIO] = { "priority", "by priority", LATENCY_WAKEUP },
	[LATENCY_BY_MOVED] = { "moved", "moved or not", LATENCY_WAKEUP, moved_names },
	[LATENCY_BY_MARK] = { "mark", "by mark of duration", LATENCY_CALL, mark_names },
	[LATENCY_BY_NET] = { "mark of net", "by mark of net time: figures are of net time",
			     LATENCY_CALL, mark_names },
	[LATENCY_BY_LEAF] = { "leaf", "leaves, which called no traced function, or not",
			      LATENCY_CALL, leaf_names },
	[LATENCY_BY_CULPRIT] = { "culprit", "", -1 },
};

bool latency_offers(const struct view *v, enum latency_by by)
{
	const struct latency_kind *kind = latency_kind_shown(v);

	if (by == LATENCY_OPENS)
		return kind && kind->nr_opens;
	if (by == LATENCY_BY_CULPRIT)
		return v->kind == LATENCY_WAKEUP || v->kind == LATENCY_PREEMPTED;
	return by == LATENCY_INSTANCES || latency_by_words[by].of < 0 ||
	       latency_by_words[by].of == v->kind;
}

static uint64_t mark_of(uint64_t duration)
{
	return (uint64_t)(strchr(marks, text_duration_mark(duration)) - marks);
}

uint64_t latency_group_key(const struct latency_instance *i, enum latency_by by)
{
	switch (by) {
	case LATENCY_BY_WHAT:
		return i->label * 31 + i->rule;
	case LATENCY_BY_TASK:
		return i->pid;
	case LATENCY_BY_CPU:
		return i->cpu;
	case LATENCY_BY_PRIO:
		return (uint64_t)(i->prio - INT16_MIN);
	case LATENCY_BY_MOVED:
		return !!(i->flags & LATENCY_MOVED);
	case LATENCY_BY_MARK:
		return i->flags & LATENCY_OPEN ? OPEN : mark_of(latency_duration(i));
	case LATENCY_BY_NET:
		return i->flags & LATENCY_HAS_VALUE ? mark_of((uint64_t)i->value) : NOT_KNOWN;
	case LATENCY_BY_LEAF:
		return i->flags & LATENCY_HAS_VALUE ? !!(i->flags & LATENCY_LEAF) : NOT_KNOWN;
	case LATENCY_INSTANCES:
	case LATENCY_OPENS:
	case LATENCY_BY_CULPRIT:
	case LATENCY_NR_BY:
		break;
	}
	return 0;
}

void latency_group_name(const struct view *v, const struct latency_instance *i, enum latency_by by,
			struct text *out)
{
	if (latency_by_words[by].names)
		text_add(out, latency_by_words[by].names[latency_group_key(i, by)]);
	else if (by == LATENCY_BY_WHAT)
		latency_add_what(v, i, false, out);
	else if (by == LATENCY_BY_TASK)
		latency_add_task(v, i, out);
	else if (by == LATENCY_BY_CPU && i->cpu == UINT16_MAX)
		text_add(out, "no CPU");
	else if (by == LATENCY_BY_CPU)
		text_printf(out, "CPU %u", i->cpu);
	else if (by == LATENCY_BY_PRIO)
		text_printf(out, "priority %d", i->prio);
	else if (by == LATENCY_BY_CULPRIT)
		latency_culprit_name(v, &v->culprits.of, out);
}

static int by_key(const void *a, const void *b)
{
	const struct keyed *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->nr < y->nr ? -1 : x->nr > y->nr;
}

static const struct latency_instance *instance(const struct latency_kind *kind, uint32_t i)
{
	return i < kind->nr_worst ? &kind->worst[i] : &kind->opens[i - kind->nr_worst];
}

/* The group that begins at keys[0]; returns how many keys are of it. */
static uint32_t make_group(const struct latency_kind *kind, const struct keyed *keys, uint32_t nr,
			   bool by_net, struct latency_group *group)
{
	struct latency_list list = { 0 };
	struct latency_kind sums;
	uint32_t i;

	for (i = 0; i < nr && keys[i].key == keys[0].key; i++) {
		struct latency_instance of = *instance(kind, keys[i].nr);

		if (by_net && (of.flags & LATENCY_HAS_VALUE))
			of.end = time_after(of.start, of.value);
		else if (by_net)
			of.flags &= (uint8_t)~LATENCY_EXACT;
		latency_list_add(&list, &of, 0, NULL);
	}
	latency_list_result(&list, 0, true, &sums);
	*group = (struct latency_group){ keys[0].key, *instance(kind, keys[0].nr), sums.sums };
	return i;
}

void latency_groups_make(struct latency_groups *groups, const struct latency_kind *kind,
			 enum latency_by by)
{
	uint32_t nr = kind ? kind->nr_worst + kind->nr_opens : 0, cap = 0;
	struct keyed *keys = mem_array(nr + 1, sizeof(*keys));

	free(groups->list);
	*groups = (struct latency_groups){ 0 };
	for (uint32_t i = 0; i < nr; i++)
		keys[i] = (struct keyed){ latency_group_key(instance(kind, i), by), i };
	if (nr)
		qsort(keys, nr, sizeof(*keys), by_key);
	for (uint32_t i = 0; i < nr;) {
		mem_grow(&groups->list, groups->nr, &cap);
		i += make_group(kind, keys + i, nr - i, by == LATENCY_BY_NET,
				&groups->list[groups->nr++]);
	}
	free(keys);
}

const struct latency_group *latency_groups_find(const struct latency_groups *groups, uint64_t key)
{
	uint32_t i = bisect(groups->nr, k, groups->list[k].key < key);

	return i < groups->nr && groups->list[i].key == key ? &groups->list[i] : NULL;
}
