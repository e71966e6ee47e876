/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * make_parquet FILE ROWS - writes a table by formulas that tests/compare/tables.py has, too: every
 * encoding, NULLs, a dictionary of many strings, bytes that are not UTF-8.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/parquet/parquet.h"

static const struct parquet_column columns[] = {
	{ "constant", PARQUET_STRING }, { "id", PARQUET_INT },
	{ "mixed", PARQUET_INT },		     { "sparse", PARQUET_INT },
	{ "never", PARQUET_INT },		     { "plain", PARQUET_PLAIN },
	{ "few", PARQUET_STRING },	     { "many", PARQUET_STRING },
	{ "none", PARQUET_STRING },	     { "odd", PARQUET_STRING },
};

int main(int argc, char **argv)
{
	static const char *const odd[] = { "", "caf\xc3\xa9", "caf\xe9", "a\"b,c\n",
					   "\xf0\x9f\x90\xa7" };
	uint64_t rows = argc == 3 ? strtoull(argv[2], NULL, 10) : 0, mixed = 1;
	struct ft_error err = { .offset = -1 };
	struct workers *workers = workers_new(2);
	struct parquet *p;
	char many[160];
	int fd, ret;

	if (argc != 3 || (fd = open(argv[1], O_WRONLY | O_CREAT | O_TRUNC, 0644)) < 0)
		return 2;
	p = parquet_new(fd, columns, sizeof(columns) / sizeof(columns[0]), false, workers);
	for (uint64_t i = 0; i < rows; i++) {
		mixed = mixed * 6364136223846793005u + 1442695040888963407u;
		memset(many, 'x', sizeof(many));
		snprintf(many, sizeof(many), "%llu", (unsigned long long)mixed);
		const struct cell cells[] = {
			cell_name("every row"),
			cell_int((int64_t)i),
			cell_int((int64_t)(i % 3 ? mixed : mixed >> i % 64)),
			cell_int_if(i % 7 == 3, -(int64_t)i),
			cell_null(),
			cell_int((int64_t)mixed),
			cell_bytes(i % 5 ? &"abcdefghi"[i % 9] : NULL, i % 9 ? 1 : 3),
			cell_bytes(many, i % 1000 ? strlen(many) : sizeof(many)),
			cell_null(),
			cell_string(odd[i % 5]),
		};

		parquet_row(p, cells);
	}
	ret = parquet_end(p, &err);
	parquet_free(p);
	workers_free(workers);
	return ret ? 1 : 0;
}
