/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "recorder/plan/plan_cpus.h"
#include "src/base/memory.h"
#include "src/base/options.h"

/* Set the CPUs of the current buffer.  @cpus: [nr_cpus], taken over. */
static void set_cpus(struct record_plan *plan, const char *option, bool *cpus)
{
	struct plan_buffer *b = record_plan_buffer(plan);

	if (b->cpus)
		record_plan_mistake(
			plan, "%s: the CPUs of a buffer can only be given once, by --cpu or -M",
			option);
	free(b->cpus);
	b->cpus = cpus;
}

void plan_cpus_list(struct record_plan *plan, const char *value)
{
	struct ft_error err;
	bool *cpus = mem_array(plan->nr_cpus, sizeof(*cpus));

	if (options_cpus("--cpu", value, cpus, plan->nr_cpus, &err))
		record_plan_mistake(plan, "%s", err.message);
	else if (!memchr(cpus, true, plan->nr_cpus))
		record_plan_mistake(plan, "--cpu: '%s' names none of the %u CPUs", value,
				    plan->nr_cpus);
	set_cpus(plan, "--cpu", cpus);
}

/* "-1", "f", "0xf", "f,80000001" */
void plan_cpus_mask(struct record_plan *plan, const char *value)
{
	const char *digits = strncmp(value, "0x", 2) ? value : value + 2;
	bool *cpus = mem_array(plan->nr_cpus, sizeof(*cpus));
	unsigned int cpu = 0;

	for (unsigned int i = 0; i < plan->nr_cpus && !strcmp(value, "-1"); i++)
		cpus[i] = true;
	if (strcmp(value, "-1") &&
	    (!*digits || digits[strspn(digits, "0123456789abcdefABCDEF,")])) {
		record_plan_mistake(
			plan, "-M: '%s' is not a mask in hexadecimal; --cpu takes a list as 2,4-7",
			value);
	} else if (strcmp(value, "-1")) {
		for (const char *p = digits + strlen(digits); p-- > digits;) {
			char digit[2] = { *p };
			unsigned long bits = strtoul(digit, NULL, 16);

			if (*p == ',')
				continue;
			for (unsigned int i = 0; i < 4; i++, cpu++)
				if (bits >> i & 1 && cpu < plan->nr_cpus)
					cpus[cpu] = true;
		}
		if (!memchr(cpus, true, plan->nr_cpus))
			record_plan_mistake(plan, "-M: '%s' names none of the %u CPUs", value,
					    plan->nr_cpus);
	}
	set_cpus(plan, "-M", cpus);
}

void plan_cpus_text(const struct record_plan *plan, const bool *cpus, struct text *mask)
{
	unsigned int groups = (plan->nr_cpus + 31) / 32;

	for (unsigned int g = groups; g-- > 0;) {
		uint32_t bits = 0;

		for (unsigned int i = 0; i < 32 && g * 32 + i < plan->nr_cpus; i++)
			bits |= (uint32_t)cpus[g * 32 + i] << i;
		text_printf(mask, g + 1 < groups ? ",%08x" : "%x", bits);
	}
}
