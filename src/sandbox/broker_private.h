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
 *   broker_place.c   finds where a path leads
 *   broker_part.c    files that are not complete yet
 */
#include "src/base/framing.h"
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

/* A file that may be written: a folder, and a name in it. */
struct broker_place {
	int		folder;		/* O_PATH or AT_FDCWD; -1: closed */
	const char	*name;		/* borrowed from the path, or from @real */
	char		*real;		/* owned: where a link of that name leads; NULL: none */
	int		stream;		/* O_PATH: the pipe or character device that is there; 0:
					 * none */
	bool		has_links;	/* the path leads there through symbolic links */
};

/**
 * broker_place_open() - find where a path leads, following links, and whether one may write there
 *
 * Files and folders whose names begin with a dot are refused, except for the folder in which the
 * program was started; so are /proc, /sys, /dev and system folders such as /etc.  What is opened is
 * the folder that was judged, component by component without links, so that nobody can put another
 * one in its place.
 *
 * Return: 0, or -1 with FT_E_IO, or FT_E_USAGE if it is refused.  Call broker_place_close() then.
 */
int broker_place_open(struct broker_place *place, const char *path, struct ft_error *err);
/*
 * As broker_place_open(), for a path that the user gave: it is not judged.  If it is a link, it is
 * the place to which it leads, unless another user put it into a folder such as /tmp.
 */
int broker_place_of(struct broker_place *place, const char *path, struct ft_error *err);
/* As that for a name that the user did not give: it may be a link, which is not followed. */
int broker_place_beside(struct broker_place *place, const char *path, struct ft_error *err);
/*
 * Open a place for a table, FOLDER/TABLE/NAME.parquet or .csv, in a folder that the user gave.
 * Missing folders are made; the table's may not be a link.
 */
int broker_place_below(struct broker_place *place, const char *path, const char *folder,
		       struct ft_error *err);
void broker_place_close(struct broker_place *place);

struct broker_part {		/* a file that is not complete: NAME.part */
	char		*path;		/* owned: what it will be called; for messages */
	struct broker_place place;
	const char	*replaces;	/* as of output_name_replaces() */
	bool		streams;	/* or writes a pipe or character device of that name */
	bool		is_direct;	/* a pipe or device, which is written itself */
};

/*
 * Create NAME.part or, if .streams is set, open the pipe or character device of that name.
 * @if_there: what to do if there is a file of that name, for the message.
 * Return: a descriptor for reading and writing (for writing only: a pipe, which waits for a reader,
 * or a device), or -1 with FT_E_USAGE (it exists) or FT_E_IO.
 */
int broker_part_begin(struct broker_part *part, const char *if_there, struct ft_error *err);
/* Rename it, or remove it if it is not to be kept or that fails.  Frees what @part owns. */
int broker_part_end(struct broker_part *part, bool keep, struct ft_error *err);
void broker_part_fini(struct broker_part *part);	/* for one that was not begun */

/* Does its name end in one of these, NULL-ended? */
bool broker_place_ends_in(const struct broker_place *place, const char *const *endings);
#endif
