/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_STATUS_STREAM_H
#define FTOP_RECORDER_STATUS_STREAM_H
/*
 * status_stream - how a recording goes, told to another program over a pipe or a
 * socket: one JSON object a line.
 *
 *   {"type":"begin", …}     tracing is on: file, part, pid, cpus, buffers[]
 *   {"type":"status", …}    each second: time_ns, bytes, events, events_per_s, lost, needs_kb, per_cpu[]
 *   {"type":"note", …}      text: what the user should know
 *   {"type":"stopped", …}   tracing is off again: by; the file is being made whole
 *   {"type":"packing", …}   done_bytes, total_bytes: while the file is compressed
 *   {"type":"end", …}       the last one, whatever happened: ok, written, partial, file, error, …
 *
 * A reader that is slow misses status lines and nothing else; it never holds up
 * the recording.  One that goes away ends it: the file is finished as if the user
 * had stopped it.  At the other end of a socket, or of a descriptor of its own, it
 * may also ask for that, by the word "stop" or by shutting down its side for
 * writing; after the word "keep" it may go away, and the recording goes on.
 */
#include <stdbool.h>
#include <stdint.h>
#include "src/base/error.h"
#include "src/base/text.h"

struct status_stream;

/**
 * status_stream_open() - tell it through a descriptor
 * @fd: open for writing; taken over.  Where it is 0, 1 or 2 it is moved, so that nothing the traced command prints gets
 *      in between: stderr takes the place of 1, /dev/null that of others.
 *
 * Return: NULL with FT_E_USAGE if nothing can be written there.
 */
struct status_stream *status_stream_open(int fd, struct ft_error *err);
void status_stream_close(struct status_stream *s);	/* waits up to 2 s for a slow reader; NULL is allowed */

/* What the other side says comes through @fd, which is taken over as above: for a stream that goes one way.  -1 with FT_E_USAGE. */
int status_stream_hear(struct status_stream *s, int fd, struct ft_error *err);

/* To be polled for POLLIN (POLLHUP and POLLERR come unasked); -1 for NULL and for a file,
   once the reader is gone, and when it may go. */
int status_stream_fd(const struct status_stream *s);

/* After it was polled: true when the other side wants the recording to end.  @why: "who watched it", for the summary. */
bool status_stream_asks_stop(struct status_stream *s, const char **why);

/* One line, of an object without its braces; @must: is kept for a slow reader, else left out.  NULL streams take anything. */
void status_stream_line(struct status_stream *s, const struct text *members, bool must);

/* {"type":TYPE,NAME:"VALUE"} with VALUE escaped. */
void status_stream_say(struct status_stream *s, const char *type, const char *name, const char *value);

/* Append "NAME":"VALUE", escaped, with a comma before it where something stands already. */
void status_stream_string(struct text *members, const char *name, const char *value);
void status_stream_number(struct text *members, const char *name, uint64_t value);
#endif
