/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recorder/plan/plan_boot.h"

#include <ctype.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "recorder/plan/plan_cpus.h"
#include "recorder/plan/plan_modules.h"
#include "recorder/tracefs/kernel_config.h"
#include "recorder/tracefs/tracefs_dir.h"
#include "src/base/shell_words.h"

#define COMMAND_LINE	2048u		/* bytes, of x86 and arm64: COMMAND_LINE_SIZE */
#define DEFAULT_KB	4096u		/* per CPU, as a recording has */
#define EXTRA_KB	64u		/* per CPU: the kernel's own data in a persistent buffer */
#define MEMORY		"ftop"		/* name of the memory that is reserved */
/* the persistent instance, unless -B names one; as in the kernel's examples */
#define PERSISTENT	"boot_map"

/* Where a setting is written. */
enum boot_place {
	PARAMETER,		/* of the kernel: for the top instance */
	BOOTCONFIG,		/* a key below "ftrace" or "ftrace.instance.NAME" */
	FILE_LATER,		/* a file of the instance, after the boot */
	NR_PLACES
};

enum boot_setting {
	SIZE,
	CLOCK,
	OPTIONS,
	CPUS,
	EVENTS,
	FUNCTIONS,
	NOTRACE,
	TRACER,
	LATE,
	NR_SETTINGS
};

/* NULL: it cannot be written there. */
static const char *const names[NR_SETTINGS][NR_PLACES] = {
	[SIZE] = { "trace_buf_size", "buffer_size", NULL },
	[CLOCK] = { "trace_clock", "trace_clock", "trace_clock" },
	[OPTIONS] = { "trace_options", "options", "trace_options" },
	[CPUS] = { NULL, "cpumask", "tracing_cpumask" },
	[EVENTS] = { "trace_event", NULL, "set_event" },
	[FUNCTIONS] = { "ftrace_filter", "ftrace.filters", "set_ftrace_filter" },
	[NOTRACE] = { "ftrace_notrace", "ftrace.notraces", "set_ftrace_notrace" },
	[TRACER] = { "ftrace", "tracer", "current_tracer" },
	/* options of the tracer */
	[LATE] = { NULL, NULL, "trace_options" },
};

static const char *name_of(const struct record_plan *plan, const struct plan_buffer *b)
{
	return plan->persistent && !*b->name ? PERSISTENT : b->name;
}

/* Probes are recorded in the first one. */
static bool is_used(const struct record_plan *plan, const struct plan_buffer *b)
{
	return b->nr_events || b->tracer || (b == plan->buffers && plan->nr_probes);
}

/* --- events ----------------------------------------------------------------------------------- */

static void triggers_of(const struct plan_buffer *b, const struct plan_catalog_event *e,
			struct name_list *triggers)
{
	for (size_t k = 0; k < b->nr_events; k++)
		for (size_t t = 0; t < b->events[k].triggers.nr; t++)
			if (record_plan_event_matches(b->events[k].pattern, e))
				name_list_add(triggers, b->events[k].triggers.names[t]);
}

/* Is the event a probe's? */
static bool is_defined(const struct record_plan *plan, const struct plan_catalog_event *e)
{
	bool is = false;

	for (size_t i = 0; i < plan->nr_probes; i++)
		is |= !strcmp(plan->probes[i].system, e->system) &&
		      !strcmp(plan->probes[i].name, e->name);
	return is;
}

/*
 * It has a filter or triggers, or is defined by a bootconfig: the command line cannot enable it.
 */
static bool is_special(const struct record_plan *plan, const struct plan_buffer *b, size_t i)
{
	struct name_list triggers = { 0 };
	bool is;

	triggers_of(b, &plan->catalog.events[i], &triggers);
	is = (b->enabled[i] && (b->filters[i] || is_defined(plan, &plan->catalog.events[i]))) ||
	     triggers.nr;
	name_list_fini(&triggers);
	return is;
}

