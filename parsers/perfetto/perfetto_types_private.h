/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_PERFETTO_PERFETTO_TYPES_PRIVATE_H
#define FTOP_PARSERS_PERFETTO_PERFETTO_TYPES_PRIVATE_H
/* perfetto_types_private - what perfetto_types.c and perfetto_formats.c know of fields. */
#include "parsers/perfetto/perfetto_types.h"

struct perfetto_kind_info {
	const char	*word;		/* in ftrace.events */
	const char	*type;		/* in C */
	uint16_t	 size;
	bool		 is_signed;
};
extern const struct perfetto_kind_info perfetto_kinds[];	/* by enum perfetto_kind */
#endif
