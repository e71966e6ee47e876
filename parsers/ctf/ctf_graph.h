/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_CTF_CTF_GRAPH_H
#define FTOP_PARSERS_CTF_CTF_GRAPH_H
/*
 * ctf_graph - the traces in the current folder, read by babeltrace2's source.ctf.fs.
 *
 * The sink merges the streams itself: babeltrace2's muxer ends everything at a stamp that is lower
 * than one before, and refuses traces of several clocks.
 */
#include "parsers/ctf/ctf_teller.h"

const bt_plugin *ctf_graph_plugin(void);	/* NULL: it is not installed */
/* Tell all that the traces have, but those which @ask leaves out, or CTF_FAILED. */
void ctf_graph_run(const bt_plugin *plugin, const struct ctf_ask *ask, struct ctf_teller *teller);
#endif
