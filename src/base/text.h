/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_BASE_TEXT_H
#define FTOP_SRC_BASE_TEXT_H
/*
 * text - a growable string, and formatting of times, durations and untrusted bytes.
 *
 * All bytes of a trace pass through here before they are shown: control characters and escape
 * sequences are made harmless.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A growable byte string, NUL-ended, reused from line to line. */
struct text {
	char	*data;		/* owned; NULL until it is first used */
	size_t	 len;		/* bytes without the NUL */
	size_t	 cap;		/* bytes with the NUL that need no text_grow() */
	size_t	 size;		/* bytes of data */
	size_t	 bound;		/* most bytes of len; 0: there is no limit */
	bool	 is_full;	/* the bound left something out */
};

void text_fini(struct text *t);
void text_clear(struct text *t);			/* keeps the memory */
static inline const char *text_str(const struct text *t)	/* never NULL */
{
	return t->data ? t->data : "";
}
/* Slow paths of what follows.  text_grow() returns false where the bound leaves no room. */
void text_extend(struct text *t, size_t more);
bool text_grow(struct text *t, size_t more);
void text_fill(struct text *t, const char *s, size_t len);
bool text_end_full(struct text *t);

bool text_has_capital(const char *s, size_t len);	/* a search for it then heeds case */

/*
 * Bound a text: of what is appended from now on, it takes @most bytes, and leaves out the rest.
 * Who appends in a loop ends it when text_is_full().  False: it is bounded already, and the former
 * bound holds; only who got true calls text_unbound().
 */
static inline bool text_bound(struct text *t, size_t most)
{
	if (t->bound)
		return false;
	t->bound = t->len + most;
	if (t->cap > t->bound + 1)
		t->cap = t->bound + 1;
	return true;
}

static inline bool text_is_full(const struct text *t)
{
	return t->is_full;
}

/* True: something was left out, and … was appended. */
static inline bool text_unbound(struct text *t)
{
	if (__builtin_expect(t->is_full, 0))
		return text_end_full(t);
	t->bound = 0;
	t->cap = t->size;
	return false;
}

/* Take back what was appended since the text was @len long: there is room for something else. */
void text_cut(struct text *t, size_t len);

/* Make room for more bytes and the NUL, whatever the bound. */
static inline void text_reserve(struct text *t, size_t more)
{
	if (__builtin_expect(more >= t->cap - t->len, 0))
		text_extend(t, more);
}

/* The same; false: the bound leaves no room. */
static inline bool text_has_room(struct text *t, size_t more)
{
	return __builtin_expect(more < t->cap - t->len, 1) || text_grow(t, more);
}

static inline void text_char(struct text *t, char c)
{
	if (!text_has_room(t, 1))
		return;
	t->data[t->len++] = c;
	t->data[t->len] = '\0';
}

/* Most pieces are only a few bytes: not worth a function call. */
static inline void text_copy(char *to, const char *s, size_t len)
{
	if (__builtin_constant_p(len) || len > 16) {
		memcpy(to, s, len);
	} else if (len >= 8) {
		uint64_t first, last;

		memcpy(&first, s, 8);
		memcpy(&last, s + len - 8, 8);
		memcpy(to, &first, 8);
		memcpy(to + len - 8, &last, 8);
	} else if (len >= 4) {
		uint32_t first, last;

		memcpy(&first, s, 4);
		memcpy(&last, s + len - 4, 4);
		memcpy(to, &first, 4);
		memcpy(to + len - 4, &last, 4);
	} else {
		for (size_t i = 0; i < len; i++)
			to[i] = s[i];
	}
}

static inline void text_bytes(struct text *t, const char *s, size_t len)
{
	if (!text_has_room(t, len)) {
		text_fill(t, s, len);
		return;
	}
	text_copy(t->data + t->len, s, len);
	t->len += len;
	t->data[t->len] = '\0';
}

/* Inlined even with _FORTIFY_SOURCE, so that the length of a literal costs nothing. */
static inline __attribute__((always_inline)) void text_add(struct text *t, const char *s)
{
	text_bytes(t, s, strlen(s));
}

