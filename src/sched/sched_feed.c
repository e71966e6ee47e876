/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each CPU is a lane with slots for the piece being read and the next ones.  The lane whose next
 * record comes first is found by a merge.
 *
 *   slot   WANTED --claimed by a worker or by the reader--> BUSY --> DONE --read--> WANTED,
 *          for the piece after those of the other slots
 */
#include "src/sched/sched_feed.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"
#include "src/base/merge.h"
#include "src/trace/trace_streams.h"

#define PIECE_MAX	(1024u << 10)	/* bytes of sub-buffers scanned at a time */
#define PIECE_MIN	(64u << 10)
#define PAGE_MAX	(64u << 10)	/* a larger sub-buffer is that of a text, mostly empty */
#define PIECES_BYTES	(32u << 20)	/* for all slots together */
#define SLOTS		4u		/* with fewer, reader and workers wait for each other */
#define MANY_LANES	64u		/* of these, two are enough, and pieces are larger */
#define WORTH_MOST	8u		/* pieces to scan that a worker is woken for */
#define AHEAD		4u		/* records: what a worker wrote comes from its cache */

enum slot_state { SLOT_EMPTY, SLOT_WANTED, SLOT_BUSY, SLOT_DONE };

struct feed_slot {
	enum slot_state	 state;		/* protected by the lock */
	bool		 ended;		/* for the reader: there is no further piece */
	uint64_t	 first, nr;	/* pages */
	struct sched_chunk chunk;
};

struct feed_lane {
	/* what each step needs is together: lanes are many, and caches small */
	const struct sched_rec *recs;	/* borrowed, [nr]: its records */
	uint32_t	 pos, nr;	/* pos: the next one */
	int64_t		 key;		/* key of the next record */
	unsigned int	 stream;
	int		 cpu;
	uint64_t	 pages, wanted;	/* pages: of the stream; assigned to slots */
	uint64_t	 piece;		/* pages of a slot */
	struct feed_slot *slots;	/* borrowed, [nr_slots] */
	unsigned int	 current;	/* the slot being read */
	bool		 ended;
	bool		 begun;		/* a record was returned */
	bool		 cut;		/* events were lost after the last record */
	bool		 damaged;	/* what follows the last record cannot be read */
	struct sched_runner runner;	/* after the last record */
	bool		 thinned;	/* what follows the last record was cut out of the file */
	bool		 guessed;	/* no switch is known yet after the last stretch's begin, */
	int64_t		 guess_until;	/* which ends here at the latest: */
	uint64_t	 start;		/* the stream's first page when it began */
	uint64_t	 guess_page;	/* one may be in this or a later sub-buffer */
	bool		 lost;		/* a CUT told that a ring dropped what was before */
	bool		 behind;	/* other lanes may have gone on after its last record */
	struct sched_rec tail;		/* then the lane's last: a CUT */
	int64_t		 last_ts;
};

struct sched_feed {
	struct sched_feed_options options;
	unsigned int	 nr, nr_slots;	/* slots of each lane: up to SLOTS */
	struct feed_lane *lanes;	/* owned, [nr] */
	struct feed_slot *slots;	/* owned, [nr * nr_slots]: of one lane after another */
	struct merge	 merge;		/* merges the lanes by key */
	bool		 begun;
	bool		 at_end;	/* the top lane's piece has ended */
	int64_t		 until, former;	/* parked: keys are below this; were, the time before */
	bool		 stale, told_no_waking;
	int64_t		 first_ts;	/* of the file */
	const struct trace_absence *absences;	/* [nr_absences], borrowed: as far as needed */
	uint32_t	 nr_absences;
	uint32_t	 next_absence;	/* the next one to tell of, */
	struct sched_rec absent;	/* and the one told last */
	struct sched_feed_totals totals;
	struct sched_scan *own;		/* owned: the reader's */
	struct sched_scan **scans;	/* owned, [workers] */
	pthread_mutex_t	 lock;
	pthread_cond_t	 done;		/* signalled when a slot is done */
	unsigned int	 jobs;		/* queued or running; protected by the lock */
	unsigned int	 turn;		/* next lane for helpers */
	unsigned int	 wanted;	/* slots that are WANTED; protected by the lock */
	unsigned int	 worth;		/* so many of them are worth waking a worker */
	struct worker_group group;
};

/* --- pieces ---------------------------------------------------------------------------- */

static void scan_slot(struct sched_feed *feed, struct sched_scan *scan, struct feed_lane *lane,
		      struct feed_slot *slot)
{
	bool ok = sched_scan_pages(scan, lane->stream, slot->first, slot->nr, &slot->chunk,
				   feed->options.stopped);

	if (!ok)
		slot->chunk.any = false;
	pthread_mutex_lock(&feed->lock);
	slot->state = SLOT_DONE;
	pthread_cond_broadcast(&feed->done);
	pthread_mutex_unlock(&feed->lock);
}

