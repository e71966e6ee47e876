/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_CTF_CTF_METADATA_H
#define FTOP_PARSERS_CTF_CTF_METADATA_H
/*
 * ctf_metadata - checks metadata in packets before libbabeltrace2 reads it, which reads on for ever
 * where a packet is longer than the file.  Tells of CTF 2 where it cannot read that.  Format: CTF
 * 1.8.3, 7.1.
 */
#include <stdbool.h>
#include "src/base/text.h"

/*
 * The file "metadata" in @folder.  @damage: receives what is damaged, if anything is.  Return:
 * false: libbabeltrace2 must not read it.  Metadata that is plain text is left to it.
 */
bool ctf_metadata_check(const char *folder, struct text *damage);
#endif
