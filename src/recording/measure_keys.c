/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/recording/measure_keys.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define BOTH "timerlat osnoise"
#define LONGEST 1000000000u /* us: the kernel has no limit */

#define NONE OPTION_RISK_NONE
#define ASK OPTION_RISK_ASK

static const struct measure_key keys[] = {
	{ "period", "timerlat", MEASURE_TIME, "TIME", "osnoise/timerlat_period_us", 100, 1000000,
	  NULL, NULL, "5.14", "time between two expiries of a timer", NONE },
	{ "period", "osnoise", MEASURE_TIME, "TIME", "osnoise/period_us", 1, LONGEST, NULL, NULL,
	  "5.14", "length of a period", NONE },
	{ "runtime", "osnoise", MEASURE_TIME, "TIME", "osnoise/runtime_us", 1, LONGEST,
	  "osnoise/period_us", NULL, "5.14", "time of each period in which noise is measured",
	  NONE },
	{ "cpus", BOTH, MEASURE_CPUS, "LIST", "osnoise/cpus", 0, 0, NULL, NULL, "5.14",
	  "CPUs that are measured", NONE },
	{ "prio", BOTH, MEASURE_PRIORITY, "f:PRIO|r:PRIO|o:NICE|d:RUNTIME:PERIOD", NULL, 0, 0, NULL,
	  NULL, NULL, "policy and priority of the threads that measure", ASK },
	{ "user", "timerlat", MEASURE_USER, NULL, "osnoise/per_cpu/cpu0/timerlat_fd", 0, 0, NULL,
	  "NO_OSNOISE_WORKLOAD", "6.5", "wake processes of the recorder", ASK },
	{ "kernel", "timerlat", MEASURE_KERNEL, NULL, NULL, 0, 0, NULL, "OSNOISE_WORKLOAD", NULL,
	  "wake threads of the kernel: the default", NONE },
	{ "dma-latency", "timerlat", MEASURE_LATENCY, "TIME", NULL, 0, LONGEST, NULL, NULL, NULL,
	  "longest time that a CPU may take to leave an idle state (/dev/cpu_dma_latency)", ASK },
	{ "stop", BOTH, MEASURE_TIME, "TIME", "osnoise/stop_tracing_us", 1, 100000000, NULL, NULL,
	  "5.14", "as --stop-tracing", ASK },
	{ "stop-total", BOTH, MEASURE_TIME, "TIME", "osnoise/stop_tracing_total_us", 1, 100000000,
	  NULL, NULL, "5.14", "as --stop-tracing-total", ASK },
	{ "stack", "timerlat", MEASURE_TIME, "TIME", "osnoise/print_stack", 1, LONGEST, NULL, NULL,
	  "5.14", "record the stack of the interrupt if the latency of the thread is above this",
	  NONE },
	{ "align", "timerlat", MEASURE_TIME, "TIME", "osnoise/timerlat_align_us", 0, LONGEST, NULL,
	  "TIMERLAT_ALIGN", "7.1", "time between the first expiries of two CPUs", NONE },
	{ "option", BOTH, MEASURE_OPTION, "NAME", "osnoise/options", 0, 0, NULL, NULL, "6.2",
	  "set an option of the file osnoise/options; NO_NAME clears it", ASK },
	{ "threshold", "osnoise hwlat function_graph", MEASURE_TIME, "TIME", "tracing_thresh", 1,
	  LONGEST, NULL, NULL, NULL, "shortest time that is recorded", NONE },
	{ "window", "hwlat", MEASURE_TIME, "TIME", "hwlat_detector/window", 1, LONGEST, NULL, NULL,
	  "4.9", "length of a period", ASK },
	{ "width", "hwlat", MEASURE_TIME, "TIME", "hwlat_detector/width", 1, LONGEST,
	  "hwlat_detector/window", NULL, "4.9", "time of each period in which interrupts are off",
	  ASK },
	{ "mode", "hwlat", MEASURE_CHOICE, "none|round-robin|per-cpu", "hwlat_detector/mode", 0, 0,
	  NULL, NULL, "5.14", "which CPUs are measured, and when", ASK },
};

const struct measure_key *measure_key(unsigned int i)
{
	return i < sizeof(keys) / sizeof(keys[0]) ? &keys[i] : NULL;
}

bool measure_key_fits(const struct measure_key *key, const char *tracer)
{
	size_t len = tracer ? strlen(tracer) : 0;

	for (const char *p = key->tracers; len && *p; p += strspn(p, " ")) {
		if (strcspn(p, " ") == len && !memcmp(p, tracer, len))
			return true;
		p += strcspn(p, " ");
	}
	return false;
}

static const struct {
	const char *name;
	uint64_t us;
} units[] = {
	{ "s", 1000000 },
	{ "ms", 1000 },
	{ "us", 1 },
	{ "", 1 },
};

bool measure_time(const char *text, uint64_t *us)
{
	char *end;

	errno = 0;
	*us = strtoull(text, &end, 10);
	if (errno || !isdigit((unsigned char)*text))
		return false;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(end, units[i].name))
			return !__builtin_mul_overflow(*us, units[i].us, us);
	return false;
}

void measure_time_text(uint64_t us, struct text *out)
{
	size_t i = 0;

	while (units[i].us > 1 && (!us || us % units[i].us))
		i++;
	text_printf(out, "%" PRIu64 "%s", us / units[i].us, units[i].name);
}
