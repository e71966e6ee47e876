/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/base/shorten.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

static int cells_of(const char *s)
{
	return text_cells(s, strlen(s));
}

/* Head, '…' and a tail of @tail cells. */
static void cut_out(const char *s, int cells, int tail, struct text *out)
{
	size_t len = strlen(s), skip;
	/* no character has more cells than bytes */
	int width = len <= (size_t)(cells < 0 ? 0 : cells) ? 0 : cells_of(s);

	if (width <= cells) {
		text_bytes(out, s, len);
		return;
	}
	if (cells <= 0)
		return;
	if (tail > cells - 1)
		tail = cells - 1;
	text_bytes(out, s, text_prefix(s, len, cells - 1 - tail, NULL));
	text_add(out, "…");
	skip = text_prefix(s, len, width - tail, NULL);
	text_add(out, s + skip);
}

void shorten_middle(const char *s, int cells, struct text *out)
{
	cut_out(s, cells, (cells - 1) / 2, out);
}

void shorten_behind(const char *s, int head, int cells, struct text *out)
{
	cut_out(s, cells, cells - 1 - head, out);
}

void shorten_end(const char *s, int cells, struct text *out)
{
	cut_out(s, cells, 0, out);
}

/* "-1450" */
static void number_of(int pid, char number[16])
{
	uint32_t v = pid < 0 ? -(uint32_t)pid : (uint32_t)pid;
	char digits[12];
	int nr = 0, at = 0;

	do {
		digits[nr++] = (char)('0' + v % 10);
		v /= 10;
	} while (v);
	number[at++] = '-';
	if (pid < 0)
		number[at++] = '-';
	while (nr)
		number[at++] = digits[--nr];
	number[at] = '\0';
}

void shorten_task(const char *comm, int pid, int cells, struct text *out)
{
	char number[16];
	int room, tail = 0;
	size_t len = strlen(comm);

	number_of(pid, number);
	room = cells - (int)strlen(number);
	if (!strncmp(comm, "kworker", 7))
		tail = room - 4;
	else
		while (tail < 3 && (size_t)tail < len &&
		       isdigit((unsigned char)comm[len - 1 - tail]))
			tail++;
	cut_out(comm, room, tail < 0 ? 0 : tail, out);
	text_add(out, number);
}

void shorten_function(const char *name, int cells, struct text *out)
{
	static const char *const suffixes[] = { ".constprop.", ".isra.", ".part.", ".cold",
						".llvm." };
	const char *suffix = NULL;
	struct text stem = { 0 };

	if (cells_of(name) <= cells) {
		text_add(out, name);
		return;
	}
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		const char *at = strstr(name, suffixes[i]);

		if (at && (!suffix || at < suffix))
			suffix = at;
	}
	if (!suffix) {
		shorten_middle(name, cells, out);
		return;
	}
	text_bytes(&stem, name, suffix - name);
	text_add(&stem, "…");
	if (cells_of(stem.data) <= cells)
		text_add(out, stem.data);
	else
		shorten_middle(name, cells, out);
	text_fini(&stem);
}

void shorten_event(const char *s, int cells, struct text *out)
{
	static const char open[] = "} /* ", close[] = " */";
	size_t len = strlen(s), name_len;
	struct text name = { 0 };
	const char *rest;
	int fixed;

	if (cells_of(s) <= cells || strncmp(s, open, sizeof(open) - 1) ||
	    len < sizeof(open) + sizeof(close) || strcmp(s + len - (sizeof(close) - 1), close)) {
		shorten_end(s, cells, out);
		return;
	}
	name_len = strcspn(s + sizeof(open) - 1, " ");
	rest = s + sizeof(open) - 1 + name_len;
	fixed = (int)sizeof(open) - 1 + cells_of(rest);
	if (cells - fixed < 4) {
		shorten_end(s, cells, out);
		return;
	}
	text_bytes(&name, s + sizeof(open) - 1, name_len);
	text_add(out, open);
	shorten_function(name.data, cells - fixed, out);
	text_add(out, rest);
	text_fini(&name);
}
