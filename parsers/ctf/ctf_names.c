/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/ctf/ctf_names.h"

#include <stdlib.h>
#include <string.h>

#include "src/events/known_events.h"

const char *ctf_names_system(const char *event)
{
	return known_events_system(event, strlen(event)) ?: "lttng";
}

/* "KERNELS=LTTNGS+NUMBER …" */
struct ctf_alias ctf_names_field(const char *event, const char *field)
{
	const char *at = known_events_text(KNOWN_FIELDS, ctf_names_system(event), event, NULL);
	struct ctf_alias alias = { 0 };
	size_t field_len = strlen(field);

	for (; at && *at; at += strspn(at, " \t")) {
		size_t len = strcspn(at, "="), theirs;
		const char *lttngs = at + len + (at[len] == '=');

		theirs = strcspn(lttngs, "+ \t");
		if (theirs == field_len && !memcmp(lttngs, field, theirs)) {
			alias.kernel = at;
			alias.len = len;
			alias.more = lttngs[theirs] == '+' ? atoi(lttngs + theirs) : 0;
		}
		alias.is_taken |= len == field_len && !memcmp(at, field, len);
		at = lttngs + strcspn(lttngs, " \t");
	}
	return alias;
}
