/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_TESTS_SAMPLES_H
#define FTOP_TESTS_SAMPLES_H
/*
 * samples - small trace.dat files of every form, by name: seeds of the fuzz
 * targets, victims of the damage tests, and what tests/tools/make_trace writes.
 * The same bytes at each call (but for the version strings of the codecs).
 */
#include <stdbool.h>
#include <stdio.h>
#include "src/base/error.h"

struct sample {
	const char	*name;		/* "v7-zstd" */
	const char	*help;		/* what is in it */
	int		(*make)(const struct sample *sample, const char *path,
				struct ft_error *err);
	unsigned int	 arg;		/* of the table in samples.c */
};

unsigned int samples_nr(void);
const struct sample *sample_at(unsigned int i);
const struct sample *sample_find(const char *name);	/* or NULL */

/* Write it.  FT_E_UNSUPPORTED where its codec is not built in. */
int sample_write(const struct sample *sample, const char *path, struct ft_error *err);

/*
 * What lies in a generated one, as it was made and not as anything read it: a line "STREAM STAMP"
 * for each event, the events of a stream in their order.  False for the others.
 */
bool sample_list(const struct sample *sample, FILE *out);
#endif
