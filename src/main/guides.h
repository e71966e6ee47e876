/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_MAIN_GUIDES_H
#define FTOP_SRC_MAIN_GUIDES_H
/*
 * guides - documents inside the program, as pages like the manual's: ftop-trace help locks.  They
 * are those of share/, and that of src/events/verdicts.h.
 */
#include "src/base/man_search.h"

#define NR_GUIDES 8

extern const struct man_page guides[NR_GUIDES];	/* their names have no section: "locks" */

const struct man_page *guides_find(const char *name);	/* NULL: there is none */
#endif
