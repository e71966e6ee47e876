/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_WRITER_RECORD_PACKER_H
#define FTOP_PARSERS_WRITER_RECORD_PACKER_H
/*
 * record_packer - makes sub-buffers of single records, as the kernel does: the counterpart of
 * sub_buffer.h.  Format: linux kernel/trace/ring_buffer.c.
 */
#include "parsers/source/sub_buffer.h"

/* Records that are missing before the first record of a sub-buffer. */
struct record_loss {
	bool		lost;
	bool		known;		/* count is their number */
	uint64_t	count;
};

struct record_packer {
	const struct sub_buffer_layout *layout;	/* borrowed */
	uint8_t		*page;		/* owned: the sub-buffer that is being filled */
	uint32_t	 used;		/* its bytes; layout->data_offset: no record yet */
	uint64_t	 ts;		/* stamp of its last record */
	struct record_loss loss;	/* before its first record; the caller sets it */
};

void record_packer_init(struct record_packer *packer, const struct sub_buffer_layout *layout);
void record_packer_fini(struct record_packer *packer);	/* a zeroed one is allowed */
bool record_packer_is_empty(const struct record_packer *packer);

/**
 * record_packer_add() - append a record of another sub-buffer with the same layout
 * @page: that sub-buffer
 * @rec:  the record, from sub_buffer_next()
 *
 * Its bytes stay the same, but the time delta.  Stamps may go back.
 * Return: false if there is no room: call record_packer_end(), then this again.
 */
bool record_packer_add(struct record_packer *packer, const uint8_t *page, const struct record *rec);

/* Complete the sub-buffer and begin the next one.  Return: its bytes, until the next call. */
const uint8_t *record_packer_end(struct record_packer *packer);

/* Mark a sub-buffer: records are missing before it.  The count is left out if there is no room. */
void record_packer_mark(const struct sub_buffer_layout *layout, uint8_t *page,
			const struct record_loss *loss);
#endif
