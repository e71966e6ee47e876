/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recorder/plan/record_plan.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "recorder/tracefs/kernel_config.h"
#include "recorder/plan/plan_boot.h"
#include "recorder/plan/plan_buffers.h"
#include "recorder/plan/plan_functions.h"
#include "recorder/plan/plan_limits.h"
#include "recorder/plan/plan_measure.h"
#include "recorder/plan/plan_modules.h"
#include "recorder/plan/plan_monitors.h"
#include "recorder/plan/plan_pids.h"
#include "recorder/plan/plan_probes.h"
#include "recorder/plan/plan_queries.h"
#include "recorder/plan/plan_triggers.h"
#include "recorder/plan/plan_user_events.h"
#include "recorder/tracefs/lock_probes.h"
#include "recorder/tracefs/refusal.h"
#include "recorder/tracefs/tracefs_dir.h"
#include "src/base/memory.h"
#include "src/base/options.h"

/* --- making one ------------------------------------------------------------------------------- */

void record_plan_init(struct record_plan *plan)
{
	*plan = (struct record_plan){ .rt_priority = 1, .file_version = 7, .output = "trace.dat",
				      .browse = true, .syscall_bytes = -1,
				      .status_fd = -1, .control_fd = -1, .root = "" };
	plan->nr_cpus = (unsigned int)sysconf(_SC_NPROCESSORS_CONF);
	record_plan_add_buffer(plan, "");
}

static void buffer_fini(struct plan_buffer *b)
{
	for (size_t i = 0; i < b->nr_events; i++) {
		free(b->events[i].pattern);
		free(b->events[i].filter);
		name_list_fini(&b->events[i].triggers);
	}
	name_list_fini(&b->options);
	name_list_fini(&b->functions);
	name_list_fini(&b->notrace);
	free(b->events);
	free(b->name);
	free(b->tracer);
	free(b->clock);
	free(b->cpus);
	free(b->enabled);
	free(b->filters);
}

static void catalog_fini(struct plan_catalog *catalog)
{
	for (size_t i = 0; i < catalog->nr; i++) {
		free(catalog->events[i].system);
		free(catalog->events[i].name);
	}
	free(catalog->events);
	*catalog = (struct plan_catalog){ 0 };
}

static void probe_fini(struct plan_probe *probe)
{
	free(probe->definition);
	free(probe->system);
	free(probe->name);
}

void record_plan_fini(struct record_plan *plan)
{
	for (size_t i = 0; i < plan->nr_buffers; i++)
		buffer_fini(&plan->buffers[i]);
	for (size_t i = 0; i < plan->nr_probes; i++)
		probe_fini(&plan->probes[i]);
	for (unsigned int i = 0; i < plan->nr_limit_probes; i++)
		probe_fini(&plan->limit_probes[i]);
	for (size_t i = 0; i < plan->nr_measures; i++) {
		free(plan->measures[i].name);
		free(plan->measures[i].value);
	}
	catalog_fini(&plan->catalog);
	name_list_fini(&plan->graph);
	name_list_fini(&plan->graph_notrace);
	name_list_fini(&plan->pids);
	name_list_fini(&plan->until);
	name_list_fini(&plan->monitors);
	name_list_fini(&plan->enabled_monitors);
	name_list_fini(&plan->queries);
	text_fini(&plan->mistakes);
	text_fini(&plan->notes);
	free(plan->measures);
	free(plan->measure_cpus);
	free(plan->probes);
	free(plan->limit_filter);
	free(plan->buffers);
	*plan = (struct record_plan){ 0 };
}

struct plan_buffer *record_plan_buffer(struct record_plan *plan)
{
	return &plan->buffers[plan->nr_buffers - 1];
}

struct plan_buffer *record_plan_add_buffer(struct record_plan *plan, const char *name)
{
	mem_grow(&plan->buffers, plan->nr_buffers, &plan->cap_buffers);
	plan->buffers[plan->nr_buffers] = (struct plan_buffer){ .name = mem_strdup(name) };
	return &plan->buffers[plan->nr_buffers++];
}

