/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/pages/page_scan.h"

#include <stdlib.h>
#include <string.h>

#include "parsers/types/field.h"
#include "src/base/memory.h"

/*
 * Following the headers of a sub-buffer is a chain of dependent loads. So the scan walks two
 * sub-buffers side by side, and their chains fill each other's gaps: scan_plain() takes records
 * while both sub-buffers have plain ones, scan_record() takes one record of any kind. Each
 * sub-buffer is scanned as if nothing preceded it; finish_page() then accounts for the earlier
 * ones.
 *
 * An event type is rare until the list of a range has no room for it (see page_index.h).  Until
 * then scan_plain() leaves its records to scan_record(), which adds them to the list.  Afterwards
 * the type has a bit, and costs no more than setting it.
 *
 * Names of tasks have to be learnt in the order of the records.  So the walk over the first
 * sub-buffer learns new names, and the walk over the second one only compares.  If either met a new
 * name, the second one is walked again for its names.
 */

/* larger sub-buffers are scanned one by one: a second walk for one name would cost too much */
#define PAIR_MAX_PAGE	(16u << 10)
/* types that tell who a task is; several may have the same name */
#define WHO_RULES_MAX	16u
/* a type in fewer sub-buffers of a list may be there by chance */
#define OFTEN_LISTED	4u
#define COUNT_PAGES	64u		/* pages between two checks of what is frequent */
/* sub-buffers that are scanned one by one after one with a new name */
#define ALONE_PAGES	2u

enum scan_names {
	NAMES_NONE,
	NAMES_ONE,		/* a plain pair */
	NAMES_TWO,		/* two of them */
	NAMES_DYNAMIC,		/* a dynamic pair */
};

/* What a worker knows about an event type.  All zero: not met yet. */
struct scan_kind {
	uint64_t	bit;		/* in a page's set of types; 0 = the type is listed */
	uint32_t	lengths;	/* bit n: scan_plain() may take a record with a type_len
					 * of n; 0 if `bit` is 0 */
	uint32_t	events[2];	/* in this range; one per lane, so that they do not wait
					 * for each other */
	uint8_t		names;		/* enum scan_names, for scan_plain() */
	uint8_t		rule;		/* 1 + number of the rule for names; 0 = none */
	uint8_t		who;		/* 1 + number of the worker's rule for tasks; 0 = none */
	bool		unknown;	/* the file has no format for it */
	uint16_t	pid_at[NAME_PAIRS_MAX], comm_at[NAME_PAIRS_MAX];
	/* While it has no bit: */
	bool		known;
	uint16_t	dense;
	uint32_t	lengths_then;
	uint32_t	listed;		/* number of sub-buffers in the range's list */
	uint64_t	last_walk;	/* the walk it was last listed for */
};

struct page_scan {
	struct page_kinds	*shared;
	struct scan_kind	*kinds;		/* [PAGE_KINDS_MAX] by common_type */
	const struct page_clock	*clock;
	const uint8_t		*readable;	/* end of the memory that holds the pages */
	uint64_t		 run;		/* running maximum of the range */
	bool			 begun;		/* the range has had an event */
	uint32_t		 slab_pages;
	bool			 differs;	/* a name differs from the cached one */
	unsigned int		 alone;		/* sub-buffers left to scan one by one, because
						 * of new names */
	struct name_cache	 names;
	uint64_t		 walks;		/* sub-buffers walked; 0 = none yet */
	uint64_t		 given;		/* those already in the file's counts */
	uint32_t		*rare;		/* owned: the range's list,
						   as in struct page_slab */
	unsigned int		 nr_rare, cap_rare;
	unsigned int		 nr_who_rules;
	struct who_rule		 who_rules[WHO_RULES_MAX];
	struct tgid_cache	 tgids;
};

/* --- kinds ------------------------------------------------------------------ */

/* How scan_plain() reads the names; NAMES_NONE: it cannot. */
static enum scan_names names_of(const struct name_rule *rule)
{
	bool plain = true;

