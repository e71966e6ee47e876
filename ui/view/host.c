/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/view/host.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "src/base/text.h"

__attribute__((format(printf, 3, 0))) static void say(const struct view_host *host, bool is_error,
						      const char *fmt, va_list ap)
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

void host_filter_by_function(const struct view_host *host, const char *name, bool without)
{
	struct text value = { 0 };

	text_bytes(&value, name, strcspn(name, " "));		/* without its module */
	host_filter_by(host, "func", text_str(&value), without);
	text_fini(&value);
}

bool host_filter_from(const struct view_host *host, const struct place *place, char letter,
		      bool without)
{
	char number[16];

	if (letter == 'h') {
		host_filter_by(host, NULL, "(irq || softirq)", without);
	} else if (letter == 'p') {
		host->filter_by_process(host->app, place->file, place->pid, place->ts, without);
	} else if (letter == 't' || letter == 'c') {
		snprintf(number, sizeof(number), "%d", letter == 't' ? place->pid : place->cpu);
		host_filter_by(host, letter == 't' ? "pid" : "cpu", number, without);
	} else {
		return false;
	}
	return true;
}
