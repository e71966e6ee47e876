/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/match/filter_option.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/source/source.h"
#include "src/base/memory.h"
#include "src/trace/warnings.h"
#include "src/trace/trace_user.h"

/* --- the options ------------------------------------------------------------------------------ */

static const struct option_def part_options[] = {
	FROM_OPTION,
	TO_OPTION,
	{ .name = "cpu", .arg = "LIST", .id = FILTER_OPTION_CPU, .help = "only on these CPUs: 0,2-4" },
	TASK_OPTION,
	{ .name = "filter", .letter = 'F', .arg = "EXPR", .id = FILTER_OPTION_FILTER,
	  .help = "only events that match, see ftop-trace-filter(7); with several -F, any may match" },
	{ .letter = 'v', .id = FILTER_OPTION_NEGATE,
	  .help = "negate each -F after this: leave out events that match" },
	{ .name = "compat-filter", .id = FILTER_OPTION_COMPAT,
	  .help = "read -F by trace-cmd's rules: no precedence, event names are regular expressions" },
	OPTION_END,
}, rows_options[] = {
	GREP_OPTION,
	COUNT_OPTION,
	HEAD_OPTION,
	OPTION_END,
}, table_options[] = {
	SORT_OPTION,
	MIN_OPTION("print only rows whose time is at least this long, 100us or 1.5ms: in the column of --sort, else in the first column of times"),
	{ .name = "unit", .arg = "ns|us|ms|s", .id = FILTER_OPTION_UNIT,
	  .help = "unit of times in text (default: us; on a terminal one that fits each time); csv and json are always in ns" },
	ASCII_OPTION,
	{ .name = "format", .arg = "text|csv|json|parquet", .id = FILTER_OPTION_TABLE_FORMAT,
	  .help = "csv: a header line and rows; json: one object per line; parquet: a file with the columns of csv" },
	OPTION_END,
}, files_options[] = {
	INPUT_OPTION,
	OFFSET_OPTION,
	FORMATS_OPTION,
	SYSROOT_OPTION,
	OPTION_END,
};

const struct option_group filter_part_group = { "Part", part_options },
			  filter_rows_group = { "Rows", rows_options },
			  filter_table_group = { "Tables", table_options },
			  filter_files_group = { "Files", files_options };

/* "100us", "1.5ms", "123" in ns, or in units of the clock. */
static int parse_min(const char *s, uint64_t *ns, struct ft_error *err)
{
	static const struct {
		const char	*name;
		double		 factor;
	} units[] = { { "", 1 }, { "ns", 1 }, { "us", 1e3 }, { "µs", 1e3 }, { "ms", 1e6 },
		      { "s", 1e9 } };
	char *end;
	double v = *s >= '0' && *s <= '9' ? strtod(s, &end) : -1;

	for (size_t i = 0; v >= 0 && i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(end, units[i].name) || v * units[i].factor > 1e18)
			continue;
		*ns = (uint64_t)(v * units[i].factor + 0.5);
		return 0;
	}
	return ft_error_set(err, FT_E_USAGE, -1, "--min %s: not a time like 100us, 1.5ms, 2s", s);
}

static int choose_task(struct filter_given *g, const char *text, struct ft_error *err)
{
	struct filter_error wrong = { 0 };
	struct chosen_task *chosen;
	bool ok;

	mem_grow(&g->tasks, g->nr_tasks, &g->cap_tasks);
	chosen = &g->tasks[g->nr_tasks++];
	*chosen = (struct chosen_task){ .text = text, .name = mem_alloc(sizeof(*chosen->name)) };
	ok = filter_pattern_init(chosen->name, FILTER_PATTERN_GLOB, text, strlen(text), false, 0,
				 strlen(text), &wrong);
	if (!ok)
		ft_error_set(err, FT_E_USAGE, -1, "--task %s: %s", text, text_str(&wrong.message));
	text_fini(&wrong.message);
	if (!g->scratch)
		g->scratch = filter_scratch_new();
	return ok ? 1 : -1;
}

/* Options of the part of the trace but -F.  As filter_option(). */
static int part_option(struct filter_given *g, const struct option_value *value,
		       struct ft_error *err)
{
	switch (value->id) {
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
	case FILTER_OPTION_TASK:
		return choose_task(g, value->value, err);
	}
	return 0;
}

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
	case FILTER_OPTION_MIN:
		g->has_min = true;
		return parse_min(value->value, &g->min, err) ? -1 : 1;
	case FILTER_OPTION_UNIT:
		g->has_unit = true;
		return table_unit_parse(value->value, &g->unit, err) ? -1 : 1;
	case FILTER_OPTION_ASCII:
		g->ascii = true;
		return 1;
	}
	return part_option(g, value, err);
}

void filter_given_fini(struct filter_given *g)
{
	free(g->sources);
	free(g->cpus);
	for (unsigned int i = 0; i < g->nr_tasks; i++) {
		filter_pattern_fini(g->tasks[i].name);
		free(g->tasks[i].name);
	}
	filter_scratch_free(g->scratch);
	free(g->tasks);
	text_fini(&g->part);
}

/* --- tasks ------------------------------------------------------------------------------------ */

