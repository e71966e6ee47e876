/* SPDX-License-Identifier: GPL-2.0-or-later */
/* parquet - the parts of a file: rows, pages, row groups, the footer.  See parquet.thrift. */
#include "src/parquet/parquet.h"

#include <endian.h>
#include <errno.h>
#include <pthread.h>
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

struct page_packer {			/* state of one thread */
	struct text	body, packed;	/* a page, before and after compression */
#ifdef HAVE_ZSTD
	ZSTD_CCtx	*zstd;		/* owned; NULL: none yet */
#endif
};

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
	struct text	line;		/* for a while */
	struct text	dictionary;	/* page of the column that is being written */
	uint64_t	group_bytes;	/* before compression */
	/* The page that has ended, whose columns workers and the owner's thread encode: */
	struct workers	*workers;	/* borrowed; NULL: none */
	struct worker_group jobs;
	struct page_packer *packers;	/* owned, [workers + 1]; the last is the owner's */
	uint32_t	ended_rows;
	pthread_mutex_t	lock;		/* protects what follows */
	pthread_cond_t	done;		/* signalled when `left` is 0 */
	unsigned int	next, left;	/* columns: the first that nobody has, those not done */
	unsigned int	nr_jobs;	/* queued or running */
	bool		no_memory;	/* for a page */
};

/* --- pages ---------------------------------------------------------------------------------- */

/* False: there is no memory for it. */
static bool compress(struct page_packer *packer)
{
#ifdef HAVE_ZSTD
	size_t most = ZSTD_compressBound(packer->body.len), got;

	if (!packer->zstd)
		packer->zstd = ZSTD_createCCtx();
	if (!packer->zstd)
		return false;
	text_clear(&packer->packed);
	text_reserve(&packer->packed, most);
	got = ZSTD_compressCCtx(packer->zstd, packer->packed.data, most, text_str(&packer->body),
				packer->body.len, ZSTD_LEVEL);
	packer->packed.len = ZSTD_isError(got) ? 0 : got;
	return !ZSTD_isError(got);
#else
	text_clear(&packer->packed);
	text_bytes(&packer->packed, text_str(&packer->body), packer->body.len);
	return true;
#endif
}

/* How many workers there are. */
static unsigned int helpers(const struct parquet *p)
{
	return p->workers ? workers_nr(p->workers) : 0;
}

static struct page_packer *own_packer(const struct parquet *p)
{
	return &p->packers[helpers(p)];
}

static void packer_fini(struct page_packer *packer)
{
	text_fini(&packer->body);
	text_fini(&packer->packed);
#ifdef HAVE_ZSTD
	ZSTD_freeCCtx(packer->zstd);
#endif
}

/*
 * Compress the packer's body, and append it with its header; the body is empty afterwards.
 * Return: false: there is no memory for it.
 */
static bool add_page(struct page_packer *packer, struct column *c, int type, int encoding,
		     uint32_t nr, struct text *out)
{
	size_t start = out->len;
	struct thrift page = { out, 0 }, values;
	bool ok = compress(packer);

	thrift_i32(&page, 1, type);
	thrift_i32(&page, 2, (int32_t)packer->body.len);
	thrift_i32(&page, 3, (int32_t)packer->packed.len);
	values = thrift_struct(&page, type == DATA_PAGE ? 5 : 7);
	thrift_i32(&values, 1, (int32_t)nr);
	thrift_i32(&values, 2, encoding);
	if (type == DATA_PAGE) {
		thrift_i32(&values, 3, ENCODING_RLE);
		thrift_i32(&values, 4, ENCODING_RLE);
	}
	thrift_end(&values);
	thrift_end(&page);
	c->page_bytes += out->len - start + packer->body.len;
	text_bytes(out, text_str(&packer->packed), packer->packed.len);
	text_clear(&packer->body);
	return ok;
}