/* Claim a slot that is to be scanned.  Called with the lock held. */
static struct feed_slot *claim(struct sched_feed *feed, struct feed_lane **lane)
{
	for (unsigned int i = 0; feed->wanted && i < feed->nr; i++) {
		*lane = &feed->lanes[(feed->turn + i) % feed->nr];
		struct feed_slot *first = NULL;

		for (unsigned int k = 0; k < feed->nr_slots; k++) {
			struct feed_slot *slot = &(*lane)->slots[k];

			if (slot->state == SLOT_WANTED && (!first || slot->first < first->first))
				first = slot;
		}
		if (!first)
			continue;
		first->state = SLOT_BUSY;
		feed->wanted--;
		feed->turn = (feed->turn + i) % feed->nr;
		return first;
	}
	return NULL;
}

static void help(void *arg, unsigned int worker, bool cancelled)
{
	struct sched_feed *feed = arg;
	struct feed_slot *slot;
	struct feed_lane *lane;

	for (;;) {
		pthread_mutex_lock(&feed->lock);
		slot = cancelled || atomic_load(feed->options.stopped) ? NULL : claim(feed, &lane);
		if (!slot)
			feed->jobs--;
		pthread_mutex_unlock(&feed->lock);
		if (!slot)
			return;
		if (!feed->scans[worker])
			feed->scans[worker] = sched_scan_new(&feed->options.scan);
		scan_slot(feed, feed->scans[worker], lane, slot);
	}
}

/* Request that the next piece of a lane is scanned ahead. */
static void want(struct sched_feed *feed, struct feed_lane *lane, struct feed_slot *slot)
{
	bool more = false;

	slot->ended = lane->wanted >= lane->pages;
	if (slot->ended) {
		pthread_mutex_lock(&feed->lock);
		slot->state = SLOT_EMPTY;
		pthread_mutex_unlock(&feed->lock);
		return;
	}
	slot->first = lane->wanted;
	slot->nr = lane->pages - lane->wanted < lane->piece ? lane->pages - lane->wanted :
							      lane->piece;
	lane->wanted += slot->nr;
	pthread_mutex_lock(&feed->lock);
	slot->state = SLOT_WANTED;
	feed->wanted++;
	if (feed->options.workers && feed->wanted >= feed->worth &&
	    feed->jobs < workers_nr(feed->options.workers)) {
		feed->jobs++;
		more = true;
	}
	pthread_mutex_unlock(&feed->lock);
	if (more)
		workers_add(feed->options.workers, &feed->group, WORKER_REQUESTED, help, feed);
}

/* Wait until the slot's piece is scanned; scan it here if no helper has begun. */
static void wait_slot(struct sched_feed *feed, struct feed_lane *lane, struct feed_slot *slot)
{
	bool mine = false;

	pthread_mutex_lock(&feed->lock);
	if (slot->state == SLOT_WANTED) {
		slot->state = SLOT_BUSY;
		feed->wanted--;
		mine = true;
	}
	while (!mine && slot->state == SLOT_BUSY)
		pthread_cond_wait(&feed->done, &feed->lock);
	pthread_mutex_unlock(&feed->lock);
	if (mine)
		scan_slot(feed, feed->own, lane, slot);
}

/* --- lanes ----------------------------------------------------------------------------- */

static void find_absences(struct sched_feed *feed)
{
	feed->absences = trace_absences(feed->options.scan.trace, feed->options.file,
					feed->options.buffer, &feed->nr_absences);
}

/* Find the task that runs when a stretch begins, if only a later piece shows it. */
static void look_ahead(struct sched_feed *feed, struct feed_lane *lane, struct feed_slot *slot)
{
	struct sched_chunk *chunk = &slot->chunk;
	uint32_t next, last = chunk->nr, on = chunk->runner.on;
	struct sched_rec *rec;

	/* this can only be open for the last stretch of a piece */
	for (; last > lane->pos && chunk->recs[last - 1].op != SCHED_SWITCH; last--) {
		if (chunk->recs[last - 1].op != SCHED_STRETCH)
			continue;
		if (!chunk->recs[last - 1].missing)
			break;
		on = SCHED_BLIND;
	}
	rec = last > lane->pos ? &chunk->recs[last - 1] : NULL;
	if (!rec || rec->op != SCHED_STRETCH || rec->detail != SCHED_FIRST_LATER)
		return;
	find_absences(feed);
	next = trace_absences_until(feed->absences, feed->nr_absences, rec->ts);
	lane->guess_until = next < feed->nr_absences ? feed->absences[next].to : INT64_MAX;
	rec->detail = (uint8_t)sched_scan_ahead(feed->own, lane->stream, slot->first + slot->nr,
						lane->guess_until, on, &rec->pid,
						feed->options.stopped);
	lane->guessed = rec->detail == SCHED_FIRST_LATER;
	lane->guess_page = lane->pages;
	if (lane->guessed)
		rec->detail = SCHED_FIRST_NOBODY;
	if (sched_first_is_proved((enum sched_first)rec->detail))
		return;
	sched_chunk_clear_missing(chunk, last);
	chunk->runner.on = SCHED_NOBODY;
}

