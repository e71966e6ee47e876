/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recorder/run/ring_stats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * "now ts:  8.433006", or a number in the clock's own unit.  The kernel rounds to µs: this is at
 * most the true stamp.
 */
static uint64_t stamp_of(const char *text, const char *key)
{
	const char *at = strstr(text, key);
	unsigned long long s = 0, us = 0;
	int nr = at ? sscanf(at + strlen(key), "%llu.%llu", &s, &us) : 0;

	if (nr != 2)
		return s;
	us += s * 1000000;
	return us ? (us - 1) * 1000 : 0;
}

struct ring_stats ring_stats_parse(const char *text)
{
	const char *entries = strstr(text, "entries: ");

	return (struct ring_stats){
		.entries = entries ? strtoull(entries + strlen("entries: "), NULL, 10) : 0,
		.now = stamp_of(text, "now ts: "),
	};
}

struct ring_stats ring_stats_read(int fd)
{
	char text[1024];
	ssize_t got = fd >= 0 ? pread(fd, text, sizeof(text) - 1, 0) : -1;

	if (got <= 0)
		return (struct ring_stats){ 0 };
	text[got] = '\0';
	return ring_stats_parse(text);
}
