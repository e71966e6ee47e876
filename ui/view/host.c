/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/view/host.h"

#include <stdarg.h>
#include <stdio.h>

__attribute__((format(printf, 3, 0)))
static void say(const struct view_host *host, bool is_error, const char *fmt, va_list ap)
{
	char text[512];

	vsnprintf(text, sizeof(text), fmt, ap);
	host->say(host->app, is_error, text);
}

void host_message(const struct view_host *host, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(host, false, fmt, ap);
	va_end(ap);
}

void host_error(const struct view_host *host, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(host, true, fmt, ap);
	va_end(ap);
}
