/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_SANDBOX_BROKER_PRIVATE_H
#define FTOP_SRC_SANDBOX_BROKER_PRIVATE_H
/*
 * broker_private - the protocol of a broker: a question and its bytes, then an answer, which may
 * carry descriptors; one at a time, through a socket pair.
 *
 *   broker.c         the asking side
 *   broker_serve.c   the other process, which serves requests
 *   broker_judge.c   decides whether a command line may be started
 */
#include "src/sandbox/broker.h"

enum broker_what {
	BROKER_START,		/* bytes: words, each with its NUL; number: enum child_kind;
				 * may_ask */
	BROKER_CREATE,		/* bytes: a path */
	BROKER_REPLACE,		/* bytes: a path, NUL, contents */
	BROKER_ENDED,		/* number: a pid */
	BROKER_INTERRUPT,	/* the same */
};

#define BROKER_MAX_BYTES	(16 << 20)	/* per question */
#define BROKER_MAX_FDS		4

struct broker_ask {
	uint32_t	what;
	uint32_t	bytes;		/* bytes that follow */
	int32_t		number;
	int32_t		may_ask;
};

struct broker_answer {
	int32_t		result;		/* the function's return value */
	int32_t		pid;
	int32_t		status;		/* of a child that ended */
	uint32_t	fds;		/* bit i: descriptor i is attached */
	struct ft_error	err;
};

/* Read exactly @len bytes; -1 on failure. */
int broker_read(int fd, void *buf, size_t len);

void broker_serve(int fd, const struct broker_rules *rules);	/* until the other side closes */

/**
 * broker_judge() - may this be started?
 * @argv: NULL-ended
 * @runs: the program that the recording would run is appended as a printable line; nothing if it
 *        runs none
 *
 * Return: 0, or -1 with FT_E_USAGE if it may not.
 */
int broker_judge(const struct broker_rules *rules, const char *const *argv, struct text *runs,
		 struct ft_error *err);

/* Does the name, or a folder on the way to it, begin with a dot? */
bool broker_is_hidden(const char *path);
#endif
