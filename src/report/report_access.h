/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_REPORT_REPORT_ACCESS_H
#define FTOP_SRC_REPORT_REPORT_ACCESS_H
/*
 * report_access - where data of an access to memory came from, in the words of perf script.
 *
 * Format: linux include/uapi/linux/perf_event.h, union perf_mem_data_src; words: that of perf 6.1,
 * tools/perf/util/mem-events.c.
 */
#include <stdint.h>

#include "src/base/text.h"

/* Append "|OP LOAD|LVL L1 hit|SNP None|TLB L1 or L2 hit|LCK No|BLK  N/A". */
void report_access(uint64_t data_src, struct text *out);
#endif
