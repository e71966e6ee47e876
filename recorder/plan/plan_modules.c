/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recorder/plan/plan_modules.h"

#include <string.h>
#include <sys/utsname.h>

#include "recorder/tracefs/kernel_module.h"

bool plan_modules_have(const struct plan_buffer *b)
{
	for (size_t k = 0; k < b->nr_events; k++)
		if (b->events[k].of_module)
			return true;
	return false;
}

/* The kernel compares whole names; a part that is "*" or empty stands for all. */
static bool is_glob(const char *pattern)
{
	const char *module = strstr(pattern, PLAN_MODULE) + strlen(PLAN_MODULE);

	for (const char *p = pattern; (p += strcspn(p, "*?[")), *p; p++)
		if (*p != '*' || p >= module || (p > pattern && p[-1] != ':') || p[1] != ':')
			return true;
	return false;
}

/* Events of a module that is loaded are not checked: only the kernel knows them. */
static void check_module(struct record_plan *plan, struct plan_event *event, const char *module)
{
	struct name_list known = { 0 };
	struct utsname uts = { 0 };

	uname(&uts);
	switch (kernel_module_find(plan->root, uts.release, module, &known)) {
	case KERNEL_MODULE_LOADED:
		break;
	case KERNEL_MODULE_BUILT_IN:
		record_plan_mistake(plan,
				    "-e %s: %s is built into this kernel, so its events are not "
				    "those of a module",
				    event->pattern, module);
		break;
	case KERNEL_MODULE_INSTALLED:
		if (event->negated)
			record_plan_mistake(
				plan, "-v -e %s: the module %s is not loaded, so it has no events",
				event->pattern, module);
		else
			text_printf(&plan->notes,
				    "-e %s: the module %s is not loaded; its events are recorded "
				    "once it is\n",
				    event->pattern, module);
		break;
	case KERNEL_MODULE_UNKNOWN:
		if (plan->force && !event->negated)
			break;
		if (plan->ignore_missing) {
			text_printf(&plan->notes, "%s: no such module: left out (-i)\n",
				    event->pattern);
			event->of_module = false;
			break;
		}
		record_plan_unknown(plan, name_list_nearest(&known, module),
				    "; --force waits for it",
				    "-e %s: no module %s is loaded or installed for this kernel",
				    event->pattern, module);
		break;
	}
	name_list_fini(&known);
}

void plan_modules_check(struct record_plan *plan, struct plan_event *event,
			const struct tracefs_dir *root)
{
	char *module = strstr(event->pattern, PLAN_MODULE) + strlen(PLAN_MODULE);

	for (char *dash = module; (dash = strchr(dash, '-')); dash++)
		*dash = '_';
	if (!*module || is_glob(event->pattern) || strpbrk(event->pattern, "! \t\n"))
		record_plan_mistake(
			plan,
			"-e '%s': invalid; ':mod:NAME' and 'SYSTEM:EVENT:mod:NAME' take "
			"whole names, and * for any system or event",
			event->pattern);
	else if (event->filter || event->triggers.nr)
		record_plan_mistake(plan,
				    "%s '%s' does not apply to -e %s: the events of a module are "
				    "not known before; name them, as SYSTEM:EVENT",
				    event->filter ? "-f" : "-R",
				    event->filter ? event->filter : event->triggers.names[0],
				    event->pattern);
	else if (kernel_module_selects_events(root))
		check_module(plan, event, module);
	else
		record_plan_mistake(
			plan,
			"-e %s: this kernel does not find events by their module; Linux "
			"6.14 and later do. Name their system, as -e '%s:*'",
			event->pattern, module);
}
