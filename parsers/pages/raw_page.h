/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_PAGES_RAW_PAGE_H
#define FTOP_PARSERS_PAGES_RAW_PAGE_H
/*
 * raw_page - a sub-buffer as this machine's kernel exports it (trace_pipe_raw): reads the times of
 * its records, and removes some of them.  For the recorder; sub_buffer.h is for sub-buffers of any
 * trace.
 */
#include <stdbool.h>
#include <stdint.h>

struct raw_page_layout {		/* from events/header_page */
	uint32_t	size;		/* bytes of a sub-buffer; 0 = header_page was not
					 * understood */
	uint32_t	data;		/* bytes before the first record:
					   16, or 12 on 32-bit kernels */
};

/* Parse the text of header_page, NUL-ended. */
struct raw_page_layout raw_page_layout(const char *header_page);

/*
 * Stamps of the first and the last record, in the trace clock's unit; false if there is no record.
 * @page: [layout->size]
 */
bool raw_page_times(const struct raw_page_layout *layout, const void *page, uint64_t *first,
		    uint64_t *last);

/*
 * Stamps of all records in order, at most size / 8.  @stamps: [layout->size / 8].  Return: their
 * number.
 */
unsigned int raw_page_stamps(const struct raw_page_layout *layout, const void *page,
			     uint64_t *stamps);

/*
 * Keep only the records from @first up to and including those at @last.  If the page's length
 * changes, the count of lost events is dropped; the flag that events were lost is kept if the first
 * record stays.  Return: the number of records left.
 */
unsigned int raw_page_keep(const struct raw_page_layout *layout, void *page, uint64_t first,
			   uint64_t last);

/*
 * Remove the records in the first @bytes bytes of the data, which were read before.
 * Return: the number of records left.
 */
unsigned int raw_page_drop(const struct raw_page_layout *layout, void *page, uint32_t bytes);

/* Mark that @count events were lost before the first record; 0: an unknown number. */
void raw_page_set_lost(const struct raw_page_layout *layout, void *page, uint64_t count);
#endif
