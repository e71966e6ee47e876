/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recorder/plan/plan_measure.h"

#include <ctype.h>
#include <inttypes.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "recorder/tracefs/kernel_facts.h"
#include "src/base/memory.h"
#include "src/base/options.h"
#include "src/recording/measure_keys.h"

/* --- reading ---------------------------------------------------------------------------------- */

#ifndef SCHED_DEADLINE	/* of an older C library */
#define SCHED_DEADLINE	6
#endif

static const struct measure_key *key_named(const char *name)
{
	const struct measure_key *key;

	for (unsigned int i = 0; (key = measure_key(i)); i++)
		if (!strcmp(key->name, name))
			return key;
	return NULL;
}

static void unknown_key(struct record_plan *plan, const char *name)
{
	struct name_list names = { 0 };
	struct text all = { 0 };

	for (unsigned int i = 0; measure_key(i); i++) {
		if (name_list_has(&names, measure_key(i)->name))
			continue;
		name_list_add(&names, measure_key(i)->name);
		text_printf(&all, "%s%s", all.len ? ", " : "", measure_key(i)->name);
	}
	record_plan_unknown(plan, name_list_nearest(&names, name), "",
			    "--measure: no key '%s'; there are: %s", name, text_str(&all));
	name_list_fini(&names);
	text_fini(&all);
}

/* "100us" in ns; as in rtla, a number without a unit is in ns. */
static bool deadline_time(const char *text, size_t len, uint64_t *ns)
{
	char *copy = mem_strndup(text, len), *end;
	bool good;

	*ns = strtoull(copy, &end, 10);
	good = isdigit((unsigned char)*copy);
	if (good && *end && strcmp(end, "ns") != 0)
		good = measure_time(copy, ns) && !__builtin_mul_overflow(*ns, 1000, ns);
	free(copy);
	return good && *ns && *ns <= INT64_MAX;
}

bool plan_measure_priority(const char *text, struct plan_priority *p)
{
	char policy = (char)tolower((unsigned char)*text), *end;
	const char *value = text + 2, *colon;
	long n;

	*p = (struct plan_priority){ .policy = SCHED_OTHER };
	if (!*text || text[1] != ':')
		return false;
	if (policy == 'd') {
		colon = strchr(value, ':');
		p->policy = SCHED_DEADLINE;
		return colon && deadline_time(value, (size_t)(colon - value), &p->runtime_ns) &&
		       deadline_time(colon + 1, strlen(colon + 1), &p->period_ns) &&
		       p->runtime_ns <= p->period_ns;
	}
	n = strtol(value, &end, 10);
	if (!isdigit((unsigned char)value[*value == '-']) || *end)
		return false;
	if (policy == 'o') {
		p->nice = (int)n;
		return n >= -20 && n <= 19;
	}
	p->policy = policy == 'f' ? SCHED_FIFO : SCHED_RR;
	p->priority = (unsigned int)n;
	return (policy == 'f' || policy == 'r') && n >= 1 && n <= 99;
}

static bool is_good_value(struct record_plan *plan, const struct measure_key *key,
			  struct plan_measure *m)
{
	struct ft_error err;

	switch (key->kind) {
	case MEASURE_USER:
	case MEASURE_KERNEL:
		return true;
	case MEASURE_TIME:
	case MEASURE_LATENCY:
		if (measure_time(m->value, &m->us))
			return true;
		record_plan_mistake(plan, "%s=%s: not a time, as 100us, 1ms or 1s", m->name,
				    m->value);
		return false;
	case MEASURE_CPUS:
		free(plan->measure_cpus);
		plan->measure_cpus = mem_array(plan->nr_cpus, sizeof(*plan->measure_cpus));
		if (options_cpus(m->name, m->value, plan->measure_cpus, plan->nr_cpus, &err))
			record_plan_mistake(plan, "%s", err.message);
		else if (!memchr(plan->measure_cpus, true, plan->nr_cpus))
			record_plan_mistake(plan, "%s=%s: it names none of the %u CPUs", m->name,
					    m->value, plan->nr_cpus);
		else
			return true;
		return false;
	case MEASURE_PRIORITY:
		if (plan_measure_priority(m->value, &m->priority))
			return true;
		record_plan_mistake(plan,
				    "%s=%s: not f:PRIO or r:PRIO (1 to 99), o:NICE (-20 to 19), or "
				    "d:RUNTIME:PERIOD (as d:100us:1ms)",
				    m->name, m->value);
		return false;
	case MEASURE_OPTION:
	case MEASURE_CHOICE:
		return true;	/* the kernel's file has the words */
	}
	return true;
}

