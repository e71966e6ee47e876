/* SPDX-License-Identifier: GPL-2.0-or-later */
/* parquet - the parts of a file: rows, pages, row groups, the footer.  See parquet.thrift. */
#include "src/parquet/parquet.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

#include "src/base/memory.h"
#include "src/base/output.h"
#include "src/parquet/parquet_private.h"

#define GROUP_ROWS	1000000u
#define MOST_STRINGS	(32u << 20)	/* bytes of a dictionary: then the group ends */
#define ZSTD_LEVEL	1

#define MAGIC		"PAR1"
#define CREATED_BY	PACKAGE_NAME " version " PACKAGE_VERSION

#ifdef HAVE_ZSTD
enum { CODEC = 6 };
#else
enum { CODEC = 0 };			/* uncompressed */
#endif
enum { DATA_PAGE = 0, DICTIONARY_PAGE = 2 };
enum { OPTIONAL = 1, CONVERTED_UTF8 = 0 };

struct parquet {
	struct column	*columns;	/* owned, [nr] */
	unsigned int	nr;
	bool		csv;		/* else Parquet */
	uint32_t	page_rows;	/* in the page, which are in the group, too */
	uint32_t	group_rows;
	bool		is_full;	/* the group: of strings */
	struct output	out;
	bool		failed;
	struct ft_error	err;		/* failed: why */
	uint64_t	rows;
	struct text	groups;		/* RowGroups of the footer */
	uint32_t	nr_groups;
	struct text	body, packed;	/* a page, before and after compression */
	struct text	dictionary;	/* page of the column that is being written */
	uint64_t	group_bytes;	/* before compression */
};

/* --- pages ---------------------------------------------------------------------------------- */

static void compress(struct parquet *p)
{
#ifdef HAVE_ZSTD
	size_t most = ZSTD_compressBound(p->body.len), got;

	text_clear(&p->packed);
	text_reserve(&p->packed, most);
	got = ZSTD_compress(p->packed.data, most, text_str(&p->body), p->body.len, ZSTD_LEVEL);
	p->packed.len = ZSTD_isError(got) ? 0 : got;
	if (ZSTD_isError(got) && !p->failed)
		p->failed = ft_error_set(&p->err, FT_E_NOMEM, -1, "zstd: %s",
					 ZSTD_getErrorName(got));
#else
	text_clear(&p->packed);
	text_bytes(&p->packed, text_str(&p->body), p->body.len);
#endif
}

/* Compress the body, and append it with its header; the body is empty afterwards. */
static void add_page(struct parquet *p, struct column *c, int type, int encoding, uint32_t nr,
		     struct text *out)
{
	size_t start = out->len;
	struct thrift page = { out, 0 }, values;

	compress(p);
	thrift_i32(&page, 1, type);
	thrift_i32(&page, 2, (int32_t)p->body.len);
	thrift_i32(&page, 3, (int32_t)p->packed.len);
	values = thrift_struct(&page, type == DATA_PAGE ? 5 : 7);
	thrift_i32(&values, 1, (int32_t)nr);
	thrift_i32(&values, 2, encoding);
	if (type == DATA_PAGE) {
		thrift_i32(&values, 3, ENCODING_RLE);
		thrift_i32(&values, 4, ENCODING_RLE);
	}
	thrift_end(&values);
	thrift_end(&page);
	c->page_bytes += out->len - start + p->body.len;
	text_bytes(out, text_str(&p->packed), p->packed.len);
	text_clear(&p->body);
}

static void end_page(struct parquet *p)
{
	for (unsigned int i = 0; i < p->nr && p->page_rows; i++) {
		struct column *c = &p->columns[i];

		add_page(p, c, DATA_PAGE, page_body(c, p->page_rows, &p->body), p->page_rows,
			 &c->pages);
	}
	p->page_rows = 0;
}

/* --- row groups ----------------------------------------------------------------------------- */

static uint64_t offset_of(const struct parquet *p)
{
	return p->out.written + p->out.block.len;
}

static void write_out(struct parquet *p, struct text *bytes)
{
	if (!p->failed && output_piece(&p->out, text_str(bytes), bytes->len, &p->err))
		p->failed = true;
	text_clear(bytes);
}

static void add_encodings(const struct column *c, struct thrift *t)
{
	bool is_string = c->def->kind == PARQUET_STRING;

	thrift_list(t, 2, THRIFT_I32, 2 + is_string);
	thrift_zigzag(t->out, ENCODING_PLAIN);
	thrift_zigzag(t->out, ENCODING_RLE);
	if (is_string)
		thrift_zigzag(t->out, ENCODING_RLE_DICTIONARY);
}

