/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_print_format - reads the bytes as an event's format in both ways, compiles them for all
 * styles, and runs that on a record.
 */
#include "tests/fuzz/fuzz.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/types/event_format.h"
#include "parsers/print/print_program.h"
#include "parsers/types/printk_formats.h"
#include "parsers/print/text_pattern.h"
#include "parsers/source/record_bound.h"
#include "parsers/text/record_text_private.h"
#include "parsers/text/value_names.h"
#include "tests/fuzz/structure.h"

const char fuzz_name[] = "fuzz_print_format";

size_t fuzz_pieces(const uint8_t *data, size_t size, struct fuzz_piece *pieces)
{
	return fuzz_pieces_of_text(data, size, pieces);
}

static uint64_t sum;

static int function_args(void *arg, const char *name)
{
	const struct text_function *f = text_function_find(plugin_functions, name);

	(void)arg;
	return f ? (int)f->nr_args : -1;
}

/* What was printed is among what the program's pattern allows. */
static void check_pattern(const struct print_program *program, const uint8_t *data, size_t size,
			  const struct text *out)
{
	struct text_pattern *p = text_pattern_new();
	size_t begin = (data[0] + size) % out->len, len = 1 + data[size / 2] % 20;

	if (len > out->len - begin)
		len = out->len - begin;
	print_program_pattern(program, p);
	assert(text_pattern_find(p, out->data + begin, len, false));
	assert(text_pattern_find(p, out->data + begin, len, true));
	text_pattern_free(p);
}

/* A record of memory that ends with it; its length and its bytes come from the format's. */
static void run(const struct print_program *program, const struct text_context *c,
		const struct event_type *type, const uint8_t *data, size_t size)
{
	struct print_record rec = { .type = type, .size = (uint32_t)(size % 61 * 4) };
	uint8_t *record = malloc(rec.size ? rec.size : 1);
	struct text out = { 0 };
	bool is_cut;

	if (!program) {
		free(record);
		return;
	}
	assert(record);
	for (uint32_t i = 0; i < rec.size; i++)
		record[i] = (uint8_t)(data[(i * 31 + 7) % size] * (i % 5));
	rec.data = record;
	record_bound_begin(&out);
	if (!print_program_run(program, c, &rec, &out))
		assert(!out.len);
	is_cut = record_bound_end(&out, true, NULL, "", "");
	assert(out.len <= RECORD_TEXT_BYTES + (is_cut ? strlen("…") : 0));
	if (out.len && !is_cut)
		check_pattern(program, data, size, &out);
	for (size_t i = 0; i < out.len; i++)
		sum += (uint8_t)out.data[i];
	text_fini(&out);
	free(record);
}

static void try_type(struct arena *arena, const struct event_type *type, int long_size,
		     const uint8_t *data, size_t size)
{
	struct record_text_options options = { .era = size & 8 ? TEXT_ERA_3_4 : TEXT_ERA_3_1 };
	struct text_context c = { .options = &options, .functions = plugin_functions,
				  .swap = size & 2, .big_endian = size & 4, .long_size = long_size,
				  .user_long_size = long_size };
	const struct print_format *tree = print_format_parse(arena, type, long_size);
	const struct tep_format *tep = tep_format_parse(arena, type, long_size, options.era,
							function_args, NULL);
	struct printk_formats *printk = printk_formats_new((const char *)data, size);

	c.printk = printk;
	assert(!tree->failed || !tree->nr);
	run(print_program_kernel(arena, &c, type, tree), &c, type, data, size);
	run(print_program_tep(arena, &c, type, tep), &c, type, data, size);
	run(print_program_tep_raw(arena, &c, type, tep), &c, type, data, size);
	for (unsigned int i = 0; i < type->nr_fields && i < 32; i++) {
		const struct value_names *names = value_names_find(arena, tree, &type->fields[i]);

		sum += names ? names->nr : 0;
		run(print_program_kernel_field(arena, &c, type, tree, &type->fields[i]), &c, type,
		    data, size);
		if (tep->reading != TEP_UNSURE)
			run(print_program_tep_field(arena, &c, type, tep, &type->fields[i]), &c,
			    type, data, size);
	}
	printk_formats_free(printk);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena arena = { 0 };
	struct source_format format = { .system = size & 1 ? "fuzz" : "ftrace",
					    .size = (uint32_t)size,
					    .id = -1 };
	char *text = malloc(size ? size : 1);
	const struct event_type *type;
	int long_size = size & 16 ? 4 : 8;

	assert(text);
	memcpy(text, data, size);
	format.text = text;
	type = size ? event_format_parse(&arena, &format, long_size) : NULL;
	if (type)
		try_type(&arena, type, long_size, data, size);
	arena_fini(&arena);
	free(text);
	return 0;
}