struct plan_event *record_plan_add_event_to(struct plan_buffer *b, const char *pattern,
					    bool negated)
{
	mem_grow(&b->events, b->nr_events, &b->cap_events);
	b->events[b->nr_events] = (struct plan_event){ .pattern = mem_strdup(pattern),
						       .negated = negated,
						       .of_module = strstr(pattern, PLAN_MODULE) };
	return &b->events[b->nr_events++];
}

struct plan_event *record_plan_add_event(struct record_plan *plan, const char *pattern,
					 bool negated)
{
	return record_plan_add_event_to(record_plan_buffer(plan), pattern, negated);
}

static __attribute__((format(printf, 2, 0))) void add_mistake(struct record_plan *plan,
							      const char *fmt, va_list ap)
{
	char line[1024];

	vsnprintf(line, sizeof(line), fmt, ap);
	text_add(&plan->mistakes, line);
	plan->nr_mistakes++;
}

void record_plan_mistake(struct record_plan *plan, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add_mistake(plan, fmt, ap);
	va_end(ap);
	text_char(&plan->mistakes, '\n');
}

void record_plan_unknown(struct record_plan *plan, const char *near, const char *otherwise,
			 const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add_mistake(plan, fmt, ap);
	va_end(ap);
	if (near)
		text_printf(&plan->mistakes, "; did you mean %s?", near);
	text_printf(&plan->mistakes, "%s\n", near ? "" : otherwise);
}

void record_plan_missing(struct record_plan *plan, const char *config, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add_mistake(plan, fmt, ap);
	va_end(ap);
	text_printf(&plan->mistakes, ": not in this kernel (CONFIG_%s%s)\n", config,
		    kernel_config_lacks(config) ? " is not set" : "");
	plan->nr_missing++;
}

/* --- numbers ---------------------------------------------------------------------------------- */

bool record_plan_size(const char *text, uint64_t unit, uint64_t *bytes)
{
	static const char letters[] = "KMGT";
	const char *letter;
	char *end;

	errno = 0;
	*bytes = strtoull(text, &end, 10);
	if (errno || end == text || !isdigit((unsigned char)*text))
		return false;
	letter = *end ? strchr(letters, toupper((unsigned char)*end)) : NULL;
	if (letter) {
		unit = 1ull << (10 * (letter - letters + 1));
		end++;
		end += *end == 'i';
		end += *end == 'B' || *end == 'b';
	}
	if (*end || *bytes > UINT64_MAX / 2 / unit)
		return false;
	*bytes *= unit;
	return true;
}

bool record_plan_time(const char *text, uint64_t *ns)
{
	static const struct { const char *name; double ns; } units[] = {
		{ "", 1e9 }, { "s", 1e9 }, { "ms", 1e6 }, { "us", 1e3 }, { "ns", 1 }, { "m", 60e9 },
		{ "min", 60e9 }, { "h", 3600e9 },
	};
	char *end;
	double value;

	if (!isdigit((unsigned char)*text) && *text != '.')
		return false;
	value = strtod(text, &end);
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(end, units[i].name) || value * units[i].ns > 1e18)
			continue;
		*ns = (uint64_t)(value * units[i].ns);
		return true;
	}
	return false;
}

/* --- events ----------------------------------------------------------------------------------- */

static int compare_events(const void *a, const void *b)
{
	const struct plan_catalog_event *x = a, *y = b;
	int order = strcmp(x->system, y->system);

	return order ? order : strcmp(x->name, y->name);
}

static void catalog_add(struct plan_catalog *c, const char *system, size_t len, const char *name)
{
	mem_grow(&c->events, c->nr, &c->cap);
	c->events[c->nr].system = mem_strndup(system, len);
	c->events[c->nr++].name = mem_strdup(name);
}

static bool has_lock_probes(const struct record_plan *plan)
{
	for (size_t i = 0; i < plan->nr_probes; i++)
		if (!strcmp(plan->probes[i].system, LOCK_PROBES_SYSTEM))
			return true;
	return false;
}

