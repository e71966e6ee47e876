/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_CTF_CTF_QUOTE_H
#define FTOP_PARSERS_CTF_CTF_QUOTE_H
/* ctf_quote - strings as babeltrace2 prints them. */
#include "src/base/text.h"

/* Append @len bytes in double quotes; quotes, backslashes and control characters are escaped. */
/* A field with this type is such a text already, not a string. */
#define CTF_TEXT	"signed char[]"

void ctf_quote(struct text *out, const char *s, size_t len);
#endif
