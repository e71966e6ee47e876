/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel_text_blk - records of the blk tracer: "254,16   Q  RS 256 + 128 [dd]".
 */
#include <inttypes.h>

#include "parsers/kernel_text_private.h"

enum { BLK_SECTOR, BLK_BYTES, BLK_ACTION, BLK_DEVICE, BLK_ERROR, BLK_PDU_LEN };

/* Categories: bits of action >> 16. */
enum {
	TC_WRITE = 1 << 1, TC_FLUSH = 1 << 2, TC_SYNC = 1 << 3, TC_PC = 1 << 9, TC_AHEAD = 1 << 11, TC_META = 1 << 12,
	TC_DISCARD = 1 << 13, TC_FUA = 1 << 15,
};
#define TA_CGROUP	(1u << 8)	/* a cgroup's id stands before what follows the record */
#define NOTIFY_MESSAGE	(1u << 26 | 2)	/* BLK_TC_NOTIFY and its number */

/* What stands behind the flags. */
enum blk_form { BLK_GENERIC, BLK_WITH_ERROR, BLK_PLUG, BLK_UNPLUG, BLK_SPLIT, BLK_REMAP };

static const struct {
	const char	*act;
	enum blk_form	form;
} actions[] = {
	[1] = { "Q", BLK_GENERIC },	  [2] = { "M", BLK_GENERIC },	[3] = { "F", BLK_GENERIC },
	[4] = { "G", BLK_GENERIC },	  [5] = { "S", BLK_GENERIC },	[6] = { "R", BLK_WITH_ERROR },
	[7] = { "D", BLK_GENERIC },	  [8] = { "C", BLK_WITH_ERROR }, [9] = { "P", BLK_PLUG },
	[10] = { "U", BLK_UNPLUG },	  [11] = { "UT", BLK_UNPLUG },	[12] = { "I", BLK_GENERIC },
	[13] = { "X", BLK_SPLIT },	  [14] = { "B", BLK_GENERIC },	[15] = { "A", BLK_REMAP },
};

/* Bytes behind the record: the kernel calls them pdu. */
static struct field_span pdu(const struct kernel_call *c)
{
	uint32_t offset = c->event->type->size, skip = kernel_field(c, BLK_ACTION) & TA_CGROUP ? 8 : 0;
	uint32_t len = (uint32_t)kernel_field(c, BLK_PDU_LEN);
	struct field_span span = { 0 };

	if (len < skip || offset + skip > c->rec->size)
		return span;
	span.data = c->rec->data + offset + skip;
	span.len = c->rec->size - offset - skip;
	if (span.len > len - skip)
		span.len = len - skip;
	return span;
}

/* Numbers in it are big endian. */
static uint64_t pdu_u64(const struct kernel_call *c, uint32_t at)
{
	struct field_span span = pdu(c);

	return field_load(span.data, span.len, at, 8, !HOST_BIG_ENDIAN);
}

static uint32_t pdu_u32(const struct kernel_call *c, uint32_t at)
{
	struct field_span span = pdu(c);

	return (uint32_t)field_load(span.data, span.len, at, 4, !HOST_BIG_ENDIAN);
}

static uint64_t nr_sectors(const struct kernel_call *c)
{
	return (uint32_t)kernel_field(c, BLK_BYTES) >> 9;
}

/* "WS", "FWFS", "N" … */
static void add_rwbs(const struct kernel_call *c, uint32_t action, char rwbs[10])
{
	uint32_t tc = action >> 16;
	char *p = rwbs;

	if ((action & ~TA_CGROUP) == NOTIFY_MESSAGE) {
		*p++ = 'N';
	} else {
		if (tc & TC_FLUSH)
			*p++ = 'F';
		*p++ = tc & TC_DISCARD ? 'D' : tc & TC_WRITE ? 'W' : kernel_field(c, BLK_BYTES) ? 'R' : 'N';
		if (tc & TC_FUA)
			*p++ = 'F';
		if (tc & TC_AHEAD)
			*p++ = 'A';
		if (tc & TC_SYNC)
			*p++ = 'S';
		if (tc & TC_META)
			*p++ = 'M';
	}
	*p = '\0';
}