static bool is_plain(const struct record_plan *plan, const struct plan_buffer *b, size_t i)
{
	return b->enabled[i] && (plan->persistent || !is_special(plan, b, i));
}

/* A system as a whole, if all of it is plain: from @first to @end. */
static void add_system(const struct record_plan *plan, const struct plan_buffer *b, size_t first,
		       size_t end, struct name_list *events)
{
	const struct plan_catalog_event *e = plan->catalog.events;
	size_t nr = 0;

	for (size_t i = first; i < end; i++)
		nr += is_plain(plan, b, i);
	if (nr > 1 && nr == end - first) {
		name_list_add(events, TRACEFS_TEXT("%s:*", e[first].system));
		return;
	}
	for (size_t i = first; i < end; i++)
		if (is_plain(plan, b, i))
			name_list_add(events, TRACEFS_TEXT("%s:%s", e[i].system, e[i].name));
}

static void plain_events(const struct record_plan *plan, const struct plan_buffer *b,
			 struct name_list *events)
{
	const struct plan_catalog_event *e = plan->catalog.events;

	for (size_t i = 0, end; i < plan->catalog.nr; i = end) {
		for (end = i + 1; end < plan->catalog.nr && !strcmp(e[i].system, e[end].system);
		     end++)
			;
		add_system(plan, b, i, end, events);
	}
}

/* --- settings --------------------------------------------------------------------------------- */

static uint64_t size_kb(const struct plan_buffer *b)
{
	return b->size_kb ? b->size_kb : DEFAULT_KB;
}

/*
 * Without trace_clock= a kernel with an unstable clock empties the buffer late in the boot.  "mono"
 * begins to run only when the boot has found a clock source.  A persistent buffer is set when all
 * that is over, see loses_a_cpu().
 */
static const char *default_clock(const struct record_plan *plan, const struct plan_buffer *b)
{
	return plan->persistent || (b->tracer && !strcmp(b->tracer, "function_graph")) ? "local" :
											 "global";
}

static void add_all(struct name_list *to, const struct name_list *from)
{
	for (size_t i = 0; i < from->nr; i++)
		name_list_add(to, from->names[i]);
}

static void values_of(const struct record_plan *plan, const struct plan_buffer *b,
		      enum boot_setting setting, struct name_list *values)
{
	struct text mask = { 0 };

	switch (setting) {
	case SIZE:
		name_list_add(values, TRACEFS_TEXT("%" PRIu64 "K", size_kb(b)));
		break;
	case CLOCK:
		name_list_add(values, b->clock ? b->clock : default_clock(plan, b));
		break;
	case OPTIONS:
		add_all(values, &b->options);
		if (plan->func_stack && !plan->persistent)
			name_list_add(values, "func_stack_trace");
		break;
	case CPUS:
		if (b->cpus) {
			plan_cpus_text(plan, b->cpus, &mask);
			name_list_add(values, text_str(&mask));
			text_fini(&mask);
		}
		break;
	case EVENTS:	plain_events(plan, b, values); break;
	case FUNCTIONS:	add_all(values, &b->functions); break;
	case NOTRACE:	add_all(values, &b->notrace); break;
	case TRACER:
		if (b->tracer)
			name_list_add(values, b->tracer);
		break;
	case LATE:
		if (plan->func_stack)
			name_list_add(values, "func_stack_trace");
		break;
	case NR_SETTINGS:
		break;
	}
}

/* @before: the keys, or the folder, that the name belongs to */
static void write_values(enum boot_place place, const char *before, const char *name,
			 const struct name_list *values, struct text *out)
{
	for (size_t i = 0; i < values->nr; i++) {
		const char *value = values->names[i];
		char mark = strchr(value, '"') ? '\'' : '"';

		if (place == FILE_LATER) {
			text_add(out, "#   echo ");
			shell_words_quote(out, value);
			text_printf(out, " >> %s/%s\n", before, name);
		} else if (place == BOOTCONFIG) {
			text_printf(out, i ? ", " : "%s.%s = ", before, name);
			text_printf(out, "%c%s%c", mark, value, mark);
		} else {
			text_printf(out, i ? "," : " %s=", name);
			text_add(out, value);
		}
	}
	if (place == BOOTCONFIG && values->nr)
		text_char(out, '\n');
}