	for (unsigned int i = 0; i < rule->nr; i++)
		plain &= rule->pairs[i].plain;
	if (plain)
		return rule->nr == 1 ? NAMES_ONE : NAMES_TWO;
	return rule->nr == 1 && rule->pairs[0].dynamic ? NAMES_DYNAMIC : NAMES_NONE;
}

/* Add a rule if records of the type tell who a task is. */
static bool learn_who(struct page_scan *scan, uint32_t id, struct scan_kind *own)
{
	struct page_kinds *shared = scan->shared;
	const struct event_type *type = shared->who && shared->types ?
						event_types_find(shared->types, (int)id) :
						NULL;

	if (type && scan->nr_who_rules < WHO_RULES_MAX &&
	    who_rule_of(type, &shared->common, &scan->who_rules[scan->nr_who_rules]))
		own->who = (uint8_t)++scan->nr_who_rules;
	return own->who;
}

/* Called for a type's first record in this worker. */
static void learn_kind(struct page_scan *scan, uint32_t id)
{
	struct page_kinds *shared = scan->shared;
	uint32_t kind = atomic_load(&shared->kinds[id]), bytes = 8;	/* type and pid */
	struct scan_kind *own = &scan->kinds[id];
	const struct name_rule *rule = NULL;

	if (!kind)
		kind = page_kinds_add(shared, id);
	own->known = true;
	own->dense = (uint16_t)PAGE_KIND_DENSE(kind);
	own->rule = (uint8_t)(kind >> PAGE_KIND_RULE_SHIFT);
	own->unknown = kind & PAGE_KIND_UNKNOWN;
	if (own->rule) {
		rule = &shared->rules.rules[own->rule - 1];
		own->names = names_of(rule);
		bytes = rule->bytes > bytes ? rule->bytes : bytes;
		for (unsigned int i = 0; i < rule->nr; i++) {
			own->pid_at[i] = rule->pairs[i].pid_at;
			own->comm_at[i] = rule->pairs[i].comm_at;
		}
	}
	/* scan_record() handles the other types */
	if (!learn_who(scan, id, own) && !own->unknown && (!rule || own->names) &&
	    bytes <= 4 * SUB_BUFFER_TYPE_DATA_MAX)
		own->lengths_then = (2u << SUB_BUFFER_TYPE_DATA_MAX) - (1u << (bytes + 3) / 4);
}

/* --- a sub-buffer ------------------------------------------------------------- */

struct page_walk {
	struct sub_buffer sb;
	uint64_t	start;		/* its own stamp */
	uint64_t	first, run;	/* keys: first event's, and the running maximum */
	uint64_t	types, pids;
	uint32_t	events, flags;
	int32_t		pid;		/* pid of the last record */
	uint32_t	nr;		/* page of the slab */
	uint64_t	walk;		/* serial number among this worker's walks */
};

static void open_page(struct page_scan *scan, struct page_walk *walk,
		      const struct sub_buffer_layout *layout, const uint8_t *page, uint32_t len,
		      uint64_t nr)
{
	walk->walk = ++scan->walks;
	walk->nr = nr & (scan->slab_pages - 1);
	sub_buffer_open(&walk->sb, layout, page, len);
	walk->start = walk->sb.ts;
	walk->first = walk->run = walk->types = walk->pids = 0;
	walk->events = walk->flags = 0;
	walk->pid = 0;
}

/* In any order of records: the table sorts by time. */
static __attribute__((noinline)) void see_who(struct page_scan *scan, const struct scan_kind *kind,
					      const struct record *rec, int32_t pid, bool swap)
{
	who_rule_see(&scan->who_rules[kind->who - 1], scan->shared->who, &scan->tgids,
		     scan->clock->time(scan->clock->arg, rec->ts), pid, rec->data, rec->size, swap);
}

