/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel_text_blk - records of the blk tracer: "254,16   Q  RS 256 + 128 [dd]".
 */
#include <inttypes.h>
#include <stdbool.h>

#include "parsers/text/kernel_text_private.h"

enum { BLK_SECTOR, BLK_BYTES, BLK_ACTION, BLK_DEVICE, BLK_ERROR, BLK_PDU_LEN, BLK_NR_FIELDS };

/*
 * include/uapi/linux/blktrace_api.h: struct blk_io_trace, and struct blk_io_trace2, which tracers
 * use since 6.19.
 */
static const struct blk_layout {
	uint32_t	size;
	struct { uint8_t offset, size; } fields[BLK_NR_FIELDS];
} layouts[] = {
	{ 48, { { 16, 8 }, { 24, 4 }, { 28, 4 }, { 36, 4 }, { 44, 2 }, { 46, 2 } } },
	{ 64, { { 16, 8 }, { 24, 4 }, { 32, 8 }, { 40, 4 }, { 48, 2 }, { 50, 2 } } },
};
#define TRACE2_SINCE	(6u << 16 | 19)

/* A record being printed. */
struct blk_line {
	const struct kernel_call *c;
	const struct blk_layout	*layout;
	struct text		*out;
};

/* Categories: bits of action >> 16. */
enum {
	TC_WRITE = 1 << 1, TC_FLUSH = 1 << 2, TC_SYNC = 1 << 3, TC_PC = 1 << 9, TC_AHEAD = 1 << 11,
	TC_META = 1 << 12,
	TC_DISCARD = 1 << 13, TC_FUA = 1 << 15,
};
#define TA_CGROUP	(1u << 8)	/* a cgroup id precedes the data after the record */
#define NOTIFY_MESSAGE	(1u << 26 | 2)	/* BLK_TC_NOTIFY and its number */

/* What follows the flags. */
enum blk_form { BLK_GENERIC, BLK_WITH_ERROR, BLK_PLUG, BLK_UNPLUG, BLK_SPLIT, BLK_REMAP };

static const struct {
	const char	*act;
	enum blk_form	form;
} actions[] = {
	[1] = { "Q", BLK_GENERIC },	  [2] = { "M", BLK_GENERIC },	[3] = { "F", BLK_GENERIC },
	[4] = { "G", BLK_GENERIC },	  [5] = { "S", BLK_GENERIC },	[6] = { "R",
		BLK_WITH_ERROR },
	[7] = { "D", BLK_GENERIC },	  [8] = { "C", BLK_WITH_ERROR }, [9] = { "P", BLK_PLUG },
	[10] = { "U", BLK_UNPLUG },	  [11] = { "UT", BLK_UNPLUG },	[12] = { "I", BLK_GENERIC },
	[13] = { "X", BLK_SPLIT },	  [14] = { "B", BLK_GENERIC },	[15] = { "A", BLK_REMAP },
};

static uint64_t layout_field(const struct kernel_call *c, const struct blk_layout *layout,
			     unsigned int i)
{
	return field_load(c->rec->data, c->rec->size, layout->fields[i].offset,
			  layout->fields[i].size, c->kt->swap);
}

static uint64_t blk_field(const struct blk_line *l, unsigned int i)
{
	return layout_field(l->c, l->layout, i);
}

/*
 * Does the record have the length that it states in this layout?  The ring buffer rounds lengths up
 * to 4 or 8.
 */
static bool record_fits(const struct kernel_call *c, const struct blk_layout *layout)
{
	uint64_t len = layout->size + layout_field(c, layout, BLK_PDU_LEN);

	return len <= c->rec->size && c->rec->size - len < 8;
}

/*
 * The record does not say which layout it has.  The kernel's release does, and the record's length
 * if the new layout was backported.
 */
static const struct blk_layout *layout_of(const struct kernel_call *c)
{
	unsigned int first = c->kt->release >= TRACE2_SINCE;

	return record_fits(c, &layouts[first]) || !record_fits(c, &layouts[!first]) ?
		       &layouts[first] :
		       &layouts[!first];
}

/* Bytes after the record: the kernel calls them pdu. */
static struct field_span pdu_bytes(const struct blk_line *l)
{
	const struct print_record *rec = l->c->rec;
	uint32_t offset = l->layout->size, skip = blk_field(l, BLK_ACTION) & TA_CGROUP ? 8 : 0;
	uint32_t len = (uint32_t)blk_field(l, BLK_PDU_LEN);
	struct field_span span = { 0 };

	if (len < skip || offset + skip > rec->size)
		return span;
	span.data = rec->data + offset + skip;
	span.len = rec->size - offset - skip;
	if (span.len > len - skip)
		span.len = len - skip;
	return span;
}

static int pid_of(const struct kernel_call *c)
{
	return field_pid(event_types_common(c->kt->types), c->rec->data, c->rec->size, c->kt->swap);
}

/* A number in the pdu, big endian. */
static uint64_t pdu_u64(const struct blk_line *l, uint32_t at)
{
	struct field_span span = pdu_bytes(l);

	return field_load(span.data, span.len, at, 8, !HOST_BIG_ENDIAN);
}

static uint32_t pdu_u32(const struct blk_line *l, uint32_t at)
{
	struct field_span span = pdu_bytes(l);

	return (uint32_t)field_load(span.data, span.len, at, 4, !HOST_BIG_ENDIAN);
}

static uint64_t nr_sectors(const struct blk_line *l)
{
	return (uint32_t)blk_field(l, BLK_BYTES) >> 9;
}

