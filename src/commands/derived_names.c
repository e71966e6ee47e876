/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/commands/derived_names.h"

#include <stddef.h>

#include "src/calls/call_names.h"
#include "src/sched/sched_values.h"

const struct filter_name *const derived_names[] = { call_names, sched_value_names, NULL };
