/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_MATCH_OTHER_END_H
#define FTOP_SRC_MATCH_OTHER_END_H
/*
 * other_end - where a call ends that a record begins, or begins that it ends: the sys_exit of a
 * sys_enter, the sys_enter of a sys_exit, the exit of a function's entry.
 */
#include "src/trace/trace.h"

/**
 * other_end_find() - search the rows of the same task
 * @budget_ns: how long to search
 * @is_begin:  the call begins with @end
 *
 * Return: false if the record is none of these, or the other end is not found.
 */
bool other_end_find(struct trace *trace, const struct trace_event *event, int64_t budget_ns,
		    struct trace_event *end, bool *is_begin);
#endif
