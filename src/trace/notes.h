/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_NOTES_H
#define FTOP_SRC_NOTES_H
/*
 * notes - tells on stderr what is wrong with files of which something could be
 * shown: text commands end with it, so that a part never passes for the whole.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "src/trace/trace.h"

/**
 * notes_show() - a line for each of the first notes of each file, and one for damaged sub-buffers
 * @damaged: sub-buffers that were met and could not be read to their ends
 *
 * Return: is anything wrong?
 */
bool notes_show(const struct trace *trace, uint64_t damaged, FILE *out);
#endif
