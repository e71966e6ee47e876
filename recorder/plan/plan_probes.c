/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recorder/plan/plan_probes.h"

#include <string.h>

#include "recorder/tracefs/kernel_config.h"
#include "src/base/memory.h"

struct probe_kind {
	const char	*group;		/* the kernel's default group */
	const char	*file;		/* a file that exists if the kernel supports this kind */
	const char	*config;
};

enum { PROBE_KERNEL, PROBE_PROGRAM, PROBE_EVENT, PROBE_FUNCTION, PROBE_TRACEPOINT, PROBE_SYNTHETIC };

/* Probes of events, fprobes and tracepoint probes have no such file. */
static const struct probe_kind probe_kinds[] = {
	[PROBE_KERNEL] = { "kprobes", "kprobe_events", "CONFIG_KPROBE_EVENTS" },
	[PROBE_PROGRAM] = { "uprobes", "uprobe_events", "CONFIG_UPROBE_EVENTS" },
	[PROBE_EVENT] = { "eprobes", "dynamic_events", "CONFIG_DYNAMIC_EVENTS" },
	[PROBE_FUNCTION] = { "fprobes", "dynamic_events", "CONFIG_DYNAMIC_EVENTS" },
	[PROBE_TRACEPOINT] = { "tracepoints", "dynamic_events", "CONFIG_DYNAMIC_EVENTS" },
	[PROBE_SYNTHETIC] = { "synthetic", "synthetic_events", "CONFIG_SYNTH_EVENTS" },
};

/* @rest: the text after the name; a uprobe names a file, a kprobe a function. */
static const struct probe_kind *kind_of_probe(char letter, const char *rest)
{
	switch (letter) {
	case 'e':
		return &probe_kinds[PROBE_EVENT];
	case 'f':
		return &probe_kinds[PROBE_FUNCTION];
	case 't':
		return &probe_kinds[PROBE_TRACEPOINT];
	case 's':
		return &probe_kinds[PROBE_SYNTHETIC];
	}
	return &probe_kinds[rest[strspn(rest, " \t")] == '/' ? PROBE_PROGRAM : PROBE_KERNEL];
}

/*
 * "p:group/name rest".  The kernel can make up a missing name, but we need one to find and remove
 * the event again.
 */
static bool split_probe(const char *definition, struct plan_probe *probe)
{
	const char *colon = strchr(definition, ':');
	const char *name = colon ? colon + 1 : NULL;
	size_t len = name ? strcspn(name, " \t") : 0;
	const char *slash;

	/* the kernel takes further lines as definitions of their own, which nobody would remove */
	if (!len || strchr(definition, '\n') || !strchr("prefts", definition[0]) || memchr(definition, ' ', colon - definition))
		return false;
	slash = memchr(name, '/', len);
	if (!slash)
		slash = memchr(name, '.', len);
	probe->kind = kind_of_probe(definition[0], name + len);
	if (slash && probe->kind != &probe_kinds[PROBE_SYNTHETIC])
		probe->system = mem_strndup(name, slash - name);
	else
		probe->system = mem_strdup(probe->kind->group);
	if (slash) {
		len -= slash + 1 - name;
		name = slash + 1;
	}
	probe->name = mem_strndup(name, len);
	return true;
}

void record_plan_add_probe(struct record_plan *plan, const char *definition, bool synthetic)
{
	struct plan_probe probe = { 0 };
	struct text t = { 0 };

	if (synthetic && strncmp(definition, "s:", 2))
		text_add(&t, "s:");
	text_add(&t, definition);
	if (!split_probe(text_str(&t), &probe)) {
		record_plan_mistake(plan, "--%s '%s': invalid; it must begin with a kind and a name, as in "
				    "'p:my_open do_sys_openat2 $arg2' or 's:my_lat u64 lat; pid_t pid'",
				    synthetic ? "synth" : "probe", definition);
		text_fini(&t);
		return;
	}
	probe.definition = mem_strdup(text_str(&t));
	text_fini(&t);
	mem_grow(&plan->probes, plan->nr_probes, &plan->cap_probes);
	plan->probes[plan->nr_probes++] = probe;
}

bool plan_probe_possible(struct record_plan *plan, const struct plan_probe *p, const struct tracefs_dir *root)
{
	const char *file = p->kind->file, *config = p->kind->config;

	if (tracefs_dir_has(root, file))
		return true;
	record_plan_mistake(plan, "'%s': there is no %s/%s: not in this kernel (%s%s)", p->definition, root->path, file,
			    config, kernel_config_lacks(config) ? " is not set" : "");
	plan->nr_missing++;
	return false;
}
