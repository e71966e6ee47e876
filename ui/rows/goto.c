/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/rows/goto.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define NS_PER_S	1000000000LL

struct goto_line {
	const char	*text, *s;
	struct ft_error	*err;
	int		 decimals;	/* decimal places of the seconds parsed last */
};

static int fail(struct goto_line *l, const char *what)
{
	return ft_error_set(l->err, FT_E_USAGE, l->s - l->text, "%s", what);
}

static void skip_blanks(struct goto_line *l)
{
	while (*l->s == ' ')
		l->s++;
}

/* Digits with an optional fraction, times @unit; exact in integers. */
static int parse_decimal(struct goto_line *l, int64_t unit, int64_t *value)
{
	int64_t whole = 0, part = 0, step = unit;
	const char *start = l->s;

	l->decimals = 0;
	for (; isdigit((unsigned char)*l->s); l->s++) {
		if (whole > INT64_MAX / 10 - 1)
			return fail(l, "the number is too large");
		whole = whole * 10 + (*l->s - '0');
	}
	if (*l->s == '.') {
		for (l->s++; isdigit((unsigned char)*l->s); l->s++) {
			step /= 10;
			part += (*l->s - '0') * step;
			l->decimals += unit == NS_PER_S;
		}
	}
	if (l->s == start)
		return fail(l, "a number is expected here");
	if (whole > (INT64_MAX - part) / unit)
		return fail(l, "the number is too large");
	*value = whole * unit + part;
	return 0;
}

/* A whole number: counts of a clock, rows, CPUs. */
static int parse_count(struct goto_line *l, int64_t *value)
{
	const char *start = l->s;

	if (parse_decimal(l, 1, value))
		return -1;
	l->s = start + strspn(start, "0123456789");
	return *l->s == '.' ? fail(l, "a whole number is expected here") : 0;
}

static const struct {
	const char	*name;
	int64_t		 ns;
} units[] = {
	{ "ns", 1 },
	{ "us", 1000 },
	{ "µs", 1000 },
	{ "ms", 1000000 },
	{ "s", NS_PER_S },
};

/* A number and a unit; without a unit it counts in @bare ns. */
static int parse_duration(struct goto_line *l, int64_t bare, int64_t *ns)
{
	const char *number = l->s, *end;
	int64_t unit = bare;

	while (isdigit((unsigned char)*l->s) || *l->s == '.')
		l->s++;
	skip_blanks(l);
	end = l->s;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		size_t len = strlen(units[i].name);

		if (!strncmp(l->s, units[i].name, len) && !isalpha((unsigned char)l->s[len])) {
			unit = units[i].ns;
			end = l->s + len;
			break;
		}
	}
	l->s = number;
	if (parse_decimal(l, unit, ns))
		return -1;
	l->s = end;
	return 0;
}

int goto_parse_duration(const char *text, int64_t *ns, struct ft_error *err)
{
	struct goto_line l = { text, text, err, 0 };

	skip_blanks(&l);
	if (parse_duration(&l, 1, ns))
		return -1;
	skip_blanks(&l);
	return *l.s ? fail(&l, "ns, us, ms or s is expected here") : 0;
}

static int two_digits(struct goto_line *l, int max, int *value)
{
	if (!isdigit((unsigned char)l->s[0]))
		return fail(l, "a number is expected here");
	*value = *l->s++ - '0';
	if (isdigit((unsigned char)*l->s))
		*value = *value * 10 + *l->s++ - '0';
	if (*value > max)
		return fail(l, "not a time of day");
	return 0;
}