/* Sub-buffers were appended: do they have the first switch of a stretch that had none yet? */
static void check_guess(struct sched_feed *feed, struct feed_lane *lane)
{
	enum sched_first first;
	uint32_t pid;

	if (!lane->guessed)
		return;
	first = sched_scan_ahead(feed->own, lane->stream, lane->guess_page, lane->guess_until,
				 SCHED_NOBODY, &pid, feed->options.stopped);
	feed->stale |= first <= SCHED_FIRST_OTHERS;
	lane->guessed = first == SCHED_FIRST_LATER;
	lane->guess_page = lane->pages;
}

/* Whether the switch to the first other task of a piece is missing: it may be the first record. */
static void join_other(struct trace *trace, struct feed_lane *lane, struct sched_chunk *chunk)
{
	struct sched_rec *recs = &chunk->recs[chunk->head];
	int64_t before = recs[0].ts == SCHED_NO_END ? lane->last_ts : recs[0].ts;
	enum sched_unseen unseen = sched_runner_see(&lane->runner, trace, lane->stream,
						    chunk->head_of, chunk->head_switch, before,
						    recs[1].ts);

	sched_chunk_set_missing(chunk, chunk->head, unseen);
	if (recs[0].ts != SCHED_NO_END)
		return;
	recs[0].ts = recs[1].end = lane->last_ts;
	if (unseen)
		lane->pos = chunk->head;
}

/* Decide whether switches are missing in the head of a piece. */
static void join_head(struct trace *trace, struct feed_lane *lane, struct sched_chunk *chunk)
{
	bool has_more = chunk->head != 0, is_placed = has_more && chunk->head != SCHED_NOBODY;
	enum sched_unseen unseen;

	if (lane->pos != 2 && sched_first_is_proved((enum sched_first)chunk->recs[1].detail)) {
		lane->runner.on = chunk->head_pid;
		lane->runner.lost |= chunk->head_lost;
	}
	if (lane->runner.on > INT32_MAX) {
		has_more = has_more &&
			   (!is_placed || sched_chunk_clear_missing(chunk, chunk->head));
	} else {
		unseen = sched_runner_see(&lane->runner, trace, lane->stream, chunk->head_pid,
					  false, lane->last_ts, chunk->recs[1].ts);
		if (unseen) {
			sched_chunk_set_missing(chunk, 0, unseen);
			lane->pos = chunk->recs[0].op == SCHED_CUT ? 0 : 1;
			chunk->recs[1].pid = chunk->head_pid;
			chunk->recs[1].detail = SCHED_FIRST_TASK;
		}
		if (is_placed)
			join_other(trace, lane, chunk);
	}
	if (has_more)
		lane->runner = chunk->runner;
}

/* Its first record may have ended a silence. */
static void join_silence(const struct feed_lane *lane, struct sched_chunk *chunk)
{
	bool is_silent = lane->pos == 2 &&
			 time_between(lane->last_ts, chunk->recs[1].ts) >= SCHED_SILENCE;

	for (uint32_t i = chunk->silent_from; i < chunk->silent_to && is_silent; i++) {
		struct sched_rec *rec = &chunk->recs[i];

		if (rec->op == SCHED_PAIR && rec->label == (uint64_t)SCHED_NO_END)
			rec->label = (uint64_t)lane->last_ts;
	}
}

/*
 * Its first record may be the first one behind an absence: then a stretch begins at the end of
 * that.  Others may have gone on since, in a feed that parked.
 */
static void join_absence(struct sched_feed *feed, struct feed_lane *lane, struct sched_chunk *chunk)
{
	struct sched_rec *first = &chunk->recs[1];
	uint32_t ended = trace_absences_until(feed->absences, feed->nr_absences, first->ts);
	const struct trace_absence *last = ended ? &feed->absences[ended - 1] : NULL;

	if (!last || last->from < lane->last_ts)
		return;
	feed->stale |= lane->behind && first->ts > last->to && last->to < feed->former;
	first->ts = last->to;
	lane->pos = 1;
}

/*
 * Its first record may have shown that an interrupt has ended, and before that, that a switch is
 * missing: a CUT and a STRETCH.
 */
static void join_interrupt(const struct feed_lane *lane, struct sched_chunk *chunk)
{
	struct sched_rec *rec = &chunk->recs[chunk->head == 2 ? 4 : 2];

	if (rec < chunk->recs + chunk->nr && rec->op == SCHED_LEAVE &&
	    rec->detail == SCHED_CONTEXT_TASK && rec->ts == chunk->recs[1].ts)
		rec->end = lane->last_ts;
}