/* A record of a type that has no bit (yet). */
static __attribute__((noinline)) void see_rare(struct page_scan *scan, const struct page_walk *walk,
					       uint32_t id)
{
	struct scan_kind *kind = &scan->kinds[id];

	if (!kind->known)
		learn_kind(scan, id);
	if (kind->last_walk == walk->walk)
		return;
	kind->last_walk = walk->walk;
	kind->listed++;
	mem_grow(&scan->rare, scan->nr_rare, &scan->cap_rare);
	scan->rare[scan->nr_rare++] = walk->nr << 16 | kind->dense;
}

/* Take one record of any kind; false at the end of the sub-buffer. */
static inline __attribute__((always_inline)) bool
scan_record(struct page_scan *scan, struct page_walk *walk, struct record *rec,
	    struct scan_kind **kind, bool swap, bool big_endian, bool standard)
{
	const struct common_layout *common = &scan->shared->common;
	uint32_t id;
	int32_t pid;

	if (!sub_buffer_step(&walk->sb, rec, swap, big_endian))
		return false;
	if (standard && __builtin_expect(rec->size >= 8, 1)) {
		id = load_u16(rec->data, swap);
		pid = (int32_t)load_u32(rec->data + 4, swap);
	} else {
		id = (uint16_t)field_load(rec->data, rec->size, common->type_offset,
					  common->type_size, swap);
		pid = (int32_t)field_load(rec->data, rec->size, common->pid_offset,
					  common->pid_size, swap);
	}
	*kind = &scan->kinds[id];
	if (__builtin_expect(!(*kind)->bit, 0))
		see_rare(scan, walk, id);
	(*kind)->events[0]++;
	walk->types |= (*kind)->bit;
	walk->flags |= (rec->ts < walk->run ? PAGE_BACKWARDS : 0) |
		       ((*kind)->unknown ? PAGE_UNKNOWN : 0);
	walk->run = rec->ts > walk->run ? rec->ts : walk->run;
	if (pid != walk->pid || !walk->events) {
		walk->pids |= pid_bits(pid);
		walk->pid = pid;
	}
	if (!walk->events++)
		walk->first = walk->run;
	if (__builtin_expect((*kind)->who, 0))
		see_who(scan, *kind, rec, pid, swap);
	return true;
}

static inline const struct name_rule *rule_of(const struct page_scan *scan,
					      const struct scan_kind *kind)
{
	return &scan->shared->rules.rules[kind->rule - 1];
}

static inline void learn_names(struct page_scan *scan, const struct scan_kind *kind,
			       const struct record *rec, bool swap)
{
	name_cache_see(&scan->names, scan->shared->comms, scan->clock, rule_of(scan, kind), rec,
		       scan->readable, swap);
}

/* Walk a whole sub-buffer of any layout, with its names in order. */
static inline __attribute__((always_inline)) void
walk_page(struct page_scan *scan, struct page_walk *walk, bool swap, bool big_endian, bool standard)
{
	struct scan_kind *kind;
	struct record rec;

	while (scan_record(scan, walk, &rec, &kind, swap, big_endian, standard))
		if (kind->rule)
			learn_names(scan, kind, &rec, swap);
}

/* --- two sub-buffers side by side ----------------------------------------------- */

/* A lane of scan_plain(): the state of one sub-buffer in registers. */
struct index_lane {
	const uint8_t	*pos;		/* next record */
	const uint8_t	*last;		/* where a record must end at the latest, so that there
					 * is room to look past it */
	const uint8_t	*end;		/* end of the page's data */
	uint64_t	ts, first;
	uint64_t	types, pids;
	uint32_t	pid;
};

/* Is the lane at a place where scan_plain() may begin? */
static inline bool begin_lane(struct index_lane *lane, const struct page_walk *walk,
			      const uint8_t *readable)
{
	const struct sub_buffer *sb = &walk->sb;

	/* From here on stamps only grow, and are far below 2^64. */
	if (sb->end - sb->pos < 12 || sb->ts < walk->run || sb->ts >> 62)
		return false;
	lane->pos = sb->pos;
	lane->last = readable - sb->end >= 12 ? sb->end : sb->end - 12;
	lane->end = sb->end;
	lane->ts = sb->ts;
	lane->types = walk->types;
	lane->pids = walk->pids;
	lane->first = walk->events ? walk->first : sb->ts + (load_u32(sb->pos, false) >> 5);
	lane->pid = walk->events ? (uint32_t)walk->pid : ~load_u32(sb->pos + 8, false);
	return true;
}

