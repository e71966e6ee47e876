/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/kernel/kernel_order.h"

#include <stdlib.h>
#include <string.h>

#include "parsers/source/sub_buffer.h"
#include "src/base/memory.h"
#include "src/base/merge.h"
#include "src/trace/trace_streams.h"

struct kernel_lane {
	struct trace_cursor	*cursor;	/* owned */
	const struct sub_buffer_layout *layout;	/* borrowed */
	struct trace_event	 head;		/* next record of this CPU, if `has` */
	int64_t			 ts;		/* its time */
	bool			 has;
	uint64_t		 page;		/* page that pos and lag apply to */
	uint32_t		 pos;
	uint64_t		 lag;		/* sub_buffer_discarded() */
	bool			 skips;		/* the head is not wanted */
};

struct kernel_order {
	struct trace		*trace;
	unsigned int		 nr;
	struct kernel_lane	*lanes;		/* owned, [nr], by CPU */
	struct merge		 merge;		/* merges the lanes, by time; texts by line */
	uint8_t			*copy;		/* owned: copy of the last record returned */
	uint32_t		 copy_size;
};

struct kernel_order *kernel_order_new(struct trace *trace, const bool *streams)
{
	struct kernel_order *order = mem_alloc(sizeof(*order));
	unsigned int nr = trace_nr_streams(trace);

	order->trace = trace;
	order->lanes = mem_array(nr + 1, sizeof(*order->lanes));
	for (unsigned int i = 0; i < nr; i++) {
		struct kernel_lane *lane = &order->lanes[order->nr];

		if (!streams[i])
			continue;
		lane->cursor = trace_cursor_of_stream(trace, i);
		lane->layout = trace_stream_at(trace, i)->layout;
		lane->page = UINT64_MAX;
		order->nr++;
	}
	merge_init(&order->merge, order->nr);
	return order;
}

void kernel_order_free(struct kernel_order *order)
{
	if (!order)
		return;
	for (unsigned int i = 0; i < order->nr; i++)
		trace_cursor_free(order->lanes[i].cursor);
	free(order->lanes);
	merge_fini(&order->merge);
	free(order->copy);
	free(order);
}

static void read_head(struct kernel_lane *lane)
{
	do
		lane->has = trace_cursor_next(lane->cursor, &lane->head);
	while (lane->has && lane->head.kind != TRACE_ROW_EVENT);
	if (!lane->has)
		return;
	if (lane->page != trace_ref_page(lane->head.ref) || lane->pos > lane->head.in_page) {
		lane->page = trace_ref_page(lane->head.ref);
		lane->pos = 0;
		lane->lag = 0;
	}
	sub_buffer_discarded(lane->layout, lane->head.data - lane->head.in_page, lane->head.in_page,
			     &lane->pos, &lane->lag);
	lane->ts = lane->head.ts - (int64_t)lane->lag;
}

static void advance(struct kernel_order *order, unsigned int i)
{
	struct kernel_lane *lane = &order->lanes[i];

	read_head(lane);
	lane->skips = false;
	if (lane->has)
		merge_set(&order->merge, i, lane->head.is_line ? lane->head.key : lane->ts, i);
	else
		merge_end(&order->merge, i);
}

void kernel_order_seek(struct kernel_order *order, trace_ref ref)
{
	for (unsigned int i = 0; i < order->nr; i++) {
		trace_cursor_seek(order->lanes[i].cursor, ref);
		advance(order, i);
	}
	merge_begin(&order->merge);
}

void kernel_order_seek_time(struct kernel_order *order, int64_t ts, unsigned int before)
{
	struct trace_event event;

	for (unsigned int i = 0; i < order->nr; i++) {
		trace_cursor_seek_time(order->lanes[i].cursor, ts);
		for (unsigned int k = 0;
		     k < before && trace_cursor_prev(order->lanes[i].cursor, &event); k++)
			;
		advance(order, i);
	}
	merge_begin(&order->merge);
}

/*
 * Copy a payload, and what follows it in the page, because the cursor's bytes are only valid until
 * it moves.
 */
static void keep_payload(struct kernel_order *order, struct trace_event *event)
{
	uint32_t size = event->size + (event->room > event->size ? 64 : 0);

	if (size > event->room && event->room >= event->size)
		size = event->room;
	if (size > order->copy_size) {
		order->copy = mem_resize(order->copy, size, 1);
		order->copy_size = size;
	}
	memcpy(order->copy, event->data, size);
	event->data = order->copy;
	event->room = size;
	event->in_page = 0;
}

/* Find the first lane again after its head has changed or was skipped. */
static void settle(struct kernel_order *order)
{
	merge_replay(&order->merge);
	while (order->lanes[merge_first(&order->merge)].skips) {
		advance(order, merge_first(&order->merge));
		merge_replay(&order->merge);
	}
}

bool kernel_order_next(struct kernel_order *order, struct kernel_record *record)
{
	unsigned int first = merge_first(&order->merge);
	struct kernel_lane *lane = &order->lanes[first];

	if (!merge_any(&order->merge))
		return false;
	record->event = lane->head;
	record->ts = lane->ts;
	record->lane = first;
	record->merged = TRACE_REF_NONE;
	keep_payload(order, &record->event);
	advance(order, first);
	settle(order);
	record->next = lane->has ? &lane->head : NULL;
	record->next_ts = merge_any(&order->merge) ? order->lanes[merge_first(&order->merge)].ts :
						     record->ts;
	return true;
}

void kernel_order_skip_next(struct kernel_order *order, struct kernel_record *record)
{
	record->merged = record->next->ref;
	order->lanes[record->lane].skips = true;
	settle(order);
}
