/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/report/report_search.h"

#include <stdlib.h>
#include <string.h>

#include "parsers/lines/line_search.h"
#include "parsers/lines/line_source.h"
#include "parsers/source/source.h"
#include "src/base/memory.h"
#include "src/filter/regex_literals.h"

#define HEAD_BYTES (256u << 10)
#define MOST_BYTES (64u << 20) /* of lines, kept until the last one is found */

struct found_row {
	uint64_t ts;
	int cpu;
	size_t at, len; /* in text */
};

struct lines_found {
	const struct line_file_info *info;
	struct text text;       /* owned: of all rows */
	struct found_row *rows; /* owned, [nr] */
	size_t nr, cap;
	uint64_t last[LINE_MAX_CPU + 2]; /* stamps by CPU + 1 */
	int64_t counted;
};

uint64_t report_search_head(const struct report_options *o)
{
	bool picks = o->nr_filters || o->cpus || o->from || o->to || o->tail >= 0 || o->no_irqs ||
		     o->no_softirqs || o->exact || o->offsets;

	return o->grep && o->nr_inputs == 1 && !picks && o->format == FORMAT_TEXT &&
			       o->text_style == REPORT_TRACE_CMD ?
		       HEAD_BYTES :
		       0;
}

/* Is all of the head understood, and in the order of time on each CPU? */
static bool is_orderly(const struct line_file *file)
{
	const struct line_file_info *info = line_file_info(file);
	const struct type_count *counts;

	if (info->unknown || info->is_hist || info->is_perf)
		return false;
	for (unsigned int cpu = 0; cpu < info->nr_cpus; cpu++)
		for (uint64_t page = 0; page < line_file_pages(file, (int)cpu); page++)
			if (line_file_sum(file, page, (int)cpu, &counts).is_backwards)
				return false;
	return true;
}

/* Keep a row that matches.  False: the rows' order is not known, or they are too many. */
static bool keep(struct lines_found *found, const struct line_found *row, size_t at)
{
	uint64_t *last = &found->last[row->cpu <= LINE_MAX_CPU ? row->cpu + 1 : 0];

	if (!found->info->is_untimed && (!row->ts || row->ts < *last))
		return false;
	*last = row->ts;
	mem_grow(&found->rows, found->nr, &found->cap);
	found->rows[found->nr++] = (struct found_row){ row->ts, row->cpu, at,
						       found->text.len - at };
	return found->text.len < MOST_BYTES;
}

/* False: the index is needed. */
static bool find_rows(struct line_search *search, const struct report_options *o,
		      const struct report_filter *filter, struct lines_found *found)
{
	enum line_search_end end;
	struct line_found row;

	while (line_search_next(search, &row, &end)) {
		size_t at = found->text.len;

		text_bytes(&found->text, row.all.s, row.all.len);
		text_char(&found->text, '\n');
		if (!report_filter_greps(filter, NULL, text_str(&found->text) + at,
					 found->text.len - at)) {
			found->text.len = at;
			continue;
		}
		found->counted++;
		if (o->count)
			found->text.len = at;
		else if (!keep(found, &row, at))
			return false;
	}
	return end == LINE_SEARCH_ALL;
}

/* Lines of the same µs are in the order of the text; with ns, those of lower CPUs come first. */
static int compare(const void *a, const void *b, void *arg)
{
	const struct found_row *x = a, *y = b;
	const struct line_file_info *info = arg;

	if (x->ts != y->ts && !info->is_untimed)
		return x->ts < y->ts ? -1 : 1;
	if (x->cpu != y->cpu && (info->has_ns || info->is_count) && !info->is_untimed)
		return x->cpu < y->cpu ? -1 : 1;
	return x->at < y->at ? -1 : 1;
}

static int write_rows(struct lines_found *found, const struct report_options *o, struct output *out,
		      struct ft_error *err)
{
	int ret = 0;

	if (found->nr)
		qsort_r(found->rows, found->nr, sizeof(*found->rows), compare, (void *)found->info);
	for (size_t i = 0; i < found->nr && (int64_t)i < found->counted && !ret; i++) {
		const char *s = text_str(&found->text) + found->rows[i].at;

		if (o->terminal)
			text_terminal(&out->block, s, found->rows[i].len, true);
		else
			text_bytes(&out->block, s, found->rows[i].len);
		ret = output_more(out, err);
	}
	return ret;
}

static struct line_search *search_for(const struct line_file *file,
				      const struct regex_literals *literals)
{
	struct line_word words[REGEX_LITERAL_WORDS];
	unsigned int nr = 0;

	for (; literals->nr && nr < literals->sets[0].nr; nr++)
		words[nr] = (struct line_word){ literals->sets[0].words[nr].s,
						literals->sets[0].words[nr].len };
	return line_search_new(file, words, nr);
}

int report_search(struct trace *trace, const struct report_options *o,
		  const struct report_filter *filter, struct output *out, int64_t *counted,
		  struct ft_error *err)
{
	const struct line_file *file = line_source_file(trace_file_of(trace, 0));
	struct regex_literals literals;
	struct lines_found *found;
	struct line_search *search;
	int ret = 0;

	if (!file || !is_orderly(file) || trace_pipe(trace) != TRACE_PIPE_NONE)
		return 0;
	found = mem_alloc(sizeof(*found));
	found->info = line_file_info(file);
	regex_literals_init(&literals, o->grep, strlen(o->grep));
	search = search_for(file, &literals);
	if (find_rows(search, o, filter, found)) {
		if (o->head >= 0 && found->counted > o->head)
			found->counted = o->head;
		*counted = found->counted;
		ret = o->count || !write_rows(found, o, out, err) ? 1 : -1;
	}
	line_search_free(search);
	regex_literals_fini(&literals);
	text_fini(&found->text);
	free(found->rows);
	free(found);
	return ret;
}
