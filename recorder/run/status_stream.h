/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_RUN_STATUS_STREAM_H
#define FTOP_RECORDER_RUN_STATUS_STREAM_H
/*
 * status_stream - reports the progress of a recording to another program over a pipe or a socket:
 * one JSON object per line.
 *
 *   {"type":"begin", …}     tracing is on: file, part, pid, cpus, buffers[]
 *   {"type":"status", …}    each second: time_ns, bytes, events, events_per_s, lost, needs_kb,
 *                           cpu_ns (its own time on CPUs), judged_ns_ago (age of the newest
 *                           event that --until has judged; 0: not known), per_cpu[]
 *   {"type":"note", …}      text: what the user should know
 *   {"type":"stopped", …}   tracing is off again: by; the file is being finished
 *   {"type":"packing", …}   done_bytes, total_bytes: while the file is compressed
 *   {"type":"end", …}       the last one, whatever happened: ok, written, partial, file, error, …
 *
 * A slow reader misses status lines, but no others; it never delays the recording.  A reader that
 * goes away ends it: the file is finished as if the user had stopped it.  On a socket, or through a
 * separate descriptor, the reader can also send words: "stop" ends the recording, as does shutting
 * down the sending side; "discard" ends it and leaves no file; after "keep" the reader may go away
 * without ending it.
 */
#include <stdbool.h>
#include <stdint.h>
#include "src/base/error.h"
#include "src/base/text.h"

struct status_stream;

/**
 * status_stream_open() - open a stream on a descriptor
 * @fd: open for writing; taken over.  If it is 0, 1 or 2 it is moved, so that the output of the
 *        traced command does not mix with it: it is replaced by stderr (for 1) or /dev/null.
 *
 * Return: NULL with FT_E_USAGE if it is not writable.
 */
struct status_stream *status_stream_open(int fd, struct ft_error *err);
/* Waits up to 2 s for a slow reader.  NULL is allowed. */
void status_stream_close(struct status_stream *s);

/*
 * For a one-way stream: take the reader's words from @fd, which is taken over as above.  -1 with
 * FT_E_USAGE.
 */
int status_stream_control(struct status_stream *s, int fd, struct ft_error *err);

/*
 * A descriptor to poll for POLLIN; it also reports POLLHUP and POLLERR.  -1: there is nothing to
 * wait for, because the stream is NULL or a file, or the reader has gone or may go.
 */
int status_stream_fd(const struct status_stream *s);

/*
 * Call it after polling: true if the reader wants the recording to end.  @why: such as "its
 * reader", for the summary.
 */
bool status_stream_asks_stop(struct status_stream *s, const char **why);
bool status_stream_discards(const struct status_stream *s);	/* NULL: false */

/*
 * Write a line.  @members: of its object, from json_out, without the braces.  @must: keep the line
 * for a slow reader, else drop it.  Does nothing if the stream is NULL.
 */
void status_stream_line(struct status_stream *s, const struct text *members, bool must);

/* Write {"type":TYPE,NAME:"VALUE"}, with VALUE escaped. */
void status_stream_say(struct status_stream *s, const char *type, const char *name,
		       const char *value);
#endif
