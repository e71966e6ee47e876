/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_format - parses the bytes as an event's format file, and reads a record by the fields it
 * gives.
 */
#include "tests/fuzz/fuzz.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/types/event_format.h"
#include "parsers/types/field.h"
#include "tests/fuzz/structure.h"

const char fuzz_name[] = "fuzz_format";

size_t fuzz_pieces(const uint8_t *data, size_t size, struct fuzz_piece *pieces)
{
	return fuzz_pieces_of_text(data, size, pieces);
}

static uint64_t sum;

static void read_fields(const struct event_type *type, bool swap)
{
	/* a record that is too short for some fields, of memory that ends there */
	uint32_t size = 8 + (uint32_t)(type->id & 31) * 4;
	uint8_t *record = malloc(size);

	assert(record);
	for (uint32_t i = 0; i < size; i++)
		record[i] = (uint8_t)(i * 7 + (unsigned int)type->id);
	for (unsigned int i = 0; i < type->nr_fields; i++) {
		const struct event_field *field = &type->fields[i];
		struct field_span span = field_bytes(field, record, size, swap);

		sum += strlen(field->name) + strlen(field->type) +
		       field_u64(field, record, size, swap);
		if (!span.data)
			continue;
		assert(span.data >= record && span.data <= record + size);
		assert(span.len <= (size_t)(record + size - span.data));
	}
	free(record);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena arena = { 0 };
	char *text;
	struct source_format format = { .system = "fuzz", .size = (uint32_t)size, .id = -1 };
	const struct event_type *type;

	text = malloc(size ? size : 1);		/* not NUL-ended */
	assert(text);
	memcpy(text, data, size);
	format.text = text;
	type = event_format_parse(&arena, &format, size & 1 ? 4 : 8);
	if (type) {
		assert(type->id >= 0 && type->name && type->system && type->print_fmt);
		assert(type->nr_common <= type->nr_fields);
		sum += strlen(type->print_fmt);
		read_fields(type, size & 2);
		assert(!event_type_field(type, "no such field") || strstr(type->name, "no"));
	}
	arena_fini(&arena);
	free(text);
	return 0;
}

static const char *const seeds[] = {
	"name: sched_switch\nID: 314\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
	"\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
	"\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n\n"
	"print fmt: \"prev_comm=%s prev_pid=%d\", REC->prev_comm, REC->prev_pid\n",
	"name: kernel_stack\nID: 4\nformat:\n"
	"\tfield:int size;\toffset:8;\tsize:4;\tsigned:1;\n"
	"\tfield:unsigned long caller[8];\toffset:16;\tsize:64;\tsigned:0;\n\nprint fmt: \"%p\", (void *)REC->caller[0]\n",
	"name: foo_bar\nID: 900\nformat:\n"
	"\tfield:__data_loc int[] list;\toffset:20;\tsize:4;\tsigned:1;\n"
	"\tfield:__data_loc char[] str;\toffset:24;\tsize:4;\tsigned:1;\n"
	"\tfield:__rel_loc char[] rel;\toffset:28;\tsize:4;\tsigned:1;\n"
	"\tfield:__data_loc cpumask_t cpus;\toffset:32;\tsize:4;\tsigned:0;\n"
	"\tfield:__data_loc unsigned long[] mask;\toffset:36;\tsize:4;\tsigned:0;\n\n"
	"print fmt: \"%s %s\", __get_bitmask(mask), __get_str(str)\n",
	"name: print\nID: 5\nformat:\n\tfield:unsigned long ip;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:char buf[];\toffset:16;\tsize:0;\tsigned:0;\n\nprint fmt: \"%ps: %s\", (void *)REC->ip, REC->buf\n",
	"name: x\nID: 70000\nformat:\n\tfield:struct sockaddr_un * a;\toffset:65535;\tsize:65535;\tsigned:1;\n"
	"\tfield:u8 b[ARRAY_SIZE(x)];\toffset:1;\tsize:3;\tsigned:0;\n\nprint fmt: \"\"\n",
};

void fuzz_seeds(void (*add)(void *arg, const void *data, size_t size), void *arg)
{
	for (size_t i = 0; i < sizeof(seeds) / sizeof(seeds[0]); i++)
		add(arg, seeds[i], strlen(seeds[i]));
}
