/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_NOISE_NOISE_PRIVATE_H
#define FTOP_SRC_NOISE_NOISE_PRIVATE_H
/* noise_private - what noise_lists.c and noise_rtla.c share: the model behind the lists. */
#include "src/model/list_source.h"
#include "src/noise/noise.h"

struct noise_lists {
	struct trace	*trace;		/* borrowed */
	struct event_sweep_options what;
	const struct list_speech *speech;	/* borrowed; NULL: for a command */
	enum noise_tracer tracer;
	struct noise	*noise;		/* owned */
	const struct noise_result *result;	/* what noise has found; NULL: not all is read */
	const struct noise_sample *sample;	/* Enter was pressed on it; NULL: none */
	struct text	above, command;	/* texts that list_rows points to */
	/* only for a command: */
	long long	analysed;	/* samples to be analysed */
	bool		rtla;		/* --style=rtla */
	bool		none;		/* there is no tracer */
	bool		other_clock;	/* an analysis had other_clock */
};

/* Analyse the i-th worst sample, if --analysis wants that many; else NULL. */
const struct noise_analysis *noise_analyse_worst(struct noise_lists *model, uint32_t i);

/* list_source.print */
int noise_print_rtla(void *model, unsigned int list, struct text *out, struct ft_error *err);
#endif