/* Only those settings whose bits are in @which. */
static void write_settings(const struct record_plan *plan, const struct plan_buffer *b,
			   enum boot_place place, const char *before, unsigned int which,
			   struct text *out)
{
	for (int setting = 0; setting < NR_SETTINGS; setting++) {
		struct name_list values = { 0 };

		if (names[setting][place] && which >> setting & 1)
			values_of(plan, b, (enum boot_setting)setting, &values);
		write_values(place, before, names[setting][place], &values, out);
		name_list_fini(&values);
	}
}

/* Filters and triggers, in a bootconfig or in files. */
static void write_special(const struct record_plan *plan, const struct plan_buffer *b,
			  enum boot_place place, const char *before, struct text *out)
{
	const bool later = place == FILE_LATER;

	for (size_t i = 0; i < plan->catalog.nr; i++) {
		const struct plan_catalog_event *e = &plan->catalog.events[i];
		const char *event = TRACEFS_TEXT(later ? "%s/events/%s/%s" : "%s.event.%s.%s",
						 before, e->system, e->name);
		struct name_list filter = { 0 }, triggers = { 0 };

		if (!is_special(plan, b, i))
			continue;
		if (b->enabled[i] && b->filters[i])
			name_list_add(&filter, b->filters[i]);
		triggers_of(b, e, &triggers);
		write_values(place, event, "filter", &filter, out);
		write_values(place, event, later ? "trigger" : "actions", &triggers, out);
		if (b->enabled[i] && !later)
			text_printf(out, "%s.enable\n", event);
		name_list_fini(&filter);
		name_list_fini(&triggers);
	}
}

/* --- the running kernel ----------------------------------------------------------------------- */

static void read_release(const struct record_plan *plan, char *release, size_t size)
{
	tracefs_dir_read_into(AT_FDCWD, TRACEFS_TEXT("%s/proc/sys/kernel/osrelease", plan->root),
			      release, size);
	release[strcspn(release, "\n")] = '\0';
}

/* Is the running kernel at least this one? */
static bool is_since(const struct record_plan *plan, int major, int minor)
{
	char release[128];
	int is_major, is_minor;

	read_release(plan, release, sizeof(release));
	return sscanf(release, "%d.%d", &is_major, &is_minor) != 2 || is_major > major ||
	       (is_major == major && is_minor >= minor);
}

/* --- the parameters and the bootconfig -------------------------------------------------------- */

/* "ftrace.event.kprobes.NAME.probes = ...", "ftrace.event.synthetic.NAME.fields = ..." */
static void add_definitions(const struct record_plan *plan, struct text *out)
{
	for (size_t i = 0; i < plan->nr_probes; i++) {
		const struct plan_probe *p = &plan->probes[i];
		const char *rest = p->definition + strcspn(p->definition, " \t");
		struct name_list values = { 0 };

		rest += strspn(rest, " \t");
		/* of a synthetic event, fields with semicolons between them */
		for (size_t len; *rest; rest += len, rest += strspn(rest, "; \t")) {
			len = *p->definition == 's' ? strcspn(rest, ";") : strlen(rest);
			name_list_add_bytes(&values, rest, len);
		}
		write_values(BOOTCONFIG, TRACEFS_TEXT("ftrace.event.%s.%s", p->system, p->name),
			     *p->definition == 's' ? "fields" : "probes", &values, out);
		name_list_fini(&values);
	}
}

