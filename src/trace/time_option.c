/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/trace/time_option.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "src/base/text.h"

int time_option_parse(struct trace *trace, const char *option, const char *s, int64_t *out, struct ft_error *err)
{
	static const struct {
		const char *name;
		int64_t ns;
	} units[] = { { "ns", 1 }, { "us", 1000 }, { "µs", 1000 }, { "ms", 1000000 }, { "s", 1000000000 }, { "", 1000000000 } };
	bool relative = *s == '+', counts = trace_unit(trace) == TRACE_UNIT_COUNT;
	const char *p = s + relative, *digits = p;
	int64_t unit = counts ? 1 : 0, first = 0, last, value = 0, scale;
	uint64_t whole = 0, fraction = 0;
	bool overflow = false;

	for (; isdigit((unsigned char)*p); p++)
		overflow |= __builtin_mul_overflow(whole, 10, &whole) || __builtin_add_overflow(whole, (uint64_t)(*p - '0'), &whole);
	if (p == digits)
		goto bad;
	scale = 1;
	if (*p == '.' && !counts)
		for (p++; isdigit((unsigned char)*p); p++)
			if (scale < 1000000000) {
				fraction = fraction * 10 + (uint64_t)(*p - '0');
				scale *= 10;
			}
	for (size_t i = 0; !unit && i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(p, units[i].name))
			unit = units[i].ns;
	if (!unit || (counts && *p))
		goto bad;
	overflow |= whole > INT64_MAX || __builtin_mul_overflow((int64_t)whole, unit, &value) ||
		    __builtin_add_overflow(value, (int64_t)((__int128)fraction * unit / scale), &value);
	if (relative)
		trace_span(trace, &first, &last);
	if (overflow || __builtin_add_overflow(value, first, &value))
		return ft_error_set(err, FT_E_USAGE, -1, "--%s %s: the time is too large", option, s);
	*out = value;
	return 0;
bad:
	return ft_error_set(err, FT_E_USAGE, -1,
			    counts ? "--%s %s: not a time; this trace's clock counts: a whole number, or + and one" :
				     "--%s %s: not a time like 7.554, 7554ms or +1ms",
			    option, s);
}

int time_option_range(struct trace *trace, const char *from, const char *to, int64_t *from_ts, int64_t *to_ts,
		      struct ft_error *err)
{
	if (from && time_option_parse(trace, "from", from, from_ts, err))
		return -1;
	if (to && time_option_parse(trace, "to", to, to_ts, err))
		return -1;
	if (from && to && *from_ts > *to_ts)
		return ft_error_set(err, FT_E_USAGE, -1, "--from %s --to %s: this range ends before it begins", from, to);
	return 0;
}

static void add_time(const struct trace *trace, int64_t ts, struct text *out)
{
	if (trace_unit(trace) == TRACE_UNIT_COUNT)
		text_printf(out, "%" PRId64, ts);
	else
		text_seconds(out, ts, 9);
}

bool time_option_tell_outside(const struct trace *trace, bool has_from, int64_t from, bool has_to, int64_t to)
{
	struct text t = { 0 };
	int64_t first, last;

	if (!trace_span(trace, &first, &last) || !((has_from && from > last) || (has_to && to < first)))
		return false;
	add_time(trace, first, &t);
	text_add(&t, " to ");
	add_time(trace, last, &t);
	fprintf(stderr, "ftop-trace: nothing of the trace lies in this window: the trace is from %s\n", text_str(&t));
	text_fini(&t);
	return true;
}
