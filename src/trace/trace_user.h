/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_TRACE_TRACE_USER_H
#define FTOP_SRC_TRACE_TRACE_USER_H
/* trace_user - names for addresses of user space, as far as the file has them. */
#include "src/base/options.h"
#include "src/trace/trace.h"

/* Id of the option below, distinct from the commands' own. */
enum { SYSROOT_OPTION_ID = 302 };

#define SYSROOT_OPTION \
	{ .name = "sysroot", .arg = "DIR", .id = SYSROOT_OPTION_ID, \
	  .help = "for a perf.data: look for programs and libraries below this folder", \
	  .kind = OPTION_PATH }

struct number_set;
struct user_file;			/* parsers/types/user_symbols.h, as all of these */
struct user_map;
struct user_place;
struct user_symbols;

/*
 * Read the functions of a file that a trace names.  Return: symbols of this file only.  @sysroot:
 * the folder to look for it in; "": none.  @why receives the reason if there are none.  Any thread.
 */
typedef struct user_symbols *trace_user_find(const char *sysroot, const struct user_file *file,
					     struct text *why);
/*
 * Who finds them, for all traces with source_info.names_files.  Each file is read once, when the
 * first of its functions is asked for.  Before a trace is opened.
 */
void trace_user_find_by(trace_user_find *find, const char *sysroot);
/* With trace_options.names_later: changes when files were read for the main thread. */
unsigned int trace_user_came(const struct trace *trace);

/* Borrowed; read on the first call.  Any thread. */
const struct user_symbols *trace_user_symbols(struct trace *trace, unsigned int file);

/* The process of an event, from its field tgid or from the tables; if it is not known, its pid. */
int trace_user_tgid(struct trace *trace, const struct trace_event *event);

/*
 * Find the mapping that had an address when the event was recorded.  Only mappings of the program
 * that the process ran then count.  A forked process has its parent's mappings until it execs.
 * @looked: NULL, or receives the processes whose mappings were looked at.
 *
 * May be called from any thread.  Return: borrowed; NULL or user_map_unsure if it is not known.
 */
const struct user_map *trace_user_map(struct trace *trace, const struct trace_event *event,
				      uint64_t address, struct number_set *looked);
/* Its place.  Return: false: it is not known. */
bool trace_user_place(struct trace *trace, const struct trace_event *event, uint64_t address,
		      struct user_place *place);

/*
 * Append the function of an address of the event's process; see user_place_text().  @is_return: it
 * is where a call returns to, and may be behind the end of the function.  Return: false: nothing is
 * known of the address.  Any thread.
 */
bool trace_user_name(struct trace *trace, const struct trace_event *event, uint64_t address,
		     bool is_return, bool exact, struct text *out);
#endif