static void check_limits(struct record_plan *plan, const struct measure_key *key,
			 const struct plan_measure *m)
{
	struct text range = { 0 };

	if (m->us >= key->min_us && m->us <= key->max_us)
		return;
	measure_time_text(key->min_us, &range);
	text_add(&range, " to ");
	measure_time_text(key->max_us, &range);
	record_plan_mistake(plan, "%s=%s: it is outside of %s", m->name, m->value,
			    text_str(&range));
	text_fini(&range);
}

/* Two keys are --stop-tracing and --stop-tracing-total. */
static bool is_stop(struct record_plan *plan, const struct measure_key *key,
		    const struct plan_measure *m)
{
	bool total = !strcmp(key->name, "stop-total");

	if (!total && strcmp(key->name, "stop") != 0)
		return false;
	*(total ? &plan->stop_tracing_total_us : &plan->stop_tracing_us) = (long long)m->us;
	check_limits(plan, key, m);
	return true;
}

/* @piece: "KEY" or "KEY=VALUE" */
static void add_piece(struct record_plan *plan, const char *piece)
{
	size_t len = strcspn(piece, "=");
	struct plan_measure m = { .name = mem_strndup(piece, len),
				  .value = mem_strdup(piece[len] ? piece + len + 1 : "") };
	const struct measure_key *key = key_named(m.name);

	if (!key)
		unknown_key(plan, m.name);
	else if (key->arg && !*m.value)
		record_plan_mistake(plan, "%s: it takes a value: %s=%s", m.name, m.name, key->arg);
	else if (!key->arg && piece[len])
		record_plan_mistake(plan, "%s: it takes no value", piece);
	else if (is_good_value(plan, key, &m) && !is_stop(plan, key, &m)) {
		mem_grow(&plan->measures, plan->nr_measures, &plan->cap_measures);
		plan->measures[plan->nr_measures++] = m;
		return;
	}
	free(m.name);
	free(m.value);
}

/* The length of the first piece: "cpus=0,2-3,user" has two. */
static size_t piece_length(const char *text)
{
	size_t len = strcspn(text, ",");

	while (text[len] && isdigit((unsigned char)text[len + 1]))
		len += 1 + strcspn(text + len + 1, ",");
	return len;
}

void plan_measure_add(struct record_plan *plan, const char *text)
{
	while (*text) {
		size_t len = piece_length(text);
		char *piece = mem_strndup(text, len);

		add_piece(plan, piece);
		free(piece);
		text += len + (text[len] == ',');
	}
}

/* --- against the kernel ----------------------------------------------------------------------- */

const struct plan_measure *plan_measure_of(const struct record_plan *plan, const char *file)
{
	for (size_t i = 0; i < plan->nr_measures; i++)
		if (plan->measures[i].key && plan->measures[i].key->file &&
		    !strcmp(plan->measures[i].key->file, file))
			return &plan->measures[i];
	return NULL;
}

const struct plan_measure *plan_measure_named(const struct record_plan *plan, const char *name)
{
	for (size_t i = 0; i < plan->nr_measures; i++)
		if (!strcmp(plan->measures[i].name, name))
			return &plan->measures[i];
	return NULL;
}

/* The first tracer of the plan that the key applies to. */
static const char *tracer_of(const struct record_plan *plan, const struct measure_key *key)
{
	for (size_t i = 0; i < plan->nr_buffers; i++)
		if (measure_key_fits(key, plan->buffers[i].tracer))
			return plan->buffers[i].tracer;
	return NULL;
}

static void find_key(struct record_plan *plan, struct plan_measure *m)
{
	const struct measure_key *key;
	struct text tracers = { 0 };

	m->key = NULL;
	for (unsigned int i = 0; (key = measure_key(i)) && !m->key; i++) {
		if (strcmp(key->name, m->name) != 0)
			continue;
		text_printf(&tracers, "%s%s", tracers.len ? " " : "", key->tracers);
		if (tracer_of(plan, key))
			m->key = key;
	}
	if (!m->key)
		record_plan_mistake(plan, "%s: requires -p with one of the tracers: %s", m->name,
				    text_str(&tracers));
	text_fini(&tracers);
}

