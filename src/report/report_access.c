/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/report/report_access.h"

#include <stdbool.h>

#define HIT		2u	/* of levels, and of the TLB */
#define MISS		4u

static const char *const levels[] = {
	"N/A", "HIT", "MISS", "L1", "LFB/MAB", "L2", "L3", "Local RAM", "Remote RAM (1 hop)",
	"Remote RAM (2 hops)", "Remote Cache (1 hop)", "Remote Cache (2 hops)", "I/O", "Uncached",
};
static const char *const level_numbers[16] = {
	[0x9] = "CXL", [0xa] = "I/O", [0xb] = "Any cache", [0xc] = "LFB/MAB", [0xd] = "RAM", [0xe] = "PMEM", [0xf] = "N/A",
};
static const char *const hops[8] = {
	"N/A", "core, same node", "node, same socket", "socket, same board", "board",
};
static const char *const snoops[] = { "N/A", "None", "Hit", "Miss", "HitM", "Fwd", "Peer" };
static const char *const tlbs[] = { "N/A", "HIT", "MISS", "L1", "L2", "Walker", "Fault" };
static const char *const ops[] = { "N/A", "LOAD", "STORE", "PFETCH", "EXEC" };

/* The next bits of the number. */
static unsigned int take(uint64_t *data_src, unsigned int bits)
{
	unsigned int value = (unsigned int)(*data_src & ((1u << bits) - 1));

	*data_src >>= bits;
	return value;
}

/* "L1 or L2" */
static bool add_names(unsigned int mask, const char *const *names, unsigned int nr,
		      struct text *out)
{
	bool any = false;

	for (unsigned int i = 0; i < nr; i++)
		if (mask >> i & 1) {
			text_printf(out, "%s%s", any ? " or " : "", names[i]);
			any = true;
		}
	return any;
}

#define ADD_NAMES(mask, names, out) \
	add_names(mask, names, sizeof(names) / sizeof((names)[0]), out)

static void add_result(unsigned int mask, struct text *out)
{
	text_add(out, mask & HIT ? " hit" : "");
	text_add(out, mask & MISS ? " miss" : "");
}

static void add_level(unsigned int mask, unsigned int number, bool is_remote, unsigned int hop,
		      struct text *out)
{
	bool any = is_remote || hop;

	text_add(out, is_remote ? "Remote " : "");
	if (hop && hops[hop])
		text_printf(out, "%s ", hops[hop]);
	else if (ADD_NAMES(mask & ~(HIT | MISS), levels, out))
		any = true;
	if (number && !hop && mask & ~(HIT | MISS))
		text_add(out, " or ");
	if (number && level_numbers[number])
		text_add(out, level_numbers[number]);
	else if (number)
		text_printf(out, "L%u", number);
	else if (!any)
		text_add(out, "N/A");
	add_result(mask, out);
}

void report_access(uint64_t data_src, struct text *out)
{
	unsigned int op = take(&data_src, 5), level = take(&data_src, 14),
		     snoop = take(&data_src, 5), lock = take(&data_src, 2),
		     tlb = take(&data_src, 7), number = take(&data_src, 4),
		     remote = take(&data_src, 1), blocked;

	snoop |= take(&data_src, 2) << 5;
	blocked = take(&data_src, 3);
	text_add(out, "|OP ");
	if (!op)
		text_add(out, "No");
	else
		add_names(op & -op, ops, 5, out);
	text_add(out, "|LVL ");
	add_level(level, number, remote, take(&data_src, 3), out);
	text_add(out, "|SNP ");
	if (!ADD_NAMES(snoop, snoops, out))
		text_add(out, "N/A");
	text_add(out, "|TLB ");
	if (!ADD_NAMES(tlb & ~(HIT | MISS), tlbs, out))
		text_add(out, "N/A");
	add_result(tlb, out);
	text_printf(out, "|LCK %s|BLK ", lock & 1 ? "N/A" : lock & 2 ? "Yes" : "No");
	if (!(blocked & ~1u) || blocked & 1)
		text_add(out, " N/A");
	text_add(out, !(blocked & 1) && blocked & 2 ? " Data" : "");
	text_add(out, !(blocked & 1) && blocked & 4 ? " Addr" : "");
}
