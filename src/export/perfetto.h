/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_EXPORT_PERFETTO_H
#define FTOP_SRC_EXPORT_PERFETTO_H
/* perfetto - a trace as packets of Perfetto's protobuf format, for ui.perfetto.dev and others. */
#include "src/base/output.h"
#include "src/match/event_sweep.h"

/**
 * perfetto_export() - write a file's events
 * @what: the file, and which of its events
 *
 * The trace's directory must be complete.
 * Return: 0, or -1 with FT_E_IO.
 */
int perfetto_export(struct trace *trace, const struct event_sweep_options *what, struct output *out,
		    struct ft_error *err);
#endif
