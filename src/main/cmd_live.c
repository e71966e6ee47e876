/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/main/cmd_live.h"

#include <errno.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "recorder/commands/record_commands.h"
#include "src/base/shell_words.h"
#include "src/commands/live_text.h"
#include "src/main/cmd_browse.h"
#include "src/main/set_up.h"
#include "src/sandbox/broker.h"
#include "src/sandbox/confine.h"
#include "src/sandbox/spawner.h"
#include "src/trace/warnings.h"

/* record --until: a process of its own, which reads the trace. */
void cmd_live_judge(const struct judge_options *options, int fd)
{
	static const struct command_def *const none[] = { NULL };
	const struct broker_rules rules = { .commands = none, .judged = options->output,
					    .split.numbers = options->split ? options->hits : 0,
					    .on_hit = options->on_hit,
					    .most_hits = options->hits };
	struct broker *broker = NULL;
	struct ft_error err = { .offset = -1 };

	prctl(PR_SET_NAME, "ftop-judge");
	child_close_others(fd);
	if (!set_up_rights_of_user(NULL, 0, false, &err)) {
		set_up_helpers();
		broker = broker_new(&rules, &err);
	}
	if (!broker) {
		warnings_tell("%s", err.message);
	} else {
		confine_to_reading();
		if (!set_up_events(&err))
			warnings_tell("%s", err.message);
		judge_run(options, broker, fd);
	}
	spawner_end();
	broker_free(broker);
}

/* The recorder is started first, with the rights that the rest does not keep. */
static int start_live_text(struct live_text *text, const struct option_list *list,
			   struct ft_error *err)
{
	const char *part = live_text_part(list);
	struct shell_words words = { 0 };
	char program[4096] = "";
	int ret;

	if (part) {
		live_text_follow(text, part);
		return 0;
	}
	/* a path, so that the recorder's task has the program's name */
	if (readlink("/proc/self/exe", program, sizeof(program) - 1) < 0)
		return ft_error_errno(err, errno, -1, "/proc/self/exe");
	shell_words_add(&words, program);
	shell_words_add(&words, "record");
	shell_words_add(&words, "--no-browse");
	shell_words_addf(&words, "--status-fd=%d", CHILD_FD);
	record_live_words(list, &words);
	ret = live_text_record(text, &words, err);
	shell_words_fini(&words);
	return ret;
}

static int live_print(const struct option_list *list, struct ft_error *err)
{
	struct live_text *text = live_text_new(list);
	const char *part = live_text_part(list);
	struct ft_error mistake = { 0 };
	int ret;

	confine_close_inherited();
	ret = start_live_text(text, list, err);
	if (!ret)
		ret = set_up_rights_of_user(&part, part ? 1 : 0, false, err);
	if (!ret) {
		set_up_helpers();
		set_up_tell_missing(confine_to_reading());
		if (!set_up_events(&mistake))
			warnings_tell("%s", mistake.message);
		ret = live_text_run(text, err);
	}
	live_text_free(text);
	return ret;
}

int cmd_live(const struct option_list *list, struct ft_error *err)
{
	int prints = live_text_wanted(list, err);

	return prints < 0 ? -1 : prints ? live_print(list, err) : cmd_browse_live(list, err);
}
