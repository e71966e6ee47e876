/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_CTF_CTF_HELPER_H
#define FTOP_PARSERS_CTF_CTF_HELPER_H
/*
 * ctf_helper - libbabeltrace2 in a process of its own: a hostile trace may crash it, make it hang
 * or take it over, which costs that trace only.
 */
#include <stdbool.h>

/* Was the program built with libbabeltrace2?  Without, no CTF traces are opened. */
bool ctf_helper_is_built(void);

/**
 * ctf_helper_serve() - be the helper: read the traces of one folder (ctf_wire.h)
 * @fd: this end of the socket pair
 * @shut_in: called with the folder when the plugins are loaded, before a byte of it is read: from
 *           then on only memory, open descriptors and what is below the folder are needed; NULL:
 *           nothing is called
 */
void ctf_helper_serve(int fd, void (*shut_in)(int folder));
#endif
