/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_BASE_ERROR_H
#define FTOP_SRC_BASE_ERROR_H
/*
 * error - describes a failure: its kind, its place in the input, and a message.
 *
 * A function that can fail takes `struct ft_error *err` last and returns -1 or NULL.  The code that
 * detects the failure sets it; callers pass it up and may add context once.  Only main.c and ui/
 * show errors to the user.
 */
#include <stdarg.h>
#include <stdint.h>

enum ft_error_code {
	FT_E_NONE = 0,
	FT_E_IO,		/* a system call failed: the message contains strerror() */
	FT_E_FORMAT,		/* the input violates its format */
	FT_E_LIMIT,		/* a number outside the accepted range */
	FT_E_VERSION,		/* an unknown file version */
	FT_E_UNSUPPORTED,	/* known, but not built in or not implemented: the message says
				 * what to do */
	FT_E_NOMEM,
	FT_E_USAGE,		/* the user's input is wrong */
	FT_E_CANCELLED,
};

struct ft_error {
	enum ft_error_code	code;
	int64_t			offset;		/* byte in the input, -1 = none */
	char			message[384];	/* UTF-8, without a final newline or file name */
};

/**
 * ft_error_set() - fill in an error
 * @err:    may be NULL, then nothing is stored
 * @offset: byte offset in the input, or -1
 *
 * Return: always -1, so that it can be returned.
 */
int ft_error_set(struct ft_error *err, enum ft_error_code code, int64_t offset, const char *fmt,
		 ...) __attribute__((format(printf, 4, 5)));

/* As ft_error_set(), with ": strerror(errnum)" appended to the message, and code FT_E_IO. */
int ft_error_errno(struct ft_error *err, int errnum, int64_t offset, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* Put "context: " before the message of an error that is set.  Returns -1. */
int ft_error_prefix(struct ft_error *err, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/**
 * ft_error_text() - one line for the user: "PATH: byte 14 (0xe): MESSAGE"
 * @path: may be NULL, then it is omitted; so is the byte if offset < 0
 *
 * Return: @buf, always NUL-ended.
 */
const char *ft_error_text(const struct ft_error *err, const char *path, char *buf,
			  unsigned int size);
#endif