#define HEAD \
	"name: foo\nID: 7\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n" \
	     "\tfield:long state;\toffset:8;\tsize:8;\tsigned:1;\n\tfield:int bar;\toffset:16;\tsize:4;\tsigned:1;\n" \
	     "\tfield:u8 mac[6];\toffset:20;\tsize:6;\tsigned:0;\n\tfield:char comm[16];\toffset:28;\tsize:16;\tsigned:0;\n" \
	     "\tfield:__data_loc char[] name;\toffset:44;\tsize:4;\tsigned:1;\n" \
	     "\tfield:__rel_loc u32[] list;\toffset:48;\tsize:4;\tsigned:0;\n" \
	     "\tfield:__data_loc cpumask_t cpus;\toffset:52;\tsize:4;\tsigned:0;\n" \
	     "\tfield:__u8 ip6[16];\toffset:56;\tsize:16;\tsigned:0;\n\tfield:u8 tail[];\toffset:72;\tsize:0;\tsigned:0;\n\n" \
	     "print fmt: "

static const char *const seeds[] = {
	HEAD "\"%s %d %s%s\", REC->comm, REC->bar, (REC->state & ((((0x0 | 0x1) + 1) << 1) - 1)) ? __print_flags(REC->state & "
	     "((((0x0 | 0x1) + 1) << 1) - 1), \"|\", { 0x1, \"S\" }, { 0x2, \"D\" }) : \"R\", REC->state & 4 ? \"+\" : \"\"\n",
	HEAD "\"%pM %pI6c %pISpc %pU %*ph %*pbl %pS %ps %p\", REC->mac, REC->ip6, REC->ip6, REC->ip6, REC->bar, "
	     "__get_dynamic_array(list), 64, __get_cpumask(cpus), (void *)REC->state, (void *)REC->state, (void *)REC->state\n",
	HEAD "\"%s [%s] {%s} %s (%s) %s\", __print_symbolic(REC->bar, { 0, \"zero\" }, { -1, \"minus\" }), __print_hex(REC->mac, 6), "
	     "__print_array(__get_rel_dynamic_array(list), __get_rel_dynamic_array_len(list) / sizeof(u32), sizeof(u32)), "
	     "__get_str(name), __get_bitmask(cpus), __print_hex_str(REC->tail, REC->bar)\n",
	HEAD "\"%08lx|%-*.*s|%#hhx|%+lld|%c\\t%%\\n\", (unsigned long)REC->state, REC->bar, 5, REC->comm, (u8)REC->bar, "
	     "-REC->state, 'a' + REC->bar\n",
	HEAD "\"%d %u %lu\" \" %x\", ((u32 *)__get_rel_dynamic_array(list))[REC->bar], REC->mac[1], sizeof(REC->state), "
	     "REC->bar ? REC->bar / 3 : ~REC->bar << 2\n",
	HEAD "\"%.*s|%.3s|%*x|\", REC->bar, \"five\", \"seven\", REC->bar, REC->state\n",
	HEAD "\"%d %u\", ({ int x = (REC->bar); int y = 5; x < y ? x : y; }), jiffies_to_msecs(REC->bar)\n",
};

void fuzz_seeds(void (*add)(void *arg, const void *data, size_t size), void *arg)
{
	for (size_t i = 0; i < sizeof(seeds) / sizeof(seeds[0]); i++)
		add(arg, seeds[i], strlen(seeds[i]));
}
