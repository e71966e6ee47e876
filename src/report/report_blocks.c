/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/report/report_blocks.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"

#define FIRST_ITEMS	256u		/* in the first block, so that its lines appear at once */
#define BLOCK_ITEMS	2048u		/* some 200 KB of text: fits into a CPU's cache */
/* at most: a loss, the record, and the one that is part of it */
#define ITEMS_OF_RECORD	4u
#define WINDOW_BYTES	((uint64_t)32 << 20)	/* limit for windows held by all blocks together */
#define SIDE_BYTES	((size_t)1 << 20)

struct report_block {
	struct worker_group	group;
	struct report_blocks	*owner;
	struct report_item	*items;		/* owned, [cap] */
	struct text		side;
	struct report_piece	piece;
	bool			failed;		/* must be made again by the caller's thread */
};

struct window {
	uint8_t		*bytes;		/* owned */
	uint64_t	 size;
	uint64_t	 blocks;	/* free after this many blocks are written: the last one
					 * may use it */
};

struct report_blocks {
	struct report_blocks_options options;
	unsigned int		nr_hands;	/* one for each worker, the last for this thread */
	struct report_hand	**hands;	/* owned */
	unsigned int		nr;
	struct report_block	*ring;		/* owned, [nr] */
	uint64_t		first, next;	/* numbers of the first block not yet written,
						 * and of the block being filled */
	unsigned int		limit;		/* items of the block being filled */
	int64_t			counted;
	bool			head_done;
	/* Windows */
	struct cursor_keeper	keeper;
	uint64_t		retired;	/* bytes of windows retired while this block was
						 * filled */
	uint64_t		may_retire;
	struct window		*waiting;	/* owned, [nr_waiting] from .first_waiting on,
						 * sorted by block */
	unsigned int		first_waiting, nr_waiting, cap_waiting;
	struct window		*spare;		/* owned, [nr_spare] */
	unsigned int		nr_spare, cap_spare;
};

/* --- windows ----------------------------------------------------------------- */

static uint8_t *take_spare(struct report_blocks *b, uint64_t size)
{
	for (unsigned int i = b->nr_spare; i--;)
		if (b->spare[i].size == size) {
			uint8_t *bytes = b->spare[i].bytes;

			b->spare[i] = b->spare[--b->nr_spare];
			return bytes;
		}
	return mem_array(1, size);
}

static uint8_t *renew(void *arg, uint8_t *window, uint64_t size, uint64_t wanted)
{
	struct report_blocks *b = arg;

	if (window) {
		if (b->first_waiting && b->first_waiting + b->nr_waiting == b->cap_waiting) {
			memmove(b->waiting, b->waiting + b->first_waiting,
				b->nr_waiting * sizeof(*b->waiting));
			b->first_waiting = 0;
		}
		mem_grow(&b->waiting, b->first_waiting + b->nr_waiting, &b->cap_waiting);
		b->waiting[b->first_waiting + b->nr_waiting++] = (struct window){ window, size,
										  b->next + 1 };
		b->retired += size;
	}
	return take_spare(b, wanted);
}

/* Recycle windows that no block uses any more. */
static void release_windows(struct report_blocks *b)
{
	while (b->nr_waiting && b->waiting[b->first_waiting].blocks <= b->first) {
		mem_grow(&b->spare, b->nr_spare, &b->cap_spare);
		b->spare[b->nr_spare++] = b->waiting[b->first_waiting++];
		b->nr_waiting--;
	}
	if (!b->nr_waiting)
		b->first_waiting = 0;
}

/* The current block is empty, so it does not need any window. */
static void wait_no_more(struct report_blocks *b)
{
	for (unsigned int i = b->nr_waiting;
	     i-- && b->waiting[b->first_waiting + i].blocks > b->next;)
		b->waiting[b->first_waiting + i].blocks = b->next;
	b->retired = 0;
	release_windows(b);
}

/* --- blocks ------------------------------------------------------------------- */

static struct report_block *block_of(const struct report_blocks *b, uint64_t number)
{
	return &b->ring[number % b->nr];
}

static void make(void *arg, unsigned int worker, bool cancelled)
{
	struct report_block *block = arg;
	struct report_blocks *b = block->owner;

	if (!cancelled)
		block->failed = !report_form_make(b->options.form, b->hands[worker], &block->piece,
						  false);
}

/* Keep the output up to the end of the last item wanted by --head. */
static size_t cut_head(struct report_blocks *b, struct report_piece *piece)
{
	for (unsigned int i = 0; i < piece->nr_cuts; i++)
		if (b->counted + piece->cuts[i].counted >= b->options.head) {
			b->head_done = true;
			piece->counted = piece->cuts[i].counted;
			return piece->cuts[i].end;
		}
	return piece->out.len;
}

/* The oldest block is finished: write it. */
static int write_first(struct report_blocks *b, struct ft_error *err)
{
	struct report_block *block = block_of(b, b->first);
	struct report_piece *piece = &block->piece;
	size_t len;

	if (block->failed)
		report_form_make(b->options.form, b->hands[b->nr_hands], piece, true);
	len = b->options.head >= 0 ? cut_head(b, piece) : piece->out.len;
	b->counted += piece->counted;
	b->first++;
	release_windows(b);
	return output_piece(b->options.out, text_str(&piece->out), len, err);
}

bool report_blocks_done(const struct report_blocks *b)
{
	return b->head_done || b->options.out->closed;
}

