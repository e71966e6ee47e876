/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/types/printk_formats.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"

struct printk_entry {
	uint64_t	address;
	const char	*text;
	const char	*short_text;	/* with its escapes as written */
};

struct printk_formats {
	struct arena	arena;
	unsigned int	nr, cap;
	struct printk_entry *entries;	/* owned, by address; of equal addresses the first listed
					 * comes first */
};

static int compare(const void *a, const void *b)
{
	const struct printk_entry *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

/* The kernel writes \n \t \\ \" as escapes. */
static char *unescape(struct arena *arena, const char *s, size_t len)
{
	char *out = arena_strndup(arena, s, len), *to = out;

	for (size_t i = 0; i < len; i++) {
		char c = s[i];

		if (c == '\\' && i + 1 < len) {
			c = s[++i];
			c = (char)(c == 'n' ? '\n' : c == 't' ? '\t' : c);
		}
		*to++ = c;
	}
	*to = '\0';
	return out;
}

static bool parse_hex(const char **p, const char *end, uint64_t *out)
{
	const char *begin;

	if (end - *p < 3 || (*p)[0] != '0' || (*p)[1] != 'x')
		return false;
	begin = *p += 2;
	for (*out = 0; *p < end && *p - begin < 16; (*p)++) {
		char c = **p;
		int digit = c >= '0' && c <= '9' ? c - '0' :
			    c >= 'a' && c <= 'f' ? c - 'a' + 10 :
						   -1;

		if (digit < 0)
			break;
		*out = *out << 4 | (unsigned int)digit;
	}
	return *p > begin;
}

static void add_line(struct printk_formats *formats, const char *p, const char *end)
{
	const char *quote, *last = end;
	uint64_t address;
	size_t len;

	if (!parse_hex(&p, end, &address))
		return;
	quote = memchr(p, '"', (size_t)(end - p));
	while (last > p && last[-1] != '"')
		last--;
	if (!quote || last - 1 <= quote)
		return;
	quote++;
	len = (size_t)(last - 1 - quote);
	mem_grow(&formats->entries, formats->nr, &formats->cap);
	formats->entries[formats->nr].address = address;
	formats->entries[formats->nr].text = unescape(&formats->arena, quote, len);
	if (len >= 2 && !memcmp(quote + len - 2, "\\n", 2))
		len -= 2;
	formats->entries[formats->nr++].short_text = arena_strndup(&formats->arena, quote, len);
}

struct printk_formats *printk_formats_new(const char *text, uint64_t size)
{
	struct printk_formats *formats = mem_alloc(sizeof(*formats));
	const char *end = text + size;

	for (const char *p = text; p < end;) {
		const char *line = memchr(p, '\n', (size_t)(end - p));

		add_line(formats, p, line ? line : end);
		p = line ? line + 1 : end;
	}
	if (formats->nr)
		qsort(formats->entries, formats->nr, sizeof(*formats->entries), compare);
	return formats;
}

void printk_formats_free(struct printk_formats *formats)
{
	if (!formats)
		return;
	free(formats->entries);
	arena_fini(&formats->arena);
	free(formats);
}

static const struct printk_entry *find(const struct printk_formats *formats, uint64_t address)
{
	struct printk_entry key = { .address = address };

	return formats->nr ? bsearch(&key, formats->entries, formats->nr, sizeof(*formats->entries),
				     compare) :
			     NULL;
}

const char *printk_formats_find(const struct printk_formats *formats, uint64_t address)
{
	const struct printk_entry *found = find(formats, address);

	return found ? found->text : NULL;
}

const char *printk_formats_find_short(const struct printk_formats *formats, uint64_t address)
{
	const struct printk_entry *found = find(formats, address);

	return found ? found->short_text : NULL;
}
