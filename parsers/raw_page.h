/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_RAW_PAGE_H
#define FTOP_PARSERS_RAW_PAGE_H
/*
 * raw_page - a sub-buffer as this machine's kernel hands it out (trace_pipe_raw): when
 * its records were made.  For the recorder; sub_buffer.h is for those of any trace.
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
#endif
