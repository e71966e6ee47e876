/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_NOISE_NOISE_PRIVATE_H
#define FTOP_SRC_NOISE_NOISE_PRIVATE_H
/* noise_private - the event types of a file that noise.c and noise_analysis.c read. */
#include "parsers/types/event_types.h"
#include "parsers/types/field.h"
#include "src/noise/noise.h"

enum noise_event {
	NOISE_NONE,
	NOISE_TIMERLAT_EVENT, NOISE_OSNOISE_EVENT, NOISE_HWLAT_EVENT,	/* as the tracers */
	NOISE_NMI_EVENT, NOISE_IRQ_EVENT, NOISE_SOFTIRQ_EVENT, NOISE_THREAD_EVENT,
	NOISE_SINGLE_EVENT, NOISE_EVENTS
};

#define NOISE_FIELDS	10u

struct noise_types {
	/* By event, in the order of fields[] in noise.c; NULL: it has none. */
	const struct event_field *fields[NOISE_EVENTS][NOISE_FIELDS];
	uint8_t		of[65536];	/* enum noise_event by common_type */
};

/* Of tracers: the values of a sample (of timerlat, one), counts, and; of noise events. */
enum { NOISE_LATENCY, NOISE_COUNTS = NOISE_VALUES, NOISE_SEQ = NOISE_COUNTS + NOISE_SOURCES,
       NOISE_CONTEXT };
enum { NOISE_START, NOISE_DURATION, NOISE_VECTOR, NOISE_DESC };

struct noise_types *noise_types_new(struct trace *trace, unsigned int file);	/* for free() */

static inline enum noise_event noise_event(const struct noise_types *types,
					   const struct trace_event *event)
{
	return (enum noise_event)types->of[event->type_id & UINT16_MAX];
}

/* A number of such a record; 0: the event does not have it. */
static inline uint64_t noise_number(const struct noise_types *types, enum noise_event of,
				    unsigned int field, const struct trace_event *event)
{
	const struct event_field *f = types->fields[of][field];

	return f ? field_u64(f, event->data, event->size, event->swap) : 0;
}

/* Of timerlat; a text has words. */
enum noise_context noise_context(const struct noise_types *types, const struct trace_event *event);
#endif
