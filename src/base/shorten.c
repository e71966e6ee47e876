/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/base/shorten.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
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

/* Opening text, a function's name, and a rest that is kept whole.  False: it cannot be. */
static bool cut_name(const char *s, size_t head, size_t len, int cells, struct text *out)
{
	const char *rest = s + head + len;
	struct text name = { 0 };
	int room = cells - (int)head - cells_of(rest);

	if (room < 4)
		return false;
	text_bytes(&name, s + head, len);
	text_bytes(out, s, head);
	shorten_function(text_str(&name), room, out);
	text_add(out, rest);
	text_fini(&name);
	return true;
}

/*
 * "R+ → kworker/1:1-48 [120]", "sh-80 [120] → CPU 1": the priority goes first, then the middle of
 * the next task's name.
 */
static void cut_arrow(const char *s, const char *arrow, int cells, struct text *out)
{
	const char *prio = strstr(s, " ["), *end = prio ? strchr(prio, ']') : NULL, *dash;
	struct text t = { 0 }, comm = { 0 };
	size_t head = arrow + strlen(" → ") - s;

	if (end && strspn(prio + 2, "0123456789") == (size_t)(end - prio - 2)) {
		text_bytes(&t, s, prio - s);
		text_add(&t, end + 1);
	} else {
		text_add(&t, s);
	}
	dash = prio && prio > arrow ? strrchr(t.data + head, '-') : NULL;
	if (dash && cells_of(t.data) > cells) {
		text_bytes(&comm, t.data + head, dash - t.data - head);
		text_bytes(out, s, head);
		head = text_cells(s, head);
		shorten_task(text_str(&comm), atoi(dash + 1), cells - (int)head, out);
	} else {
		shorten_end(t.data, cells, out);
	}
	text_fini(&comm);
	text_fini(&t);
}

void shorten_event(const char *s, int cells, struct text *out)
{
	static const char open[] = "} /* ";
	const char *arrow, *leaf;
	size_t head = sizeof(open) - 1;

	if (cells_of(s) <= cells) {
		text_add(out, s);
		return;
	}
	arrow = strstr(s, " → ");
	leaf = strstr(s, "(); ");
	if (!strncmp(s, open, head) && cut_name(s, head, strcspn(s + head, " "), cells, out))
		return;
	if (leaf && cut_name(s, 0, leaf - s, cells, out))
		return;
	if (arrow)
		cut_arrow(s, arrow, cells, out);
	else
		shorten_end(s, cells, out);
}
