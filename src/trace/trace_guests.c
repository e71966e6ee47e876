/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/trace/trace_guests.h"

const struct source_guest *trace_guest_of(const struct source *host, const struct source *guest)
{
	const struct source_info *info = source_info(guest);
	const struct source_guest *found;

	if (host == guest || !info->has_trace_id || !source_time_shift(guest, 0, NULL, NULL))
		return NULL;
	for (unsigned int i = 0; (found = source_guest(host, i)); i++)
		if (found->trace_id == info->trace_id)
			return found;
	return NULL;
}

int trace_host_of(const struct trace *trace, unsigned int guest)
{
	for (unsigned int i = 0; i < trace_nr_files(trace); i++)
		if (trace_guest_of(trace_file_of(trace, i), trace_file_of(trace, guest)))
			return (int)i;
	return -1;
}
