/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/match/filter_option.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"
#include "src/trace/warnings.h"

int filter_option(struct filter_given *g, const struct option_value *value, struct ft_error *err)
{
	switch (value->id) {
	case FILTER_OPTION_FILTER:
		mem_grow(&g->sources, g->nr, &g->cap);
		g->sources[g->nr++] = (struct filter_source){ .text = value->value,
							      .negate = g->negate,
							      .file = -1 };
		return 1;
	case FILTER_OPTION_NEGATE:
		if (g->negate)
			return ft_error_set(
				err, FT_E_USAGE, -1,
				"-v applies to all -F after it, so it can only be given once");
		g->negate = true;
		return 1;
	case FILTER_OPTION_COMPAT:
		g->compat = true;
		return 1;
	case FILTER_OPTION_GREP:
		g->grep = value->value;
		return 1;
	case FILTER_OPTION_COUNT:
		g->count = true;
		return 1;
	case FILTER_OPTION_FROM:
		g->from = value->value;
		return 1;
	case FILTER_OPTION_TO:
		g->to = value->value;
		return 1;
	case FILTER_OPTION_CPU:
		if (!g->cpus)
			g->cpus = mem_array(FILTER_OPTION_CPUS, sizeof(*g->cpus));
		return options_cpus("--cpu", value->value, g->cpus, FILTER_OPTION_CPUS, err) ? -1 :
											       1;
	case FILTER_OPTION_FORMAT:
		return table_format_parse(value->value, &g->format, err) ? -1 : 1;
	case FILTER_OPTION_TABLE_FORMAT:
		g->parquet = !strcmp(value->value, "parquet");
		if (g->parquet)
			g->format = FORMAT_CSV;
		return !g->parquet && table_format_parse(value->value, &g->format, err) ? -1 : 1;
	case FILTER_OPTION_SORT:
		g->sort = value->value;
		return 1;
	case FILTER_OPTION_HEAD:
		g->has_head = true;
		return options_number("--head", value->value, 0, INT64_MAX, &g->head, err) ? -1 : 1;
	case FILTER_OPTION_UNIT:
		return table_unit_parse(value->value, &g->unit, err) ? -1 : 1;
	case FILTER_OPTION_ASCII:
		g->ascii = true;
		return 1;
	}
	return 0;
}

void filter_given_fini(struct filter_given *g)
{
	free(g->sources);
	free(g->cpus);
}

int filter_option_grep(struct filter_pattern *m, const char *regex, struct ft_error *err)
{
	struct filter_error e = { 0 };
	bool ok = filter_pattern_init(m, FILTER_PATTERN_REGEX_LINES, regex, strlen(regex), false, 0,
				      strlen(regex), &e);

	if (!ok)
		ft_error_set(err, FT_E_USAGE, -1, "--grep %s: %s", regex, text_str(&e.message));
	text_fini(&e.message);
	return ok ? 0 : -1;
}

int filter_option_given_up(const struct filter_pattern *m, struct ft_error *err)
{
	return ft_error_set(err, FT_E_LIMIT, -1, "--grep %s: %s", m->text, FILTER_GIVEN_UP);
}

void filter_option_tell_none(const struct filter_pattern *m)
{
	struct text regex = { 0 };

	text_printable(&regex, m->text, m->len);
	warnings_tell("--grep %s: no line matches", text_str(&regex));
	text_fini(&regex);
}

/* --- rows --------------------------------------------------------------------- */

int row_picker_init(struct row_picker *p, const struct filter_given *given, struct ft_error *err)
{
	*p = (struct row_picker){ .count = given->count, .greps = given->grep != NULL };
	if (!p->greps)
		return 0;
	p->scratch = filter_scratch_new();
	return filter_option_grep(&p->grep, given->grep, err);
}

void row_picker_fini(struct row_picker *p)
{
	filter_pattern_fini(&p->grep);
	filter_scratch_free(p->scratch);
}

bool row_picker_wants(struct row_picker *p, const char *line, size_t len)
{
	if (len && line[len - 1] == '\n')
		len--;
	p->seen++;
	if (p->greps && !filter_pattern_test(&p->grep, p->scratch, line, len))
		return false;
	p->picked++;
	return true;
}

bool row_picker_row(struct row_picker *p, struct text *out, size_t start)
{
	bool stands = row_picker_wants(p, text_str(out) + start, out->len - start) && !p->count;

	if (!stands)
		out->len = start;
	return stands;
}

static int end_rows(const struct row_picker *p, struct text *out, struct ft_error *err)
{
	if (p->greps && filter_pattern_given_up(&p->grep))
		return filter_option_given_up(&p->grep, err);
	if (p->count)
		text_printf(out, "%" PRIu64 "\n", p->picked);
	return 0;
}

int row_picker_end(const struct row_picker *p, struct output *out, int ret, struct ft_error *err)
{
	if (!ret)
		ret = end_rows(p, &out->block, err);
	return output_end(out, ret ? NULL : err) ? -1 : ret;
}

void row_picker_tell(const struct row_picker *p)
{
	if (p->greps && p->seen && !p->picked)
		filter_option_tell_none(&p->grep);
	if (p->scratch && filter_scratch_limited(p->scratch))
		warnings_tell("%s", FILTER_OPTION_LIMITED);
}