static inline void end_lane(const struct index_lane *lane, struct page_walk *walk, uint32_t events)
{
	if (!events)
		return;
	walk->sb.pos = lane->pos;
	walk->sb.ts = walk->run = lane->ts;
	walk->first = lane->first;
	walk->types = lane->types;
	walk->pids = lane->pids;
	walk->pid = (int32_t)lane->pid;
	walk->events += events;
}

static inline __attribute__((always_inline)) void see_pid(struct index_lane *lane, uint32_t pid)
{
	if (__builtin_expect(pid != lane->pid, 0)) {
		lane->pids |= pid_bits((int32_t)pid);
		lane->pid = pid;
	}
}

/*
 * A name differs from the cached one.  Only the walk over the first of two sub-buffers may update
 * the cache.
 */
static __attribute__((noinline, cold)) void new_name(struct page_scan *scan, const uint8_t *pos,
						     uint64_t ts, bool ordered)
{
	const struct record rec = { .data = pos + 4,
				    .size = 4 * (load_u32(pos, false) & 31),
				    .ts = ts };

	scan->differs = true;
	if (ordered)
		learn_names(scan, &scan->kinds[load_u16(rec.data, false)], &rec, false);
}

/* Does a name in this record differ from the cached one? */
static inline __attribute__((always_inline)) bool names_differ(const struct page_scan *scan,
							       const uint8_t *pos,
							       const struct scan_kind *kind,
							       uint32_t size)
{
	if (kind->names == NAMES_DYNAMIC)
		return name_cache_differs_dynamic(&scan->names, pos + 4, size, kind->pid_at[0],
						  kind->comm_at[0], scan->readable);
	return name_cache_differs_at(&scan->names, pos + 4, kind->pid_at[0], kind->comm_at[0]) ||
	       (kind->names == NAMES_TWO &&
		name_cache_differs_at(&scan->names, pos + 4, kind->pid_at[1], kind->comm_at[1]));
}

/* Take a plain record at lane->pos; @next is its successor. */
static inline __attribute__((always_inline)) void take_plain(struct page_scan *scan,
							     struct index_lane *lane,
							     struct scan_kind *kind, uint32_t word,
							     const uint8_t *next, bool ordered)
{
	lane->ts += word >> 5;
	lane->types |= kind->bit;
	kind->events[!ordered]++;
	see_pid(lane, load_u32(lane->pos + 8, false));
	if (__builtin_expect(kind->names, 0)) {
		if (__builtin_expect(names_differ(scan, lane->pos, kind, 4 * (word & 31)), 0))
			new_name(scan, lane->pos, lane->ts, ordered);
		if (kind->names == NAMES_TWO) {
			/*
			 * A switch: the next record belongs to another task.  Adding its name here
			 * avoids a miss there.
			 */
			word = load_u32(next, false) & 31;
			if (word >= 2 && word <= SUB_BUFFER_TYPE_DATA_MAX &&
			    4 + 4 * (ptrdiff_t)word <= lane->end - next)
				see_pid(lane, load_u32(next + 8, false));
		}
	}
	lane->pos = next;
}

