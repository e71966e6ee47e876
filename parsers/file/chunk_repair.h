/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_FILE_CHUNK_REPAIR_H
#define FTOP_PARSERS_FILE_CHUNK_REPAIR_H
/*
 * chunk_repair - finds the chunks of a stream whose list is damaged.
 *
 * Each chunk's header says where the next one is, so one wrong size hides all that follow.  But
 * packed data shows where it begins and ends: by the codec's magic bytes, and by unpacking it.
 */
#include "parsers/file/chunks.h"

/**
 * chunk_directory_repair() - continue where chunk_directory_read() failed
 * @dir:       as chunk_directory_read() left it
 * @offset:    file offset of the number of chunks
 * @limit:     file offset that the stream cannot pass
 * @page_size: bytes of a sub-buffer
 *
 * Chunks get their real sizes; a stretch where nothing can be unpacked becomes a chunk that will
 * fail to unpack.  The chunks before the damage stay.  Reads at most 1 GiB.
 * Return: whether any chunk was found.
 */
bool chunk_directory_repair(struct chunk_directory *dir, int fd, uint64_t offset, uint64_t limit,
			    bool swap, struct unpacker *unpacker, uint32_t page_size);

/*
 * Correct wrong unpacked sizes: one such size shifts all later sub-buffers.  Some of the chunks
 * whose size differs from the usual one are unpacked to learn their real size; the last chunk may
 * be smaller and is not checked.  Return: the number of sizes that were wrong.
 */
uint32_t chunk_directory_check_sizes(struct chunk_directory *dir, int fd,
				     struct unpacker *unpacker);
#endif