/* A persistent buffer is set up after the boot: see add_resume(). */
static void add_bootconfig(const struct record_plan *plan, struct text *out)
{
	add_definitions(plan, out);
	for (size_t n = 0; n < plan->nr_buffers && !plan->persistent; n++) {
		const struct plan_buffer *b = &plan->buffers[n];
		const char *before = TRACEFS_TEXT("ftrace%s%s", *b->name ? ".instance." : "",
						  b->name);
		bool all = *b->name && (b->tracer || b->clock || b->options.nr || b->functions.nr ||
					b->notrace.nr || b->size_kb);

		write_settings(plan, b, BOOTCONFIG, before, all ? ~0u : 1u << CPUS, out);
		write_special(plan, b, BOOTCONFIG, before, out);
	}
}

static bool needs_bootconfig(const struct record_plan *plan)
{
	struct text t = { 0 };
	bool needs;

	add_bootconfig(plan, &t);
	needs = t.len > 0;
	text_fini(&t);
	return needs;
}

static void add_persistent(const struct record_plan *plan, const struct plan_buffer *b,
			   struct text *out)
{
	uint64_t kb = (size_kb(b) + EXTRA_KB) * plan->nr_cpus;
	const char *name = name_of(plan, b);

	text_printf(out,
		    " reserve_mem=%" PRIu64 "M:4096:" MEMORY " trace_instance=%s^traceoff@" MEMORY,
		    (kb + 1023) / 1024, name);
}

static void add_instances(const struct record_plan *plan, struct text *out)
{
	if (plan->persistent)
		add_persistent(plan, &plan->buffers[plan->nr_buffers - 1], out);
	for (size_t n = 1; n < plan->nr_buffers && !plan->persistent; n++) {
		struct name_list instance = { 0 };

		name_list_add(&instance, plan->buffers[n].name);
		plain_events(plan, &plan->buffers[n], &instance);
		write_values(PARAMETER, "", "trace_instance", &instance, out);
		name_list_fini(&instance);
	}
}

/* One line. */
static void add_parameters(const struct record_plan *plan, struct text *out)
{
	struct text line = { 0 };

	if (needs_bootconfig(plan))
		text_add(&line, " bootconfig");
	if (is_used(plan, plan->buffers) && !plan->persistent)
		write_settings(plan, plan->buffers, PARAMETER, "", ~0u, &line);
	add_instances(plan, &line);
	write_values(PARAMETER, "", "ftrace_graph_filter", &plan->graph, &line);
	write_values(PARAMETER, "", "ftrace_graph_notrace", &plan->graph_notrace, &line);
	if (plan->max_graph_depth)
		text_printf(&line, " ftrace_graph_max_depth=%lld", plan->max_graph_depth);
	text_printf(out, "%s\n", text_str(&line) + 1);
	text_fini(&line);
}

/* --- checks ----------------------------------------------------------------------------------- */

static bool lacks_bootconfig(const struct record_plan *plan)
{
	struct kernel_config config;
	char release[128];
	bool lacks;

	read_release(plan, release, sizeof(release));
	kernel_config_load(&config, plan->root, release, NULL);
	lacks = kernel_config_get(&config, "BOOTTIME_TRACING") == KERNEL_CONFIG_NO;
	kernel_config_fini(&config);
	return lacks;
}

static void check_version(struct record_plan *plan, bool needed, const char *what, int major,
			  int minor)
{
	if (!needed || is_since(plan, major, minor))
		return;
	record_plan_mistake(plan, "--boot: %s: not in this kernel, but since Linux %d.%d", what,
			    major, minor);
	plan->nr_missing++;
}

static void check_never(struct record_plan *plan)
{
	const struct { bool given; const char *option; } never[] = {
		{ plan->command, "a command" },
		{ plan->pids.nr, "-P" },
		{ plan->only_command, "-F" },
		{ plan->until.nr, "--until" },
		{ !plan->until.nr && (plan->keep_kb || plan->keep_ns), "-m" },
		{ plan->duration_ns, "--duration" },
		{ plan->max_bytes, "--size" },
		{ plan->subbuf_kb, "--subbuf-size" },
		{ plan->syscall_bytes >= 0, "--syscall-bytes" },
		{ plan->monitors.nr, "--monitor" },
		{ plan->stack_max, "--stack-trace-max" },
		{ plan->stop_tracing_us || plan->stop_tracing_total_us, "--stop-tracing" },
		{ plan->nr_measures, "--measure" },
		{ plan->cmdlines_size, "--cmdlines-size" },
		{ plan->date, "--date" },
	};

	for (size_t i = 0; i < sizeof(never) / sizeof(never[0]); i++)
		if (never[i].given)
			record_plan_mistake(plan, "--boot: no kernel parameter stands for %s",
					    never[i].option);
}