void text_pad(struct text *t, size_t nr);		/* appends nr blanks */
/* appends a histogram in one line: for each count a bar, "▁" to "█"; a blank for 0 */
void text_bars(struct text *t, const uint64_t *counts, unsigned int nr);
/* appends a bar along the line; @part: 0 (nothing) to 1 (all of @cells) */
void text_bar(struct text *t, double part, unsigned int cells);
void text_u64(struct text *t, uint64_t v);
void text_i64(struct text *t, int64_t v);
/* Append the start of a string, at most @cells wide, with … if it is longer. */
void text_excerpt(struct text *t, const char *s, size_t len, int cells);
void text_printf(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Mark of a duration as in the kernel's trace_find_mark(): one of "$@*#!+ ". */
char text_duration_mark(uint64_t duration_ns);
/* That of a delay in latency format: the kernel rounds it to µs before. */
char text_delay_mark(uint64_t delay_ns);

/* Append 4 digits and a unit, 8 cells wide: "1.763 µs", "929.0 µs", "  941 ns", "20.11 ms". */
void text_duration(struct text *t, uint64_t duration_ns);
/* without blanks on either side, for sentences */
void text_trimmed(struct text *t, const struct text *cell);

/* "ENOENT" of -2; NULL: the value is no error, or has no name here. */
const char *text_error_name(int64_t returned);
/* "SIGINT"; "SIG?": the number has no name */
const char *text_signal_name(int number);

/* Append a fraction of at most 9 digits: ".000123" for 123 and 6. */
void text_fraction(struct text *t, uint32_t v, int digits);

/*
 * Append seconds with 6 or 9 decimals: "7.574321".  Rounded to µs like trace-cmd: (ns + 500) /
 * 1000.
 */
void text_seconds(struct text *t, int64_t ts_ns, int decimals);

/* Append a count with its digits in groups of three: "15 823". */
void text_count(struct text *t, uint64_t v);

/* What makes a noun plural behind @nr, in a format. */
#define PLURAL(nr)	((nr) == 1 ? "" : "s")

/* Append "1 event", "15 823 events"; @what is the noun, which takes an s. */
void text_counted(struct text *t, uint64_t nr, const char *what);

/**
 * text_printable() - append untrusted bytes in a form that is safe for a terminal
 *
 * Valid UTF-8 of printable characters is kept.  A control character (C0, DEL, C1), a byte that is
 *                                               not UTF-8 and a
 * character that changes the direction or layout of text (bidi controls, U+2028, U+2029, U+FEFF…)
 * becomes an escape in backslashes: "\n" "\t" "\e" "\x1b" "\u202e".
 */
void text_printable(struct text *t, const char *s, size_t len);

/* Like text_printable(), but tabs become blanks, and @newlines are kept. */
void text_terminal(struct text *t, const char *s, size_t len, bool newlines);

/*
 * Append untrusted bytes as the inside of a JSON string, escaping the same characters as
 * text_printable(); bytes that are not UTF-8 become U+FFFD.
 */
void text_json(struct text *t, const char *s, size_t len);

/* Append untrusted bytes; those that are not UTF-8 become U+FFFD. */
void text_utf8(struct text *t, const char *s, size_t len);

/* Append one CSV field, quoted by RFC 4180 if necessary; bytes that are not UTF-8 become U+FFFD. */
void text_csv(struct text *t, const char *s, size_t len);

/**
 * text_decode() - decode one character of a UTF-8 string
 * @cp: receives the code point, or 0xFFFD for a byte that is not valid UTF-8
 *
 * Return: bytes taken, at least 1 if len > 0; 0 for len == 0.
 */
size_t text_decode(const char *s, size_t len, uint32_t *cp);

/* Width of a code point in cells: 0 (combining), 1 or 2.  Independent of the locale. */
int text_width(uint32_t cp);

/*
 * Number of bytes of printable text that fit into @cells; *used receives their width (may be NULL).
 */
size_t text_prefix(const char *s, size_t len, int cells, int *used);

/* As text_prefix(), for characters whose widths @width returns. */
size_t text_prefix_by(const char *s, size_t len, int cells, int *used, int (*width)(uint32_t cp));

/* From @start on: glyphs that the program prints become one ASCII character, others '?'. */
void text_to_ascii(struct text *t, size_t start);
int text_cells(const char *s, size_t len);		/* width in cells */

/**
 * text_fold() - append lines, folded at blanks to at most @cells
 * @indent: indent of continuation lines, in cells
 *
 * A number stays with the word before it.  Longer words, and lines that begin with a blank, are not
 * folded.
 */
void text_fold(struct text *t, const char *lines, int cells, int indent);

/*
 * For lines such as "  71 bash": parse a number after blanks, and advance *p past it.  False: there
 * is none, or it is above INT32_MAX.
 */
bool text_take_number(const char **p, const char *end, int *number);
/* The same with a sign, up to 64 bits. */
bool text_take_i64(const char **p, const char *end, int64_t *number);
#endif
