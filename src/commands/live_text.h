/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_COMMANDS_LIVE_TEXT_H
#define FTOP_SRC_COMMANDS_LIVE_TEXT_H
/*
 * live_text - `ftop-trace live --text`: prints the table of another command once an interval, while
 * a recording goes on.
 *
 * The windows follow each other; a window is printed by the command itself, with --from and --to,
 * when all that happened in it is settled (trace_end()).
 */
#include "src/base/options.h"
#include "src/base/shell_words.h"

/* Ids of the options below, distinct from those of record. */
enum {
	LIVE_TEXT = 400, LIVE_INTERVAL, LIVE_COUNT, LIVE_BY, LIVE_FORMAT, LIVE_SORT, LIVE_HEAD,
};

#define LIVE_TEXT_OPTIONS \
	{ .name = "text", .id = LIVE_TEXT, \
	  .help = "do not browse: print a table of each interval" }, \
	{ .name = "interval", .arg = "TIME", .id = LIVE_INTERVAL, \
	  .help = "with --text: length of an interval (default: 1s)" }, \
	{ .name = "count", .arg = "N", .id = LIVE_COUNT, \
	  .help = "with --text: end the recording after N tables" }, \
	{ .name = "by", .arg = "tasks|cpus|functions|events|latency", .id = LIVE_BY, \
	  .help = "with --text: which table (default: tasks)" }, \
	{ .name = "format", .arg = "text|csv|json", .id = LIVE_FORMAT, \
	  .help = "with --text: csv has the columns from_ns and to_ns, json an object of type window before each table" }, \
	{ .name = "sort", .arg = "COLUMN", .id = LIVE_SORT, \
	  .help = "with --text: sort by this column, as in the table's own command" }, \
	{ .name = "head", .arg = "N", .id = LIVE_HEAD, \
	  .help = "with --text: at most N rows of each table (default: 20 as text, else all)" }

#define LIVE_TEXT_DETAILS \
	"With --text, live prints a table for each interval instead. The table is the one that these commands print\n" \
	"of the finished file, with --from and --to:\n" \
	"  --by=tasks      ftop-trace tasks\n" \
	"  --by=cpus       ftop-trace tasks --queues\n" \
	"  --by=functions  ftop-trace functions\n" \
	"  --by=events     ftop-trace count --by=event\n" \
	"  --by=latency    ftop-trace latency\n" \
	"A table appears when the events of all CPUs are there up to the end of its interval, about a second later.\n" \
	"A call or a wait that ends after that is still open in it, or missing in its maximum; the finished file has\n" \
	"it. Intervals follow each other, and contain both their ends. If counting takes longer than an interval, the\n" \
	"next interval is longer. The last one ends with the recording. The recording ends, and the file is kept, at\n" \
	"Ctrl-C, after --count tables, with the command, or when the reader of the output ends (| head). The output of\n" \
	"the command goes to standard error. ftop-trace live --text FILE.part prints tables of the recording of\n" \
	"another recorder."

struct live_text;			/* opaque */

/* Is it `live --text`?  -1 with FT_E_USAGE: an option of it is wrong, or needs --text. */
int live_text_wanted(const struct option_list *list, struct ft_error *err);
/* Free it by live_text_free(). */
struct live_text *live_text_new(const struct option_list *list);

/* The FILE.part that another recorder writes, if that was given instead of a command; else NULL. */
const char *live_text_part(const struct option_list *list);

/*
 * Start the recorder, and wait until it records or has ended.  @words: of record.  What it says
 * goes to stderr.  -1 with FT_E_IO; else 0.  Before this process is confined.
 */
int live_text_record(struct live_text *live, const struct shell_words *words, struct ft_error *err);
/* Follow this file instead. */
void live_text_follow(struct live_text *live, const char *part);

/*
 * Print tables until the recording ends.  Return: 0; the status of the recorder if that failed; or
 * -1 with its error.
 */
int live_text_run(struct live_text *live, struct ft_error *err);
void live_text_free(struct live_text *live);	/* NULL is allowed */
#endif