/* --locks: the probes that this kernel can have, and the events that end what they begin. */
static void add_locks(struct record_plan *plan, const struct tracefs_dir *root)
{
	struct lock_probes locks;

	if (has_lock_probes(plan))	/* the plan is checked again */
		return;
	lock_probes_find(&locks, root, plan->root);
	for (size_t i = 0; i < locks.probes.nr; i++)
		record_plan_add_probe(plan, locks.probes.names[i], false);
	for (size_t i = 0; i < locks.ends.nr; i++)
		record_plan_add_event_to(&plan->buffers[0], locks.ends.names[i], false);
	if (locks.lacks.len)
		text_printf(&plan->notes, "not recorded: %s\n", text_str(&locks.lacks));
	lock_probes_fini(&locks);
}

static bool may_have_switches(const struct record_plan *plan)
{
	static char system[] = "sched", name[] = "sched_switch";
	const struct plan_catalog_event event = { system, name };

	for (size_t b = 0; b < plan->nr_buffers; b++)
		for (size_t k = 0; k < plan->buffers[b].nr_events; k++)
			if (!plan->buffers[b].events[k].negated &&
			    record_plan_event_matches(plan->buffers[b].events[k].pattern, &event))
				return true;
	return false;
}

static void load_catalog(struct record_plan *plan, const struct tracefs_dir *root)
{
	struct ft_error err = { 0 };
	struct name_list lines;

	if (tracefs_dir_read_lines(root, "available_events", &lines, &err)) {
		refusal_add(&err, root, "available_events", errno, "EVENT_TRACING");
		record_plan_mistake(plan, "%s", err.message);
		plan->nr_missing++;
	}
	for (size_t i = 0; i < lines.nr; i++) {
		const char *colon = strchr(lines.names[i], ':');

		if (colon)
			catalog_add(&plan->catalog, lines.names[i], colon - lines.names[i],
				    colon + 1);
	}
	if (plan->locks)
		add_locks(plan, root);
	if (!plan->no_who && !plan->boot && may_have_switches(plan))
		plan_limits_find_probes(plan, root);
	for (unsigned int i = 0; i < plan->nr_limit_probes; i++)
		catalog_add(&plan->catalog, PLAN_LIMITS_SYSTEM, strlen(PLAN_LIMITS_SYSTEM),
			    plan->limit_probes[i].name);
	plan_queries_expand(plan, root);
	for (size_t i = 0; i < plan->nr_probes; i++) {
		const struct plan_probe *p = &plan->probes[i];

		if (!plan_probe_possible(plan, p, root))
			continue;
		if (tracefs_dir_has(root, TRACEFS_TEXT("events/%s/%s", p->system, p->name)))
			record_plan_mistake(
				plan, "%s:%s already exists and is not ours; choose another name",
				p->system, p->name);
		else
			catalog_add(&plan->catalog, p->system, strlen(p->system), p->name);
	}
	if (plan->catalog.nr)
		qsort(plan->catalog.events, plan->catalog.nr, sizeof(*plan->catalog.events),
		      compare_events);
	name_list_fini(&lines);
}

/*
 * trace-cmd's rule: with a colon both parts are globs; a plain word matches systems, and events of
 * any system.
 */
bool record_plan_event_matches(const char *pattern, const struct plan_catalog_event *e)
{
	const char *colon = strpbrk(pattern, ":/");
	char system[256];

	if (!strcmp(pattern, "all"))
		return true;
	if (!colon)
		return !fnmatch(pattern, e->system, 0) || !fnmatch(pattern, e->name, 0);
	snprintf(system, sizeof(system), "%.*s", (int)(colon - pattern), pattern);
	return (!*system || !fnmatch(system, e->system, 0)) &&
	       (!colon[1] || !fnmatch(colon + 1, e->name, 0));
}

/*
 * Add a mistake with the nearest "system:event", system or event to a pattern that matches nothing.
 */
