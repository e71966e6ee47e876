/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record_maps - what processes have mapped, if addresses of user space are recorded: in their
 * stacks, by uprobes, or of futexes.  The command is looked at first, as it may be short; new
 * processes are looked for more often than known ones are asked what has changed.
 */
#include "recorder/run/record_state.h"

#include <stdlib.h>
#include <string.h>

#include "recorder/plan/plan_probes.h"
#include "recorder/tracefs/user_maps.h"

#define FIRST_NS	1000000ull	/* from one look at the command to the next, at first */
#define COMMAND_NS	50000000ull	/* and at last */
#define ALL_NS		1000000000ull	/* from one look at all processes to the next */
#define NEW_NS		50000000ull	/* from one look for new ones to the next */
/* a look at all takes a while, in which a short command could begin and end */
#define FIRST_ALL_NS	100000000ull

/* Of code: names of functions are found for them. */
static bool has_addresses(const struct record_plan *plan)
{
	for (size_t i = 0; i < plan->nr_probes; i++)
		if (plan_probe_is_of_user(&plan->probes[i]))
			return true;
	for (size_t b = 0; b < plan->nr_buffers; b++) {
		const struct plan_buffer *buffer = &plan->buffers[b];

		for (size_t i = 0; i < buffer->options.nr; i++)
			if (!strcmp(buffer->options.names[i], "userstacktrace"))
				return true;
		for (size_t i = 0; i < buffer->nr_events; i++)
			if (!strncmp(buffer->events[i].pattern, "uprobes", 7))
				return true;
	}
	return false;
}

bool record_maps_wanted(const struct record_plan *plan)
{
	return plan->locks || has_addresses(plan);
}

static uint64_t now_of(void *clock)
{
	return census_clock_now(clock);
}

static uint64_t stamp_of(const void *clock, uint64_t now)
{
	return (uint64_t)census_clock_trace(clock, now, false);
}

void record_maps_begin(struct recording *r)
{
	struct record_maps *m = &r->maps;
	char *name;

	if (!record_maps_wanted(r->plan))
		return;
	name = record_meta_clock(r);
	m->has_clock = census_clock_init(&m->clock, name) &&
		       census_clock_begin(&m->clock, &r->clock_at_start);
	free(name);
	m->seen = user_maps_new("/proc", r->plan->locks, now_of, &m->clock);
	m->next_command_ns = r->started_ns;
	m->next_all_ns = r->started_ns + (r->plan->command ? FIRST_ALL_NS : 0);
	m->next_new_ns = m->next_all_ns;
	m->interval_ns = FIRST_NS;
	r->result->has_user_addresses = has_addresses(r->plan);
}

uint64_t record_maps_look(struct recording *r, uint64_t now)
{
	struct record_maps *m = &r->maps;

	if (!m->seen)
		return UINT64_MAX;
	if (now >= m->next_new_ns) {
		user_maps_look(m->seen, now < m->next_all_ns);
		if (now >= m->next_all_ns)
			m->next_all_ns = now + ALL_NS;
		m->next_new_ns = now + NEW_NS;
	}
	if (r->command.pid && !r->command.ended && now >= m->next_command_ns) {
		user_maps_look_at(m->seen, r->command.pid);
		m->interval_ns = m->interval_ns * 2 < COMMAND_NS ? m->interval_ns * 2 : COMMAND_NS;
		m->next_command_ns = now + m->interval_ns;
	}
	return r->command.pid && !r->command.ended && m->next_command_ns < m->next_new_ns ?
		       m->next_command_ns :
		       m->next_new_ns;
}

void record_maps_end(struct recording *r, const struct clock_reading *at_end, struct text *out)
{
	struct record_maps *m = &r->maps;
	struct text lines = { 0 };

	if (!m->seen)
		return;
	user_maps_look(m->seen, false);
	m->has_clock = m->has_clock && census_clock_end(&m->clock, at_end);
	user_maps_text(m->seen, m->has_clock ? stamp_of : NULL, &m->clock, &lines);
	text_printf(out, "user_symbols %zu\n", lines.len);
	text_bytes(out, text_str(&lines), lines.len);
	text_fini(&lines);
}

void record_maps_fini(struct recording *r)
{
	user_maps_free(r->maps.seen);
}
