/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_PAGES_PAGE_SCAN_H
#define FTOP_PARSERS_PAGES_PAGE_SCAN_H
/*
 * page_scan - the one pass over all records: fills in the page directory, counts events by type,
 * and collects the names of tasks and the processes they belong to.  A page_scan belongs to one
 * worker; page_kinds holds what the workers of a file share.  It walks two sub-buffers at a time,
 * see page_scan.c.
 */
#include <stdbool.h>
#include <stdint.h>
#include "parsers/pages/page_index.h"
#include "parsers/pages/page_kinds.h"
#include "parsers/pages/page_names.h"
#include "parsers/pages/page_reader.h"
#include "parsers/source/sub_buffer.h"

struct page_scan;

struct page_scan *page_scan_new(struct page_kinds *kinds);
void page_scan_free(struct page_scan *scan);	/* NULL is allowed */

/**
 * page_scan_range() - fill in a range of a stream's directory
 * @reader:    a reader of this worker for the file
 * @cancelled: checked once per read; may be NULL
 *
 * Return: false if it was cancelled: free the range then.  Pages that cannot be read are entered as
 * damaged.
 */
bool page_scan_range(struct page_scan *scan, struct page_reader *reader, unsigned int stream,
		     const struct sub_buffer_layout *layout, const struct page_clock *clock,
		     struct page_range *range, bool (*cancelled)(void *arg), void *arg);
#endif
