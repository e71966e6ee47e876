/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_IO_PART_LAYOUT_H
#define FTOP_PARSERS_IO_PART_LAYOUT_H
/*
 * part_layout - the first section of NAME.part, the trace.dat of a recording that goes on: where
 * the data of each CPU is, and up to which time all of it is there.
 *
 *   layout_head | layout_buffer [nr_buffers] | layout_stream [nr_streams] | settled [nr_streams]
 *   | layout_tasks
 *
 * `settled` are uint64_t stamps of the trace's clock: no record of that CPU from before it is still
 * to come, and what was lost before it is told; 0 = unknown.  Older recorders write neither them
 * nor what follows.  All numbers, like the whole file, are in the byte order of the recording
 * machine.
 *
 * With -m the recorder drops sub-buffers: it moves `start` past them, and never back.  At least
 * LAYOUT_GRACE_NS later it gives their blocks back to the file system; then they are zeros.
 * So a sub-buffer of zeros before the `start` that the layout has now was dropped while somebody
 * read it: it is unreadable.  Any other one is what was recorded.
 */
#include <stdint.h>

#define LAYOUT_MAGIC		"ftoppart"
#define LAYOUT_GRACE_NS		3000000000ull

enum layout_phase {
	LAYOUT_RECORDING,
	LAYOUT_CLOSING,		/* the final metadata is written, data is being moved */
	LAYOUT_DONE,		/* the file is complete, except for its name */
};

struct layout_head {
	char		magic[8];
	uint32_t	phase;
	uint32_t	align;		/* alignment of regions and of moves, in bytes */
	uint32_t	nr_buffers;
	uint32_t	nr_streams;
	uint64_t	recording_options; /* offset of the options section
					      that is valid while recording */
	uint64_t	final_options;	/* offset of that section in the finished file */
	uint64_t	final_data;	/* offset of the first buffer's data in the finished file */
	uint64_t	moved_range;	/* without collapse: the ranges before this one are at
					 * their final place */
	uint64_t	moved_bytes;	/* bytes of that range which are there, too */
	uint32_t	spooled;	/* 1: streams are in separate files */
	uint32_t	pad;
};

struct layout_buffer {
	uint64_t	section;	/* offset of its section's header, while recording */
	uint32_t	page_size;
	uint32_t	pad;
};

struct layout_stream {			/* one CPU of one buffer */
	uint32_t	buffer;
	uint32_t	cpu;
	uint64_t	base, room;	/* its region: offset in the file, bytes */
	uint64_t	start, size;	/* bytes of the region: dropped at its start; in use, with
					 * those; whole sub-buffers */
};

#define LAYOUT_TASKS_BYTES	(128ull << 20)

/*
 * Who the tasks are, as seen so far: whole lines of the block "tasks" (parsers/file/trace_extra.c),
 * with stamps that may be less exact than those of the finished file.
 */
struct layout_tasks {
	uint64_t	at, size;	/* offset in the file, 0 = none; bytes, which only grow, up
					 * to LAYOUT_TASKS_BYTES */
};
#endif
