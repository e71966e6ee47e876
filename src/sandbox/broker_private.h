/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_BROKER_PRIVATE_H
#define FTOP_SRC_BROKER_PRIVATE_H
/*
 * broker_private - what the two sides of a broker share: a question and its bytes, then an answer, which may bring descriptors along;
 * one after the other, through a pair of sockets.
 *
 *   broker.c         who asks
 *   broker_serve.c   the other process: what is asked is done
 *   broker_judge.c   whether a command line may be started
 */
#include "src/sandbox/broker.h"

enum broker_what {
	BROKER_START,		/* bytes: words, each with its NUL; number: enum child_kind; may_ask */
	BROKER_CREATE,		/* bytes: a path */
	BROKER_REPLACE,		/* bytes: a path, NUL, contents */
	BROKER_ENDED,		/* number: a pid */
	BROKER_INTERRUPT,	/* the same */
};

#define BROKER_MAX_BYTES	(16 << 20)	/* of a question */
#define BROKER_MAX_FDS		4

struct broker_ask {
	uint32_t	what;
	uint32_t	bytes;		/* that follow */
	int32_t		number;
	int32_t		may_ask;
};

struct broker_answer {
	int32_t		result;		/* as the function returns it */
	int32_t		pid;
	int32_t		status;		/* of a child that ended */
	uint32_t	fds;		/* bit i: descriptor i comes along */
	struct ft_error	err;
};

/* The whole of it, or -1. */
int broker_read(int fd, void *buf, size_t len);

void broker_serve(int fd, const struct broker_rules *rules);	/* until the other side is gone */

/**
 * broker_judge() - may this be started?
 * @argv: NULL-ended
 * @runs: what the recording would run, in a line to be shown, is appended; nothing: it runs nothing
 *
 * Return: 0, or -1 with FT_E_USAGE: it may not.
 */
int broker_judge(const struct broker_rules *rules, const char *const *argv, struct text *runs, struct ft_error *err);

/* A name, or one on the way to it, begins with a dot. */
bool broker_is_hidden(const char *path);
#endif
