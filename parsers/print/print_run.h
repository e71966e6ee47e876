/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_PRINT_PRINT_RUN_H
#define FTOP_PARSERS_PRINT_PRINT_RUN_H
/* print_run - runs a program on a record.  Private to print_run*.c. */
#include "parsers/print/print_program.h"
#include "parsers/types/printk_formats.h"

struct print_run {
	const struct print_program	*program;
	const struct text_context	*c;
	const struct print_record	*rec;
	const uint8_t			*data;
	uint32_t			size;		/* bytes of the record, as the style counts
							 * them */
	uint32_t			avail;		/* bytes in memory; in libtraceevent's
							 * style, zeros follow them */
	bool				swap;
	bool				too_many;	/* a count in the record is
							 * unreasonable */
	struct print_spec		star;
	size_t				mark;
	struct text			*out;
};

struct print_bytes {			/* place of a source: bytes from the record's start, may
					 * be outside of it */
	uint32_t	offset, len;
};
struct print_bytes print_source(const struct print_run *run, const struct print_insn *insn);

/* Load a number from the record; 0 outside of it. */
uint64_t print_load(const struct print_run *run, uint32_t offset, uint32_t width, bool swap);
static inline uint8_t print_byte(const struct print_run *run, uint32_t offset)
{
	return offset < run->avail ? run->data[offset] : 0;
}

/* Addresses and masks: print_run_bytes.c. */
void print_run_mac(struct print_run *run, const struct print_insn *insn);
void print_run_ip4(struct print_run *run, const struct print_insn *insn);
void print_run_ip6(struct print_run *run, const struct print_insn *insn);
void print_run_sockaddr(struct print_run *run, const struct print_insn *insn);
void print_run_uuid(struct print_run *run, const struct print_insn *insn);
void print_run_bytes(struct print_run *run, const struct print_insn *insn, uint64_t nr);
void print_run_bitmask(struct print_run *run, const struct print_insn *insn, struct text *out);
void print_run_cpumask(struct print_run *run, const struct print_insn *insn, uint64_t bits,
		       struct text *out);
void print_run_bits(struct print_run *run, const struct print_insn *insn, uint64_t bits);
void print_run_raw_field(struct print_run *run, const struct print_insn *insn);
/*
 * Does a raw string contain anything but text?  If so, libtraceevent treats the field as an array
 * from then on.
 */
bool print_run_is_array(const struct print_run *run, const struct print_insn *insn);
#endif