/* "WS", "FWFS", "N" … */
static void add_rwbs(const struct blk_line *l, uint32_t action, char rwbs[10])
{
	uint32_t tc = action >> 16;
	char *p = rwbs;

	if ((action & ~TA_CGROUP) == NOTIFY_MESSAGE) {
		*p++ = 'N';
	} else {
		if (tc & TC_FLUSH)
			*p++ = 'F';
		*p++ = tc & TC_DISCARD         ? 'D' :
		       tc & TC_WRITE           ? 'W' :
		       blk_field(l, BLK_BYTES) ? 'R' :
						 'N';
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

static void add_action(const struct blk_line *l, uint32_t action, const char *act)
{
	const struct print_record *rec = l->c->rec;
	uint32_t device = (uint32_t)blk_field(l, BLK_DEVICE);
	char rwbs[10];

	add_rwbs(l, action, rwbs);
	text_printf(l->out, "%3u,%-3u ", device >> 20, device & 0xfffff);
	if (l->c->kt->options.blk_classic) {
		text_printf(l->out, "%2d %5" PRIu64 ".%09" PRIu64 " %5u ", rec->cpu,
			    rec->ts / 1000000000, rec->ts % 1000000000, (unsigned int)pid_of(l->c));
	} else if (action & TA_CGROUP) {
		uint64_t id = field_load(rec->data, rec->size, l->layout->size, 8, l->c->kt->swap);

		text_printf(l->out, "%" PRIx64 ",%-" PRIx64 " ", id & UINT32_MAX, id >> 32);
	}
	text_printf(l->out, "%2s %3s ", act, rwbs);
}

/* A packet command: "(12 00 00 ..) ", without the zeros at its end. */
static void add_pdu(const struct blk_line *l)
{
	struct field_span span = pdu_bytes(l);
	uint32_t end = span.len;

	if (!span.len)
		return;
	while (end > 0 && !span.data[end - 1])
		end--;
	if (end < span.len)
		end++;
	text_char(l->out, '(');
	for (uint32_t i = 0; i < span.len; i++) {
		text_printf(l->out, i ? " %02x" : "%02x", span.data[i]);
		if (i == end && end + 1 < span.len) {
			text_add(l->out, " ..) ");
			return;
		}
	}
	text_add(l->out, ") ");
}

static void add_generic(const struct blk_line *l, uint32_t action, const char *comm)
{
	uint64_t sectors = nr_sectors(l);

	if (action >> 16 & TC_PC) {
		text_printf(l->out, "%u ", (unsigned int)blk_field(l, BLK_BYTES));
		add_pdu(l);
	} else if (sectors) {
		text_printf(l->out, "%" PRIu64 " + %" PRIu64 " ", blk_field(l, BLK_SECTOR),
			    sectors);
	}
	text_printf(l->out, "[%s]\n", comm);
}

static void add_with_error(const struct blk_line *l, uint32_t action)
{
	uint64_t sectors = nr_sectors(l);
	int error = (uint16_t)blk_field(l, BLK_ERROR);

	if (action >> 16 & TC_PC)
		add_pdu(l);
	else if (sectors)
		text_printf(l->out, "%" PRIu64 " + %" PRIu64 " ", blk_field(l, BLK_SECTOR),
			    sectors);
	else
		text_printf(l->out, "%" PRIu64 " ", blk_field(l, BLK_SECTOR));
	text_printf(l->out, "[%d]\n", error);
}

static void add_remap(const struct blk_line *l)
{
	uint32_t from = pdu_u32(l, 0);

	text_printf(l->out, "%" PRIu64 " + %" PRIu64 " <- (%u,%u) %" PRIu64 "\n",
		    blk_field(l, BLK_SECTOR), nr_sectors(l), from >> 20, from & 0xfffff,
		    pdu_u64(l, 8));
}

static void print_blk(const struct kernel_call *c)
{
	struct blk_line line = { .c = c, .layout = layout_of(c), .out = c->out }, *l = &line;
	uint32_t action = (uint32_t)blk_field(l, BLK_ACTION), what = action & 0xffff & ~TA_CGROUP;
	const char *comm = kernel_text_comm(c->kt, pid_of(c));

	if ((action & ~TA_CGROUP) == NOTIFY_MESSAGE) {
		struct field_span span = pdu_bytes(l);

		add_action(l, action, "m");
		text_bytes(l->out, (const char *)span.data, span.len);
		text_char(l->out, '\n');
		return;
	}
	if (!what || what >= sizeof(actions) / sizeof(actions[0])) {
		text_printf(l->out, "Unknown action %x\n", what);
		return;
	}
	add_action(l, action, actions[what].act);
	switch (actions[what].form) {
	case BLK_GENERIC:
		add_generic(l, action, comm);
		break;
	case BLK_WITH_ERROR:
		add_with_error(l, action);
		break;
	case BLK_PLUG:
		text_printf(l->out, "[%s]\n", comm);
		break;
	case BLK_UNPLUG:
		text_printf(l->out, "[%s] %" PRIu64 "\n", comm, pdu_u64(l, 0));
		break;
	case BLK_SPLIT:
		text_printf(l->out, "%" PRIu64 " / %" PRIu64 " [%s]\n", blk_field(l, BLK_SECTOR),
			    pdu_u64(l, 0), comm);
		break;
	case BLK_REMAP:
		add_remap(l);
		break;
	}
}

const struct kernel_kind kernel_blk_kinds[] = {
	{ .system = "ftrace", .name = "blktrace", .way = KERNEL_TEXT_WHOLE, .print = print_blk,
	  .fields = { "sector", "bytes", "action", "device", "error", "pdu_len" } },
	{ 0 }
};
