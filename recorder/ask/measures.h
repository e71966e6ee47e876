/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_ASK_MEASURES_H
#define FTOP_RECORDER_ASK_MEASURES_H
/* measures - which keys of `record --measure` this kernel has, and what is set. */
#include "recorder/tracefs/tracefs_dir.h"
#include "src/recording/measure_keys.h"

enum measure_state {
	MEASURE_HAS,
	MEASURE_LACKS,		/* the tracer is here, but not the key */
	MEASURE_NO_TRACER,
};

/* @tracers: those of the kernel */
enum measure_state measures_state(const struct tracefs_dir *dir, const struct name_list *tracers,
				  const struct measure_key *key);

/* The content of the key's file, times with their unit; nothing if it has none. */
void measures_value(const struct tracefs_dir *dir, const struct measure_key *key, struct text *out);
#endif
