/* SPDX-License-Identifier: GPL-2.0-or-later */
/* filter_bind_note - what is right and wrong about a node, for the type at hand. */
#include "src/filter/filter_bind.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "src/trace/trace_streams.h"

struct filter_value filter_wrong(struct filter_binder *b, const struct filter_node *n,
				 const char *fmt, ...)
{
	struct filter_note *note = &b->notes[n->id];
	char buf[512];
	va_list ap;

	b->nr_wrong++;
	if (!note->problem && !b->general) {
		va_start(ap, fmt);
		vsnprintf(buf, sizeof(buf), fmt, ap);
		va_end(ap);
		note->problem = arena_strndup(b->scratch, buf, strlen(buf));
		note->offers = NULL;
		if (b->offers.nr) {
			note->offers = arena_alloc(b->scratch, sizeof(*note->offers));
			*note->offers = b->offers;
		}
	}
	b->offers = (struct filter_offers){ .nr = 0 };
	return filter_value_of(FILTER_VALUE_WRONG, n);
}

void filter_right(struct filter_binder *b, const struct filter_node *n)
{
	if (!b->general)
		b->notes[n->id].ok = true;
}

void filter_right_if_occurs(struct filter_binder *b, const struct filter_node *n)
{
	struct page_kinds *kinds = &trace_source_at(b->f->trace, b->file)->kinds;
	/* read first: the type may be found to occur meanwhile */
	bool complete = trace_status(b->f->trace).complete;
	uint32_t nr = atomic_load(&kinds->nr);

	for (uint32_t i = 0; i < nr && b->type; i++)
		if (kinds->ids[i] == b->type->id)
			filter_right(b, n);
	if (!b->general && !complete)
		b->notes[n->id].is_doubtful = true;
}

const struct filter_bound *filter_unknown(struct filter_binder *b)
{
	return filter_bound_test(&b->f->arena,
				 &(struct filter_test){ .kind = FILTER_TEST_UNKNOWN });
}
