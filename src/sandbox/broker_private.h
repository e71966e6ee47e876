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
 *   broker_confirm.c asks the user at the terminal
 *   broker_place.c   decides where the screen may write
 *   broker_part.c    files that are not complete yet
 */
#include "src/base/framing.h"
#include "src/base/file_place.h"
#include "src/sandbox/broker.h"

enum broker_what {
	BROKER_START,		/* bytes: words, each with its NUL; number: enum child_kind;
				 * may_ask */
	BROKER_CREATE,		/* bytes: a path; may_ask */
	BROKER_REPLACE,		/* bytes: a path, NUL, contents */
	BROKER_BEGIN_FILE,	/* bytes: a path */
	BROKER_END_FILES,	/* number: are they kept? */
	BROKER_ON_HIT,		/* bytes: a path, NUL, JSON */
	BROKER_ENDED,		/* number: a pid */
	BROKER_INTERRUPT,	/* number: a pid */
	BROKER_NOTHING,		/* refused, as any other number is */
};

#define BROKER_MAX_BYTES	(16 << 20)	/* per question */
#define BROKER_MAX_FDS	FRAMING_MAX_FDS
#define BROKER_MAX_PARTS	16	/* files that are not complete, at a time */

struct broker_ask {
	uint32_t	what;
	uint32_t	bytes;		/* bytes that follow */
	int32_t		number;
	int32_t		may_ask;
};

struct broker_answer {
	int32_t		result;		/* the function's return value */
	int32_t		pid;
	int32_t		status;		/* exit status of a child that ended */
	uint32_t	fds;		/* bit i: descriptor i is attached */
	struct ft_error	err;
};

void broker_serve(int fd, const struct broker_rules *rules);	/* until the other side closes */

struct broker_verdict {
	bool		saves;		/* what is asked is no recording */
	struct text	asks;		/* what the user must confirm, printable, a line each */
	struct text	key;		/* what was asked for, as given: to recognise it later */
	struct text	records;	/* the file that the recording writes */
};

void broker_verdict_fini(struct broker_verdict *verdict);

/**
 * broker_judge() - may this be started?
 * @argv: NULL-ended
 * @verdict: zeroed; call broker_verdict_fini() in any case
 *
 * Return: 0, or -1 with FT_E_USAGE if it may not.
 */
int broker_judge(const struct broker_rules *rules, const char *const *argv,
		 struct broker_verdict *verdict, struct ft_error *err);

/* Append something that the user must confirm; @given: words from the screen. */
void broker_add_doubt(struct broker_verdict *verdict, const char *what, const char *given);
/* Asks at the terminal, while the asking process is stopped.  Return: 0, or -1 if it may not be. */
int broker_confirm(int fd, pid_t asker, const struct broker_verdict *verdict, struct ft_error *err);

/**
 * broker_place_open() - find where a path leads, and whether the screen may write there
 *
 * As file_place_open(), without FILE_PLACE_FOLLOW.  Files and folders whose names begin with a dot
 * are refused, except for the folder in which the program was started; so are /proc, /sys, /dev
 * and system folders such as /etc.
 */
int broker_place_open(struct file_place *place, const char *path, struct ft_error *err);
/*
 * Open a place for a table, FOLDER/TABLE/NAME.parquet or .csv, in a folder that the user gave.
 * Missing folders are made; the table's may not be a link.
 */
int broker_place_below(struct file_place *place, const char *path, const char *folder,
		       struct ft_error *err);

/* Create a file that is not there.  Return: a descriptor for writing, or -1 with FT_E_IO. */
int broker_create_new(const struct file_place *place, const char *path, struct ft_error *err);

struct broker_part {		/* a file that is not complete: NAME.part */
	char		*path;		/* owned: what it will be called; for messages */
	struct file_place	 place;
	const char	*replaces;	/* as of output_name_replaces() */
	bool		streams;	/* or writes a pipe or character device of that name */
	bool		is_direct;	/* a pipe or device, which is written itself */
};

/*
 * Create NAME.part or, if .streams is set, open the pipe or character device of that name.
 * @if_there: what to do if there is a file of that name, for the message.
 * @asker: the socket of who asks: a pipe without a reader is waited for until its other end closes.
 * Return: a descriptor for reading and writing (for writing only: a pipe or device), or -1 with
 * FT_E_USAGE (it exists) or FT_E_IO.
 */
int broker_part_begin(struct broker_part *part, const char *if_there, int asker,
		      struct ft_error *err);
/* Rename it, or remove it if it is not to be kept or that fails.  Frees what @part owns. */
int broker_part_end(struct broker_part *part, bool keep, struct ft_error *err);
void broker_part_fini(struct broker_part *part);	/* for one that was not begun */

/* Does its name end in one of these, NULL-ended? */
bool broker_place_ends_in(const struct file_place *place, const char *const *endings);
#endif
