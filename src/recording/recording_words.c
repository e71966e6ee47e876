/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/recording/recording_words.h"

void recording_size(uint64_t bytes, struct text *out)
{
	static const char *const units[] = { "B", "kB", "MB", "GB", "TB" };
	double v = (double)bytes;
	size_t u = 0;

	for (; v >= 1000 && u < 4; u++)
		v /= 1000;
	text_printf(out, u ? "%.1f %s" : "%.0f %s", v, units[u]);
}

void recording_events(uint64_t events, uint64_t bytes, enum recording_kept kept, struct text *out)
{
	if (kept != RECORDING_WHOLE) {
		recording_size(bytes, out);
		text_add(out, kept == RECORDING_NEWEST ? ", the newest of " : " of ");
	}
	text_counted(out, events, "event");
	if (kept == RECORDING_WHOLE) {
		text_add(out, ", ");
		recording_size(bytes, out);
	}
}

void recording_rest(uint64_t bytes, uint64_t file_bytes, const char *before, struct text *out)
{
	if (file_bytes <= bytes + bytes / 10)
		return;
	text_printf(out, "%sthe file has ", before);
	recording_size(file_bytes, out);
	text_add(out, ": formats of events and symbols take the rest");
}