/* [YYYY-MM-DD] HH:MM[:SS[.fraction]] */
static int parse_wall(struct goto_line *l, struct goto_place *place)
{
	int year, month, day, used = 0, hour, minute;
	int64_t second = 0, date = 0;

	if (sscanf(l->s, "%4d-%2d-%2d%n", &year, &month, &day, &used) == 3 && used) {
		struct tm tm = {
			.tm_year = year - 1900, .tm_mon = month - 1, .tm_mday = day, .tm_isdst = -1
		};

		date = mktime(&tm);
		place->has_date = true;
		l->s += used;
		if (*l->s == 'T')
			l->s++;
		skip_blanks(l);
	}
	if (two_digits(l, 23, &hour))
		return -1;
	if (*l->s != ':')
		return fail(l, "':' is expected here, as in @14:03:22");
	l->s++;
	if (two_digits(l, 59, &minute))
		return -1;
	if (*l->s == ':') {
		l->s++;
		if (parse_decimal(l, NS_PER_S, &second))
			return -1;
		if (second >= 61 * NS_PER_S)
			return fail(l, "not a time of day");
	}
	place->kind = GOTO_WALL;
	place->rounded = l->decimals == 6;
	place->value = (date + hour * 3600LL + minute * 60LL) * NS_PER_S + second;
	return 0;
}

/* "cpu3", "pid 80", or nothing. */
static int parse_suffix(struct goto_line *l, const char *word, int64_t most, int *value)
{
	int64_t n;

	skip_blanks(l);
	if (strncasecmp(l->s, word, strlen(word)))
		return 0;
	l->s += strlen(word);
	skip_blanks(l);
	if (parse_count(l, &n))
		return -1;
	if (n > most)
		return fail(l, "no such CPU or pid");
	*value = (int)n;
	return 0;
}

static int parse_number(struct goto_line *l, bool counts, struct goto_place *place)
{
	const char *end = l->s + strspn(l->s, "0123456789.");

	if (*end == '%') {
		place->kind = GOTO_PERCENT;
		if (parse_decimal(l, 1000000 / 100, &place->value))
			return -1;
		if (place->value > 1000000)
			return fail(l, "more than 100 %");
		l->s = end + 1;
		return 0;
	}
	place->kind = GOTO_TIME;
	if (counts)
		return parse_count(l, &place->value);
	if (parse_duration(l, NS_PER_S, &place->value))
		return -1;
	place->rounded = l->decimals == 6;
	return 0;
}

static int parse_place(struct goto_line *l, bool counts, struct goto_place *place)
{
	switch (*l->s) {
	case '+':
	case '-':
		place->kind = GOTO_DELTA;
		l->s++;
		if (counts ? parse_count(l, &place->value) :
			     parse_duration(l, NS_PER_S, &place->value))
			return -1;
		if (l->text[strspn(l->text, " ")] == '-')
			place->value = -place->value;
		return 0;
	case '#':
		place->kind = GOTO_ROW;
		l->s++;
		return parse_count(l, &place->value);
	case '\'':
		place->kind = GOTO_MARK;
		place->letter = tolower((unsigned char)l->s[1]);
		if (!isalpha((unsigned char)place->letter) && place->letter != '\'') {
			l->s++;
			return fail(l, "a mark's letter is expected here");
		}
		l->s += 2;
		return 0;
	case '@':
		l->s++;
		return parse_wall(l, place);
	}
	return parse_number(l, counts, place);
}

int goto_parse(const char *text, bool counts, struct goto_place *place, struct ft_error *err)
{
	struct goto_line l = { text, text, err, 0 };

	*place = (struct goto_place){ .kind = GOTO_NOTHING, .cpu = -1, .pid = -1 };
	skip_blanks(&l);
	if (!*l.s)
		return 0;
	if (!strncasecmp(l.s, "cpu", 3) && (isdigit((unsigned char)l.s[3]) || l.s[3] == ' ')) {
		place->kind = GOTO_HERE;
	} else if (isalpha((unsigned char)*l.s)) {
		place->kind = GOTO_COMMAND;
		place->command = l.s;
		return 0;
	} else if (parse_place(&l, counts, place)) {
		return -1;
	}
	if (parse_suffix(&l, "cpu", 65535, &place->cpu) ||
	    parse_suffix(&l, "pid", INT32_MAX, &place->pid))
		return -1;
	skip_blanks(&l);
	if (*l.s)
		return fail(&l,
			    place->kind != GOTO_TIME && place->kind != GOTO_DELTA ?
				    "only cpuN and pidN can follow here" :
			    counts ? "this clock has no unit: only cpuN and pidN can follow here" :
				     "s, ms, us, ns, cpuN or pidN is expected here");
	return 0;
}
