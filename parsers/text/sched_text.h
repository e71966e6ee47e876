/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_TEXT_SCHED_TEXT_H
#define FTOP_PARSERS_TEXT_SCHED_TEXT_H
/*
 * sched_text - short text of sched_switch with the task states of the recording kernel.  The
 * letters changed over the years, so they are taken from the event's own print format.
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

struct sched_text {
	struct sched_text	*next;	/* for the owner's list */
	const struct event_type	*type;	/* the sched_switch that these states belong to */
	struct sched_states	states;
	const struct event_field *prev_comm, *prev_pid, *prev_prio, *prev_state, *next_comm,
	*next_pid, *next_prio;
};

bool sched_text_is_switch(const struct event_type *type);
void sched_text_init(struct sched_text *sched, const struct event_type *type);

/*
 * Append "prev:1 [120] S ==> next:2 [120]" for a record of the type; false, with nothing appended,
 * if the type lacks a field.
 */
bool sched_text_short(const struct sched_text *sched, const struct print_record *rec, bool swap,
		      struct text *out);

/* Append the pattern of such texts; false, with nothing appended, if the type lacks a field. */
bool sched_text_pattern(const struct sched_text *sched, struct text_pattern *pattern);
void sched_text_task_pattern(struct text_pattern *pattern, bool prio);	/* "comm:123 [120]" */
#endif