static void no_such_event(struct record_plan *plan, const char *pattern)
{
	const struct plan_catalog *c = &plan->catalog;
	const char *colon = strpbrk(pattern, ":/");
	struct name_list names = { 0 };

	for (size_t i = 0; i < c->nr; i++) {
		if (colon) {
			name_list_add(&names, TRACEFS_TEXT("%s:%s", c->events[i].system,
							   c->events[i].name));
		} else {
			name_list_add(&names, c->events[i].name);
			if (!i || strcmp(c->events[i].system, c->events[i - 1].system))
				name_list_add(&names, c->events[i].system);
		}
	}
	record_plan_unknown(plan, name_list_nearest(&names, pattern),
			    "; 'ftop-trace list -e' shows all", "%s: no such event", pattern);
	name_list_fini(&names);
}

/* --- filters ---------------------------------------------------------------------------------- */

static bool is_generic_field(const char *name, size_t len)
{
	static const char *const generic[] = { "CPU", "cpu", "COMM", "comm", "stacktrace" };

	if (len > 7 && !strncmp(name, "common_", 7))
		return true;
	for (size_t i = 0; i < sizeof(generic) / sizeof(generic[0]); i++)
		if (strlen(generic[i]) == len && !memcmp(generic[i], name, len))
			return true;
	return false;
}

static void fields_of_format(const char *format, struct name_list *fields)
{
	for (const char *p = format; (p = strstr(p, "field:")); p++) {
		const char *end = strchr(p, ';');
		const char *name;

		if (!end)
			return;
		/* "char prev_comm[16]", but "__data_loc char[] name" */
		if (end[-1] == ']')
			while (end > p && *end != '[')
				end--;
		for (name = end; name > p && (isalnum((unsigned char)name[-1]) || name[-1] == '_');
		     name--)
			;
		name_list_add_bytes(fields, name, end - name);
	}
}

/* Is the word before @after the left side of a comparison? */
static bool is_compared(const char *after)
{
	after += strspn(after, " \t");
	if (!strncmp(after, "&&", 2) || !strncmp(after, "||", 2))
		return false;
	return *after && strchr("=!<>~&", *after);
}

