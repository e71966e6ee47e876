/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_SHORTEN_H
#define FTOP_SRC_SHORTEN_H
/* shorten - names that do not fit lose the part that says least; '…' stands for it. */
#include "src/base/text.h"

void shorten_middle(const char *s, int cells, struct text *out);
void shorten_end(const char *s, int cells, struct text *out);
void shorten_behind(const char *s, int head, int cells, struct text *out);	/* keeps so many cells, and the end */
/* comm-pid: the pid is whole, the comm loses its middle; a number at its end and the tail of a kworker stay. */
void shorten_task(const char *comm, int pid, int cells, struct text *out);
/* A function's name: the compiler's suffix goes first, then the middle. */
void shorten_function(const char *name, int cells, struct text *out);
/* The text of an event: "} / * name 1.322 µs * /" keeps its duration, others lose their end. */
void shorten_event(const char *s, int cells, struct text *out);
#endif
