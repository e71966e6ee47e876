/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_COMMANDS_JSON_PAGE_H
#define FTOP_SRC_COMMANDS_JSON_PAGE_H
/* json_page - ftop-trace-json(5): the keys of each command's JSON; tests/program/json_keys.py holds
 * them against what the commands print. */
#include <stdio.h>

void json_page(FILE *out);
#endif