bool record_plan_filter_fits(const char *filter, const char *format, struct text *missing)
{
	struct name_list fields = { 0 };
	bool fits = true;

	fields_of_format(format, &fields);
	for (const char *p = filter; *p && fits;) {
		if (*p == '"' || *p == '\'') {
			const char *end = strchr(p + 1, *p);

			p = end ? end + 1 : p + strlen(p);
		} else if (isalpha((unsigned char)*p) || *p == '_') {
			size_t len = strspn(
				p,
				"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
			size_t all = p[len] == '.' ? len + 1 +
							     strspn(p + len + 1,
								    "abcdefghijklmnopqrstuvwxyz") :
						     len;
			char *name = mem_strndup(p, len);

			if (is_compared(p + all) && !is_generic_field(p, len) &&
			    !name_list_has(&fields, name)) {
				const char *near = name_list_nearest(&fields, name);

				fits = false;
				if (missing)
					text_printf(missing, "no field %s%s%s%s", name,
						    near ? "; did you mean " : "", near ? near : "",
						    near ? "?" : "");
			}
			free(name);
			p += all;
		} else if (isdigit((unsigned char)*p)) {
			p += strspn(p, "0123456789abcdefABCDEFxX");
		} else {
			p++;
		}
	}
	name_list_fini(&fields);
	return fits;
}

/*
 * The filter applies to the matching events that have its fields; if none has them, it is a
 * mistake.
 */
static void check_filter(struct record_plan *plan, struct plan_buffer *b,
			 const struct plan_event *event, const struct tracefs_dir *root)
{
	const struct plan_catalog *c = &plan->catalog;
	struct text format = { 0 }, missing = { 0 };
	size_t nr = 0, fit = 0, last = 0, max = (size_t)sysconf(_SC_PAGESIZE) - 1;

	if (strlen(event->filter) > max) {
		record_plan_mistake(plan, "-f '%.20s...': %zu bytes; the kernel takes %zu",
				    event->filter, strlen(event->filter), max);
		return;
	}
	for (size_t i = 0; i < c->nr; i++) {
		const struct plan_catalog_event *e = &c->events[i];
		const char *file;

		if (!record_plan_event_matches(event->pattern, e))
			continue;
		nr++;
		last = i;
		file = TRACEFS_TEXT("events/%s/%s/format", e->system, e->name);
		tracefs_dir_read(root, file, &format, NULL);
		/* if a format cannot be read (as of a probe not yet defined), the kernel decides */
		if (!format.len || record_plan_filter_fits(event->filter, text_str(&format),
							   fit ? NULL : &missing)) {
			b->filters[i] = event->filter;
			fit++;
		}
		if (!fit && nr > 1)
			text_clear(&missing);
	}
	if (nr == 1 && !fit)
		record_plan_mistake(plan, "-f '%s': %s:%s has %s", event->filter,
				    c->events[last].system, c->events[last].name,
				    text_str(&missing));
	else if (nr && !fit)
		record_plan_mistake(plan, "-f '%s': none of the %zu events of %s has these fields",
				    event->filter, nr, event->pattern);
	text_fini(&format);
	text_fini(&missing);
}

static bool is_left_out(const struct plan_buffer *b, const struct plan_catalog_event *event)
{
	for (size_t k = 0; k < b->nr_events; k++)
		if (b->events[k].negated && record_plan_event_matches(b->events[k].pattern, event))
			return true;
	return false;
}

/* When groups of tasks were throttled, and so who was. */
static void add_limit_events(struct record_plan *plan, struct plan_buffer *b)
{
	const struct plan_catalog *c = &plan->catalog;

	for (size_t i = 0; i < c->nr; i++)
		if (record_plan_event_matches(PLAN_LIMITS_SYSTEM, &c->events[i]) &&
		    !is_left_out(b, &c->events[i]))
			b->enabled[i] = true;
		else if (record_plan_event_matches("timer:hrtimer_expire_entry", &c->events[i]) &&
			 !b->enabled[i] && !is_left_out(b, &c->events[i]) &&
			 plan_limits_filter(plan)) {
			b->enabled[i] = true;
			b->filters[i] = plan->limit_filter;
		}
}

/*
 * Where all switches between tasks are recorded, so is who they are: these events are rare, and
 * readers know from them whose a pid is (parsers/types/who_table.h).
 */
static void add_who_events(struct record_plan *plan, struct plan_buffer *b)
{
	static const char *const names[] = {
		"task:task_newtask", "sched:sched_process_exec", "sched:sched_process_exit",
		"cgroup:cgroup_attach_task",
	};
	const struct plan_catalog *c = &plan->catalog;
	bool has_switches = false;

	for (size_t i = 0; i < c->nr; i++)
		has_switches |= b->enabled[i] && !b->filters[i] &&
				record_plan_event_matches("sched:sched_switch", &c->events[i]);
	for (size_t i = 0; has_switches && i < c->nr; i++)
		for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++)
			if (record_plan_event_matches(names[k], &c->events[i]) &&
			    !is_left_out(b, &c->events[i]))
				b->enabled[i] = true;
	if (has_switches)
		add_limit_events(plan, b);
}

/* A monitor tells what it sees by its events. */
static void add_monitor_events(const struct record_plan *plan, struct plan_buffer *b)
{
	const struct plan_catalog *c = &plan->catalog;

	for (size_t i = 0; i < c->nr; i++)
		if (plan_monitors_have(plan, &c->events[i]) && !is_left_out(b, &c->events[i]))
			b->enabled[i] = true;
}

