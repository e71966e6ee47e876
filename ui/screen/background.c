/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/screen/background.h"

#include <stdlib.h>
#include <string.h>

/* Reads up to four hexadecimal digits as a share of their largest value; NULL: there are none. */
static const char *read_share(const char *s, size_t most, double *share)
{
	size_t len = strspn(s, "0123456789abcdefABCDEF");
	char digits[5] = "";

	if (len > most)
		len = most;
	if (!len)
		return NULL;
	memcpy(digits, s, len);
	*share = (double)strtoul(digits, NULL, 16) / (double)((1ul << 4 * len) - 1);
	return s + len;
}

enum background background_of_answer(const char *s)
{
	double share[3];
	size_t digits = 4;

	if (strncmp(s, "11;", 3))
		return BACKGROUND_UNKNOWN;
	s += 3;
	if (*s == '#') {
		digits = strlen(s) / 3;
		s++;
	} else if (!strncmp(s, "rgb:", 4) || !strncmp(s, "rgba:", 5)) {
		s = strchr(s, ':') + 1;
	} else {
		return BACKGROUND_UNKNOWN;
	}
	for (int i = 0; i < 3; i++) {
		s = read_share(s, digits > 4 ? 4 : digits, &share[i]);
		if (!s)
			return BACKGROUND_UNKNOWN;
		if (*s == '/')
			s++;
	}
	return 0.299 * share[0] + 0.587 * share[1] + 0.114 * share[2] > 0.5 ? BACKGROUND_LIGHT :
									      BACKGROUND_DARK;
}

enum background background_of_variable(const char *s)
{
	const char *last = s ? strrchr(s, ';') : NULL;
	unsigned long colour;
	char *end;

	if (!last || last[1] < '0' || last[1] > '9')
		return BACKGROUND_UNKNOWN;
	colour = strtoul(last + 1, &end, 10);
	if (*end || colour > 15)
		return BACKGROUND_UNKNOWN;
	return colour < 7 || colour == 8 ? BACKGROUND_DARK : BACKGROUND_LIGHT;
}
