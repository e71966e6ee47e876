/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_BASE_SHORTEN_H
#define FTOP_SRC_BASE_SHORTEN_H
/* shorten - shortens names that do not fit by their least informative part, and puts '…' there. */
#include "src/base/text.h"

void shorten_middle(const char *s, int cells, struct text *out);
void shorten_end(const char *s, int cells, struct text *out);
/* keeps the first @head cells and the end */
void shorten_behind(const char *s, int head, int cells, struct text *out);
/*
 * comm-pid: keeps the whole pid and cuts the middle of the comm, but keeps a number at its end and
 * the tail of a kworker's name.
 */
void shorten_task(const char *comm, int pid, int cells, struct text *out);
/* A function's name: cuts the compiler's suffix first, then the middle. */
void shorten_function(const char *name, int cells, struct text *out);
/*
 * The text of an event: "} / * name 1.322 µs * /" keeps its duration, other texts are cut at the
 * end.
 */
void shorten_event(const char *s, int cells, struct text *out);
#endif
