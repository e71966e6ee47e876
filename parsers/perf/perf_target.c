/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/perf/perf_target.h"

#include <inttypes.h>
#include <string.h>

#include "parsers/source/source.h"

#define AT_NR		PERF_HEADER_BYTES	/* of entries, which follow it */
#define AT_ENTRIES	(PERF_HEADER_BYTES + 8)
#define INDEX_ENTRY	32u			/* u64 id, index, CPU, task */
#define INDEX_CPU	16u
#define INDEX_TASK	24u
#define MOST_CPUS	4096u			/* that are told apart */
#define MAP_ENTRY	24u			/* u64 task, char comm[16] */

static void take_index(struct perf_file *file, const uint8_t *entry)
{
	const struct perf_attr *attr = perf_file_attr_of_id(file, load_u64(entry, file->swap));
	bool of_task = (int32_t)load_u64(entry + INDEX_TASK, file->swap) != -1, is_new;

	if (attr)
		file->attrs[attr - file->attrs].target = of_task ? PERF_OF_TASKS : PERF_OF_ALL;
	if (!of_task && file->cpus.nr < MOST_CPUS)
		number_set_add(&file->cpus, load_u64(entry + INDEX_CPU, file->swap), &is_new);
}

static void take_map(struct perf_file *file, const uint8_t *entry)
{
	bool of_task = (int32_t)load_u64(entry, file->swap) != -1;

	file->target = of_task ? PERF_OF_TASKS : PERF_OF_ALL;
}

void perf_target_take(struct perf_file *file, const struct perf_record *record)
{
	bool is_index = record->type == PERF_RECORD_ID_INDEX;
	uint32_t size = is_index ? INDEX_ENTRY : MAP_ENTRY, left = record->size;
	const uint8_t *entry = record->data + AT_ENTRIES;
	uint64_t nr;

	if (left < AT_ENTRIES)
		return;
	nr = load_u64(record->data + AT_NR, file->swap);
	for (left -= AT_ENTRIES; nr && left >= size; nr--, left -= size, entry += size)
		(is_index ? take_index : take_map)(file, entry);
}

/* Of a word, which may be an option of one letter with others before it. */
static bool takes_next(const char *word, size_t len)
{
	static const char without[] = "abdginqsvzBNPRSTW";

	return word[1] == '-' ? !memchr(word, '=', len) : !strchr(without, word[len - 1]);
}

/* Is one of these options before the command that was recorded? */
static bool has_option(const char *line, const char *const *options)
{
	bool may_be_value = true;		/* "record" */

	line = line ? strstr(line, " record ") : NULL;
	for (line = line ? line + 1 : ""; *line; line += strspn(line, " ")) {
		size_t len = strcspn(line, " ");

		if (*line != '-' && !may_be_value)
			return false;
		for (const char *const *option = options; *line == '-' && *option; option++)
			if (!strncmp(line, *option, strlen(*option)))
				return true;
		may_be_value = *line == '-' && len > 1 && takes_next(line, len);
		if (len == 2 && !memcmp(line, "--", 2))
			return false;
		line += len;
	}
	return false;
}

/* Old versions of perf write no record of it. */
static bool is_tasks(const struct perf_file *file, const struct perf_attr *attr)
{
	static const char *const of_tasks[] = { "-p", "-t", "-u", "--pid", "--tid", "--uid", NULL };

	if (attr->target)
		return attr->target == PERF_OF_TASKS;
	if (file->target)
		return file->target == PERF_OF_TASKS;
	return attr->enable_on_exec || has_option(file->cmdline, of_tasks);
}

bool perf_target_is_tasks(const struct perf_file *file)
{
	static const char *const of_cgroups[] = { "-G", "--cgroup", NULL };
	bool has_points = false, any = has_option(file->cmdline, of_cgroups);

	for (unsigned int i = 0; i < file->nr_attrs; i++)
		has_points |= file->attrs[i].type == PERF_TYPE_TRACEPOINT;
	for (unsigned int i = 0; i < file->nr_attrs; i++)
		any |= (!has_points || file->attrs[i].type == PERF_TYPE_TRACEPOINT) &&
		       is_tasks(file, &file->attrs[i]);
	return any;
}

void perf_target_cut(const struct perf_file *file, struct text *out)
{
	if (perf_target_is_tasks(file)) {
		text_add(out, SOURCE_CUT_OF_TASKS " (perf record without -a)\n");
	} else if (file->cpus.nr && file->cpus.nr < file->nr_online && file->cpus.nr < MOST_CPUS) {
		for (uint32_t i = 0; i < file->cpus.nr; i++)
			text_printf(out, "%s%" PRIu64, i ? "," : "--cpu=", file->cpus.numbers[i]);
		text_char(out, '\n');
	}
}
