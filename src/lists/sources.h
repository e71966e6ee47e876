/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_LISTS_SOURCES_H
#define FTOP_SRC_LISTS_SOURCES_H
/*
 * sources - all models that make lists.  A line here gives a model its command, its view, its
 * comparison, and its files: README.md.
 */
#include "src/model/list_source.h"

/*
 * The name of NAME_list_source, its word in diff --by, whether it has ONE list or SEVERAL, and its
 * line in the help of diff.
 * Commands and views have this order, which also gives views their digits.  Add a new line at the
 * end of ADDED: then the other views keep their digits.  Summary has its own command,
 * src/commands/cmd_summary.c, and cannot be compared.
 */
#define LIST_SOURCES_WITH_DIGIT(SOURCE) \
	SOURCE(noise, "noise", SEVERAL, \
	       "noise      each latency, noise or gap of ftop-trace noise, by CPU") \
	SOURCE(count, "counts", ONE, "counts     what ftop-trace count has without options")
#define LIST_SOURCES_ADDED(SOURCE) \
	SOURCE(stacks, "stacks", SEVERAL, \
	       "stacks     those of waits, else of calls with their self time, else of\n" \
	       "             events") \
	SOURCE(wakeups, "wakeups", ONE, "wakeups    how long tasks waited that were woken, by task") \
	SOURCE(why, "why", SEVERAL, "why        what held tasks up")
#define LIST_SOURCES_WITH_COMMAND(SOURCE) \
	LIST_SOURCES_WITH_DIGIT(SOURCE) \
	LIST_SOURCES_ADDED(SOURCE)
#define LIST_SOURCES(SOURCE) \
	LIST_SOURCES_WITH_COMMAND(SOURCE) \
	SOURCE(summary, "", ONE, "")

/*
 * These have a view of their own in ui/, a line of their own in src/main.c and in
 * src/commands/command_tables.c, and in comparison.c if they can be compared.
 */
#define LIST_SOURCES_WITH_VIEW(SOURCE) \
	SOURCE(tasks) \
	SOURCE(cpus) \
	SOURCE(latency) \
	SOURCE(functions)

#define LIST_SOURCE_NUMBER(name, ...) LIST_SOURCE_##name,
enum { LIST_SOURCES(LIST_SOURCE_NUMBER) LIST_NR_SOURCES,
       LIST_BEFORE_VIEWS = LIST_NR_SOURCES - 1,
       LIST_SOURCES_WITH_VIEW(LIST_SOURCE_NUMBER) LIST_NR_ALL };

#define LIST_SOURCE_ONE(name, ...) + 1
#define LIST_NR_WITH_COMMAND (0 LIST_SOURCES_WITH_COMMAND(LIST_SOURCE_ONE))

#define LIST_SOURCE_EXTERN(name, ...)                      \
	extern const struct list_source name##_list_source; \
	extern const struct list_tab name##_list_tabs[];
LIST_SOURCES(LIST_SOURCE_EXTERN)
LIST_SOURCES_WITH_VIEW(LIST_SOURCE_EXTERN)

extern const struct list_source *const list_sources[LIST_NR_ALL];
#endif
