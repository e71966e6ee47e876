/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_TESTS_LIB_OPENED_BYTES_H
#define FTOP_TESTS_LIB_OPENED_BYTES_H
/*
 * opened_bytes - a container that was put byte by byte (small_traces.h), opened: as a sound one, as
 * one that is refused, or as one with a note.  Include it behind <cmocka.h>.
 */
#include "tests/lib/small_traces.h"

static struct small_trace t;	/* 64 KiB of bytes; what is opened below */

static inline struct source *open_sound(void)
{
	struct ft_error err = { 0 };
	struct source *file = fb_open(&t.b, &err);

	if (!file)
		fail_msg("byte %d: %s", (int)err.offset, err.message);
	return file;
}

static inline void open_fails(size_t len, enum ft_error_code code, int64_t offset,
			      const char *words)
{
	struct ft_error err = { 0 };
	struct source *file = fb_open_bytes(t.b.data, len, &err);

	assert_null(file);
	if (!strstr(err.message, words))
		fail_msg("\"%s\" is not in \"%s\"", words, err.message);
	assert_int_equal(err.code, code);
	assert_int_equal(err.offset, offset);
}

/* Open what is damaged; it must say these words at this offset. */
static inline struct source *open_noted(int64_t offset, const char *words)
{
	struct source *file = open_sound();
	bool found = false;

	fb_use(file);
	for (unsigned int i = 0; i < source_nr_warnings(file); i++) {
		struct ft_error note = source_warning(file, i);

		found |= note.offset == offset && strstr(note.message, words);
	}
	if (!found) {
		for (unsigned int i = 0; i < source_nr_warnings(file); i++)
			print_message("note at %d: %s\n", (int)source_warning(file, i).offset,
				      source_warning(file, i).message);
		fail_msg("no note \"%s\" at %d", words, (int)offset);
	}
	return file;
}

static inline void check_text(const struct source *file, enum trace_text kind, const char *text)
{
	uint64_t size;

	assert_string_equal(source_text(file, kind, &size), text);
	assert_int_equal(size, strlen(text));
}
#endif
