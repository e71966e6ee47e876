/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_TESTS_LIB_MADE_BTF_H
#define FTOP_TESTS_LIB_MADE_BTF_H
/* made_btf - a small BTF. */
#include <stdint.h>
#include <string.h>

/*
 * A BTF made by hand: int f(unsigned u, const char *p, enum e v, struct s by_value), and a second
 * static f(void).
 */
struct made_btf {
	uint8_t		bytes[512];
	uint32_t	len;
};

static inline void made_btf_put(struct made_btf *m, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		m->bytes[m->len++] = (uint8_t)(v >> (8 * i));
}

#define MADE_BTF_STRINGS "\0int\0unsigned\0char\0f\0u\0p\0v\0e\0ONE\0TWO\0s\0by_value\0"
enum { S_INT = 1, S_UNSIGNED = 5, S_CHAR = 14, S_F = 19, S_U = 21, S_P = 23, S_V = 25, S_E = 27,
       S_ONE = 29, S_TWO = 33,
       S_S = 37, S_BY_VALUE = 39 };

static inline uint32_t made_btf_info(unsigned int kind, unsigned int nr)
{
	return kind << 24 | nr;
}

static inline void made_btf_make(struct made_btf *m)
{
	uint32_t types, types_end;

	memset(m, 0, sizeof(*m));
	made_btf_put(m, 0x0001eb9f);
	made_btf_put(m, 24);
	m->len = 24;
	types = m->len;
	/* 1: int, signed */
	made_btf_put(m, S_INT), made_btf_put(m, made_btf_info(1, 0)), made_btf_put(m, 4),
		made_btf_put(m, 1u << 24 | 32);
	/* 2: unsigned */
	made_btf_put(m, S_UNSIGNED), made_btf_put(m, made_btf_info(1, 0)), made_btf_put(m, 4),
		made_btf_put(m, 32);
	/* 3: char */
	made_btf_put(m, S_CHAR), made_btf_put(m, made_btf_info(1, 0)), made_btf_put(m, 1),
		made_btf_put(m, 8);
	/* 4: const char */
	made_btf_put(m, 0), made_btf_put(m, made_btf_info(10, 0)), made_btf_put(m, 3);
	/* 5: const char * */
	made_btf_put(m, 0), made_btf_put(m, made_btf_info(2, 0)), made_btf_put(m, 4);
	/* 6: enum e */
	made_btf_put(m, S_E), made_btf_put(m, made_btf_info(6, 2)), made_btf_put(m, 4);
	made_btf_put(m, S_ONE), made_btf_put(m, 1), made_btf_put(m, S_TWO),
		made_btf_put(m, (uint32_t)-2);
	/* 7: struct s, 16 bytes */
	made_btf_put(m, S_S), made_btf_put(m, made_btf_info(4, 0)), made_btf_put(m, 16);
	/* 8: its prototype */
	made_btf_put(m, 0), made_btf_put(m, made_btf_info(13, 4)), made_btf_put(m, 1);
	made_btf_put(m, S_U), made_btf_put(m, 2), made_btf_put(m, S_P), made_btf_put(m, 5),
		made_btf_put(m, S_V), made_btf_put(m, 6), made_btf_put(m, S_BY_VALUE),
		made_btf_put(m, 7);
	/* 9: f */
	made_btf_put(m, S_F), made_btf_put(m, made_btf_info(12, 0)), made_btf_put(m, 8);
	/* 10: int (void) */
	made_btf_put(m, 0), made_btf_put(m, made_btf_info(13, 0)), made_btf_put(m, 1);
	/* 11: another f */
	made_btf_put(m, S_F), made_btf_put(m, made_btf_info(12, 0)), made_btf_put(m, 10);
	types_end = m->len;
	memcpy(m->bytes + m->len, MADE_BTF_STRINGS, sizeof(MADE_BTF_STRINGS));
	m->len += sizeof(MADE_BTF_STRINGS);
	m->len = 8;
	made_btf_put(m, types - 24);
	made_btf_put(m, types_end - types);
	made_btf_put(m, types_end - 24);
	made_btf_put(m, sizeof(MADE_BTF_STRINGS));
	m->len = types_end + sizeof(MADE_BTF_STRINGS);
}
#endif
