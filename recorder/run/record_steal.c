/* SPDX-License-Identifier: GPL-2.0-or-later */
/* record_steal - looks at /proc/stat meanwhile: was this virtual machine descheduled? */
#include "recorder/run/record_state.h"

#include <stdlib.h>
#include <unistd.h>

#include "src/base/small_file.h"

#define MOST_BYTES	(16u << 20)	/* of /proc/stat: it has a number for each interrupt */

void record_steal_begin(struct recording *r)
{
	struct record_steal *s = &r->steal;
	char *name;

	if (r->plan->no_who)
		return;
	name = record_meta_clock(r);
	s->has_clock = census_clock_init(&s->clock, name) &&
		       census_clock_begin(&s->clock, &r->clock_at_start);
	free(name);
	s->is_wanted = true;
	record_steal_look(r);
}

void record_steal_look(struct recording *r)
{
	struct text stat = { 0 };

	if (r->steal.is_wanted && !small_file_read("/proc/stat", MOST_BYTES, &stat, NULL))
		steal_watch_look(&r->steal.watch, text_str(&stat),
				 census_clock_now(&r->steal.clock));
	text_fini(&stat);
}

static uint64_t stamp_of(const void *clock, uint64_t at)
{
	return (uint64_t)census_clock_trace(clock, at, false);
}

void record_steal_lines(struct recording *r, const struct clock_reading *at_end, struct text *out)
{
	struct record_steal *s = &r->steal;

	s->has_clock = s->has_clock && census_clock_end(&s->clock, at_end);
	steal_watch_lines(&s->watch, sysconf(_SC_CLK_TCK), s->has_clock ? stamp_of : NULL,
			  &s->clock, out);
}
