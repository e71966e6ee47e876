/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/ctf/ctf_quote.h"

#include <string.h>

/* As print_escape_string() of babeltrace's src/plugins/text/pretty/print.c. */
void ctf_quote(struct text *out, const char *s, size_t len)
{
	static const char from[] = "\\'\"?\a\b\e\f\n\r\t\v", to[] = "\\'\"?abefnrtv";

	text_char(out, '"');
	for (size_t i = 0; i < len; i++) {
		const char *at = s[i] ? strchr(from, s[i]) : NULL;

		if (at)
			text_printf(out, "\\%c", to[at - from]);
		else if ((unsigned char)s[i] < ' ' || s[i] == '\x7f')
			text_printf(out, "\\x%02x", (unsigned char)s[i]);
		else
			text_char(out, s[i]);
	}
	text_char(out, '"');
}
