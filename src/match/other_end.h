/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_MATCH_OTHER_END_H
#define FTOP_SRC_MATCH_OTHER_END_H
/*
 * other_end - the other record of a call: the sys_exit of a sys_enter, the sys_enter of a sys_exit,
 * the funcgraph_exit of a funcgraph_entry.
 */
#include "src/trace/trace.h"

/**
 * other_end_find() - search the rows of the same task
 * @budget_ns: how long to search
 * @is_begin:  set if @end begins the call
 *
 * Return: false if the record is no end of a call, or the other one is not found.
 */
bool other_end_find(struct trace *trace, const struct trace_event *event, int64_t budget_ns,
		    struct trace_event *end, bool *is_begin);
#endif