/* Take plain records of one sub-buffer or of two, while there are any. */
static inline __attribute__((always_inline)) void
scan_plain(struct page_scan *scan, struct page_walk *a, struct page_walk *b, bool ordered)
{
	struct scan_kind *kinds = scan->kinds;
	struct index_lane x, y;
	uint32_t events;

	if (!begin_lane(&x, a, scan->readable) || (b && !begin_lane(&y, b, scan->readable)))
		return;
	for (events = 0;; events++) {
		uint32_t word = load_u32(x.pos, false), word2 = b ? load_u32(y.pos, false) : 0;
		struct scan_kind *kind = &kinds[load_u16(x.pos + 4, false)];
		struct scan_kind *kind2 = b ? &kinds[load_u16(y.pos + 4, false)] : NULL;
		const uint8_t *next = x.pos + 4 + 4 * (word & 31),
			      *next2 = b ? y.pos + 4 + 4 * (word2 & 31) : NULL;

		if (!(kind->lengths >> (word & 31) & 1) || next > x.last)
			break;
		if (b && (!(kind2->lengths >> (word2 & 31) & 1) || next2 > y.last))
			break;
		take_plain(scan, &x, kind, word, next, ordered);
		if (b)
			take_plain(scan, &y, kind2, word2, next2, false);
	}
	end_lane(&x, a, events);
	if (b)
		end_lane(&y, b, events);
}

/* Take one record of any kind, outside of the fast loop. */
static inline bool scan_record_slowly(struct page_scan *scan, struct page_walk *walk, bool ordered)
{
	struct scan_kind *kind;
	struct record rec;

	if (walk->sb.pos == walk->sb.end ||
	    !scan_record(scan, walk, &rec, &kind, false, false, true))
		return false;
	if (kind->rule && name_cache_check(&scan->names, rule_of(scan, kind), rec.data, rec.size,
					   scan->readable, false)) {
		scan->differs = true;
		if (ordered)
			learn_names(scan, kind, &rec, false);
	}
	return true;
}

/* A name differed from the cached one: walk all records again, in order. */
static __attribute__((noinline)) void see_names(struct page_scan *scan,
						const struct sub_buffer_layout *layout,
						const uint8_t *page, uint32_t len)
{
	struct sub_buffer sb;
	struct record rec;

	sub_buffer_open(&sb, layout, page, len);
	while (sub_buffer_step(&sb, &rec, false, false)) {
		const struct scan_kind *kind;

		if (rec.size < 2)
			continue;
		kind = &scan->kinds[load_u16(rec.data, false)];
		if (kind->rule)
			learn_names(scan, kind, &rec, false);
	}
}

/* Scan two consecutive sub-buffers; b may be NULL. */
static void walk_pair(struct page_scan *scan, const struct sub_buffer_layout *layout,
		      struct page_walk *a, struct page_walk *b, uint32_t len_b)
{
	bool more_a = true, more_b = b;

	scan->differs = false;
	while (more_a && more_b) {
		scan_plain(scan, a, b, true);
		more_a = scan_record_slowly(scan, a, true);
		more_b = scan_record_slowly(scan, b, false);
	}
	while (more_a) {
		scan_plain(scan, a, NULL, true);
		more_a = scan_record_slowly(scan, a, true);
	}
	while (more_b) {
		scan_plain(scan, b, NULL, false);
		more_b = scan_record_slowly(scan, b, false);
	}
	if (scan->differs && b)
		see_names(scan, layout, b->sb.page, len_b);
	if (scan->differs)
		scan->alone = ALONE_PAGES;
	else if (scan->alone)
		scan->alone--;
}

/* --- rare types ------------------------------------------------------------------- */

static struct scan_kind *listed_kind(const struct page_scan *scan, uint32_t entry)
{
	return &scan->kinds[scan->shared->ids[page_rare_kind(entry)]];
}

static void begin_list(struct page_scan *scan)
{
	for (unsigned int i = 0; i < scan->nr_rare; i++)
		listed_kind(scan, scan->rare[i])->listed = 0;
	scan->nr_rare = 0;
}

/* Two sub-buffers were walked side by side: sort the list's entries from @from on by sub-buffer. */
static void order_list(struct page_scan *scan, unsigned int from)
{
	for (unsigned int i = from + 1; i < scan->nr_rare; i++) {
		uint32_t entry = scan->rare[i];
		unsigned int to = i;

		for (; to > from && scan->rare[to - 1] >> 16 > entry >> 16; to--)
			scan->rare[to] = scan->rare[to - 1];
		scan->rare[to] = entry;
	}
}