/* The kernel's trace_boot.c makes "p:kprobes/NAME" and synthetic events of what it reads. */
static void check_probes(struct record_plan *plan)
{
	for (size_t i = 0; i < plan->nr_probes; i++) {
		const struct plan_probe *p = &plan->probes[i];

		if (*p->definition != 's' &&
		    (*p->definition != 'p' || strcmp(p->system, "kprobes") != 0))
			record_plan_mistake(plan,
					    "--boot: '%s': a bootconfig can define kprobes of the "
					    "group kprobes (p:NAME FUNCTION) and synthetic events, "
					    "and no others",
					    p->definition);
		else if (strchr(p->definition, '"') && strchr(p->definition, '\''))
			record_plan_mistake(plan,
					    "--boot: '%s': a bootconfig cannot hold both kinds of "
					    "quotation marks",
					    p->definition);
	}
}

static void check_functions(struct record_plan *plan, const struct name_list *functions)
{
	for (size_t i = 0; i < functions->nr; i++)
		if (strpbrk(functions->names[i], ":, "))
			record_plan_mistake(
				plan,
				"--boot: '%.40s': the kernel takes names and globs of "
				"functions at boot, no modules, commands or expressions",
				functions->names[i]);
}

static void check_buffer(struct record_plan *plan, const struct plan_buffer *b)
{
	const char *p = b->name;

	check_functions(plan, &b->functions);
	check_functions(plan, &b->notrace);
	while (isalnum((unsigned char)*p) || *p == '-' || *p == '_')
		p++;
	if (*p)
		record_plan_mistake(plan,
				    "--boot: -B %s: such a name may only have letters, digits, - "
				    "and _",
				    b->name);
	if (plan_modules_have(b))
		record_plan_mistake(plan, "--boot: events of a module (:mod:) are not supported");
	for (size_t k = 0; k < b->nr_events; k++)
		if (b->events[k].filter && strchr(b->events[k].filter, '"') &&
		    strchr(b->events[k].filter, '\''))
			record_plan_mistake(plan,
					    "--boot: -f %s: a bootconfig cannot hold both kinds of "
					    "quotation marks",
					    b->events[k].filter);
}

static void check_length(struct record_plan *plan)
{
	struct text line = { 0 };

	add_parameters(plan, &line);
	if (line.len > COMMAND_LINE)
		record_plan_mistake(
			plan,
			"--boot: the parameters have %zu bytes, and the kernel takes %u, "
			"with all others; name fewer events, or whole systems",
			line.len, COMMAND_LINE);
	text_fini(&line);
}

void plan_boot_check(struct record_plan *plan)
{
	bool named = plan->nr_buffers > 1;

	if (plan->persistent && !plan->boot)
		record_plan_mistake(plan, "--persistent requires --boot");
	if (plan->save_boot && !plan->boot)
		record_plan_mistake(plan, "--save requires --boot");
	if (!plan->boot)
		return;
	if (plan->save_boot &&
	    (plan->persistent || plan->nr_buffers > 1 || is_used(plan, plan->buffers)))
		record_plan_mistake(plan,
				    "--save: give it with --boot alone; it keeps the formats of "
				    "all events");
	check_never(plan);
	check_probes(plan);
	check_functions(plan, &plan->graph);
	check_functions(plan, &plan->graph_notrace);
	for (size_t b = 0; b < plan->nr_buffers; b++)
		check_buffer(plan, &plan->buffers[b]);
	if (plan->persistent && named && (plan->nr_buffers > 2 || is_used(plan, plan->buffers)))
		record_plan_mistake(plan, "--persistent: only one buffer can be persistent");
	check_version(plan, named && !plan->persistent, "-B", 6, 3);
	check_version(plan, plan->persistent, "--persistent", 6, 12);
	if (plan->nr_mistakes)
		return;
	check_version(plan, needs_bootconfig(plan),
		      "a filter, a trigger, a probe or a mask of CPUs", 5, 6);
	if (needs_bootconfig(plan) && lacks_bootconfig(plan))
		record_plan_missing(
			plan, "BOOTTIME_TRACING",
			"--boot: filters, triggers, probes, CPUs, and tracers of instances");
	check_length(plan);
}

