/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_TRACE_TRACE_GUESTS_H
#define FTOP_SRC_TRACE_TRACE_GUESTS_H
/*
 * trace_guests - a host's file and the file of a guest that was recorded with it (trace-cmd record
 * -A): which task of the host ran which CPU of the guest.
 *
 * The host's file names the guest's by its number (options GUEST and TRACEID).  Times can be
 * compared, since the guest's file has how to convert its clock (TIME_SHIFT).
 */
#include "parsers/source/source.h"
#include "src/base/options.h"
#include "src/trace/trace.h"

/*
 * What the host's file tells of the guest's, if they are of one recording, and the times of the
 * guest are those of the host.  NULL: they are not.  Borrowed from @host.
 */
const struct source_guest *trace_guest_of(const struct source *host, const struct source *guest);

struct trace_host {			/* the file of a guest's host */
	struct trace	*trace;		/* borrowed */
	unsigned int	 file;
	const struct source_guest *guest;	/* trace_guest_of(); NULL: there is no host */
};

/*
 * A file's host: the first file of @other; if that is NULL, a file of the trace.  A file that grows
 * has none.
 */
struct trace_host trace_host_of(struct trace *trace, unsigned int guest, struct trace *other);

enum trace_kin { TRACE_HOST, TRACE_GUEST };

/*
 * Open, with its --offset, the next operand from *@at on that is the host or a guest of the file.
 * Operands that cannot be read are neither.
 *
 * Return: for trace_close(); NULL: there are no more.
 */
struct trace *trace_guests_open(const struct option_list *list, const struct source *file,
				enum trace_kin kin, unsigned int *at);
#endif
