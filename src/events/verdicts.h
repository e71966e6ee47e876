/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_EVENTS_VERDICTS_H
#define FTOP_SRC_EVENTS_VERDICTS_H
/*
 * verdicts - what the program says about who, why and how long.  verdicts.def has the words, and
 * when they are true.
 */
#include <stdio.h>
#include "src/base/text.h"

enum verdict {
#define SECTION(title)
#define VERDICT(name, words, holds, needs, without) VERDICT_##name,
#include "src/events/verdicts.def"
#undef SECTION
#undef VERDICT
};

/* As in verdicts.def, without {task} and the like; but a ~ in front only if it was inferred. */
const char *verdict_words(enum verdict v, bool inferred);

/* Append the words.  ...: for each {number} an int, for each {task} and the like a const char *. */
void verdict_add(struct text *out, enum verdict v, ...);

/* ftop-trace-verdicts(7) */
void verdicts_page(FILE *out);
#endif
