/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_TEXT_SCHED_TEXT_H
#define FTOP_PARSERS_TEXT_SCHED_TEXT_H
/*
 * sched_text - task states with the letters of the recording kernel.  They changed over the years,
 * so they are taken from the print format of sched_switch.
 */
#include <stdbool.h>
#include <stdint.h>
#include "parsers/types/event_types.h"
#include "parsers/print/print_record.h"
#include "src/base/text.h"

struct text_pattern;

#define SCHED_STATES 32

/* Task states as named in a sched_switch format. */
struct sched_states {
	unsigned int	nr;
	struct {
		uint64_t	bit;
		char		letter;		/* 'S', 'D' … */
	} states[SCHED_STATES];
	uint64_t	preempted;		/* the bit shown as "+", or 0 */
};

/* Parse the event's print format; if it has no states, use those of Linux 4.14 and later. */
void sched_states_parse(struct sched_states *states, const char *print_fmt);

/* Append "R", "S", "D|K", "R+". */
void sched_states_text(const struct sched_states *states, uint64_t state, struct text *out);

bool sched_text_is_switch(const struct event_type *type);
/* Append the pattern of a task in trace-cmd's texts: "comm:123 [120]" */
void sched_text_task_pattern(struct text_pattern *pattern);
#endif
