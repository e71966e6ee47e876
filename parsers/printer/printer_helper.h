/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_PRINTER_PRINTER_HELPER_H
#define FTOP_PARSERS_PRINTER_PRINTER_HELPER_H
/*
 * printer_helper - libtraceevent in a process of its own: a hostile format may crash it, make it
 * hang or take it over, and the user's plugins may do what they want.  A printer asks it through a
 * socket (printer_wire.h).
 */

/**
 * printer_helper_serve() - be the helper: answer until the other side closes its end
 * @fd: this end of the socket pair
 * @shut_in: called once, after the plugins are loaded and before anything of the trace comes:
 *           from then on only memory and @fd are needed; NULL: nothing is called
 *
 * A question that takes more than a second of the processor ends the process by SIGPROF.
 */
void printer_helper_serve(int fd, void (*shut_in)(int folder));
#endif
