/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/commands/command_tables.h"

#define LIST_TABLE(source, ...) { #source, &source##_list_source.command, list_command, NULL },

const struct command_table command_tables[COMMAND_TABLES] = {
	LIST_TABLE(tasks)
	LIST_TABLE(cpus)
	LIST_TABLE(functions)
	{ "events", &count_list_source.command, list_command, "--by=event" },
	LIST_TABLE(latency)
	LIST_SOURCES_WITH_COMMAND(LIST_TABLE)
};

void command_tables_words(const char **words)
{
	for (unsigned int i = 0; i < COMMAND_TABLES; i++)
		words[i] = command_tables[i].name;
}

int command_table_run(const struct command_table *table, const struct shell_words *words,
		      struct command_file *file, struct ft_error *err)
{
	struct shell_words all = { 0 };
	struct option_list list;
	int ret;

	if (table->option)
		shell_words_add(&all, table->option);
	for (unsigned int i = 0; i < words->nr; i++)
		shell_words_add(&all, words->words[i]);
	ret = options_parse(table->def, (int)all.nr, all.words, &list, err);
	if (!ret) {
		file->list = &list;
		ret = table->run(file, err);
		file->list = NULL;
		options_fini(&list);
	}
	shell_words_fini(&all);
	return ret;
}