/* Add this worker's counts to the file's, and fetch the bits that types now have. */
static void give_counts(struct page_scan *scan)
{
	struct page_kinds *shared = scan->shared;
	uint32_t nr = atomic_load(&shared->nr);

	atomic_fetch_add_explicit(&shared->pages, scan->walks - scan->given, memory_order_relaxed);
	scan->given = scan->walks;
	for (uint32_t i = 0; i < nr; i++) {
		struct scan_kind *kind = &scan->kinds[shared->ids[i]];
		uint64_t events = (uint64_t)kind->events[0] + kind->events[1];

		if (events)
			atomic_fetch_add_explicit(&shared->events[i], events, memory_order_relaxed);
		kind->events[0] = kind->events[1] = 0;
	}
	page_kinds_sort(shared);
	for (uint32_t i = 0; i < nr; i++)
		if (scan->kinds[shared->ids[i]].bit)
			scan->kinds[shared->ids[i]].bit = page_kinds_give_bit(shared, i, false);
}

/* Number of events of the type that this worker knows of. */
static uint64_t known_events(const struct page_kinds *shared, const struct scan_kind *kind)
{
	return atomic_load_explicit(&shared->events[kind->dense], memory_order_relaxed) +
	       kind->events[0] + kind->events[1];
}

/*
 * Is a more frequent than b?  A type that another worker found to be frequent comes first, then one
 * with more entries in the list, then one with more events.
 */
static bool is_oftener(const struct page_kinds *shared, const struct scan_kind *a,
		       const struct scan_kind *b)
{
	bool bit = page_kinds_bits(shared, a->dense);

	if (bit != !!page_kinds_bits(shared, b->dense))
		return bit;
	if (a->listed != b->listed)
		return a->listed > b->listed;
	return known_events(shared, a) > known_events(shared, b);
}

/* The list of the last @pages sub-buffers is too long: give the most frequent type in it a bit. */
static void shorten_list(struct page_scan *scan, struct page_slab *slab, uint32_t pages)
{
	struct scan_kind *most = listed_kind(scan, scan->rare[0]);
	unsigned int nr = 0;
	bool often;

	if (scan->walks - scan->given >= COUNT_PAGES)
		give_counts(scan);
	for (unsigned int i = 1; i < scan->nr_rare; i++)
		if (is_oftener(scan->shared, listed_kind(scan, scan->rare[i]), most))
			most = listed_kind(scan, scan->rare[i]);
	often = most->listed >= OFTEN_LISTED && most->listed * PAGE_KINDS_OFTEN >= pages;
	most->bit = page_kinds_give_bit(scan->shared, most->dense, often);
	most->lengths = most->lengths_then;
	for (unsigned int i = 0; i < scan->nr_rare; i++)
		if (page_rare_kind(scan->rare[i]) == most->dense)
			slab->types[scan->rare[i] >> 16] |= most->bit;
		else
			scan->rare[nr++] = scan->rare[i];
	scan->nr_rare = nr;
}

/* The range is finished: append its list to that of the slab's earlier pages. */
static void end_list(struct page_scan *scan, struct page_range *range)
{
	for (unsigned int i = 0; i < scan->nr_rare; i++) {
		range->slab->rare[range->nr_rare++] = scan->rare[i];
		range->slab->count[scan->rare[i] >> 16] |= PAGE_RARE;
	}
}

/* --- the pass ----------------------------------------------------------------- */

/* A sub-buffer begins before the previous one ended: raise its keys to the running maximum. */
static void raise_keys(struct page_walk *walk, const struct sub_buffer_layout *layout, uint32_t len,
		       uint64_t run)
{
	struct sub_buffer sb;
	struct record rec;
	bool any = false;

	sub_buffer_open(&sb, layout, walk->sb.page, len);
	while (sub_buffer_next(&sb, &rec)) {
		walk->flags |= rec.ts < run ? PAGE_BACKWARDS : 0;
		run = rec.ts > run ? rec.ts : run;
		if (!any)
			walk->first = run;
		any = true;
	}
	walk->run = run;
}