/* Does the kernel have the file?  Without its tracer, which is a mistake of its own, it cannot. */
static bool has_file(struct record_plan *plan, const struct plan_measure *m, const char *file,
		     const struct tracefs_dir *root)
{
	const char *tracer = tracer_of(plan, m->key);
	struct name_list tracers = { 0 };

	if (!file || tracefs_dir_has(root, file))
		return true;
	if (!tracefs_dir_read_words(root, "available_tracers", &tracers, NULL) &&
	    name_list_has(&tracers, tracer)) {
		record_plan_mistake(plan, "%s: this kernel has no %s/%s%s%s", m->name, root->path,
				    file, m->key->since ? "; Linux has it since " : "",
				    m->key->since ? m->key->since : "");
		plan->nr_missing++;
	}
	name_list_fini(&tracers);
	return false;
}

/* The runtime may not be above the period: those of the plan, else those that are set. */
static void check_pair(struct record_plan *plan, const struct measure_key *key,
		       const struct tracefs_dir *root)
{
	const struct plan_measure *low = plan_measure_of(plan, key->file),
				  *high = plan_measure_of(plan, key->at_most);
	long long low_us = 0, high_us = 0;
	struct text t = { 0 };

	if ((!low && !high) || (!low && tracefs_dir_read_number(root, key->file, &low_us, NULL)) ||
	    (!high && tracefs_dir_read_number(root, key->at_most, &high_us, NULL)))
		return;
	low_us = low ? (long long)low->us : low_us;
	high_us = high ? (long long)high->us : high_us;
	if (low_us <= high_us)
		return;
	text_printf(&t, "%s, which is ", low ? key->at_most : key->file);
	measure_time_text((uint64_t)(low ? high_us : low_us), &t);
	if (low)
		record_plan_mistake(plan, "%s=%s: it may not be above %s%s", low->name, low->value,
				    text_str(&t), high ? " then" : "; set that, too");
	else
		record_plan_mistake(plan, "%s=%s: it may not be below %s; set that, too",
				    high->name, high->value, text_str(&t));
	text_fini(&t);
}

/* @words: "[none] round-robin", "DEFAULTS NO_PANIC_ON_STOP" */
static void check_word(struct record_plan *plan, const struct plan_measure *m,
		       const struct tracefs_dir *root)
{
	bool option = m->key->kind == MEASURE_OPTION;
	struct name_list words = { 0 }, known = { 0 };
	struct text all = { 0 };

	tracefs_dir_read_words(root, m->key->file, &words, NULL);
	for (size_t i = 0; i < words.nr; i++) {
		const char *word = words.names[i];
		size_t len;

		word += strspn(word, "[");
		word += option && !strncmp(word, "NO_", 3) ? 3 : 0;
		len = strcspn(word, "]");
		name_list_add_bytes(&known, word, len);
		text_printf(&all, "%s%.*s", i ? ", " : "", (int)len, word);
	}
	if (known.nr && !name_list_has(&known, m->value) &&
	    !(option && !strncmp(m->value, "NO_", 3) && name_list_has(&known, m->value + 3) &&
	      strcmp(m->value, "NO_DEFAULTS")))
		record_plan_unknown(plan, name_list_nearest(&known, m->value), "",
				    "%s=%s: this kernel does not have it; it has: %s", m->name,
				    m->value, text_str(&all));
	name_list_fini(&words);
	name_list_fini(&known);
	text_fini(&all);
}

static void check_one(struct record_plan *plan, struct plan_measure *m,
		      const struct tracefs_dir *root)
{
	find_key(plan, m);
	/* without that file, the kernel has only threads of its own */
	if (!m->key || m->key->kind == MEASURE_KERNEL || !has_file(plan, m, m->key->file, root) ||
	    !has_file(plan, m, m->key->option ? MEASURE_OPTIONS : NULL, root))
		return;
	if (m->key->kind == MEASURE_TIME || m->key->kind == MEASURE_LATENCY)
		check_limits(plan, m->key, m);
	else if (m->key->kind == MEASURE_OPTION || m->key->kind == MEASURE_CHOICE)
		check_word(plan, m, root);
}

void plan_measure_check(struct record_plan *plan, const struct tracefs_dir *root)
{
	const struct measure_key *key;

	for (size_t i = 0; i < plan->nr_measures; i++)
		check_one(plan, &plan->measures[i], root);
	for (unsigned int i = 0; (key = measure_key(i)); i++)
		if (key->at_most)
			check_pair(plan, key, root);
	if (plan_measure_named(plan, "user") && plan_measure_named(plan, "kernel"))
		record_plan_mistake(plan, "user, kernel: timerlat wakes the one or the other");
}