/* Append a piece to the lane: decide whether its first record begins a stretch. */
static void join_piece(struct sched_feed *feed, struct feed_lane *lane, struct feed_slot *slot)
{
	struct sched_chunk *chunk = &slot->chunk;

	feed->totals.pages += slot->nr;
	feed->totals.damaged += chunk->damaged;
	feed->totals.sched_records += chunk->sched_records;
	feed->totals.switches += chunk->switches;
	feed->totals.wakings += chunk->wakings;
	feed->totals.wakes += chunk->wakes;
	feed->totals.migrations += chunk->migrations;
	feed->totals.classes |= chunk->classes;
	lane->pos = lane->nr = 0;
	if (!chunk->any) {
		lane->cut |= chunk->lead_cut;
		lane->damaged |= chunk->tail_damaged;
		return;
	}
	lane->recs = chunk->recs;
	lane->nr = chunk->nr;
	if (!feed->totals.any || chunk->max_ts > feed->totals.last_ts)
		feed->totals.last_ts = chunk->max_ts;
	feed->totals.any = true;
	if (chunk->quiet || time_between(lane->begun ? lane->last_ts : feed->first_ts,
					 chunk->recs[1].ts) >= TRACE_LEAST_ABSENCE)
		find_absences(feed);
	if (lane->begun)
		chunk->recs[0].ts = chunk->recs[1].end = lane->last_ts;
	if (!lane->cut && !chunk->lead_cut)
		lane->pos = lane->begun ? 2 : 1;
	if (lane->pos == 2)
		join_interrupt(lane, chunk);
	if (lane->pos == 2)
		join_absence(feed, lane, chunk);
	if (lane->pos != 2)
		lane->runner = (struct sched_runner){ SCHED_NOBODY, SCHED_NOBODY,
						      .lost = lane->pos == 0 };
	look_ahead(feed, lane, slot);
	join_head(feed->options.scan.trace, lane, chunk);
	join_silence(lane, chunk);
	/* what begins with its first record is known from the last one before it on */
	feed->stale |= lane->behind && !(lane->lost && !lane->begun) && lane->pos < lane->nr &&
		       lane->recs[lane->pos].op == SCHED_CUT;
	lane->begun = true;
	lane->cut = chunk->tail_cut;
	lane->damaged = chunk->tail_damaged;
	lane->last_ts = chunk->last_ts;
}

/* Find the key of a lane's next record in its piece; false: there is none. */
static inline bool find_in_piece(struct feed_lane *lane)
{
	for (; lane->pos < lane->nr; lane->pos++) {
		const struct sched_rec *rec = &lane->recs[lane->pos];

		lane->key = rec->ts > lane->key ? rec->ts : lane->key;
		if (__builtin_expect(rec->op != SCHED_KEY, 1))
			return true;
	}
	return false;
}

static void tell_durations(const struct sched_feed *feed, const struct sched_chunk *chunk)
{
	const struct sched_pairs *pairs = feed->options.scan.pairs;

	if (chunk->any && chunk->nr_durations)
		pairs->measured(pairs->arg, chunk->durations, chunk->nr_durations);
}

/* Its last record is a switch to the stopper: it is offline since. */
static bool went_offline(const struct sched_feed *feed, const struct feed_lane *lane)
{
	int64_t first, last;

	return lane->runner.stopper && !feed->options.parks &&
	       trace_file_span(feed->options.scan.trace, feed->options.file, &first, &last) &&
	       sched_runner_is_off(&lane->runner, lane->last_ts, last);
}

/*
 * The lane has no more records.  If what follows the last one is not in the file, or the CPU is
 * offline, or what a ring dropped is all that came so far, a CUT without a STRETCH is left.  The
 * last of these comes again when its end is known.  False: nothing is.
 */
static bool end_lane(struct sched_feed *feed, struct feed_lane *lane)
{
	bool lost = lane->start && !lane->begun && !lane->lost,
	     cut = lane->damaged || lane->thinned, offline = went_offline(feed, lane);

	lane->pos = lane->nr = 0;
	lane->ended = !lost && (feed->options.parks || (!cut && !offline));
	if (lane->ended)
		return false;
	lane->lost |= lost;
	lane->runner.stopper = false;
	lane->damaged = lane->thinned = false;
	lane->tail = (struct sched_rec){ .op = SCHED_CUT,
					 .ts = lane->begun ? lane->last_ts : SCHED_NO_END,
					 .end = INT64_MAX,
					 .detail = offline && !cut ?
							   TRACE_OFFLINE | SCHED_INFERRED :
							   0 };
	lane->recs = &lane->tail;
	lane->nr = 1;
	return find_in_piece(lane);
}

/* Does it have the CUT of end_lane()?  The piece of its slot comes after that, if there is one. */
static bool is_at_tail(const struct feed_lane *lane)
{
	return lane->recs == &lane->tail;
}

