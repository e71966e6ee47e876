/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recorder/plan/plan_probes.h"

#include <string.h>

#include "recorder/tracefs/kernel_config.h"
#include "src/base/memory.h"

struct probe_kind {
	char		 letter;	/* r is as p; '/': p or r of a program */
	const char	*group;		/* the kernel's default group */
	const char	*file;		/* a file that exists if the kernel supports this kind */
	const char	*config;
	const char	*readme;	/* words of README, if the file does not prove it */
};

/*
 * Probes of events, fprobes and tracepoint probes have no file of their own: dynamic_events lists
 * them.
 */
static const struct probe_kind probe_kinds[] = {
	{ 'p', "kprobes", "kprobe_events", "KPROBE_EVENTS" },
	{ '/', "uprobes", "uprobe_events", "UPROBE_EVENTS" },
	{ 'e', "eprobes", "dynamic_events", "DYNAMIC_EVENTS" },
	{ 'f', "fprobes", "dynamic_events", "DYNAMIC_EVENTS" },
	{ 't', "tracepoints", "dynamic_events", "DYNAMIC_EVENTS" },
	{ 'w', "wprobes", "dynamic_events", "WPROBE_EVENTS", TRACEFS_WATCH_PROBES },
	{ 's', "synthetic", "synthetic_events", "SYNTH_EVENTS" },
};

/* @rest: the text after the name; a uprobe names a file, a kprobe a function. */
static const struct probe_kind *kind_of_probe(char letter, const char *rest)
{
	const struct probe_kind *kind = probe_kinds;

	if (!strchr("eftsw", letter))
		letter = rest[strspn(rest, " \t")] == '/' ? '/' : 'p';
	while (kind->letter != letter)
		kind++;
	return kind;
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
	if (!len || strchr(definition, '\n') || !strchr("preftsw", definition[0]) ||
	    memchr(definition, ' ', colon - definition))
		return false;
	slash = memchr(name, '/', len);
	if (!slash)
		slash = memchr(name, '.', len);
	probe->kind = kind_of_probe(definition[0], name + len);
	if (slash && probe->kind->letter != 's')
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

	text_printf(&t, "%s%s", synthetic && strncmp(definition, "s:", 2) ? "s:" : "", definition);
	if (!split_probe(text_str(&t), &probe)) {
		record_plan_mistake(
			plan,
			"--%s '%s': invalid; it must begin with a kind and a name, as in "
			"'p:my_open do_sys_openat2 $arg2' or 's:my_lat u64 lat; pid_t pid'",
			synthetic ? "synth" : "probe", definition);
		text_fini(&t);
		return;
	}
	probe.definition = t.data;
	mem_grow(&plan->probes, plan->nr_probes, &plan->cap_probes);
	plan->probes[plan->nr_probes++] = probe;
}

bool plan_probe_possible(struct record_plan *plan, const struct plan_probe *p,
			 const struct tracefs_dir *root)
{
	bool has = tracefs_dir_has(root, p->kind->file);

	if (has && (!p->kind->readme || tracefs_dir_explains(root, p->kind->readme)))
		return true;
	record_plan_missing(plan, p->kind->config, "'%s': there %s %s/%s", p->definition,
			    has ? "is no such probe in" : "is no", root->path,
			    has ? "README" : p->kind->file);
	return false;
}

bool plan_probe_is_of_user(const struct plan_probe *p)
{
	return p->kind->letter == '/';
}
