/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_CONTROL_H
#define FTOP_RECORDER_CONTROL_H
/*
 * control - reads and writes the control files of tracefs, and says why the
 * kernel refused: which file, which errno, and a cause where one can be proved.
 *
 * @dir is the folder of an instance (or of tracefs itself), @name a file below it.
 * Functions that fail leave errno as the kernel set it.
 */
#include <stdbool.h>
#include <stddef.h>
#include "src/error.h"
#include "src/text.h"

struct name_list {
	char	**names;	/* owned, as are the strings */
	size_t	  nr, cap;
};

void name_list_add(struct name_list *list, const char *name);
void name_list_lines(struct name_list *list, const char *text);	/* one name per line; '#' lines are left out */
void name_list_words(struct name_list *list, const char *text);	/* names parted by blanks; brackets are taken off */
bool name_list_has(const struct name_list *list, const char *name);
void name_list_sort(struct name_list *list);
void name_list_fini(struct name_list *list);

/* The nearest of the list's names to one that is not among them, or NULL if none is near. */
const char *name_list_nearest(const struct name_list *list, const char *name);

/* "DIR/NAME" in a buffer of the caller. */
const char *control_path(const char *dir, const char *name, char *path, size_t size);
bool control_exists(const char *dir, const char *name);

/* Append the content of a file; tracefs tells no sizes. */
int control_read(const char *dir, const char *name, struct text *out, struct ft_error *err);

/* The first line without its end, as an owned string, or NULL. */
char *control_read_line(const char *dir, const char *name);

/*
 * One write(2) of the value.  control_write() opens with O_TRUNC, which clears lists such as set_ftrace_filter first;
 * control_append() adds to them.
 */
int control_write(const char *dir, const char *name, const char *value, struct ft_error *err);
int control_append(const char *dir, const char *name, const char *value, struct ft_error *err);
int control_write_number(const char *dir, const char *name, unsigned long long value, struct ft_error *err);

/* Names in a folder, sorted; dot names are left out.  @folders: take folders alone. */
int control_list(const char *dir, const char *name, bool folders, struct name_list *list);

/* The entry of trace_clock and its like that stands in brackets, in place. */
char *control_chosen(char *text);

/*
 * Why the kernel may have answered so: lockdown where it is at confidentiality, missing rights; else that it does not say
 * why.  "" where errno says it all.
 */
const char *control_cause(int errnum);
const char *control_errno_name(int errnum);	/* "EPERM", or the number */

/* A line of the kernel's configuration: 'y', 'm', 'n' (not set) or 0 where it is not known. */
char control_config(const char *option);
#endif
