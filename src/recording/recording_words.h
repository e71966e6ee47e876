/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_RECORDING_RECORDING_WORDS_H
#define FTOP_SRC_RECORDING_RECORDING_WORDS_H
/* recording_words - how much was recorded, in words: the same from the recorder and the screen. */
#include <stdint.h>
#include "src/base/text.h"

enum recording_kept { RECORDING_WHOLE, RECORDING_PART, RECORDING_NEWEST };

void recording_size(uint64_t bytes, struct text *out);		/* "45.7 MB" */

/* "3 events, 4.1 kB"; "45.7 MB, the newest of 9 986 881 events".  @bytes: of what is kept */
void recording_events(uint64_t events, uint64_t bytes, enum recording_kept kept, struct text *out);

/*
 * "the file has 6.3 MB: …" after @before, if that is clearly more than the @bytes of events; else
 * nothing.
 */
void recording_rest(uint64_t bytes, uint64_t file_bytes, const char *before, struct text *out);
#endif