static void list_loss(struct page_range *range, uint64_t page, uint64_t lost)
{
	mem_grow(&range->losses, range->nr_losses, &range->cap_losses);
	range->losses[range->nr_losses++] = (struct page_loss){ page, lost };
}

/* A sub-buffer is finished: enter it into the directory. */
static void finish_page(struct page_scan *scan, const struct sub_buffer_layout *layout,
			struct page_walk *walk, uint32_t len, struct page_range *range, uint64_t nr)
{
	struct page_slab *slab = range->slab;
	uint32_t i = walk->nr;

	if (walk->sb.lost) {
		walk->flags |= PAGE_LOST;
		if (range->lists_losses)
			list_loss(range, nr, walk->sb.lost_known ? walk->sb.lost_count : 0);
		if (walk->sb.lost_known)
			range->lost_events += walk->sb.lost_count;
		else
			range->lost_unknown++;
	}
	if (walk->sb.damage != SUB_BUFFER_SOUND) {
		walk->flags |= PAGE_DAMAGED;
		range->damaged_pages++;
	}
	if (walk->events && walk->first < scan->run)
		raise_keys(walk, layout, len, scan->run);
	/*
	 * Rows before the first event only have the page's own time; page_index_commit() corrects
	 * it.
	 */
	scan->begun |= walk->events != 0;
	if (!walk->events)
		walk->first = walk->run = scan->begun            ? scan->run :
					  page_rows(walk->flags) ? walk->start :
								   0;
	else
		scan->run = walk->run;
	if (walk->run - walk->first > UINT32_MAX)
		walk->flags |= PAGE_WIDE;
	slab->first[i] = walk->first;
	slab->span[i] = walk->flags & PAGE_WIDE ? UINT32_MAX : (uint32_t)(walk->run - walk->first);
	slab->count[i] = walk->events | walk->flags;
	slab->types[i] = walk->types;
	slab->pids[i] = walk->pids;
	range->last[nr - range->from] = walk->run;
}

/*
 * Scan one sub-buffer, or two if @len2 is not 0; @page NULL: it could not be read.  The alignment
 * keeps the speed of its loops the same wherever the linker places them (up to 4 % of an index).
 */
static __attribute__((aligned(64))) void
scan_pages(struct page_scan *scan, const struct sub_buffer_layout *layout, const uint8_t *page,
	   uint32_t len, uint32_t len2, struct page_range *range, uint64_t nr)
{
	bool standard = scan->shared->standard && !layout->swap && !layout->big_endian;
	unsigned int listed = scan->nr_rare;
	struct page_walk a, b;

	open_page(scan, &a, layout, page, len, nr);
	if (len2)
		open_page(scan, &b, layout, page + layout->page_size, len2, nr + 1);
	if (standard && layout->page_size <= PAIR_MAX_PAGE)
		walk_pair(scan, layout, &a, len2 ? &b : NULL, len2);
	else if (standard)
		walk_page(scan, &a, false, false, true);
	else
		walk_page(scan, &a, layout->swap, layout->big_endian, false);
	finish_page(scan, layout, &a, len, range, nr);
	if (len2)
		finish_page(scan, layout, &b, len2, range, nr + 1);
	order_list(scan, listed);
	while (scan->nr_rare > range->max_rare - range->nr_rare)
		shorten_list(scan, range->slab, (uint32_t)(nr - range->from) + 1);
}

/*
 * A page of a text: take what the pass over its lines has found.  False: its records are needed,
 * for times that go back or for tasks; or it is no text.
 */