/* Append its ColumnMetaData. */
static void add_metadata(struct parquet *p, const struct column *c, struct thrift *t)
{
	uint64_t start = offset_of(p);
	size_t name = strlen(c->def->name);

	thrift_i32(t, 1, c->def->kind == PARQUET_STRING ? TYPE_BYTE_ARRAY : TYPE_INT64);
	add_encodings(c, t);
	thrift_list(t, 3, THRIFT_BINARY, 1);
	thrift_varint(t->out, name);
	text_bytes(t->out, c->def->name, name);
	thrift_i32(t, 4, CODEC);
	thrift_i64(t, 5, p->group_rows);
	thrift_i64(t, 6, (int64_t)c->page_bytes);
	thrift_i64(t, 7, (int64_t)(p->dictionary.len + c->pages.len));
	thrift_i64(t, 9, (int64_t)(start + p->dictionary.len));
	if (c->nr_entries)
		thrift_i64(t, 11, (int64_t)start);
	column_statistics(c, p->group_rows, t);
	thrift_end(t);
}

static void begin_column(struct column *c)
{
	c->page_bytes = c->nr_nulls = 0;
	c->min = INT64_MAX;
	c->max = INT64_MIN;
	text_clear(&c->dictionary);
	index_map_clear(&c->map);
	c->nr_entries = 0;
}

/* Write a column of the group, and its ColumnChunk; then it is empty. */
static void write_column(struct parquet *p, struct column *c)
{
	struct thrift chunk = { &p->groups, 0 }, metadata;

	if (c->nr_entries) {
		text_bytes(&p->body, text_str(&c->dictionary), c->dictionary.len);
		add_page(p, c, DICTIONARY_PAGE, ENCODING_PLAIN, c->nr_entries, &p->dictionary);
	}
	thrift_i64(&chunk, 2, 0);
	metadata = thrift_struct(&chunk, 3);
	add_metadata(p, c, &metadata);
	thrift_end(&chunk);
	p->group_bytes += c->page_bytes;
	write_out(p, &p->dictionary);
	write_out(p, &c->pages);
	begin_column(c);
}

static void end_group(struct parquet *p)
{
	struct thrift group = { &p->groups, 0 };

	end_page(p);
	if (!p->group_rows)
		return;
	p->group_bytes = 0;
	thrift_list(&group, 1, THRIFT_STRUCT, p->nr);
	for (unsigned int i = 0; i < p->nr; i++)
		write_column(p, &p->columns[i]);
	thrift_i64(&group, 2, (int64_t)p->group_bytes);
	thrift_i64(&group, 3, p->group_rows);
	thrift_end(&group);
	p->nr_groups++;
	p->rows += p->group_rows;
	p->group_rows = 0;
	p->is_full = false;
}

/* --- rows ----------------------------------------------------------------------------------- */

static bool is_ascii(const char *s, size_t len)
{
	unsigned char all = 0;

	for (size_t i = 0; i < len; i++)
		all |= (unsigned char)s[i];
	return all < 0x80;
}

static void add_string(struct parquet *p, struct column *c, const char *s, size_t len)
{
	if (!is_ascii(s, len)) {
		text_clear(&p->body);
		text_utf8(&p->body, s, len);
		s = text_str(&p->body);
		len = p->body.len;
	}
	column_string(c, s, len);
	text_clear(&p->body);
	p->is_full |= c->dictionary.len > MOST_STRINGS;
}

static void add_line(struct parquet *p, const struct cell *cells)
{
	struct text *out = &p->out.block;

	for (unsigned int i = 0; i < p->nr; i++) {
		if (i)
			text_char(out, ',');
		if (cells[i].kind == CELL_INT)
			text_i64(out, cells[i].number);
		else if (cells[i].kind == CELL_STRING)
			text_csv(out, cells[i].s, cells[i].len);
	}
	text_char(out, '\n');
	p->failed = output_more(&p->out, &p->err);
}

void parquet_row(struct parquet *p, const struct cell *cells)
{
	if (p->csv && !p->failed)
		add_line(p, cells);
	if (p->csv || p->failed)
		return;
	for (unsigned int i = 0; i < p->nr; i++) {
		struct column *c = &p->columns[i];

		if (cells[i].kind == CELL_NULL)
			continue;
		if (__builtin_expect(!c->values, 0))
			c->values = mem_array(PAGE_ROWS, sizeof(*c->values));
		c->levels[p->page_rows / 8] |= 1u << p->page_rows % 8;
		if (cells[i].kind == CELL_INT)
			c->values[c->nr++] = cells[i].number;
		else
			add_string(p, c, cells[i].s, cells[i].len);
	}
	p->page_rows++;
	if (++p->group_rows == GROUP_ROWS || p->is_full)
		end_group(p);
	else if (p->page_rows == PAGE_ROWS)
		end_page(p);
}

