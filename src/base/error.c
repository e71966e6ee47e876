/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/base/error.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

int ft_error_set(struct ft_error *err, enum ft_error_code code, int64_t offset, const char *fmt,
		 ...)
{
	va_list ap;

	if (!err)
		return -1;
	err->code = code;
	err->offset = offset;
	va_start(ap, fmt);
	vsnprintf(err->message, sizeof(err->message), fmt, ap);
	va_end(ap);
	return -1;
}

int ft_error_errno(struct ft_error *err, int errnum, int64_t offset, const char *fmt, ...)
{
	va_list ap;
	size_t len;

	if (!err)
		return -1;
	err->code = errnum == ENOMEM ? FT_E_NOMEM : FT_E_IO;
	err->offset = offset;
	va_start(ap, fmt);
	vsnprintf(err->message, sizeof(err->message), fmt, ap);
	va_end(ap);
	len = strlen(err->message);
	snprintf(err->message + len, sizeof(err->message) - len, ": %s", strerror(errnum));
	return -1;
}

int ft_error_prefix(struct ft_error *err, const char *fmt, ...)
{
	char old[sizeof(err->message)];
	va_list ap;
	size_t len;

	if (!err)
		return -1;
	memcpy(old, err->message, sizeof(old));
	va_start(ap, fmt);
	vsnprintf(err->message, sizeof(err->message), fmt, ap);
	va_end(ap);
	len = strlen(err->message);
	snprintf(err->message + len, sizeof(err->message) - len, ": %s", old);
	return -1;
}

const char *ft_error_text(const struct ft_error *err, const char *path, char *buf,
			  unsigned int size)
{
	char where[64] = "";

	if (err->offset >= 0)
		snprintf(where, sizeof(where), "byte %" PRId64 " (0x%" PRIx64 "): ", err->offset,
			 (uint64_t)err->offset);
	snprintf(buf, size, "%s%s%s%s", path ? path : "", path ? ": " : "", where, err->message);
	return buf;
}
