/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_RAW_PAGE_H
#define FTOP_PARSERS_RAW_PAGE_H
/*
 * raw_page - a sub-buffer as this machine's kernel hands it out (trace_pipe_raw): when
 * its records were made, and how to leave some of them out.  For the recorder;
 * sub_buffer.h is for those of any trace.
 */
#include <stdbool.h>
#include <stdint.h>

struct raw_page_layout {		/* from events/header_page */
	uint32_t	size;		/* bytes of a sub-buffer; 0: not understood */
	uint32_t	data;		/* bytes before the first record: 16, or 12 on 32-bit kernels */
};

/* What header_page says, NUL-ended. */
struct raw_page_layout raw_page_layout(const char *header_page);

/* Stamps of the first and the last record, in the trace clock's unit; false: there is none.  @page: [layout->size] */
bool raw_page_times(const struct raw_page_layout *layout, const void *page, uint64_t *first, uint64_t *last);

/* The same of all records, in their order: at most size / 8.  Returns how many there are.  @stamps: [layout->size / 8] */
unsigned int raw_page_stamps(const struct raw_page_layout *layout, const void *page, uint64_t *stamps);

/*
 * Leave out the records before @first and those behind the last one that is not later than @last.  A count of lost events
 * goes where the page's length changes; that some were lost is kept where its first record is.  Returns how many are left.
 */
unsigned int raw_page_keep(const struct raw_page_layout *layout, void *page, uint64_t first, uint64_t last);
#endif
