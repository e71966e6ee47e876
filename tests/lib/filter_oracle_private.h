/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_TESTS_LIB_FILTER_ORACLE_PRIVATE_H
#define FTOP_TESTS_LIB_FILTER_ORACLE_PRIVATE_H
/*
 * filter_oracle_private - what filter_oracle.c (reads records, evaluates terms) and
 * filter_oracle_terms.c (makes them up) share.
 */
#include "tests/lib/filter_oracle.h"

/* States as linux include/trace/events/sched.h has named them since 4.14. */
#define ORACLE_STATES	10
struct oracle_state {
	const char	*name;
	uint64_t	 value, mask;
};
extern const struct oracle_state oracle_states[ORACLE_STATES];

bool oracle_is_plain_number(const struct tep_format_field *f);	/* of 1, 2, 4 or 8 bytes */
bool oracle_field_is(const struct tep_event *event, const struct tep_format_field *f,
		     enum oracle_kind kind);
/* what `func` means; NULL: nothing */
struct tep_format_field *oracle_func_field(const struct tep_event *event);

/* Values of a field in a record, as libtraceevent reads them. */
__int128 oracle_read_number(const struct tep_format_field *f, const struct oracle_record *r);
__int128 oracle_read_element(const struct tep_format_field *f, const struct oracle_record *r,
			     unsigned int i);
void oracle_read_string(const struct tep_format_field *f, const struct oracle_record *r, char *out,
			size_t room);
/* its first 64 bits */
uint64_t oracle_read_mask(const struct tep_format_field *f, const struct oracle_record *r);

/* The function that an address lies in: how many symbols it has, from o->symbols[*first] on. */
unsigned int oracle_symbols_at(const struct oracle *o, uint64_t address, unsigned int *first);
#endif
