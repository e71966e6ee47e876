/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_PERFETTO_PERFETTO_NAMES_H
#define FTOP_PARSERS_PERFETTO_PERFETTO_NAMES_H
/* perfetto_names - names that a trace tells once, and then gives as numbers. */
#include <stdbool.h>

#include "src/base/index_map.h"

struct perfetto_name {			/* what a number stands for */
	uint64_t	 iid;
	const char	*s;		/* NUL-ended; borrowed */
	uint64_t	 address;	/* of a function */
};

struct perfetto_names {			/* zeroed: empty */
	struct index_map map;
	struct perfetto_name *names;	/* owned, [nr] */
	uint32_t	 nr, cap;
	bool		 is_kept;	/* pages that are made later need them */
};

/* The name of a number; without a string and an address if it is new. */
struct perfetto_name *perfetto_names_add(struct perfetto_names *names, uint64_t iid);
/* NULL: there is none.  Valid until another one is added. */
struct perfetto_name *perfetto_names_find(const struct perfetto_names *names, uint64_t iid);
void perfetto_names_clear(struct perfetto_names *names);
void perfetto_names_fini(struct perfetto_names *names);
#endif