/* The first page behind the piece being read. */
static uint64_t next_page(const struct feed_lane *lane)
{
	const struct feed_slot *slot = &lane->slots[lane->current];

	if (slot->ended)
		return lane->wanted;
	return is_at_tail(lane) ? slot->first : slot->first + slot->nr;
}

/* The slot's piece was read: request one behind those of the other slots. */
static void end_piece(struct sched_feed *feed, struct feed_lane *lane)
{
	struct feed_slot *slot = &lane->slots[lane->current];

	if (slot->chunk.any && slot->chunk.max_ts > lane->key)
		lane->key = slot->chunk.max_ts;
	tell_durations(feed, &slot->chunk);
	slot->chunk.any = false;
	want(feed, lane, slot);
	lane->current = (lane->current + 1) % feed->nr_slots;
}

/* The piece has ended: find the key of the lane's next record in the next ones. */
static __attribute__((noinline)) void find_in_next(struct sched_feed *feed, struct feed_lane *lane)
{
	do {
		struct feed_slot *slot;

		if (!is_at_tail(lane))
			end_piece(feed, lane);
		lane->recs = NULL;
		lane->nr = 0;
		slot = &lane->slots[lane->current];
		if (slot->ended ||
		    atomic_load_explicit(feed->options.stopped, memory_order_relaxed)) {
			end_lane(feed, lane);
			return;
		}
		wait_slot(feed, lane, slot);
		join_piece(feed, lane, slot);
	} while (!find_in_piece(lane));
}

/* --- the order --------------------------------------------------------------------------- */

/* Where the next absence to tell of ends: what is before is read first.  INT64_MAX: none does. */
static int64_t absence_end(const struct sched_feed *feed)
{
	return feed->next_absence < feed->nr_absences ? feed->absences[feed->next_absence].to :
							INT64_MAX;
}

/* Tell of the next absence, if it ends up to @key: nothing before that is left.  Return: items. */
static uint32_t tell_absence(struct sched_feed *feed, int64_t key, struct sched_item *item)
{
	const struct trace_absence *next;

	if (feed->next_absence >= feed->nr_absences || absence_end(feed) > key)
		return 0;
	next = &feed->absences[feed->next_absence++];
	feed->absent = (struct sched_rec){ .ts = next->from, .end = next->to, .op = SCHED_ABSENT,
					   .detail = (uint8_t)(next->why |
							       (next->inferred ? SCHED_INFERRED :
										 0)) };
	*item = (struct sched_item){ &feed->absent, 0 };
	return 1;
}

static void set_head(struct sched_feed *feed, unsigned int i)
{
	if (feed->lanes[i].ended)
		merge_end(&feed->merge, i);
	else
		merge_set(&feed->merge, i, feed->lanes[i].key, i);
}

static void begin(struct sched_feed *feed)
{
	for (unsigned int i = 0; i < feed->nr; i++)
		for (unsigned int k = 0; k < feed->nr_slots; k++)
			want(feed, &feed->lanes[i],
			     &feed->lanes[i].slots[(k + 1) % feed->nr_slots]);
	for (unsigned int i = 0; i < feed->nr; i++) {
		struct feed_lane *lane = &feed->lanes[i];

		/* start as if an empty piece had been read: slot 1 has the first piece */
		lane->key = INT64_MIN;
		lane->current = 1;
		if (lane->slots[1].ended) {
			end_lane(feed, lane);
		} else {
			wait_slot(feed, lane, &lane->slots[1]);
			join_piece(feed, lane, &lane->slots[1]);
			if (!find_in_piece(lane))
				find_in_next(feed, lane);
		}
		set_head(feed, i);
	}
	merge_begin(&feed->merge);
	feed->begun = true;
}

/* Take records of a lane up to the first one of another lane. */
static inline uint32_t take_run(struct feed_lane *lane, uint32_t cpu, struct merge_head stop,
				struct sched_item *items, uint32_t room)
{
	const struct sched_rec *recs = lane->recs;
	uint32_t pos = lane->pos, left = lane->nr - pos, nr = 0;
	int64_t key = lane->key;

	left = left < room ? left : room;
	do {
		__builtin_prefetch(&recs[pos + AHEAD]);
		items[nr++] = (struct sched_item){ &recs[pos++], cpu };
		if (nr == left || recs[pos].ts > stop.key ||
		    (recs[pos].ts == stop.key && cpu > stop.order))
			break;
		key = recs[pos].ts > key ? recs[pos].ts : key;
	} while (true);
	lane->pos = pos;
	lane->key = key;
	return nr;
}

/* When no helper scans: after the last record each piece was read, and none is left. */
static void free_buffers(struct sched_feed *feed)
{
	for (unsigned int i = 0; i < feed->nr; i++)
		for (unsigned int k = 0; k < feed->nr_slots; k++)
			sched_chunk_fini(&feed->lanes[i].slots[k].chunk);
	for (unsigned int i = 0; feed->scans && i < workers_nr(feed->options.workers); i++) {
		sched_scan_free(feed->scans[i]);
		feed->scans[i] = NULL;
	}
	sched_scan_free(feed->own);
	feed->own = NULL;
}

