/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/source/record_bound.h"

#include "parsers/source/source.h"

void record_bound_tell(const struct source *source, const char *system, const char *name)
{
	source_add_note(source,
			"the event %s:%s has texts above %u KiB, which are cut: they end in …",
			system, name, RECORD_TEXT_BYTES >> 10);
}
