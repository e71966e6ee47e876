/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_COMMANDS_RECORD_COMMANDS_H
#define FTOP_RECORDER_COMMANDS_RECORD_COMMANDS_H
/*
 * record_commands - the commands that query or use the running kernel.  They return the same as
 * those of src/commands/commands.h.
 */
#include "src/base/options.h"
#include "src/base/output_names.h"
#include "src/base/shell_words.h"
#include "src/base/text.h"

extern const struct command_def cmd_doctor_def;
int cmd_doctor(const struct option_list *list, struct ft_error *err);

extern const struct command_def cmd_extract_def;
int cmd_extract(const struct option_list *list, struct ft_error *err);

extern const struct command_def cmd_hist_def;
/* First, with root's rights: takes the options, reads the running kernel's histograms. */
int cmd_hist_read_kernel(const struct option_list *list, struct ft_error *err);
int cmd_hist(const struct option_list *list, struct ft_error *err);

extern const struct command_def cmd_list_def;
int cmd_list(const struct option_list *list, struct ft_error *err);

extern const struct command_def cmd_record_def;
int cmd_record(const struct option_list *list, struct ft_error *err);
struct judge_options;			/* src/commands/judge.h */
/*
 * Set what the process does that judges --until.  It is called with the recorder's rights, and the
 * signals that end a program blocked; it closes @fd.
 */
void cmd_record_set_judge(void (*run)(const struct judge_options *options, int fd));
extern const struct command_def cmd_live_def;
/* Add what `live` is to record with these options, in words for record. */
void record_live_words(const struct option_list *list, struct shell_words *words);
/* The files that a recording may write or remove besides that of -o. */
struct output_names cmd_record_names(const struct option_list *list);

extern const struct command_def cmd_recover_def;
int cmd_recover(const struct option_list *list, struct ft_error *err);

/* Print names of this kernel for an option's argument, as options_complete() does. */
void record_complete(const struct option_place *place, FILE *out);
#endif