static bool encode_column(struct parquet *p, struct column *c, struct page_packer *packer)
{
	int encoding = page_body(c, p->ended_rows, &packer->body);

	return add_page(packer, c, DATA_PAGE, encoding, p->ended_rows, &c->pages);
}

/* Encode the columns of the page that has ended which no other thread has. */
static void encode(struct parquet *p, struct page_packer *packer)
{
	pthread_mutex_lock(&p->lock);
	while (p->next < p->nr) {
		struct column *c = &p->columns[p->next++];
		bool ok;

		pthread_mutex_unlock(&p->lock);
		ok = encode_column(p, c, packer);
		pthread_mutex_lock(&p->lock);
		p->no_memory |= !ok;
		if (!--p->left)
			pthread_cond_signal(&p->done);
	}
	pthread_mutex_unlock(&p->lock);
}

static void help(void *arg, unsigned int worker, bool cancelled)
{
	struct parquet *p = arg;

	if (!cancelled)
		encode(p, &p->packers[worker]);
	pthread_mutex_lock(&p->lock);
	p->nr_jobs--;
	pthread_mutex_unlock(&p->lock);
}

static void check_memory(struct parquet *p, bool ok)
{
	if (!ok && !p->failed)
		p->failed = ft_error_set(&p->err, FT_E_NOMEM, -1, "no memory to compress a page");
}

/*
 * Wait for the page that has ended.  This thread encodes, too, and waits for no queued job: all
 * workers may be busy, or one of them be this thread.
 */
static void wait_page(struct parquet *p)
{
	encode(p, own_packer(p));
	pthread_mutex_lock(&p->lock);
	while (p->left)
		pthread_cond_wait(&p->done, &p->lock);
	check_memory(p, !p->no_memory);
	pthread_mutex_unlock(&p->lock);
}

/* Let workers encode it, after the one before it. */
static void end_page(struct parquet *p)
{
	unsigned int more;

	wait_page(p);
	if (!p->page_rows)
		return;
	for (unsigned int i = 0; i < p->nr; i++) {
		struct column *c = &p->columns[i];
		struct column_page empty = c->ended;

		c->ended = c->page;
		c->ended.nr_entries = c->nr_entries;
		c->page = empty;
	}
	p->ended_rows = p->page_rows;
	p->page_rows = 0;
	pthread_mutex_lock(&p->lock);
	p->next = 0;
	p->left = p->nr;
	more = helpers(p) - p->nr_jobs;
	p->nr_jobs += more;
	pthread_mutex_unlock(&p->lock);
	while (more--)
		workers_add(p->workers, &p->jobs, WORKER_REQUESTED, help, p);
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
	enum parquet_kind kind = c->def->kind;

	thrift_list(t, 2, THRIFT_I32, kind == PARQUET_PLAIN ? 2 : 3);
	thrift_zigzag(t->out, ENCODING_PLAIN);
	thrift_zigzag(t->out, ENCODING_RLE);
	if (kind == PARQUET_STRING)
		thrift_zigzag(t->out, ENCODING_RLE_DICTIONARY);
	else if (kind == PARQUET_INT)
		thrift_zigzag(t->out, ENCODING_DELTA_BINARY_PACKED);
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
	memset(c->recent, 0, sizeof(c->recent));
}