bool filter_given_names(const struct filter_given *g, unsigned int i, uint32_t pid,
			const char *comm)
{
	const struct chosen_task *chosen = &g->tasks[i];
	const char *dash = strrchr(chosen->text, '-');
	char number[16];

	snprintf(number, sizeof(number), "%" PRIu32, pid);
	if (!strcmp(chosen->text, number) ||
	    filter_pattern_test(chosen->name, g->scratch, comm, strlen(comm)))
		return true;
	return dash && !strcmp(dash + 1, number) && strlen(comm) == (size_t)(dash - chosen->text) &&
	       !strncmp(comm, chosen->text, strlen(comm));
}

bool filter_given_wants(const struct filter_given *g, uint32_t pid, const char *comm)
{
	for (unsigned int i = 0; i < g->nr_tasks; i++)
		if (filter_given_names(g, i, pid, comm))
			return true;
	return !g->nr_tasks;
}

static bool is_number(const char *s)
{
	return *s && strlen(s) < 11 && strspn(s, "0123456789") == strlen(s);
}

static void add_name(struct text *out, const char *name, size_t len)
{
	bool glob = memchr(name, '*', len) || memchr(name, '?', len);

	text_printf(out, "comm %s \"", glob ? "~" : "==");
	for (size_t i = 0; i < len; i++) {
		if (name[i] == '"')
			text_char(out, '\\');
		text_char(out, name[i]);
	}
	text_char(out, '"');
}

/* "74", "bash", "kworker*", and "wl-ping-74" as the screen shows it */
static void add_task(struct text *out, const char *task)
{
	const char *dash = strrchr(task, '-');

	if (is_number(task)) {
		text_printf(out, "pid == %s", task);
		return;
	}
	if (dash && dash > task && is_number(dash + 1)) {
		text_printf(out, "pid == %s && ", dash + 1);
		add_name(out, task, (size_t)(dash - task));
		text_add(out, " || ");
	}
	add_name(out, task, strlen(task));
}

void filter_given_tasks(const struct filter_given *g, struct text *out)
{
	for (unsigned int i = 0; i < g->nr_tasks; i++) {
		text_add(out, i ? " || " : "");
		add_task(out, g->tasks[i].text);
	}
}

int filter_given_add_part(struct filter_given *g, bool cpus, struct ft_error *err)
{
	const char *before = "cpu in ";

	cpus = cpus && g->cpus;
	if (!g->nr_tasks && !cpus)
		return 0;
	if (g->compat)
		return ft_error_set(err, FT_E_USAGE, -1,
				    "%s cannot be combined with --compat-filter",
				    cpus ? "--cpu" : "--task");
	text_add(&g->part, "!((");
	filter_given_tasks(g, &g->part);
	text_add(&g->part, g->nr_tasks && cpus ? ") && (" : "");
	for (unsigned int i = 0; cpus && i < FILTER_OPTION_CPUS; i++) {
		if (!g->cpus[i])
			continue;
		text_printf(&g->part, "%s%u", before, i);
		before = ",";
	}
	text_add(&g->part, "))");
	mem_grow(&g->sources, g->nr, &g->cap);
	g->sources[g->nr++] = (struct filter_source){ .text = text_str(&g->part), .negate = true,
						      .file = -1 };
	return 0;
}

int filter_option_check_cpus(const bool *cpus, const struct trace *trace, struct ft_error *err)
{
	int last = source_info(trace_file_of(trace, 0))->cpu_count - 1;

	if (!cpus)
		return 0;
	for (unsigned int i = 0; i < trace_nr_streams(trace); i++) {
		int cpu = trace_stream_info(trace, i).cpu;

		if (cpu >= 0 && (unsigned int)cpu < FILTER_OPTION_CPUS && cpus[cpu])
			return 0;
		last = cpu > last ? cpu : last;
	}
	for (int cpu = 0; cpu <= last && cpu < (int)FILTER_OPTION_CPUS; cpu++)
		if (cpus[cpu])
			return 0;		/* it recorded nothing */
	return ft_error_set(err, FT_E_USAGE, -1,
			    "--cpu: the trace has none of these CPUs; its last one is CPU %d",
			    last);
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
	*p = (struct row_picker){ .count = given->count, .greps = given->grep != NULL,
				  .most = given->has_head ? (uint64_t)given->head : UINT64_MAX };
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

bool row_picker_is_full(const struct row_picker *p)
{
	return p->picked >= p->most;
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
	bool stands = !row_picker_is_full(p) &&
		      row_picker_wants(p, text_str(out) + start, out->len - start) && !p->count;

	if (!stands)
		out->len = start;
	return stands;
}

static int end_rows(const struct row_picker *p, struct text *out, struct ft_error *err)
{
	if (p->greps && filter_pattern_given_up(&p->grep))
		return filter_option_given_up(&p->grep, err);
	if (p->count)
		text_printf(out, "%" PRIu64 "\n", p->picked < p->most ? p->picked : p->most);
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
	if (p->greps && filter_pattern_limited(&p->grep))
		warnings_tell("%s", FILTER_OPTION_LIMITED);
}
