/* SPDX-License-Identifier: GPL-2.0-or-later */
/* noise_types - the events of the tracers, and of system osnoise, in a file. */
#include <string.h>

#include "src/base/memory.h"
#include "src/noise/noise_private.h"

static const struct {
	const char	*system, *name, *fields[NOISE_FIELDS];
} events[NOISE_EVENTS] = {
	[NOISE_TIMERLAT_EVENT] = { "ftrace", "timerlat",
				   { "timer_latency", [NOISE_SEQ] = "seqnum", "context" } },
	[NOISE_OSNOISE_EVENT] = { "ftrace", "osnoise",
				  { "noise", "runtime", "max_sample", "hw_count", "nmi_count",
				    "irq_count", "softirq_count", "thread_count" } },
	[NOISE_HWLAT_EVENT] = { "ftrace", "hwlat",
				{ "duration", "outer_duration", "nmi_total_ts", "count",
				  "nmi_count", [NOISE_SEQ] = "seqnum" } },
	[NOISE_NMI_EVENT] = { "osnoise", "nmi_noise", { "start", "duration" } },
	[NOISE_IRQ_EVENT] = { "osnoise", "irq_noise", { "start", "duration", "vector", "desc" } },
	[NOISE_SOFTIRQ_EVENT] = { "osnoise", "softirq_noise", { "start", "duration", "vector" } },
	[NOISE_THREAD_EVENT] = { "osnoise", "thread_noise", { "start", "duration", "pid", "comm" } },
	[NOISE_SINGLE_EVENT] = { "osnoise", "sample_threshold", { "start", "duration" } },
};

struct noise_types *noise_types_new(struct trace *trace, unsigned int file)
{
	struct event_types *types = trace_event_types(trace, file);
	struct noise_types *of = mem_alloc(sizeof(*of));

	for (unsigned int i = 1; i < NOISE_EVENTS; i++) {
		const struct event_type *type = event_types_by_name(types, events[i].system,
								    events[i].name);

		if (!type || type->id <= 0 || type->id > UINT16_MAX)
			continue;
		of->of[type->id] = (uint8_t)i;
		for (unsigned int k = 0; k < NOISE_FIELDS; k++)
			if (events[i].fields[k])
				of->fields[i][k] = event_type_field(type, events[i].fields[k]);
	}
	return of;
}

enum noise_context noise_context(const struct noise_types *types, const struct trace_event *event)
{
	const struct event_field *field = types->fields[NOISE_TIMERLAT_EVENT][NOISE_CONTEXT];
	struct field_span word;
	uint64_t number;
	char c;

	if (!field)
		return NOISE_OF_IRQ;
	if (event_field_is_number(field)) {
		number = field_u64(field, event->data, event->size, event->swap);
		return number < NOISE_VALUES ? (enum noise_context)number : NOISE_OF_USER;
	}
	word = field_bytes(field, event->data, event->size, event->swap);
	c = word.data && word.len ? (char)*word.data : 'i';
	return c == 'i' || c == '0' ? NOISE_OF_IRQ :
	       c == 't' || c == '1' ? NOISE_OF_THREAD :
				      NOISE_OF_USER;
}
