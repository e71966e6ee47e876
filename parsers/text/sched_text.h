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

/*
 * What the number in a record means.  Linux 4.14 to 4.19 recorded the number of the bit, from 1 on,
 * and printed it as if it were bits: Z (0x20) became 6, "D|T".  Late stable releases of them record
 * bits, so the format does not tell; numbers that only one of the two can have do.
 */
enum sched_encoding {
	SCHED_STATES_ARE_BITS,
	SCHED_STATES_ARE_NUMBERS,	/* of bits, from 1 on; 0 is R */
	SCHED_STATES_ARE_UNSURE,
};

/* Task states as named in a sched_switch format. */
struct sched_states {
	enum sched_encoding encoding;
	unsigned int	nr;
	struct {
		uint64_t	bit;
		char		letter;		/* 'S', 'D' … */
	} states[SCHED_STATES];
	uint64_t	preempted;		/* the bit shown as "+", or 0 */
};

/* Parse the event's print format; if it has no states, use those of Linux 4.14 and later. */
void sched_states_parse(struct sched_states *states, const char *print_fmt);

/*
 * Ask what the numbers are, if the states are those of Linux 4.14 and later.  @release: the
 * kernel's; "" = unknown.
 */
void sched_states_doubt(struct sched_states *states, const char *release);
/* Does this number tell it?  UNSURE: it does not. */
enum sched_encoding sched_states_evidence(uint64_t state);
/* The bits of a number, which is taken as bits where nothing else is known. */
uint64_t sched_states_bits(const struct sched_states *states, uint64_t state);

/* Append "R", "S", "D|K", "R+"; "t or I" if it is not known. */
void sched_states_text(const struct sched_states *states, uint64_t state, struct text *out);

bool sched_text_is_switch(const struct event_type *type);
/* Append the pattern of a task in trace-cmd's texts: "comm:123 [120]" */
void sched_text_task_pattern(struct text_pattern *pattern);
#endif
