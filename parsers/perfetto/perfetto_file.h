/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_PERFETTO_PERFETTO_FILE_H
#define FTOP_PARSERS_PERFETTO_PERFETTO_FILE_H
/*
 * perfetto_file - the packets of a trace of Perfetto.  A file is one message, Trace, whose fields
 * are packets, one behind the other.
 */
#include "parsers/perfetto/proto_reader.h"

#define PERFETTO_LOOK		64u
#define PERFETTO_MAX_PACKET	(256u << 20)	/* bytes */

struct perfetto_file {			/* free it with perfetto_file_fini() */
	int		 fd;		/* borrowed */
	uint64_t	 pos, end;	/* where the next packet begins; the file's size */
	uint8_t		*buffer;	/* owned, [cap]; [len] bytes from `loaded` on */
	uint64_t	 loaded, len, cap;
	uint64_t	 damaged_at;	/* bytes up to pos are no packets; UINT64_MAX: none */
	int		 errnum;	/* reading fails; 0: it does not */
};

/* Are these the first bytes of such a file? */
bool perfetto_file_is_it(const uint8_t *head, size_t len);

void perfetto_file_init(struct perfetto_file *file, int fd, uint64_t size);
void perfetto_file_fini(struct perfetto_file *file);

/* Continue at @pos, where a packet begins; at the first packet at or after it. */
void perfetto_file_go(struct perfetto_file *file, uint64_t pos);
void perfetto_file_seek(struct perfetto_file *file, uint64_t pos);

/*
 * Only the first bytes of the next packet, and where it ends.  @bytes: [PERFETTO_LOOK].  False:
 * there is none.
 */
bool perfetto_file_look(const struct perfetto_file *file, uint8_t *bytes,
			struct proto_reader *packet, uint64_t *end);

/*
 * The next packet, valid until the next call, and where it begins.  What is no packet is skipped:
 * damaged_at tells; set it back when it is told.  False: there are no more.
 */
bool perfetto_file_next(struct perfetto_file *file, struct proto_reader *packet, uint64_t *offset);
#endif
