/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_FILTER_FILTER_KERNEL_H
#define FTOP_SRC_FILTER_FILTER_KERNEL_H
/*
 * filter_kernel - translates a filter to the kernel's event filters (record -f), if possible:
 * fields compared with numbers and strings, bits, globs, lists.
 */
#include <stdbool.h>
#include "src/filter/filter.h"
#include "src/base/text.h"

/**
 * filter_kernel_text() - append a filter in the language of events/SYSTEM/EVENT/filter
 * @text: without events in it: the event is given by the file it is written to
 *
 * A word on the right is text, or the name of an error; the kernel checks whether the event has the
 * field. Return: false, with @err set and nothing appended, if it cannot be parsed or the kernel
 * cannot express it.
 */
bool filter_kernel_text(const char *text, struct text *out, struct filter_error *err);
#endif