/* --- the file ------------------------------------------------------------------------------- */

static void begin_file(struct parquet *p)
{
	struct text *out = &p->out.block;

	if (!p->csv)
		text_add(out, MAGIC);
	for (unsigned int i = 0; p->csv && i < p->nr; i++)
		text_printf(out, "%s%s", p->columns[i].def->name, i < p->nr - 1 ? "," : "\n");
}

struct parquet *parquet_new(int fd, const struct parquet_column *columns, unsigned int nr, bool csv)
{
	struct parquet *p = mem_alloc(sizeof(*p));

	output_init(&p->out, fd);
	p->nr = nr;
	p->csv = csv;
	p->columns = mem_array(nr, sizeof(*p->columns));
	for (unsigned int i = 0; i < nr; i++) {
		p->columns[i].def = &columns[i];
		begin_column(&p->columns[i]);
	}
	begin_file(p);
	return p;
}

bool parquet_failed(const struct parquet *p)
{
	return p->failed;
}

static void add_schema(const struct parquet *p, struct thrift *file)
{
	struct thrift root = { file->out, 0 };

	thrift_list(file, 2, THRIFT_STRUCT, p->nr + 1);
	thrift_bytes(&root, 4, "schema", 6);
	thrift_i32(&root, 5, (int32_t)p->nr);
	thrift_end(&root);
	for (unsigned int i = 0; i < p->nr; i++) {
		const struct parquet_column *def = p->columns[i].def;
		bool is_string = def->kind == PARQUET_STRING;
		struct thrift t = { file->out, 0 };

		thrift_i32(&t, 1, is_string ? TYPE_BYTE_ARRAY : TYPE_INT64);
		thrift_i32(&t, 3, OPTIONAL);
		thrift_bytes(&t, 4, def->name, strlen(def->name));
		if (is_string)
			thrift_i32(&t, 6, CONVERTED_UTF8);
		thrift_end(&t);
	}
}

/* Numbers, and strings by their bytes: in this order are the statistics. */
static void add_orders(const struct parquet *p, struct thrift *file)
{
	thrift_list(file, 7, THRIFT_STRUCT, p->nr);
	for (unsigned int i = 0; i < p->nr; i++) {
		struct thrift order = { file->out, 0 }, by_type = thrift_struct(&order, 1);

		thrift_end(&by_type);
		thrift_end(&order);
	}
}

static void add_footer(struct parquet *p)
{
	struct text *out = &p->body;
	struct thrift file = { out, 0 };
	uint32_t length;

	thrift_i32(&file, 1, 2);
	add_schema(p, &file);
	thrift_i64(&file, 3, (int64_t)p->rows);
	thrift_list(&file, 4, THRIFT_STRUCT, p->nr_groups);
	text_bytes(out, text_str(&p->groups), p->groups.len);
	thrift_bytes(&file, 6, CREATED_BY, strlen(CREATED_BY));
	add_orders(p, &file);
	thrift_end(&file);
	length = htole32((uint32_t)out->len);
	text_bytes(out, (const char *)&length, sizeof(length));
	text_add(out, MAGIC);
	write_out(p, out);
}

int parquet_end(struct parquet *p, struct ft_error *err)
{
	if (!p->csv) {
		end_group(p);
		add_footer(p);
	}
	if (!p->failed)
		p->failed = output_now(&p->out, &p->err);
	if (close(p->out.fd) && !p->failed)
		p->failed = ft_error_errno(&p->err, errno, -1, "writing");
	p->out.fd = -1;
	if (p->failed)
		*err = p->err;
	return p->failed ? -1 : 0;
}

void parquet_free(struct parquet *p)
{
	if (!p)
		return;
	if (p->out.fd >= 0)
		close(p->out.fd);
	for (unsigned int i = 0; i < p->nr; i++) {
		struct column *c = &p->columns[i];

		free(c->values);
		free(c->entries);
		text_fini(&c->pages);
		text_fini(&c->dictionary);
		index_map_fini(&c->map);
	}
	free(p->columns);
	text_fini(&p->out.block);
	text_fini(&p->groups);
	text_fini(&p->body);
	text_fini(&p->packed);
	text_fini(&p->dictionary);
	free(p);
}