uint32_t sched_feed_next(struct sched_feed *feed, struct sched_item *items)
{
	struct merge merge = feed->merge;	/* a local copy stays in registers */
	uint32_t nr = 0, former = UINT32_MAX;

	if (!feed->begun) {
		begin(feed);
	} else if (feed->at_end) {
		unsigned int first = merge_first(&merge);

		find_in_next(feed, &feed->lanes[first]);
		set_head(feed, first);
		merge_replay(&merge);
		feed->at_end = false;
	}
	if (atomic_load_explicit(feed->options.stopped, memory_order_relaxed))
		return 0;
	while (nr < SCHED_ITEMS && merge_any(&merge)) {
		int64_t limit = absence_end(feed);
		unsigned int first = merge_first(&merge);
		struct feed_lane *lane = &feed->lanes[first];
		/* the second head is worth its search where a lane goes on; of many, few do */
		struct merge_head stop = first == former ? merge_second(&merge) :
							   merge.heads[first];

		if (feed->options.parks && lane->key >= feed->until)
			break;
		if (__builtin_expect(lane->key >= limit && limit < INT64_MAX, 0))
			return nr + tell_absence(feed, lane->key, &items[nr]);
		if (feed->options.parks && feed->until < limit)
			limit = feed->until;
		if (stop.key >= limit && limit < INT64_MAX)
			stop = (struct merge_head){ .key = limit - 1, .order = UINT32_MAX };
		former = first;
		nr += take_run(lane, first, stop, items + nr, SCHED_ITEMS - nr);
		if (!find_in_piece(lane)) {
			feed->at_end = true;
			break;
		}
		merge_set(&merge, first, lane->key, first);
		merge_replay(&merge);
	}
	if (!nr)
		nr = tell_absence(feed,
				  !feed->options.parks     ? INT64_MAX :
				  feed->until == INT64_MIN ? INT64_MIN :
							     feed->until - 1,
				  items);
	if (!nr && !feed->options.parks)
		free_buffers(feed);
	return nr;
}

/* --- parking ------------------------------------------------------------------------------ */

/* There may be pieces again where there were none. */
static void go_on(struct sched_feed *feed, struct feed_lane *lane)
{
	for (unsigned int k = 0; k < feed->nr_slots; k++) {
		struct feed_slot *slot = &lane->slots[(lane->current + k) % feed->nr_slots];

		if (slot->ended)
			want(feed, lane, slot);
	}
}

static void begin_again(struct sched_feed *feed, struct feed_lane *lane)
{
	struct feed_slot *slot = &lane->slots[lane->current];

	if (!lane->ended || slot->ended)
		return;
	lane->ended = false;
	lane->behind = true;
	wait_slot(feed, lane, slot);
	join_piece(feed, lane, slot);
	if (!find_in_piece(lane))
		find_in_next(feed, lane);
	lane->behind = false;
}

/*
 * How many pages are settled whole.  @next: no record behind these has a lower ts, and none is
 * known to be missing before it.
 */
static uint64_t find_settled(struct sched_feed *feed, const struct feed_lane *lane, int64_t *next)
{
	const struct trace_stream *s = trace_stream_at(feed->options.scan.trace, lane->stream);
	uint64_t pages = sched_scan_settled(feed->own, lane->stream, next);
	int64_t last;

	if (lane->runner.on == SCHED_BLIND || pages <= page_index_start(&s->index) ||
	    pages >= page_index_pages(&s->index))
		return pages;
	last = trace_clock_ts(&s->clock, page_index_last(&s->index, pages - 1));
	if (last < *next &&
	    sched_scan_misses(feed->own, lane->stream, pages, feed->options.stopped))
		*next = last;
	return pages;
}

void sched_feed_go_on(struct sched_feed *feed, int64_t until)
{
	int64_t former = feed->until;

	feed->former = former;
	feed->until = until;
	find_absences(feed);
	feed->stale |= absence_end(feed) <= former && former < INT64_MAX; /* it was not known */
	feed->totals.all_pages = 0;
	for (unsigned int i = 0; i < feed->nr; i++) {
		struct feed_lane *lane = &feed->lanes[i];
		int64_t next;

		lane->pages = find_settled(feed, lane, &next);
		feed->totals.all_pages += lane->pages - lane->start;
		feed->until = next < feed->until ? next : feed->until;
		feed->stale |= next < former;	/* records are lost in what was read */
		check_guess(feed, lane);
		if (feed->begun)
			go_on(feed, lane);
	}
	if (!feed->begun)
		return;
	if (feed->at_end)
		find_in_next(feed, &feed->lanes[merge_first(&feed->merge)]);
	feed->at_end = false;
	for (unsigned int i = 0; i < feed->nr; i++) {
		begin_again(feed, &feed->lanes[i]);
		set_head(feed, i);
	}
	merge_begin(&feed->merge);
}

