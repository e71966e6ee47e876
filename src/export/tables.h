/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_EXPORT_TABLES_H
#define FTOP_SRC_EXPORT_TABLES_H
/*
 * tables - a trace as tables of a dataset: FOLDER/TABLE/NAME.parquet, or .csv, for programs that
 * ask many traces at once.  Tables and columns have the names that trace_processor of Perfetto
 * gives them; share/queries/README.md lists them.
 *
 * A file for each trace, with the trace as a column, is what all readers understand: those of
 * Hive's folders (trace=NAME) disagree about the type of the name, and fail if the file has the
 * column, too.
 */
#include <stdbool.h>
#include "src/base/error.h"
#include "src/base/text.h"
#include "src/trace/trace.h"

struct tables_options {
	/* Create a file, for reading and writing.  Return: a descriptor, or -1. */
	int		(*begin)(const char *path, struct ft_error *err);
	const char	*folder;
	const char	*name;		/* the trace's name, from tables_name() */
	bool		 csv;
};

/* Append a name of a trace: letters, digits and . _ + - of @s, the rest as '_'. */
void tables_name(const char *s, size_t len, struct text *out);

/**
 * tables_export() - write all tables of a trace of one file
 *
 * The trace's directory must be complete.  Memory does not grow with the trace.
 * Return: 0, or -1 with FT_E_IO, FT_E_LIMIT, or an error of options.begin(); then the files are not
 * complete.
 */
int tables_export(struct trace *trace, const struct tables_options *options, struct ft_error *err);
#endif
