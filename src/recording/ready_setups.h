/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_RECORDING_READY_SETUPS_H
#define FTOP_SRC_RECORDING_READY_SETUPS_H
/*
 * ready_setups - the presets: option lines of `record` with a name, which the record screen and
 * `record --setup` offer.  None of them runs a command or names a file; --locks defines probes.
 */
struct ready_setup {
	const char	*name, *line;	/* @line: options of `ftop-trace record` */
	const char	*question;	/* which the recording answers */
};

/* The preset number @i; NULL behind the last one. */
const struct ready_setup *ready_setup(unsigned int i);
#endif