static bool scan_sum(struct page_scan *scan, const struct sub_buffer_layout *layout,
		     const struct page_reader *reader, unsigned int stream,
		     struct page_range *range, uint64_t nr)
{
	unsigned int listed = scan->nr_rare;
	const struct type_count *counts;
	struct page_walk walk = { .nr = nr & (scan->slab_pages - 1) };
	struct page_sum sum;

	if (!page_reader_sum(reader, stream, nr, &sum, &counts) || sum.is_unsure ||
	    (sum.events && sum.first < scan->run))
		return false;
	for (unsigned int i = 0; i < sum.nr_counts; i++) {
		if (!scan->kinds[counts[i].type].known)
			learn_kind(scan, counts[i].type);
		if (scan->kinds[counts[i].type].who && counts[i].type != sum.told)
			return false;
	}
	walk.walk = ++scan->walks;
	for (unsigned int i = 0; i < sum.nr_counts; i++) {
		struct scan_kind *kind = &scan->kinds[counts[i].type];

		if (!kind->bit)
			see_rare(scan, &walk, counts[i].type);
		kind->events[0] += counts[i].nr;
		walk.types |= kind->bit;
	}
	walk.start = walk.first = sum.first;
	walk.run = sum.last;
	walk.pids = sum.pids;
	walk.events = sum.events;
	walk.flags = sum.is_backwards ? PAGE_BACKWARDS : 0;
	walk.sb.lost = sum.is_lost;
	walk.sb.lost_known = sum.lost;
	walk.sb.lost_count = sum.lost;
	finish_page(scan, layout, &walk, 0, range, nr);
	order_list(scan, listed);
	while (scan->nr_rare > range->max_rare - range->nr_rare)
		shorten_list(scan, range->slab, (uint32_t)(nr - range->from) + 1);
	return true;
}

struct page_scan *page_scan_new(struct page_kinds *kinds)
{
	struct page_scan *scan = mem_alloc(sizeof(*scan));

	scan->shared = kinds;
	scan->kinds = mem_array(PAGE_KINDS_MAX, sizeof(*scan->kinds));
	return scan;
}

void page_scan_free(struct page_scan *scan)
{
	if (!scan)
		return;
	free(scan->kinds);
	free(scan->rare);
	free(scan);
}

bool page_scan_range(struct page_scan *scan, struct page_reader *reader, unsigned int stream,
		     const struct sub_buffer_layout *layout, const struct page_clock *clock,
		     struct page_range *range, bool (*cancelled)(void *arg), void *arg)
{
	bool two = layout->page_size <= PAIR_MAX_PAGE && scan->shared->standard && !layout->swap &&
		   !layout->big_endian;
	uint64_t nr = range->from;

	scan->clock = clock;
	scan->run = 0;
	scan->begun = false;
	scan->slab_pages = range->slab_pages;
	begin_list(scan);
	/* The cached names are only valid while time advances: the next range may be earlier. */
	name_cache_forget(&scan->names);
	scan->alone = ALONE_PAGES;
	while (nr < range->to) {
		uint32_t got = 0, last = 0, n;
		const uint8_t *page;

		if (cancelled && cancelled(arg))
			return false;
		if (scan_sum(scan, layout, reader, stream, range, nr)) {
			nr++;
			continue;
		}
		page = page_reader_get(reader, stream, nr, &got, &last);
		if (!page) {
			scan_pages(scan, layout, NULL, 0, 0, range, nr++);
			continue;
		}
		if (got > range->to - nr)
			last = layout->page_size, got = range->to - nr;
		scan->readable = page + (uint64_t)(got - 1) * layout->page_size + last;
		for (; got; got -= n, nr += n, page += (size_t)n * layout->page_size) {
			n = two && got > 1 && !scan->alone ? 2 : 1;
			scan_pages(scan, layout, page, got > 1 ? layout->page_size : last,
				   n == 1  ? 0 :
				   got > 2 ? layout->page_size :
					     last,
				   range, nr);
		}
	}
	name_cache_tell(&scan->names, scan->shared->comms);
	end_list(scan, range);
	give_counts(scan);
	return true;
}
