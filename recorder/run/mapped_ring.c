/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recorder/run/mapped_ring.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "src/base/memory.h"

/* struct trace_buffer_meta of linux/trace_mmap.h, which older headers do not have */
struct ring_meta {
	uint32_t meta_page_size, meta_struct_len;	/* bytes */
	uint32_t subbuf_size, nr_subbufs;		/* with the reader's */
	struct {
		uint64_t lost_events;		/* before the reader's sub-buffer */
		uint32_t id;
		uint32_t read;			/* bytes of its data that were read */
	} reader;
	uint64_t flags;
	uint64_t entries, overrun, read;	/* events ever written, overwritten, read */
};

struct mapped_ring {
	const struct ring_meta	*meta;		/* the mapping begins with it */
	size_t			 bytes;		/* of the mapping */
};

struct ring_part {
	uint64_t	ts;		/* of the sub-buffer */
	uint32_t	id;
	unsigned int	records;	/* not read yet, as far as the reader's sub-buffer tells */
};

static const void *map_bytes(int fd, size_t bytes)
{
	const void *map = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, 0);

	return map == MAP_FAILED ? NULL : map;
}

static const struct ring_meta *map_ring(int fd, size_t *bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	const struct ring_meta *meta = map_bytes(fd, page);

	*bytes = 0;
	if (meta && meta->meta_struct_len >= sizeof(*meta) && meta->subbuf_size &&
	    meta->reader.id < meta->nr_subbufs)
		*bytes = meta->meta_page_size + (size_t)meta->nr_subbufs * meta->subbuf_size;
	if (meta)
		munmap((void *)meta, page);
	return *bytes ? map_bytes(fd, *bytes) : NULL;
}

struct mapped_ring *mapped_ring_open(const struct tracefs_dir *dir, int cpu, struct ft_error *err)
{
	const char *file = TRACEFS_TEXT("per_cpu/cpu%d/trace_pipe_raw", cpu);
	struct mapped_ring ring = { 0 }, *copy;
	int fd = tracefs_dir_file(dir, file, O_RDONLY | O_NONBLOCK, err);

	if (fd < 0)
		return NULL;
	ring.meta = map_ring(fd, &ring.bytes);
	if (!ring.meta)
		ft_error_set(err, FT_E_UNSUPPORTED, -1, "%s/%s: the kernel does not map it: %s",
			     dir->path, file, tracefs_dir_errno(errno));
	close(fd);
	if (!ring.meta)
		return NULL;
	copy = mem_alloc(sizeof(*copy));
	*copy = ring;
	return copy;
}

void mapped_ring_close(struct mapped_ring *ring)
{
	if (!ring)
		return;
	munmap((void *)ring->meta, ring->bytes);
	free(ring);
}

static const uint8_t *page_of(const struct mapped_ring *ring, uint32_t id)
{
	return (const uint8_t *)ring->meta + ring->meta->meta_page_size +
	       (size_t)id * ring->meta->subbuf_size;
}

/* The kernel numbers them in the order of the ring, or of memory. */
static int compare_parts(const void *a, const void *b)
{
	const struct ring_part *x = a, *y = b;

	if (x->ts != y->ts)
		return x->ts < y->ts ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

/* A copy of a sub-buffer with what was not read.  Return: the number of records. */
static unsigned int take_page(const struct mapped_ring *ring, const struct raw_page_layout *layout,
			      uint32_t id, uint8_t *page)
{
	const struct ring_meta *meta = ring->meta;

	memcpy(page, page_of(ring, id), meta->subbuf_size);
	return raw_page_drop(layout, page, id == meta->reader.id ? meta->reader.read : 0);
}

/* All sub-buffers with records, oldest first. */
static size_t find_parts(const struct mapped_ring *ring, const struct raw_page_layout *layout,
			 struct ring_part *parts, uint8_t *page)
{
	size_t nr = 0;

	for (uint32_t id = 0; id < ring->meta->nr_subbufs; id++) {
		parts[nr] = (struct ring_part){ .id = id };
		parts[nr].records = take_page(ring, layout, id, page);
		memcpy(&parts[nr].ts, page, sizeof(parts[nr].ts));
		nr += parts[nr].records > 0;
	}
	qsort(parts, nr, sizeof(*parts), compare_parts);
	return nr;
}

/*
 * Sub-buffers that were read, and not written again, may hold their old records.  What was not read
 * is the newest, and the kernel knows how many these are.  Return: the first one with them; -1: no
 * sub-buffer begins with the oldest of so many.
 */
static ssize_t first_unread(const struct ring_part *parts, size_t nr, uint64_t unread)
{
	size_t first = nr;

	while (first && unread >= parts[first - 1].records)
		unread -= parts[--first].records;
	return unread ? -1 : (ssize_t)first;
}

/*
 * Mark what was lost.  The kernel tells the number for the reader's sub-buffer.  If there is none
 * yet, all that was overwritten came before the oldest one.
 */
static void mark_lost(const struct ring_meta *meta, const struct raw_page_layout *layout,
		      bool reader, void *page)
{
	if (reader && !meta->reader.read && meta->reader.lost_events)
		raw_page_set_lost(layout, page, meta->reader.lost_events);
	else if (!reader && meta->overrun)
		raw_page_set_lost(layout, page, meta->read ? 0 : meta->overrun);
}

int mapped_ring_copy(const struct mapped_ring *ring, const struct raw_page_layout *layout,
		     struct output_file *output, struct output_stream *stream, struct ft_error *err)
{
	const struct ring_meta *meta = ring->meta;
	struct ring_part *parts = mem_array(meta->nr_subbufs + 1, sizeof(*parts));
	uint64_t unread = meta->entries - meta->overrun - meta->read;
	uint8_t *page = mem_alloc(meta->subbuf_size);
	size_t nr = meta->subbuf_size == layout->size ? find_parts(ring, layout, parts, page) : 0;
	ssize_t first = first_unread(parts, nr, unread);
	int ret = 0;

	if (first < 0)
		ret = ft_error_set(err, FT_E_UNSUPPORTED, -1,
				   "CPU %d: the %" PRIu64 " events that the kernel counts are not "
				   "seen in its buffer; --consume empties it",
				   stream->cpu, unread);
	for (size_t i = (size_t)first; !ret && i < nr; i++) {
		take_page(ring, layout, parts[i].id, page);
		if (i == (size_t)first)
			mark_lost(meta, layout, parts[i].id == meta->reader.id, page);
		ret = output_stream_append(output, stream, page, meta->subbuf_size, err);
	}
	free(parts);
	free(page);
	return ret;
}
