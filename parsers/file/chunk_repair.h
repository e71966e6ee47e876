/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_CHUNK_REPAIR_H
#define FTOP_PARSERS_CHUNK_REPAIR_H
/*
 * chunk_repair - the chunks of a stream whose list is damaged.
 *
 * A chunk is found by the header of the one before, so that one wrong size hides all that follow.  But packed data
 * tells where it begins and ends: by the codec's own first bytes, and by unpacking it.
 */
#include "parsers/file/chunks.h"

/**
 * chunk_directory_repair() - go on where chunk_directory_read() failed
 * @dir:       what that one left
 * @offset:    of the number of chunks in the file
 * @limit:     where the stream ends at the latest
 * @page_size: bytes of a sub-buffer
 *
 * Chunks get the sizes they really have; a place where nothing can be unpacked is a chunk that will fail to.  What is
 * in front of the damage stays.  Looks at most at 1 GiB.
 * Return: was anything found?
 */
bool chunk_directory_repair(struct chunk_directory *dir, int fd, uint64_t offset, uint64_t limit, bool swap,
			    struct unpacker *unpacker, uint32_t page_size);

/*
 * A wrong unpacked size moves all sub-buffers behind it.  Chunks of another size than the others (but the last, which is
 * smaller) are unpacked, a few of them, and get the size they have.  Return: how many had a wrong one.
 */
uint32_t chunk_directory_check_sizes(struct chunk_directory *dir, int fd, struct unpacker *unpacker);
#endif
