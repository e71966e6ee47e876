/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_FILTER_KERNEL_H
#define FTOP_SRC_FILTER_KERNEL_H
/*
 * filter_kernel - a filter as the kernel's own event filters say it (record -f), where
 * they can: fields compared with numbers and strings, bits, globs, lists.
 */
#include <stdbool.h>
#include "src/filter/filter.h"
#include "src/base/text.h"

/**
 * filter_kernel_text() - append the same in the language of events/SYSTEM/EVENT/filter
 * @text: without events in it: whose fields are meant is told by where it is written
 *
 * A word that is compared is text, or the name of an error; whether the event has such a field is the kernel's to say.
 * Return: false with @err where it cannot be parsed, or the kernel has no such thing; nothing is appended then.
 */
bool filter_kernel_text(const char *text, struct text *out, struct filter_error *err);
#endif