static void check_events(struct record_plan *plan, struct plan_buffer *b,
			 const struct tracefs_dir *root)
{
	const struct plan_catalog *c = &plan->catalog;

	free(b->enabled);
	free(b->filters);
	b->enabled = mem_array(c->nr + 1, sizeof(*b->enabled));
	b->filters = mem_array(c->nr + 1, sizeof(*b->filters));
	for (size_t k = 0; k < b->nr_events; k++) {
		struct plan_event *event = &b->events[k];
		size_t found = 0;

		if (event->of_module) {
			plan_modules_check(plan, event, root);
			continue;
		}
		for (size_t i = 0; i < c->nr; i++) {
			if (!record_plan_event_matches(event->pattern, &c->events[i]))
				continue;
			if (!found++ && event->triggers.nr)
				plan_triggers_check(plan, event, c->events[i].system,
						    c->events[i].name, root);
			if (!event->triggers_only)
				b->enabled[i] = !event->negated;
		}
		if (!found && plan_user_events_expects(event->pattern, root))
			text_printf(&plan->notes,
				    "%s: no program has registered such an event yet; those that "
				    "come are recorded\n",
				    event->pattern);
		else if (!found && c->nr && plan->ignore_missing)
			text_printf(&plan->notes, "%s: no such event: left out (-i)\n",
				    event->pattern);
		else if (!found && c->nr)
			no_such_event(plan, event->pattern);
		if (found && event->filter)
			check_filter(plan, b, event, root);
	}
	for (size_t k = 0; b == plan->buffers && k < plan->nr_probes; k++)
		for (size_t i = 0; i < c->nr; i++)
			if (!strcmp(c->events[i].system, plan->probes[k].system) &&
			    !strcmp(c->events[i].name, plan->probes[k].name))
				b->enabled[i] = true;
	if (b == plan->buffers)
		add_monitor_events(plan, b);
	if (!plan->no_who)
		add_who_events(plan, b);
}

/* --- tracers, clocks, options ----------------------------------------------------------------- */

static void check_tracer(struct record_plan *plan, const struct plan_buffer *b,
			 const struct tracefs_dir *root)
{
	const struct kernel_facts_tracer *known = kernel_facts_tracer(b->tracer);
	struct name_list tracers;

	if (!b->tracer || tracefs_dir_read_words(root, "available_tracers", &tracers, NULL))
		return;
	if (name_list_has(&tracers, b->tracer)) {
		name_list_fini(&tracers);
		return;
	}
	for (size_t i = 0; i < KERNEL_FACTS_TRACERS; i++)
		name_list_add(&tracers, kernel_facts_tracers[i].name);
	if (known)
		record_plan_missing(plan, known->config, "-p %s", b->tracer);
	else
		record_plan_unknown(plan, name_list_nearest(&tracers, b->tracer),
				    "; 'ftop-trace list -t' shows all", "-p %s: no such tracer",
				    b->tracer);
	name_list_fini(&tracers);
}

static void check_clock(struct record_plan *plan, const struct plan_buffer *b,
			const struct tracefs_dir *root)
{
	static const char *const counting[] = { "counter", "uptime", "x86-tsc", "ppc-tb" };
	struct text t = { 0 };
	struct name_list clocks = { 0 };
	const char *near;

	for (size_t i = 0; plan->keep_ns && i < sizeof(counting) / sizeof(counting[0]); i++)
		if (b->clock && !strcmp(b->clock, counting[i]))
			record_plan_mistake(plan,
					    "-m: a time needs a clock that has one; the "
					    "clock %s counts. Give a size, as 64M, instead",
					    b->clock);
	if (!b->clock || tracefs_dir_read(root, "trace_clock", &t, NULL))
		return;
	for (size_t i = 0; i < t.len; i++)	/* brackets mark the one in use */
		if (t.data[i] == '[' || t.data[i] == ']')
			t.data[i] = ' ';
	name_list_words(&clocks, text_str(&t));
	if (!name_list_has(&clocks, b->clock)) {
		near = name_list_nearest(&clocks, b->clock);
		text_clear(&t);
		for (size_t i = 0; i < clocks.nr; i++)
			text_printf(&t, " %s", clocks.names[i]);
		record_plan_mistake(plan, "-C %s: no such clock%s%s%s this kernel has:%s", b->clock,
				    near ? "; did you mean " : "", near ? near : "",
				    near ? "?" : ";", text_str(&t));
	}
	name_list_fini(&clocks);
	text_fini(&t);
}

