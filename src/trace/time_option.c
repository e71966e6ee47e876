/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/trace/time_option.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "src/base/text.h"
#include "src/trace/warnings.h"

struct number {
	uint64_t	whole, fraction;
	int64_t		scale;		/* fraction / scale is the part behind the point */
	bool		has_point;
	bool		overflow;
};

/* Parse "7.554". Return: what follows it, its unit; NULL if there is no number. */
static const char *parse_number(const char *p, bool may_have_point, struct number *n)
{
	const char *digits = p;

	*n = (struct number){ .scale = 1 };
	for (; isdigit((unsigned char)*p); p++)
		n->overflow |= __builtin_mul_overflow(n->whole, 10, &n->whole) ||
			       __builtin_add_overflow(n->whole, (uint64_t)(*p - '0'), &n->whole);
	if (p == digits)
		return NULL;
	n->has_point = *p == '.' && may_have_point;
	if (n->has_point)
		for (p++; isdigit((unsigned char)*p); p++)
			if (n->scale < 1000000000) {
				n->fraction = n->fraction * 10 + (uint64_t)(*p - '0');
				n->scale *= 10;
			}
	return p;
}

/* Nanoseconds of a unit; 0 if it does not exist. */
static int64_t find_unit(const char *name)
{
	static const struct {
		const char *name;
		int64_t ns;
	} units[] = { { "ns", 1 }, { "us", 1000 }, { "µs", 1000 }, { "ms", 1000000 },
		      { "s", 1000000000 } };

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(name, units[i].name))
			return units[i].ns;
	return 0;
}

static bool scale_number(const struct number *n, int64_t unit, int64_t *value)
{
	return !n->overflow && n->whole <= INT64_MAX &&
	       !__builtin_mul_overflow((int64_t)n->whole, unit, value) &&
	       !__builtin_add_overflow(*value, (int64_t)((__int128)n->fraction * unit / n->scale),
				       value);
}

int time_option_parse(struct trace *trace, const char *option, const char *s, int64_t *out,
		      struct ft_error *err)
{
	bool relative = *s == '+', counts = trace_unit(trace) == TRACE_UNIT_COUNT;
	int64_t unit = 0, first = 0, last, value;
	struct number number;
	const char *rest = parse_number(s + relative, !counts, &number);

	if (rest)
		unit = counts ? !*rest : *rest ? find_unit(rest) : 1000000000;
	if (!unit)
		return ft_error_set(
			err, FT_E_USAGE, -1,
			counts ?
				"--%s %s: not a clock count like 1500 or +1500; the clock of this trace does not measure time" :
				"--%s %s: not a time like 7.554, 7554ms or +1ms",
			option, s);
	if (relative)
		trace_span(trace, &first, &last);
	if (!scale_number(&number, unit, &value) || __builtin_add_overflow(value, first, &value))
		return ft_error_set(err, FT_E_USAGE, -1, "--%s %s: the time is too large", option,
				    s);
	*out = value;
	return 0;
}

int time_option_offset(const char *s, struct trace_offset *out, struct ft_error *err)
{
	bool negative = *s == '-';
	struct number number;
	const char *rest = parse_number(s + (negative || *s == '+'), true, &number);
	bool counts = rest && !*rest && !number.has_point;
	int64_t unit = counts ? 1 : rest ? find_unit(rest) : 0, value;

	if (!unit)
		return ft_error_set(
			err, FT_E_USAGE, -1,
			"offset %s: not a time like +1.5ms or -2s, nor a clock count like +1500",
			s);
	if (!scale_number(&number, unit, &value))
		return ft_error_set(err, FT_E_USAGE, -1, "offset %s: does not fit in 64 bits", s);
	*out = (struct trace_offset){ negative ? -value : value,
				      counts ? TRACE_UNIT_COUNT : TRACE_UNIT_NS };
	return 0;
}

void time_option_offset_text(const struct trace_offset *offset, struct text *out)
{
	uint64_t by = offset->by < 0 ? 0 - (uint64_t)offset->by : (uint64_t)offset->by, unit;
	const char *name = by >= 1000000000 ? "s" : by >= 1000000 ? "ms" : by >= 1000 ? "us" : "ns";
	int decimals = 0;

	if (offset->unit == TRACE_UNIT_COUNT) {
		text_printf(out, "%+" PRId64, offset->by);
		return;
	}
	unit = (uint64_t)find_unit(name);
	text_printf(out, "%c%" PRIu64, offset->by < 0 ? '-' : '+', by / unit);
	by %= unit;
	for (uint64_t u = unit; u > 1; u /= 10)
		decimals++;
	for (; decimals && by % 10 == 0; by /= 10)
		decimals--;
	if (decimals)
		text_printf(out, ".%0*" PRIu64, decimals, by);
	text_add(out, name);
}

int time_option_range(struct trace *trace, const char *from, const char *to, int64_t *from_ts,
		      int64_t *to_ts, struct ft_error *err)
{
	if (from && time_option_parse(trace, "from", from, from_ts, err))
		return -1;
	if (to && time_option_parse(trace, "to", to, to_ts, err))
		return -1;
	if (from && to && *from_ts > *to_ts)
		return ft_error_set(err, FT_E_USAGE, -1,
				    "--from %s --to %s: the range ends before it begins", from, to);
	return 0;
}

int time_option_check(const struct trace *trace, bool has_from, int64_t from, bool has_to,
		      int64_t to, struct ft_error *err)
{
	struct text t = { 0 };
	int64_t first, last;
	int ret;

	if (!trace_span(trace, &first, &last) ||
	    !((has_from && from > last) || (has_to && to < first)))
		return 0;
	trace_time_text(trace, first, 9, &t);
	text_add(&t, " to ");
	trace_time_text(trace, last, 9, &t);
	ret = ft_error_set(err, FT_E_USAGE, -1, "nothing in this window: the trace spans %s",
			   text_str(&t));
	text_fini(&t);
	return ret;
}

bool time_option_tell_outside(const struct trace *trace, bool has_from, int64_t from, bool has_to,
			      int64_t to)
{
	struct ft_error err = { 0 };

	if (!time_option_check(trace, has_from, from, has_to, to, &err))
		return false;
	warnings_tell("%s", err.message);
	return true;
}
