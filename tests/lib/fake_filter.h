/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_TESTS_FAKE_FILTER_H
#define FTOP_TESTS_FAKE_FILTER_H
/*
 * fake_filter - src/filter/filter.h for tests of what is built on it: a filter is a list of
 * words, which must all be true of a record.
 *
 *   type=301,302  pid=3,4  cpu=0,2  seq=5/2 (gen:tick: seq % 5 == 2)  time=FROM-TO  lost  names
 *
 * `lost` keeps rows of lost events and damage besides; with `names` the filter says that it needs
 * names of tasks.
 */
#include "src/filter/filter.h"

struct fake_words {
	unsigned int	nr_types, nr_pids, nr_cpus;
	int		types[8], pids[8], cpus[8];
	uint32_t	modulus, rest;	/* modulus 0: any */
	bool		has_time, lost, names;
	int64_t		from, to;
};

void fake_words_parse(struct fake_words *words, const char *text);
/* A filter of such words; ends the program where there is none. */
struct filter *fake_filter(struct trace *trace, const char *text);
#endif
