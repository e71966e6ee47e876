/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recorder/ask/measures.h"

#include <string.h>

enum measure_state measures_state(const struct tracefs_dir *dir, const struct name_list *tracers,
				  const struct measure_key *key)
{
	bool has_tracer = false;

	for (size_t i = 0; i < tracers->nr; i++)
		has_tracer |= measure_key_fits(key, tracers->names[i]);
	if (!has_tracer)
		return MEASURE_NO_TRACER;
	/* threads of the kernel are all that there is without its option */
	if ((key->file && !tracefs_dir_has(dir, key->file)) ||
	    (key->option && key->kind != MEASURE_KERNEL && !tracefs_dir_has(dir, MEASURE_OPTIONS)))
		return MEASURE_LACKS;
	return MEASURE_HAS;
}

void measures_value(const struct tracefs_dir *dir, const struct measure_key *key, struct text *out)
{
	struct text line = { 0 };
	long long us;

	/* what timerlat_fd gives is measured */
	if (!key->file || key->kind == MEASURE_USER)
		return;
	if (key->kind == MEASURE_TIME && !tracefs_dir_read_number(dir, key->file, &us, NULL) &&
	    us >= 0)
		measure_time_text((uint64_t)us, out);
	else if (key->kind != MEASURE_TIME && !tracefs_dir_read_line(dir, key->file, &line, NULL))
		text_printable(out, text_str(&line), line.len);
	text_fini(&line);
}
