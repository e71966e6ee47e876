/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/kernel/kernel_order.h"

#include <stdlib.h>
#include <string.h>

#include "parsers/file/sub_buffer.h"
#include "src/base/memory.h"
#include "src/trace/trace_private.h"

struct lane {
	struct trace_cursor	*cursor;	/* owned */
	const struct sub_buffer_layout *layout;	/* borrowed */
	struct trace_event	 head;		/* the next record of this CPU, where `has` */
	int64_t			 ts;		/* its time */
	bool			 has;
	uint64_t		 page;		/* that pos and lag are of */
	uint32_t		 pos;
	uint64_t		 lag;		/* sub_buffer_discarded() */
};

struct kernel_order {
	struct trace		*trace;
	unsigned int		 nr;
	struct lane		*lanes;		/* owned, [nr], by CPU */
	uint8_t			*copy;		/* owned: the record that was given */
	uint32_t		 copy_size;
};

struct kernel_order *kernel_order_new(struct trace *trace, const bool *streams)
{
	struct kernel_order *order = mem_alloc(sizeof(*order));
	unsigned int nr = trace_nr_streams(trace);

	order->trace = trace;
	order->lanes = mem_array(nr + 1, sizeof(*order->lanes));
	for (unsigned int i = 0; i < nr; i++) {
		struct lane *lane = &order->lanes[order->nr];

		if (!streams[i])
			continue;
		lane->cursor = trace_cursor_new(trace);
		lane->layout = trace->streams[i].layout;
		lane->page = UINT64_MAX;
		trace_cursor_only_stream(lane->cursor, i);
		order->nr++;
	}
	return order;
}

void kernel_order_free(struct kernel_order *order)
{
	if (!order)
		return;
	for (unsigned int i = 0; i < order->nr; i++)
		trace_cursor_free(order->lanes[i].cursor);
	free(order->lanes);
	free(order->copy);
	free(order);
}

unsigned int kernel_order_lanes(const struct kernel_order *order)
{
	return order->nr;
}

static void advance(struct lane *lane)
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
	sub_buffer_discarded(lane->layout, lane->head.data - lane->head.in_page, lane->head.in_page, &lane->pos, &lane->lag);
	lane->ts = lane->head.ts - (int64_t)lane->lag;
}

void kernel_order_seek(struct kernel_order *order, trace_ref ref)
{
	for (unsigned int i = 0; i < order->nr; i++) {
		trace_cursor_seek(order->lanes[i].cursor, ref);
		advance(&order->lanes[i]);
	}
}

void kernel_order_seek_time(struct kernel_order *order, int64_t ts, unsigned int before)
{
	struct trace_event event;

	for (unsigned int i = 0; i < order->nr; i++) {
		trace_cursor_seek_time(order->lanes[i].cursor, ts);
		for (unsigned int k = 0; k < before && trace_cursor_prev(order->lanes[i].cursor, &event); k++)
			;
		advance(&order->lanes[i]);
	}
}

static struct lane *first_lane(struct kernel_order *order)
{
	struct lane *first = NULL;

	for (unsigned int i = 0; i < order->nr; i++)
		if (order->lanes[i].has && (!first || order->lanes[i].ts < first->ts))
			first = &order->lanes[i];
	return first;
}

/* The payload moves with the cursor, what lies behind it in the page does too. */
static void keep(struct kernel_order *order, struct trace_event *event)
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

bool kernel_order_next(struct kernel_order *order, struct kernel_record *record)
{
	struct lane *lane = first_lane(order), *next;

	if (!lane)
		return false;
	record->event = lane->head;
	record->ts = lane->ts;
	record->lane = (unsigned int)(lane - order->lanes);
	keep(order, &record->event);
	advance(lane);
	record->next = lane->has ? &lane->head : NULL;
	next = first_lane(order);
	record->next_ts = next ? next->ts : record->ts;
	return true;
}

void kernel_order_skip_next(struct kernel_order *order, const struct kernel_record *record)
{
	advance(&order->lanes[record->lane]);
}