static void check_options(struct record_plan *plan, const struct plan_buffer *b,
			  const struct tracefs_dir *root)
{
	struct name_list known = { 0 };

	tracefs_dir_list(root, "options", &known, NULL);
	for (size_t i = 0; i < b->options.nr && known.nr; i++) {
		const char *name = b->options.names[i];
		const char *near;

		if (name_list_has(&known, name) ||
		    (!strncmp(name, "no", 2) && name_list_has(&known, name + 2)))
			continue;
		/* a tracer's options may appear only when it is set */
		if (b->tracer && strcmp(b->tracer, "nop") &&
		    (!strncmp(name, "func", 4) || !strncmp(name, "nofunc", 6)))
			continue;
		near = name_list_nearest(&known, !strncmp(name, "no", 2) &&
								 !name_list_nearest(&known, name) ?
							 name + 2 :
							 name);
		record_plan_unknown(plan, near, "; 'ftop-trace list -o' shows all",
				    "-O %s: no such option", name);
	}
	name_list_fini(&known);
}

/* --- the rest --------------------------------------------------------------------------------- */

static void check_memory(struct record_plan *plan)
{
	uint64_t kb = 0, available = kernel_facts_available_kb("");

	for (size_t i = 0; i < plan->nr_buffers; i++)
		kb += plan->buffers[i].size_kb * plan->nr_cpus;
	if (available && kb > available / 2 && !plan->force)
		record_plan_mistake(
			plan,
			"-b: %llu MiB of buffers on %u CPUs is more than half of the memory that is available "
			"(%llu MiB); --force does it anyway",
			(unsigned long long)(kb >> 10), plan->nr_cpus,
			(unsigned long long)(available >> 10));
}

static void check_stack_tracer(struct record_plan *plan, const struct tracefs_dir *root)
{
	struct tracefs_dir sysctl;
	long long on = 0;

	if (!plan->stack_max)
		return;
	if (!tracefs_dir_has(root, "stack_max_size"))
		record_plan_missing(plan, "STACK_TRACER",
				    "--stack-trace-max: there is no %s/stack_max_size", root->path);
	if (!tracefs_dir_open(&sysctl, "/proc/sys/kernel", NULL) &&
	    !tracefs_dir_read_number(&sysctl, "stack_tracer_enabled", &on, NULL) && on &&
	    !plan->force)
		record_plan_mistake(
			plan,
			"--stack-trace-max: the stack tracer is already in use (kernel.stack_tracer_enabled is %lld) and "
			"would lose its result; --force does it anyway",
			on);
	tracefs_dir_close(&sysctl);
}

bool record_plan_is_latency_tracer(const char *tracer)
{
	const struct kernel_facts_tracer *known = kernel_facts_tracer(tracer);

	return known && known->is_latency;
}

/* Without their tracer, these options would silently have no effect. */
static void check_tracers_options(struct record_plan *plan)
{
	bool functions = false, graph = false, osnoise = false;

	for (size_t i = 0; i < plan->nr_buffers; i++) {
		const char *tracer = plan->buffers[i].tracer;

		functions |= tracer && !strcmp(tracer, "function");
		osnoise |= tracer && (!strcmp(tracer, "timerlat") || !strcmp(tracer, "osnoise"));
		/* with the option display-graph, these trace the call graph, too */
		graph |= tracer && (!strcmp(tracer, "function_graph") ||
				    record_plan_is_latency_tracer(tracer));
		/* a file holds only one such text, for the whole file */
		if (record_plan_is_latency_tracer(tracer) && plan->nr_buffers > 1)
			record_plan_mistake(
				plan,
				"-p %s: the result of a latency tracer is not part of a buffer, so -B cannot record it",
				tracer);
	}
	if (!graph && plan->graph.nr)
		record_plan_mistake(plan, "-g %s requires -p function_graph", plan->graph.names[0]);
	if (!graph && plan->graph_notrace.nr)
		record_plan_mistake(plan, "--graph-notrace %s requires -p function_graph",
				    plan->graph_notrace.names[0]);
	if (!graph && plan->max_graph_depth)
		record_plan_mistake(plan, "--max-graph-depth requires -p function_graph");
	if (!osnoise && (plan->stop_tracing_us || plan->stop_tracing_total_us))
		record_plan_mistake(plan, "--stop-tracing%s requires -p timerlat or -p osnoise",
				    plan->stop_tracing_us ? "" : "-total");
	if (!functions && plan->func_stack)
		record_plan_mistake(plan, "--func-stack requires -p function");
}

