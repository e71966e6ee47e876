/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_PAGES_PAGE_NAMES_H
#define FTOP_PARSERS_PAGES_PAGE_NAMES_H
/*
 * page_names - names of tasks in records: which types contain them and where, and a cache per
 * worker, so that a name seen a million times is looked up once.
 *
 * Most of the work is comparing a name with the cached one, which is inline.  Names that differ go
 * to the table of names (comm_table.h), many at a time.
 */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include "parsers/types/comm_table.h"
#include "parsers/types/event_types.h"
#include "parsers/types/field.h"

#define NAME_LEN	16u		/* TASK_COMM_LEN */
#define NAME_PAIRS_MAX	2u
#define NAME_RULES_MAX	16u

/* A task's pid and name in a record. */
struct name_pair {
	uint16_t	pid_at, pid_size;	/* in the payload */
	uint16_t	comm_at;		/* in the payload; dynamic: of its location word */
	bool		plain;			/* an int and a char[16] */
	bool		dynamic;		/* an int and a __data_loc char[] */
	const struct event_field *comm;
};

struct name_rule {
	int		 type_id;		/* common_type */
	unsigned int	 nr;
	uint32_t	 bytes;			/* bytes of payload that contain the fields */
	struct name_pair pairs[NAME_PAIRS_MAX];
};

struct name_rules {
	bool		 found;
	unsigned int	 nr;
	struct name_rule rules[NAME_RULES_MAX];
};

/* Find the types that contain names; parses their formats.  Does nothing on the second call. */
void name_rules_find(struct name_rules *rules, struct event_types *types,
		     const struct common_layout *common);
/* 1 + the number of the rule for a type; 0 if it contains no names. */
unsigned int name_rules_of(const struct name_rules *rules, int type_id);

/* --- what a worker remembers --------------------------------------------------- */
/* a power of two: tasks whose pids differ by a multiple of it share a slot */
#define NAME_SLOTS 8192u
#define NAMES_NEW 1024u

struct name_slot {
	uint64_t	comm[NAME_LEN / 8];	/* as in the record, padded with zeros */
	uint64_t	task;			/* name_task(); 0 = unused */
	uint64_t	unused;			/* pads the size to a power of two */
};

struct name_cache {
	uint64_t	 epoch;			/* in the upper half; entries of another epoch
						 * are invalid */
	struct name_slot slots[NAME_SLOTS];
	unsigned int	 nr_new;		/* names for the table */
	struct comm_sighting new[NAMES_NEW];
};

/* Invalidate all entries. */
static inline void name_cache_forget(struct name_cache *cache)
{
	cache->nr_new = 0;
	cache->epoch += 1ull << 32;
	if (!cache->epoch) {
		memset(cache, 0, sizeof(*cache));
		cache->epoch = 1ull << 32;
	}
}

/* Does the name differ from the cached one? */
static inline bool name_cache_differs(const struct name_cache *cache, uint32_t pid, uint64_t comm0,
				      uint64_t comm1)
{
	const struct name_slot *slot = &cache->slots[pid & (NAME_SLOTS - 1)];

	return __builtin_expect(slot->task != (cache->epoch | pid), 0) ||
	       __builtin_expect(slot->comm[0] != comm0, 0) ||
	       __builtin_expect(slot->comm[1] != comm1, 0);
}

/*
 * Does a name in a record differ?  The int and the char[16] lie inside the record, in this
 * machine's byte order.
 */
static inline bool name_cache_differs_at(const struct name_cache *cache, const uint8_t *data,
					 uint32_t pid_at, uint32_t comm_at)
{
	return name_cache_differs(cache, load_u32(data + pid_at, false),
				  load_u64(data + comm_at, false),
				  load_u64(data + comm_at + 8, false));
}

/*
 * 16 bytes of ones, then of zeros: from [NAME_LEN - n] on, a mask of the first n bytes of a name.
 */
extern const uint8_t name_ones[2 * NAME_LEN];

/*
 * Does a dynamic string differ?  Its location word and the int must be inside a record of @size
 * bytes.  True also if in doubt.
 */
static inline bool name_cache_differs_dynamic(const struct name_cache *cache, const uint8_t *data,
					      uint32_t size, uint32_t pid_at, uint32_t comm_at,
					      const uint8_t *readable)
{
	uint32_t word = load_u32(data + comm_at, false), at = word & 0xffff, len = word >> 16;
	const uint8_t *mask, *comm;

	if (__builtin_expect(len > NAME_LEN || at + len > size ||
				     readable - data < (ptrdiff_t)(at + NAME_LEN),
			     0))
		return true;
	mask = name_ones + NAME_LEN - len;
	comm = data + at;
	return name_cache_differs(cache, load_u32(data + pid_at, false),
				  load_u64(comm, false) & load_u64(mask, false),
				  load_u64(comm + 8, false) & load_u64(mask + 8, false));
}

/*
 * Does any name in a record differ, of whatever form and byte order?  @readable: end of the memory
 * that may be read.
 */
bool name_cache_check(const struct name_cache *cache, const struct name_rule *rule,
		      const uint8_t *data, uint32_t size, const uint8_t *readable, bool swap);

/* Converts raw stamps to the comparable time that the table of names uses. */
struct page_clock {
	int64_t		(*time)(const void *arg, uint64_t raw);
	const void	*arg;
};

/* Cache the names in a record; those that are new are for the table. */
void name_cache_see(struct name_cache *cache, struct comm_table *comms,
		    const struct page_clock *clock, const struct name_rule *rule,
		    const struct record *rec, const uint8_t *readable, bool swap);
/* Add the new names to the table. */
void name_cache_tell(struct name_cache *cache, struct comm_table *comms);
#endif