int64_t sched_feed_until(const struct sched_feed *feed)
{
	return feed->until;
}

/* The first page that a ring has left. */
static uint64_t start_of(const struct sched_feed *feed, const struct feed_lane *lane)
{
	return page_index_start(&trace_stream_at(feed->options.scan.trace, lane->stream)->index);
}

bool sched_feed_is_wrong(const struct sched_feed *feed)
{
	return feed->stale || (feed->told_no_waking && feed->totals.wakings);
}

bool sched_feed_is_stale(const struct sched_feed *feed)
{
	for (unsigned int i = 0; i < feed->nr; i++)
		if (start_of(feed, &feed->lanes[i]) != feed->lanes[i].start)
			return true;
	return sched_feed_is_wrong(feed);
}

/* The first page that is not scanned yet. */
static uint64_t first_unread(struct sched_feed *feed, const struct feed_lane *lane)
{
	uint64_t first = lane->wanted;

	pthread_mutex_lock(&feed->lock);
	for (unsigned int k = 0; k < feed->nr_slots; k++)
		if (lane->slots[k].state == SLOT_WANTED && lane->slots[k].first < first)
			first = lane->slots[k].first;
	pthread_mutex_unlock(&feed->lock);
	return first;
}

bool sched_feed_has_all(struct sched_feed *feed)
{
	for (unsigned int i = 0; i < feed->nr; i++)
		if (first_unread(feed, &feed->lanes[i]) < start_of(feed, &feed->lanes[i]))
			return false;
	return true;
}

bool sched_feed_outlive(struct sched_feed *feed)
{
	if (!sched_feed_has_all(feed))
		return false;
	for (unsigned int i = 0; i < feed->nr; i++) {
		struct feed_lane *lane = &feed->lanes[i];
		uint64_t start = start_of(feed, lane);

		feed->totals.pages -= start - lane->start;
		lane->start = start;
	}
	return true;
}

/* A lane goes on where another is; the rest of that one's piece is copied.  No job runs yet. */
static void fork_lane(struct feed_lane *lane, const struct feed_lane *from)
{
	const struct feed_slot *slot = &from->slots[from->current];
	struct sched_chunk *chunk = &lane->slots[0].chunk;
	struct feed_lane former = *lane;

	*lane = *from;
	lane->slots = former.slots;
	lane->pages = former.pages;
	lane->wanted = next_page(from);
	lane->current = 0;
	lane->ended = false;
	lane->slots[0].first = lane->wanted;
	if (!slot->ended) {
		chunk->any = slot->chunk.any;
		chunk->max_ts = slot->chunk.max_ts;
	}
	lane->nr = chunk->nr = chunk->cap = from->nr - from->pos;
	lane->pos = 0;
	lane->recs = chunk->recs = mem_copy(from->recs + from->pos, lane->nr, sizeof(*from->recs));
}

static void begin_forked(struct sched_feed *feed, unsigned int nr)
{
	struct feed_lane *lane = &feed->lanes[nr];

	for (unsigned int k = 1; k < feed->nr_slots; k++)
		want(feed, lane, &lane->slots[k]);
	lane->behind = !lane->nr;
	if (!lane->nr)
		find_in_next(feed, lane);
	lane->behind = false;
	set_head(feed, nr);
}

/* --- its life ------------------------------------------------------------------------------ */

static bool is_of(const struct sched_feed_options *o, const struct trace_stream *stream)
{
	return stream->source == o->file && stream->buffer == o->buffer;
}

static uint64_t piece_bytes(const struct sched_feed *feed)
{
	uint64_t bytes = feed->nr ? PIECES_BYTES / (feed->nr * feed->nr_slots) : PIECE_MAX;

	return bytes > PIECE_MAX ? PIECE_MAX : bytes < PIECE_MIN ? PIECE_MIN : bytes;
}

struct sched_feed *sched_feed_new(const struct sched_feed_options *options)
{
	struct sched_feed *feed = mem_alloc(sizeof(*feed));
	struct trace *trace = options->scan.trace;
	int64_t last;

