/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/filter/filter_lex.h"

#include <ctype.h>
#include <string.h>

static bool is_word_start(char c)
{
	return isalpha((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

/* Names of functions contain dots: do_one.isra.0 */
static bool is_word(char c)
{
	return is_word_start(c) || isdigit((unsigned char)c) || c == '.';
}

size_t filter_lex_blanks(const char *text, size_t pos)
{
	while (isspace((unsigned char)text[pos]))
		pos++;
	return pos;
}

static const struct {
	const char	*text;
	enum filter_token_kind kind;
} operators[] = {
	/* longer ones first */
	{ "&&", TOKEN_ANDAND },	{ "||", TOKEN_OROR },	{ "==", TOKEN_EQ },	{ "!=", TOKEN_NE },
	{ "<=", TOKEN_LE },	{ ">=", TOKEN_GE },	{ "<<", TOKEN_SHL },	{ ">>", TOKEN_SHR },
	{ "=~", TOKEN_MATCH },	{ "!~", TOKEN_NOT_MATCH }, { "<", TOKEN_LT },	{ ">", TOKEN_GT },
	{ "!", TOKEN_NOT },	{ "~", TOKEN_TILDE },	{ "|", TOKEN_OR },	{ "^", TOKEN_XOR },
	{ "&", TOKEN_AND },	{ "+", TOKEN_PLUS },	{ "-", TOKEN_MINUS },	{ "*", TOKEN_STAR },
	{ "/", TOKEN_SLASH },	{ "%", TOKEN_PERCENT },	{ "(", TOKEN_OPEN },	{ ")",
		TOKEN_CLOSE },
	{ "[", TOKEN_BRACKET },	{ "]", TOKEN_BRACKET_END }, { "{", TOKEN_BRACE },
	{ "}", TOKEN_BRACE_END },
	{ ",", TOKEN_COMMA },	{ ":", TOKEN_COLON },
};

static const struct {
	const char	*text;
	enum filter_token_kind kind;
} keywords[] = {
	{ "and", TOKEN_ANDAND },	{ "or", TOKEN_OROR },		{ "not", TOKEN_NOT },
	{ "in", TOKEN_IN },		{ "contains", TOKEN_CONTAINS },	{ "between",
		TOKEN_BETWEEN },
};

static struct filter_token wrong(struct filter_error *err, size_t from, size_t to,
				 const char *message)
{
	filter_fail(err, from, to, "%s", message);
	return (struct filter_token){ .kind = TOKEN_WRONG, .from = from, .to = to };
}

/* --- numbers ------------------------------------------------------------------- */

static const struct {
	const char	*name;
	uint64_t	 factor;
	enum filter_unit unit;
} units[] = {
	{ "ns", 1, FILTER_UNIT_TIME },		{ "us", 1000, FILTER_UNIT_TIME },
	{ "µs", 1000, FILTER_UNIT_TIME },	{ "ms", 1000000, FILTER_UNIT_TIME },
	{ "s", 1000000000, FILTER_UNIT_TIME },	{ "k", 1000, FILTER_UNIT_COUNT },
	{ "M", 1000000, FILTER_UNIT_COUNT },	{ "G", 1000000000, FILTER_UNIT_COUNT },
	{ "Ki", 1ull << 10, FILTER_UNIT_COUNT }, { "Mi", 1ull << 20, FILTER_UNIT_COUNT },
	{ "Gi", 1ull << 30, FILTER_UNIT_COUNT },
};

static int digit_value(char c)
{
	if (isdigit((unsigned char)c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : 16;
}

static bool apply_unit(struct filter_node *n, uint64_t factor, enum filter_unit unit)
{
	unsigned __int128 v = (unsigned __int128)n->value * factor +
			      (unsigned __int128)n->nano * factor / 1000000000;

	if (v > UINT64_MAX)
		return false;
	n->value = (uint64_t)v;
	n->nano = 0;
	n->unit = unit;
	n->has_fraction = false;
	return true;
}

/* The decimals of a number. */
static size_t fraction(const char *text, size_t pos, struct filter_node *n)
{
	uint32_t scale = 1000000000;

	n->has_fraction = true;
	for (; isdigit((unsigned char)text[pos]); pos++) {
		scale /= 10;
		n->nano += (uint32_t)(text[pos] - '0') * scale;
	}
	return pos;
}

/* "12", "0x1f", "017" (octal, as in -F), "1.5ms", "64Ki". */
static struct filter_token number(const char *text, size_t pos, struct filter_error *err)
{
	struct filter_token token = { .kind = TOKEN_NUMBER, .from = pos };
	struct filter_node *n = &token.number;
	size_t end = pos, suffix;
	int base = 10;

	if (text[pos] == '0' && (text[pos + 1] == 'x' || text[pos + 1] == 'X') &&
	    digit_value(text[pos + 2]) < 16) {
		base = 16;
		end += 2;
	} else if (text[pos] == '0' && isdigit((unsigned char)text[pos + 1])) {
		base = 8;
	}
	for (; digit_value(text[end]) < (base == 16 ? 16 : 10); end++) {
		int digit = digit_value(text[end]);

		if (digit >= base)
			return wrong(
				err, pos, end + 1,
				"a number that begins with 0 is octal, so it cannot contain 8 or 9");
		if (__builtin_mul_overflow(n->value, (uint64_t)base, &n->value) ||
		    __builtin_add_overflow(n->value, (uint64_t)digit, &n->value))
			return wrong(err, pos, end + 1, "the number does not fit 64 bits");
	}
	if (base == 10 && text[end] == '.' && isdigit((unsigned char)text[end + 1]))
		end = fraction(text, end + 1, n);
	n->kind = FILTER_NODE_NUMBER;
	for (suffix = end; is_word(text[suffix]); suffix++)
		;
	token.to = suffix;
	if (suffix == end)
		return token;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strlen(units[i].name) != suffix - end ||
		    strncmp(text + end, units[i].name, suffix - end))
			continue;
		if (!apply_unit(n, units[i].factor, units[i].unit))
			return wrong(err, pos, suffix, "the number does not fit 64 bits");
		return token;
	}
	return wrong(
		err, end, suffix,
		"not a unit (ns us ms s, k M G, Ki Mi Gi); put a name that begins with a digit in quotes");
}

/* --- strings -------------------------------------------------------------------- */

/*
 * A backslash before a quote keeps it from ending the string; before other characters it is kept,
 * for regular expressions.
 */
static struct filter_token string(const char *text, size_t pos, struct arena *arena,
				  struct filter_error *err)
{
	char quote = text[pos];
	struct filter_token token = { .kind = quote == '"' ? TOKEN_STRING : TOKEN_CHAR,
				      .from = pos };
	size_t end = pos + 1, len = 0;

	while (text[end] && text[end] != quote)
		end += text[end] == '\\' && text[end + 1] ? 2 : 1;
	if (!text[end])
		return wrong(err, pos, end,
			     quote == '"' ? "the string has no closing \"" :
					    "the string has no closing '");
	token.text = arena_alloc(arena, end - pos);
	for (size_t i = pos + 1; i < end; i++) {
		if (text[i] == '\\' && i + 1 < end) {
			if (text[i + 1] != quote)
				token.text[len++] = text[i];
			i++;
		}
		token.text[len++] = text[i];
	}
	token.len = len;
	token.to = end + 1;
	return token;
}

bool filter_lex_regex(const char *text, size_t pos, struct arena *arena, struct filter_token *token,
		      bool *fold, struct filter_error *err)
{
	size_t end = pos + 1, len = 0;

	while (text[end] && text[end] != '/')
		end += text[end] == '\\' && text[end + 1] ? 2 : 1;
	if (!text[end])
		return filter_fail(err, pos, end, "the regular expression has no closing /");
	if (end == pos + 1)
		return filter_fail(err, pos, end + 1, "the regular expression is empty");
	*token = (struct filter_token){ .kind = TOKEN_STRING, .from = pos };
	token->text = arena_alloc(arena, end - pos);
	for (size_t i = pos + 1; i < end; i++) {
		if (text[i] == '\\' && text[i + 1] == '/')
			i++;
		else if (text[i] == '\\')
			token->text[len++] = text[i++];
		token->text[len++] = text[i];
	}
	token->len = len;
	*fold = text[end + 1] == 'i' && !is_word(text[end + 2]);
	token->to = end + 1 + *fold;
	return true;
}

/* --- words ------------------------------------------------------------------------ */

size_t filter_lex_pattern(const char *text, size_t pos, bool slash, bool *special)
{
	size_t end = pos;

	*special = false;
	if (!text[pos] || (!is_word_start(text[pos]) && !strchr("*?[.", text[pos])))
		return 0;
	for (; text[end]; end++) {
		/* Names of systems may contain a dash: sample-trace/foo_bar. */
		if (is_word(text[end]) || (slash && text[end] == '-' && end > pos &&
					   (is_word(text[end + 1]) || text[end + 1] == '*')))
			continue;
		if (text[end] == '[') {
			size_t close = end + 1;

			while (text[close] && text[close] != ']' &&
			       !isspace((unsigned char)text[close]))
				close++;
			if (text[close] != ']')
				break;
			end = close;
		} else if (text[end] != '*' && text[end] != '?' &&
			   !(slash && text[end] == '/' && end > pos)) {
			break;
		}
		*special = true;
	}
	return end - pos;
}

/* Does the text before it end with == or !=? */
static bool follows_equal(const char *text, size_t pos)
{
	while (pos && isspace((unsigned char)text[pos - 1]))
		pos--;
	return pos > 1 && text[pos - 1] == '=' && strchr("=!", text[pos - 2]);
}

size_t filter_lex_path(const char *text, size_t pos, bool in_list, bool *special)
{
	size_t len = strcspn(text + pos, " \t\n\"'(),&|");
	const char *slash = memchr(text + pos, '/', len);

	if (!len || !strchr("/*", text[pos]) || !slash || (len > 1 && text[pos + len - 1] == '/') ||
	    !(in_list || follows_equal(text, pos)))
		return 0;
	*special = false;
	for (size_t i = 0; i < len; i++)
		*special |= strchr("*?[", text[pos + i]) != NULL;
	return len;
}

struct filter_token filter_lex(const char *text, size_t pos, struct arena *arena,
			       struct filter_error *err)
{
	struct filter_token token = { .kind = TOKEN_END };
	size_t end;

	pos = filter_lex_blanks(text, pos);
	token.from = token.to = pos;
	if (!text[pos])
		return token;
	if (isdigit((unsigned char)text[pos]))
		return number(text, pos, err);
	if (text[pos] == '"' || text[pos] == '\'')
		return string(text, pos, arena, err);
	for (end = pos; is_word(text[end]) && (end > pos || is_word_start(text[end])); end++)
		;
	if (end > pos) {
		token.kind = TOKEN_WORD;
		token.to = end;
		token.len = end - pos;
		token.text = arena_strndup(arena, text + pos, token.len);
		for (size_t i = 0; i < sizeof(keywords) / sizeof(keywords[0]); i++)
			if (!strcmp(token.text, keywords[i].text))
				token.kind = keywords[i].kind;
		return token;
	}
	for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]); i++) {
		size_t len = strlen(operators[i].text);

		if (!strncmp(text + pos, operators[i].text, len)) {
			token.kind = operators[i].kind;
			token.to = pos + len;
			return token;
		}
	}
	if (text[pos] == '.' || text[pos] == '?') {
		token.kind = TOKEN_PATTERN;
		token.to = pos + 1;
		return token;
	}
	if (text[pos] == '=' && err)
		err->offers = (struct filter_offers){ .from = pos, .to = pos + 1, .nr = 1,
						      .texts = { "==" } };
	return wrong(err, pos, pos + 1,
		     text[pos] == '=' ? "use == to compare" : "unexpected character");
}
