/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_CTF_CTF_TEXT_H
#define FTOP_PARSERS_CTF_CTF_TEXT_H
/* ctf_text - values as babeltrace2 prints them. */
#include <babeltrace2/babeltrace.h>
#include "src/base/text.h"

/* Append a field's value: "{ a = 1, b = [ [0] = 0x2 ] }" */
void ctf_text_value(const bt_field *field, struct text *out);
/* The value of a string field; borrowed. */
const char *ctf_text_string(const bt_field *field);
#endif
