/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/pages/page_cache.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"

#define NR_BUCKETS	1024u		/* of a cache that keeps more than the last page */

struct cached_page {
	struct cached_page	*hash_next;
	struct cached_page	*newer, *older;	/* by last use */
	uint64_t		 page;
	unsigned int		 stream;
	uint32_t		 len;		/* 0: could not be read */
	uint8_t			 bytes[];
};

struct page_cache {
	const struct source	*file;		/* borrowed */
	struct page_reader	*reader;
	uint64_t		 limit, used;	/* bytes */
	struct cached_page	*newest, *oldest;
	uint32_t		 nr_buckets;	/* a power of two */
	struct cached_page	*buckets[];
};

struct page_cache *page_cache_new(const struct source *file, uint64_t limit)
{
	uint32_t nr = limit ? NR_BUCKETS : 1;
	struct page_cache *cache = mem_alloc(sizeof(*cache) + nr * sizeof(*cache->buckets));

	cache->nr_buckets = nr;
	cache->file = file;
	cache->reader = page_reader_new(file, 1);	/* one sub-buffer at a time */
	cache->limit = limit;
	return cache;
}

void page_cache_set_limit(struct page_cache *cache, uint64_t limit)
{
	cache->limit = limit;
}

static struct cached_page **bucket_of(struct page_cache *cache, unsigned int stream, uint64_t page)
{
	uint64_t h = (page * 0x9e3779b97f4a7c15ull) ^ (stream * 0xc2b2ae3d27d4eb4full);

	return &cache->buckets[(h >> 40) & (cache->nr_buckets - 1)];
}

static void unlink_use(struct page_cache *cache, struct cached_page *entry)
{
	*(entry->newer ? &entry->newer->older : &cache->newest) = entry->older;
	*(entry->older ? &entry->older->newer : &cache->oldest) = entry->newer;
}

static void link_newest(struct page_cache *cache, struct cached_page *entry)
{
	entry->newer = NULL;
	entry->older = cache->newest;
	*(cache->newest ? &cache->newest->newer : &cache->oldest) = entry;
	cache->newest = entry;
}

static void drop_oldest(struct page_cache *cache)
{
	struct cached_page *entry = cache->oldest;
	struct cached_page **at = bucket_of(cache, entry->stream, entry->page);

	while (*at != entry)
		at = &(*at)->hash_next;
	*at = entry->hash_next;
	unlink_use(cache, entry);
	cache->used -= sizeof(*entry) + entry->len;
	free(entry);
}

void page_cache_free(struct page_cache *cache)
{
	if (!cache)
		return;
	while (cache->oldest)
		drop_oldest(cache);
	page_reader_free(cache->reader);
	free(cache);
}

const uint8_t *page_cache_get(struct page_cache *cache, unsigned int stream, uint64_t page,
			      uint32_t *len)
{
	struct cached_page **bucket = bucket_of(cache, stream, page);
	struct cached_page *entry;
	uint32_t got = 0, last = 0;
	const uint8_t *bytes;

	for (entry = *bucket; entry; entry = entry->hash_next) {
		if (entry->page != page || entry->stream != stream)
			continue;
		unlink_use(cache, entry);
		link_newest(cache, entry);
		*len = entry->len;
		return entry->len ? entry->bytes : NULL;
	}
	bytes = page_reader_get(cache->reader, stream, page, &got, &last);
	if (!bytes)
		last = 0;
	else if (got > 1)
		last = source_buffer(cache->file, source_stream(cache->file, stream)->buffer)
			       ->layout.page_size;
	while (cache->oldest && cache->used + last > cache->limit)
		drop_oldest(cache);
	entry = mem_resize(NULL, 1, sizeof(*entry) + last);
	entry->stream = stream;
	entry->page = page;
	entry->len = last;
	if (last)
		memcpy(entry->bytes, bytes, last);
	entry->hash_next = *bucket;
	*bucket = entry;
	link_newest(cache, entry);
	cache->used += sizeof(*entry) + last;
	*len = last;
	return last ? entry->bytes : NULL;
}

uint64_t page_cache_offset(const struct page_cache *cache, unsigned int stream, uint64_t page)
{
	return page_reader_offset(cache->reader, stream, page);
}