/* --- the whole text --------------------------------------------------------------------------- */

/*
 * For the buffer of the boot before, the kernel sets its clock again while only one CPU is up, and
 * empties that CPU's part with it; "local" it has anyway.
 */
static bool loses_a_cpu(const struct record_plan *plan, const struct plan_buffer *b)
{
	return b->clock && strcmp(b->clock, "local") != 0 && is_since(plan, 6, 16);
}

/*
 * The kernel empties the buffer when an event or a tracer is set after the boot, and only then
 * writes down where it is itself, for the next boot: so nothing of that is on its command line.
 * What is set there only empties the part of the CPU that boots: the others keep an older boot.
 */
static void add_resume(const struct record_plan *plan, const struct plan_buffer *b,
		       const char *tracefs, struct text *out)
{
	const char *name = name_of(plan, b);
	const char *folder = TRACEFS_TEXT("%s/instances/%s", tracefs, name);

	if (loses_a_cpu(plan, b))
		text_printf(
			out,
			"# With the clock %s, this kernel loses what CPU 0 recorded in the boot "
			"before; with local it does not.\n",
			b->clock);
	text_printf(out, "#   ftop-trace extract --last-boot -B %s%s -o %s\n", name,
		    is_since(plan, 6, 15) ? "" : " --consume", plan->output);
	write_special(plan, b, FILE_LATER, folder, out);
	write_settings(plan, b, FILE_LATER, folder, ~0u, out);
	text_add(out, "#   ftop-trace record --boot --save\n");
	text_printf(out, "#   echo 1 > %s/tracing_on\n", folder);
}

static void add_extract(const struct record_plan *plan, const struct plan_buffer *b,
			const char *tracefs, struct text *out)
{
	bool named = *b->name;

	text_printf(out, "#   echo 0 > %s%s%s/tracing_on\n", tracefs, named ? "/instances/" : "",
		    b->name);
	text_printf(out, "#   ftop-trace extract %s%s -o %s%s\n", named ? "-B " : "--top", b->name,
		    named ? b->name : plan->output, named ? ".dat" : "");
}

void plan_boot_text(const struct record_plan *plan, const char *tracefs, struct text *out)
{
	text_add(out, "# On the kernel's command line (Debian: GRUB_CMDLINE_LINUX in "
		      "/etc/default/grub, then update-grub):\n");
	add_parameters(plan, out);
	if (needs_bootconfig(plan))
		text_add(out,
			 "# A bootconfig: in a file, which the kernel's program bootconfig adds to "
			 "the initrd (bootconfig -a FILE INITRD):\n");
	add_bootconfig(plan, out);
	text_add(out, plan->persistent ?
			      "# After each boot: save what the boot before left, if there is "
			      "anything, and what is needed to read this one:\n" :
			      "# After the boot:\n");
	for (size_t n = 0; n < plan->nr_buffers; n++)
		if (is_used(plan, &plan->buffers[n]) && plan->persistent)
			add_resume(plan, &plan->buffers[n], tracefs, out);
		else if (is_used(plan, &plan->buffers[n]))
			add_extract(plan, &plan->buffers[n], tracefs, out);
}
