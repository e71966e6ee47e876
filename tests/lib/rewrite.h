/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_TESTS_REWRITE_H
#define FTOP_TESTS_REWRITE_H
/*
 * rewrite - one trace.dat written again in another form: version, compression,
 * size of chunks.  What is in it stays the same, byte for byte, so that every
 * reader must say the same of both.
 */
#include <stdbool.h>
#include "parsers/source/source.h"
#include "parsers/writer/trace_writer.h"
#include "src/base/error.h"

struct rewrite_form {
	int			version;	/* 6 or 7 */
	enum trace_compression	compression;
	uint32_t		chunk_pages;	/* 0 = 10 */
	bool			one_cpu;	/* the others recorded nothing */
	int			cpu;		/* that one */
	long long		offset_ns;	/* the option OFFSET; 0: none is added */
};

/*
 * Write FROM's contents as PATH.  Not taken over: sections that trace_writer does not write (BTF,
 *                                 modules), and the rest
 * of a cut sub-buffer, which is filled with zeros.
 */
int rewrite_trace(const struct source *from, const char *path, const struct rewrite_form *form,
		  struct ft_error *err);

/*
 * The first difference of two traces in words (metadata, buffers, all sub-buffers), in a static
 * buffer; NULL if none.
 */
const char *rewrite_difference(const struct source *a, const struct source *b);
#endif