static void add_action(const struct kernel_call *c, uint32_t action, const char *act)
{
	uint32_t device = (uint32_t)kernel_field(c, BLK_DEVICE);
	char rwbs[10];

	add_rwbs(c, action, rwbs);
	text_printf(c->out, "%3u,%-3u %2s %3s ", device >> 20, device & 0xfffff, act, rwbs);
}

/* A packet command: "(12 00 00 ..) ", without the zeros at its end. */
static void add_pdu(const struct kernel_call *c)
{
	struct field_span span = pdu(c);
	uint32_t end = span.len;

	if (!span.len)
		return;
	while (end > 0 && !span.data[end - 1])
		end--;
	if (end < span.len)
		end++;
	text_char(c->out, '(');
	for (uint32_t i = 0; i < span.len; i++) {
		text_printf(c->out, i ? " %02x" : "%02x", span.data[i]);
		if (i == end && end + 1 < span.len) {
			text_add(c->out, " ..) ");
			return;
		}
	}
	text_add(c->out, ") ");
}

static void add_generic(const struct kernel_call *c, uint32_t action, const char *comm)
{
	uint64_t sectors = nr_sectors(c);

	if (action >> 16 & TC_PC) {
		text_printf(c->out, "%u ", (unsigned int)kernel_field(c, BLK_BYTES));
		add_pdu(c);
	} else if (sectors) {
		text_printf(c->out, "%" PRIu64 " + %" PRIu64 " ", kernel_field(c, BLK_SECTOR), sectors);
	}
	text_printf(c->out, "[%s]\n", comm);
}

static void add_with_error(const struct kernel_call *c, uint32_t action)
{
	uint64_t sectors = nr_sectors(c);
	int error = (uint16_t)kernel_field(c, BLK_ERROR);

	if (action >> 16 & TC_PC)
		add_pdu(c);
	else if (sectors)
		text_printf(c->out, "%" PRIu64 " + %" PRIu64 " ", kernel_field(c, BLK_SECTOR), sectors);
	else
		text_printf(c->out, "%" PRIu64 " ", kernel_field(c, BLK_SECTOR));
	text_printf(c->out, "[%d]\n", error);
}

static void add_remap(const struct kernel_call *c)
{
	uint32_t from = pdu_u32(c, 0);

	text_printf(c->out, "%" PRIu64 " + %" PRIu64 " <- (%u,%u) %" PRIu64 "\n", kernel_field(c, BLK_SECTOR),
		    nr_sectors(c), from >> 20, from & 0xfffff, pdu_u64(c, 8));
}

static void print_blk(const struct kernel_call *c)
{
	const struct common_layout *common = event_types_common(c->kt->types);
	uint32_t action = (uint32_t)kernel_field(c, BLK_ACTION), what = action & 0xffff & ~TA_CGROUP;
	int pid = (int)(int32_t)field_load(c->rec->data, c->rec->size, common->pid_offset, common->pid_size, c->kt->swap);
	const char *comm = kernel_text_comm(c->kt, pid);

	if ((action & ~TA_CGROUP) == NOTIFY_MESSAGE) {
		struct field_span span = pdu(c);

		add_action(c, action, "m");
		text_bytes(c->out, (const char *)span.data, span.len);
		text_char(c->out, '\n');
		return;
	}
	if (!what || what >= sizeof(actions) / sizeof(actions[0])) {
		text_printf(c->out, "Unknown action %x\n", what);
		return;
	}
	add_action(c, action, actions[what].act);
	switch (actions[what].form) {
	case BLK_GENERIC:
		add_generic(c, action, comm);
		break;
	case BLK_WITH_ERROR:
		add_with_error(c, action);
		break;
	case BLK_PLUG:
		text_printf(c->out, "[%s]\n", comm);
		break;
	case BLK_UNPLUG:
		text_printf(c->out, "[%s] %" PRIu64 "\n", comm, pdu_u64(c, 0));
		break;
	case BLK_SPLIT:
		text_printf(c->out, "%" PRIu64 " / %" PRIu64 " [%s]\n", kernel_field(c, BLK_SECTOR), pdu_u64(c, 0), comm);
		break;
	case BLK_REMAP:
		add_remap(c);
		break;
	}
}

const struct kernel_kind kernel_blk_kinds[] = {
	{ .system = "ftrace", .name = "blktrace", .way = KERNEL_TEXT_WHOLE, .print = print_blk,
	  .fields = { "sector", "bytes", "action", "device", "error", "pdu_len" } },
	{ 0 }
};
