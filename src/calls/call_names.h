/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_CALLS_CALL_NAMES_H
#define FTOP_SRC_CALLS_CALL_NAMES_H
/* call_names - the names that filters have for calls: dur, ret, self, net, under. */
#include "src/filter/filter_names.h"

extern const struct filter_name call_names[];		/* the last one has .name NULL */
#endif
