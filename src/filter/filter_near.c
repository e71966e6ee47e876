/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/filter/filter_near.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "src/base/options.h"
#include "src/filter/filter_tree.h"

static unsigned int distance(const char *a, const char *b, unsigned int limit)
{
	size_t la = strlen(a), lb = strlen(b);

	return (la > lb ? la - lb : lb - la) > limit ? limit + 1 : options_distance(a, b);
}

void filter_near_init(struct filter_near *near, const char *name)
{
	size_t len = strlen(name);

	memset(near, 0, sizeof(*near));
	near->name = name;
	near->distance = len < 2 ? 0 : len < 5 ? 1 : len < 8 ? 2 : 3;
}

void filter_near_add(struct filter_near *near, const char *candidate)
{
	unsigned int d = distance(near->name, candidate, near->distance), at;

	/* A prefix counts as near, however much is missing. */
	if (d > near->distance && strlen(near->name) >= 3 &&
	    !strncmp(candidate, near->name, strlen(near->name)))
		d = near->distance;
	/* two letters of which one is another are another word */
	if (d && strlen(near->name) == 2 && strlen(candidate) == 2)
		return;
	if (d > near->distance || strlen(candidate) >= sizeof(near->best[0]))
		return;
	for (unsigned int i = 0; i < near->nr; i++)
		if (!strcmp(near->best[i], candidate))
			return;
	for (at = near->nr; at > 0 && near->distances[at - 1] > d; at--)
		;
	if (at >= 3)
		return;
	for (unsigned int i = near->nr < 3 ? near->nr : 2; i > at; i--) {
		memcpy(near->best[i], near->best[i - 1], sizeof(near->best[i]));
		near->distances[i] = near->distances[i - 1];
	}
	strcpy(near->best[at], candidate);
	near->distances[at] = d;
	if (near->nr < 3)
		near->nr++;
}

void filter_near_offer(const struct filter_near *near, struct filter_offers *offers)
{
	unsigned int nr = near->nr;

	/* drop names that are much further away than the nearest */
	while (nr > 1 && near->distances[nr - 1] > near->distances[0])
		nr--;
	for (unsigned int i = 0; i < nr; i++)
		filter_offers_add(offers, "%s", near->best[i]);
}

void filter_near_text(const struct filter_near *near, struct text *out)
{
	struct filter_offers offers = { .nr = 0 };

	filter_near_offer(near, &offers);
	filter_offers_text(&offers, out);
}

/* --- offers ---------------------------------------------------------------------------------- */

void filter_offers_add(struct filter_offers *offers, const char *fmt, ...)
{
	char *text = offers->texts[offers->nr];
	va_list ap;
	int len;

	if (offers->nr == FILTER_OFFERS_MAX)
		return;
	va_start(ap, fmt);
	len = vsnprintf(text, sizeof(offers->texts[0]), fmt, ap);
	va_end(ap);
	if (len < 0 || (size_t)len >= sizeof(offers->texts[0]))
		return;
	for (unsigned int i = 0; i < offers->nr; i++)
		if (!strcmp(offers->texts[i], text))
			return;
	offers->nr++;
}

void filter_offers_text(const struct filter_offers *offers, struct text *out)
{
	for (unsigned int i = 0; i < offers->nr; i++)
		text_printf(out, "%s%s",
			    !i                  ? "; did you mean " :
			    i + 1 == offers->nr ? " or " :
						  ", ",
			    offers->texts[i]);
	if (offers->nr)
		text_char(out, '?');
}

void filter_offers_give(const struct filter_offers *offers, const char *source,
			const struct filter_node *n, struct filter_error *err)
{
	size_t len = n->to - n->from;

	if (!offers->to && n->text &&
	    (n->len != len || memcmp(source + n->from, n->text, len) != 0))
		return;
	err->offers = *offers;
	if (offers->to)
		return;
	err->offers.from = n->from;
	err->offers.to = n->to;
}
