/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_TEXT_RECORD_TEXT_PRIVATE_H
#define FTOP_PARSERS_TEXT_RECORD_TEXT_PRIVATE_H
/*
 * record_text_private - the interface of the handlers of single events (plugin_text*.c,
 * kernel_text*.c), and the context in which programs run.
 */
#include "parsers/text/graph_text.h"
#include "parsers/text/record_text.h"
#include "parsers/types/report_comms.h"

/* State that records leave for later ones. */
struct record_text_state {
	void	*plugin;		/* the handlers'; created on first use, with its end: */
	void	(*free_plugin)(void *plugin);
	struct report_comms *comms;	/* names of tasks; created on first use:
					 * record_text_learn_comm() */
	struct text_arrays {
		int		id;
		uint64_t	fields;
	} *arrays;			/* owned, [nr_arrays]: see below */
	unsigned int nr_arrays, cap_arrays;
};

/* Is a task's name final, so that no later event changes it? */
bool record_text_knows_comm(const struct record_text_state *state, int pid);

/* Learn a task's name from a sched event that is printed. */
void record_text_learn_comm(const struct text_context *c, struct record_text_state *state, int pid,
			    const char *comm, size_t len);

extern const struct text_function plugin_functions[]; /* parsers/plugin_text*.c;
							   ended by .name NULL */
#endif