/* Write a column of the group, and its ColumnChunk; then it is empty. */
static void write_column(struct parquet *p, struct column *c)
{
	struct thrift chunk = { &p->groups, 0 }, metadata;
	struct page_packer *packer = own_packer(p);

	if (c->nr_entries) {
		text_bytes(&packer->body, text_str(&c->dictionary), c->dictionary.len);
		check_memory(p, add_page(packer, c, DICTIONARY_PAGE, ENCODING_PLAIN, c->nr_entries,
					 &p->dictionary));
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
	wait_page(p);
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

/* Its place in the dictionary. */
static uint32_t add_string(struct parquet *p, struct column *c, const char *s, size_t len)
{
	uint32_t place;

	if (!is_ascii(s, len)) {
		text_clear(&p->line);
		text_utf8(&p->line, s, len);
		s = text_str(&p->line);
		len = p->line.len;
	}
	place = column_string(c, s, len);
	p->is_full |= c->dictionary.len > MOST_STRINGS;
	return place;
}

static inline uint32_t add_name(struct parquet *p, struct column *c, const char *s)
{
	uint64_t hash = (uint64_t)(uintptr_t)s * 0x9e3779b97f4a7c15u;
	struct recent_name *recent = &c->recent[hash >> (64 - RECENT_BITS)];

	if (__builtin_expect(recent->s != s, 0))
		*recent = (struct recent_name){ s, add_string(p, c, s, strlen(s)) };
	return recent->entry;
}

static void add_line(struct parquet *p, const struct cell *cells)
{
	struct text *out = &p->out.block;

	for (unsigned int i = 0; i < p->nr; i++) {
		if (i)
			text_char(out, ',');
		if (cells[i].kind == CELL_INT)
			text_i64(out, cells[i].number);
		else if (cells[i].kind != CELL_NULL)
			text_csv(out, cells[i].s,
				 cells[i].kind == CELL_NAME ? strlen(cells[i].s) : cells[i].len);
	}
	text_char(out, '\n');
	p->failed = output_more(&p->out, &p->err);
}

void parquet_row(struct parquet *p, const struct cell *cells)
{
	uint32_t row = p->page_rows, nr = p->nr;
	struct column *c = p->columns;

	if (p->csv && !p->failed)
		add_line(p, cells);
	if (p->csv || p->failed)
		return;
	for (const struct cell *cell = cells; cell < cells + nr; cell++, c++) {
		struct column_page *page = &c->page;

		switch (cell->kind) {
		case CELL_NULL:
			page->nulls[row / 8] |= (uint8_t)(1u << row % 8);
			break;
		case CELL_INT:
			page->values[page->nr++] = cell->number;
			break;
		case CELL_NAME:
			page->values[page->nr++] = add_name(p, c, cell->s);
			break;
		case CELL_STRING:
			page->values[page->nr++] = add_string(p, c, cell->s, cell->len);
			break;
		}
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

struct parquet *parquet_new(int fd, const struct parquet_column *columns, unsigned int nr, bool csv,
			    struct workers *workers)
{
	struct parquet *p = mem_alloc(sizeof(*p));

	output_init(&p->out, fd);
	p->nr = p->next = nr;
	p->csv = csv;
	p->workers = workers;
	p->packers = mem_array(helpers(p) + 1, sizeof(*p->packers));
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->done, NULL);
	p->columns = mem_array(nr, sizeof(*p->columns));
	for (unsigned int i = 0; i < nr; i++) {
		struct column *c = &p->columns[i];

		c->def = &columns[i];
		begin_column(c);
		c->page.values = csv ? NULL : mem_array(PAGE_ROWS, sizeof(*c->page.values));
		c->ended.values = csv ? NULL : mem_array(PAGE_ROWS, sizeof(*c->ended.values));
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
	struct text *out = &p->line;
	struct thrift file = { out, 0 };
	uint32_t length;

	text_clear(out);
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
	if (p->workers)
		workers_wait(p->workers, &p->jobs);
	if (p->out.fd >= 0)
		close(p->out.fd);
	for (unsigned int i = 0; i < p->nr; i++) {
		struct column *c = &p->columns[i];

		free(c->page.values);
		free(c->ended.values);
		free(c->entries);
		text_fini(&c->pages);
		text_fini(&c->dictionary);
		index_map_fini(&c->map);
	}
	free(p->columns);
	text_fini(&p->out.block);
	text_fini(&p->groups);
	text_fini(&p->line);
	text_fini(&p->dictionary);
	for (unsigned int i = 0; i <= helpers(p); i++)
		packer_fini(&p->packers[i]);
	free(p->packers);
	pthread_cond_destroy(&p->done);
	pthread_mutex_destroy(&p->lock);
	free(p);
}
