/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_RUN_EXTRACT_H
#define FTOP_RECORDER_RUN_EXTRACT_H
/*
 * extract - writes a trace.dat of a ring buffer that somebody else filled: a recording that sets up
 * nothing, and reads once.
 */
#include <stdbool.h>
#include <stdint.h>
#include "parsers/writer/trace_writer.h"
#include "recorder/tracefs/tracefs_dir.h"
#include "src/base/error.h"
#include "src/base/text.h"

struct extract_plan {
	const char	*instance;	/* "" = the top one */
	bool		 snapshot;	/* its snapshot buffer instead */
	bool		 last_boot;	/* only if it is of the boot before */
	bool		 same_kernel;	/* formats and symbols of this boot are those of the boot
					 * before */
	bool		 consume;	/* the buffer may be emptied */
	const char	*output;	/* must not exist */
	enum trace_compression compression;
};

/* Events in the buffer of an instance that were not read yet. */
uint64_t extract_entries(const struct tracefs_dir *instance);

/**
 * extract_run() - write the file
 * @notes: receives lines for the user, also after a failure; the last one is the summary
 *
 * Reads without consuming where the kernel can (mapped_ring.h), unless @plan->consume.  Return: 0,
 * or -1 with the reason: the buffer is in use, empty, or cannot be read without emptying it
 * (FT_E_UNSUPPORTED).  Then there is no file, and the buffer is as it was; but a failure after
 * reading has begun to empty it leaves FILE.part, as a recording does.
 */
int extract_run(const struct extract_plan *plan, const struct tracefs_dir *root, struct text *notes,
		struct ft_error *err);
#endif
