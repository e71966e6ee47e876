/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/source/perf_name.h"

#include <ctype.h>
#include <string.h>

void perf_name_clean(const char *name, size_t len, char out[PERF_NAME_BYTES])
{
	size_t nr = 0, letters = len;

	while (letters && strchr("pPHG", name[letters - 1]))
		letters--;
	if (letters && name[letters - 1] == ':')
		len = letters - 1;
	for (size_t i = 0; i < len && nr < PERF_NAME_BYTES - 1; i++)
		if (isalnum((unsigned char)name[i]))
			out[nr++] = name[i];
		else if (nr && out[nr - 1] != '_')
			out[nr++] = '_';
	while (nr && out[nr - 1] == '_')
		nr--;
	out[nr] = '\0';
}