/* Write finished blocks in order, waiting until the ring has @free_places. */
static int write_blocks(struct report_blocks *b, unsigned int free_places, struct ft_error *err)
{
	while (b->first < b->next && !report_blocks_done(b)) {
		struct report_block *block = block_of(b, b->first);

		if (atomic_load(&block->group.pending)) {
			if (b->next - b->first + free_places <= b->nr)
				break;
			workers_wait(b->options.workers, &block->group);
		}
		if (write_first(b, err))
			return -1;
	}
	return 0;
}

static void begin_block(struct report_blocks *b, const struct report_lines *lines)
{
	struct report_block *block = block_of(b, b->next);

	block->piece.nr = 0;
	block->piece.lines = *lines;
	block->failed = false;
	text_clear(&block->side);
	b->retired = 0;
}

static int end_block(struct report_blocks *b, const struct report_lines *lines,
		     struct ft_error *err)
{
	struct report_block *block = block_of(b, b->next);
	bool first = !b->next;

	b->options.complete(b->options.arg);
	block->piece.side = text_str(&block->side);
	b->next++;
	if (first || !b->options.workers || !block->piece.nr)	/* make it now, in this thread */
		report_form_make(b->options.form, b->hands[b->nr_hands], &block->piece, true);
	else
		workers_add(b->options.workers, &block->group, WORKER_VISIBLE, make, block);
	if (!b->options.block_items && b->limit < BLOCK_ITEMS)
		b->limit *= 2;
	if (write_blocks(b, 1, err) || (first && output_now(b->options.out, err)))
		return -1;
	if (!report_blocks_done(b))
		begin_block(b, lines);
	return 0;
}

int report_blocks_end(struct report_blocks *b, const struct report_lines *lines,
		      struct ft_error *err)
{
	const struct report_block *block = block_of(b, b->next);

	if (block->piece.nr < b->limit && b->retired < b->may_retire &&
	    block->side.len < SIDE_BYTES) {
		if (!block->piece.nr && b->retired)
			wait_no_more(b);
		return 0;
	}
	return end_block(b, lines, err);
}

int report_blocks_finish(struct report_blocks *b, struct ft_error *err)
{
	const struct report_lines none = { .last_ts = 0 };

	if (report_blocks_done(b))
		return 0;
	if (block_of(b, b->next)->piece.nr && end_block(b, &none, err))
		return -1;
	return write_blocks(b, b->nr, err);
}

struct report_item *report_blocks_add(struct report_blocks *b)
{
	struct report_block *block = block_of(b, b->next);

	return &block->items[block->piece.nr++];
}

unsigned int report_blocks_room(const struct report_blocks *b)
{
	const struct report_block *block = block_of(b, b->next);

	return block->piece.nr < b->limit ? b->limit - block->piece.nr : 1;
}

struct text *report_blocks_side(struct report_blocks *b)
{
	return &block_of(b, b->next)->side;
}

int64_t report_blocks_counted(const struct report_blocks *b)
{
	return b->counted;
}

const struct cursor_keeper *report_blocks_keeper(struct report_blocks *b)
{
	return &b->keeper;
}

/* --- life ---------------------------------------------------------------------- */

struct report_blocks *report_blocks_new(const struct report_blocks_options *options,
					const struct report_lines *lines)
{
	struct report_blocks *b = mem_alloc(sizeof(*b));
	unsigned int cap = options->block_items ? options->block_items : BLOCK_ITEMS;

	b->options = *options;
	b->keeper = (struct cursor_keeper){ renew, b };
	b->limit = options->block_items ? options->block_items : FIRST_ITEMS;
	b->nr_hands = options->workers ? workers_nr(options->workers) : 0;
	b->hands = mem_array(b->nr_hands + 1, sizeof(*b->hands));
	for (unsigned int i = 0; i <= b->nr_hands; i++)
		b->hands[i] = report_hand_new(options->form);
	b->nr = options->workers ? 2 * b->nr_hands + 2 : 1;
	b->may_retire = WINDOW_BYTES / b->nr;
	b->ring = mem_array(b->nr, sizeof(*b->ring));
	for (unsigned int i = 0; i < b->nr; i++) {
		struct report_block *block = &b->ring[i];

		block->owner = b;
		block->items = mem_array(cap + ITEMS_OF_RECORD, sizeof(*block->items));
		block->piece.items = block->items;
		if (options->head >= 0)
			block->piece.cuts = mem_array(cap + ITEMS_OF_RECORD,
						      sizeof(*block->piece.cuts));
	}
	begin_block(b, lines);
	return b;
}

static void stop_workers(struct report_blocks *b)
{
	for (unsigned int i = 0; i < b->nr && b->options.workers; i++)
		workers_cancel(&b->ring[i].group);
	for (unsigned int i = 0; i < b->nr && b->options.workers; i++)
		workers_wait(b->options.workers, &b->ring[i].group);
}

void report_blocks_free(struct report_blocks *b)
{
	if (!b)
		return;
	stop_workers(b);
	for (unsigned int i = 0; i < b->nr; i++) {
		free(b->ring[i].items);
		text_fini(&b->ring[i].side);
		free(b->ring[i].piece.cuts);
		text_fini(&b->ring[i].piece.out);
	}
	for (unsigned int i = 0; i <= b->nr_hands; i++)
		report_hand_free(b->hands[i]);
	for (unsigned int i = 0; i < b->nr_waiting; i++)
		free(b->waiting[b->first_waiting + i].bytes);
	for (unsigned int i = 0; i < b->nr_spare; i++)
		free(b->spare[i].bytes);
	free(b->ring);
	free(b->hands);
	free(b->waiting);
	free(b->spare);
	free(b);
}
