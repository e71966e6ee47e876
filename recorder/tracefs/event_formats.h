/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_TRACEFS_EVENT_FORMATS_H
#define FTOP_RECORDER_TRACEFS_EVENT_FORMATS_H
/* event_formats - the format files of all events of the running kernel. */
#include <stddef.h>
#include "src/base/error.h"

/* Passes each text to @add.  Return: 0, or -1 with FT_E_IO. */
int event_formats_read(void (*add)(const char *system, const char *text, size_t len),
		       struct ft_error *err);
#endif