/* The kernel reads what arguments point to when a system call begins. */
static void check_syscalls(struct record_plan *plan, const struct tracefs_dir *root)
{
	const struct plan_catalog *c = &plan->catalog;
	bool any = false;

	if (plan->syscall_bytes < 0)
		return;
	if (!tracefs_dir_has(root, PLAN_SYSCALL_BYTES)) {
		record_plan_mistake(plan,
				    "--syscall-bytes: there is no %s/" PLAN_SYSCALL_BYTES
				    ": Linux 6.19 and later have it",
				    root->path);
		plan->nr_missing++;
		return;
	}
	for (size_t b = 0; b < plan->nr_buffers; b++)
		for (size_t i = 0; i < c->nr; i++)
			any |= plan->buffers[b].enabled[i] &&
			       record_plan_event_matches("syscalls:sys_enter_*", &c->events[i]);
	if (!any)
		record_plan_mistake(plan, "--syscall-bytes requires events of system calls, as "
					  "-e 'syscalls:sys_enter_*'");
}

static void check_sense(struct record_plan *plan)
{
	bool any = plan->nr_probes > 0 || plan->queries.nr || plan->monitors.nr, left_out = false;

	for (size_t i = 0; i < plan->nr_buffers; i++) {
		const struct plan_buffer *b = &plan->buffers[i];

		any |= b->tracer || plan->stack_max;
		for (size_t k = 0; k < b->nr_events; k++) {
			any |= !b->events[k].negated;
			left_out |= b->events[k].negated;
		}
	}
	if (!any && !plan->save_boot)
		record_plan_mistake(plan,
				    "nothing to record: name events with -e, or a tracer with -p%s",
				    left_out ? "; an -e after -v records nothing" :
					       ", as in ftop-trace record -e sched");
	if (plan->only_command && !plan->command)
		record_plan_mistake(plan, "-F requires a command");
	if (plan->children && !plan->only_command && !plan->pids.nr)
		record_plan_mistake(plan, "-c requires -F or -P");
	check_tracers_options(plan);
}

int record_plan_check(struct record_plan *plan, const char *path)
{
	enum plan_functions_form form = plan->boot ? PLAN_FUNCTIONS_BY_NAME :
						     PLAN_FUNCTIONS_BY_LINE;
	struct tracefs_dir dir, *root = &dir;
	struct ft_error err;

	catalog_fini(&plan->catalog);
	if (tracefs_dir_open(&dir, path, &err)) {
		record_plan_mistake(plan, "%s", err.message);
		plan->nr_missing++;
		return -1;
	}
	load_catalog(plan, root);
	check_sense(plan);
	plan_monitors_check(plan, root);
	for (size_t i = 0; i < plan->nr_buffers; i++) {
		struct plan_buffer *b = &plan->buffers[i];

		check_tracer(plan, b, root);
		check_events(plan, b, root);
		check_clock(plan, b, root);
		check_options(plan, b, root);
		plan_functions_check(plan, "-l", &b->functions, form, root);
		plan_functions_check(plan, "-n", &b->notrace, form, root);
	}
	plan_buffers_check(plan, root);
	plan_functions_check(plan, "-g", &plan->graph, PLAN_FUNCTIONS_BY_NAME, root);
	plan_functions_check(plan, "--graph-notrace", &plan->graph_notrace, PLAN_FUNCTIONS_BY_NAME,
			     root);
	check_stack_tracer(plan, root);
	check_syscalls(plan, root);
	plan_measure_check(plan, root);
	plan_pids_check(plan);
	check_memory(plan);
	plan_boot_check(plan);
	tracefs_dir_close(&dir);
	return plan->nr_mistakes ? -1 : 0;
}