	feed->options = *options;
	trace_file_span(trace, options->file, &feed->first_ts, &last);
	if (trace_grows(trace)) {
		find_absences(feed);
		/* a ring has dropped what was before these */
		feed->next_absence = trace_absences_until(feed->absences, feed->nr_absences,
							  feed->first_ts);
	}
	pthread_mutex_init(&feed->lock, NULL);
	pthread_cond_init(&feed->done, NULL);
	feed->own = sched_scan_new(&feed->options.scan);
	if (options->workers)
		feed->scans = mem_array(workers_nr(options->workers), sizeof(*feed->scans));
	for (unsigned int i = 0; i < trace_nr_streams(trace); i++)
		feed->nr += is_of(options, trace_stream_at(trace, i));
	feed->nr_slots = feed->nr < MANY_LANES ? SLOTS : 2;
	/* half of them: the reader has the others meanwhile */
	feed->worth = feed->nr * feed->nr_slots / 2;
	feed->worth = feed->worth < WORTH_MOST ? feed->worth : WORTH_MOST;
	feed->lanes = mem_array(feed->nr, sizeof(*feed->lanes));
	feed->slots = mem_array(feed->nr, feed->nr_slots * sizeof(*feed->slots));
	merge_init(&feed->merge, feed->nr);
	for (unsigned int i = 0, k = 0; i < trace_nr_streams(trace); i++) {
		const struct trace_stream *stream = trace_stream_at(trace, i);
		struct feed_lane *lane = &feed->lanes[k];
		uint32_t page = stream->layout->page_size;

		if (!is_of(options, stream))
			continue;
		lane->slots = &feed->slots[k++ * feed->nr_slots];
		lane->stream = i;
		lane->cpu = stream->cpu;
		lane->thinned = trace_is_thinned(trace, (int)stream->source);
		lane->wanted = lane->start = page_index_start(&stream->index);
		lane->cut = lane->start;	/* a ring has dropped what was before (-m) */
		lane->pages = options->parks ? lane->start : trace_stream_pages(trace, stream);
		lane->piece = piece_bytes(feed) / (page < PAGE_MAX ? page : PAGE_MAX);
		lane->piece += !lane->piece;
		feed->totals.all_pages += lane->pages - lane->wanted;
	}
	feed->until = INT64_MIN;
	return feed;
}

struct sched_feed *sched_feed_fork(const struct sched_feed *parked, struct workers *workers,
				   const atomic_bool *stopped)
{
	struct sched_feed_options options = parked->options;
	struct sched_feed_totals totals = parked->totals;
	struct sched_feed *feed;

	options.parks = false;
	options.workers = workers;
	options.stopped = stopped;
	feed = sched_feed_new(&options);
	totals.all_pages = feed->totals.all_pages;
	feed->totals = totals;
	if (!parked->begun)
		return feed;
	feed->next_absence = parked->next_absence;
	feed->former = parked->until;
	for (unsigned int i = 0; i < feed->nr; i++)
		fork_lane(&feed->lanes[i], &parked->lanes[i]);
	for (unsigned int i = 0; i < feed->nr; i++)
		begin_forked(feed, i);
	merge_begin(&feed->merge);
	feed->begun = true;
	/* what was told is in the rules of both */
	feed->stale |= parked->told_no_waking && sched_feed_has_waking(feed);
	return feed;
}

void sched_feed_free(struct sched_feed *feed)
{
	if (!feed)
		return;
	if (feed->options.workers) {
		workers_cancel(&feed->group);
		pthread_mutex_lock(&feed->lock);
		for (unsigned int i = 0; i < feed->nr; i++)
			for (unsigned int k = 0; k < feed->nr_slots; k++)
				if (feed->lanes[i].slots[k].state == SLOT_WANTED)
					feed->lanes[i].slots[k].state = SLOT_EMPTY;
		pthread_mutex_unlock(&feed->lock);
		workers_wait(feed->options.workers, &feed->group);
	}
	free_buffers(feed);
	free(feed->scans);
	free(feed->lanes);
	free(feed->slots);
	merge_fini(&feed->merge);
	pthread_cond_destroy(&feed->done);
	pthread_mutex_destroy(&feed->lock);
	free(feed);
}

int64_t sched_feed_key(const struct sched_feed *feed)
{
	int64_t key = !feed->begun            ? INT64_MIN :
		      merge_any(&feed->merge) ? feed->lanes[merge_first(&feed->merge)].key :
						feed->totals.last_ts;

	return feed->options.parks && key > feed->until ? feed->until : key;
}

unsigned int sched_feed_nr_cpus(const struct sched_feed *feed)
{
	return feed->nr;
}

int sched_feed_cpu(const struct sched_feed *feed, unsigned int i)
{
	return feed->lanes[i].cpu;
}

unsigned int sched_feed_stream(const struct sched_feed *feed, unsigned int i)
{
	return feed->lanes[i].stream;
}

bool sched_feed_has_waking(struct sched_feed *feed)
{
	for (unsigned int i = 0; !feed->totals.wakings && i < feed->nr; i++) {
		const struct feed_lane *lane = &feed->lanes[i];

		if (sched_scan_has_waking(feed->own, lane->stream, next_page(lane),
					  feed->options.stopped))
			return true;
	}
	feed->told_no_waking = !feed->totals.wakings;
	return feed->totals.wakings;
}

struct sched_feed_totals sched_feed_totals(const struct sched_feed *feed)
{
	return feed->totals;
}
