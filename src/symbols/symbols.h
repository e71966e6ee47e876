/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_SYMBOLS_SYMBOLS_H
#define FTOP_SRC_SYMBOLS_SYMBOLS_H
/*
 * symbols - names for the addresses of user space that occur in a trace; or all of one file.
 *
 *   all events --event_sweep--> addresses --mappings--> places in files --elf_names--> functions
 *
 * Opens the files that the trace names: only for a user who asked for that.
 */
#include "src/trace/trace_user.h"

struct symbols_result {
	uint64_t	addresses;	/* different ones, by process */
	uint64_t	mapped;		/* of these, in a file */
	uint64_t	places;		/* where these are in files, different ones */
	uint64_t	named;		/* of these places, in functions that have a name */
	uint32_t	maps;		/* that the trace had */
	struct text	notes;		/* files without names: a line each, "libx.so: not found" */
};

/**
 * symbols_find() - the block "user_symbols" with names for a file's addresses
 * @trace: indexed; of one file
 * @sysroot: a folder in which the files of the trace are; "": this machine's
 * @block: the lines are appended: mappings of the processes that occur, and functions; functions
 *         that the block had stay if their file is not there any more
 *
 * Waits for all.  Main thread; the spawner (src/sandbox/spawner.h) serves elf_helper_serve().
 */
void symbols_find(struct trace *trace, const char *sysroot, struct text *block,
		  struct symbols_result *result);
void symbols_result_fini(struct symbols_result *result);

/* All functions of a file, for trace_user_find_by().  Waits for the helper.  Any thread. */
struct user_symbols *symbols_of_file(const char *sysroot, const struct user_file *file,
				     struct text *why);
#endif
