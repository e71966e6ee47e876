/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record_packer: some records of generated sub-buffers, packed anew.  The generator tells what they
 * are; libtraceevent's reader must find them, too.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <traceevent/kbuffer.h>
#include <cmocka.h>

#include "parsers/writer/record_packer.h"
#include "tests/lib/gen_trace.h"

static struct sub_buffer_layout layout_of(const struct gen_layout *gen)
{
	return (struct sub_buffer_layout){
		.page_size = gen->page_size, .data_offset = gen_data_offset(gen),
		.commit_offset = 8,
		.long_size = (uint8_t)gen->long_size, .big_endian = gen->big_endian,
		.swap = gen->big_endian != HOST_BIG_ENDIAN,
	};
}

struct packing {
	struct sub_buffer_layout layout;
	struct record_packer	packer;
	const struct gen_event	**expected;	/* owned */
	uint32_t		nr, seen;
	uint32_t		pages;
};

static void check_record(struct packing *p, uint64_t ts, const void *data, uint32_t size)
{
	const struct gen_event *want = p->expected[p->seen++];

	assert_true(p->seen <= p->nr);
	assert_int_equal(ts, want->ts);
	assert_int_equal(size, want->size);
	assert_memory_equal(data, want->payload, size);
}

/* libtraceevent's reader knows 59 bits of time extends, but not that time goes round. */
static void check_by_library(const struct packing *p, const uint8_t *page, uint32_t first)
{
	struct kbuffer *kbuf = kbuffer_alloc(p->layout.long_size == 8 ? KBUFFER_LSIZE_8 :
									KBUFFER_LSIZE_4,
					     p->layout.big_endian ? KBUFFER_ENDIAN_BIG :
								    KBUFFER_ENDIAN_LITTLE);
	unsigned long long ts;
	uint32_t nr = first;
	const void *data;

	assert_non_null(kbuf);
	assert_int_equal(kbuffer_load_subbuffer(kbuf, (void *)page), 0);
	for (data = kbuffer_read_event(kbuf, &ts); data; data = kbuffer_next_event(kbuf, &ts)) {
		assert_true(nr < p->seen);
		assert_int_equal(ts, p->expected[nr]->ts);
		assert_int_equal(kbuffer_event_size(kbuf), p->expected[nr]->size);
		assert_memory_equal(data, p->expected[nr]->payload, p->expected[nr]->size);
		nr++;
	}
	assert_int_equal(nr, p->seen);
	kbuffer_free(kbuf);
}

static void end_page(struct packing *p, struct record_loss loss)
{
	const uint8_t *page = record_packer_end(&p->packer);
	uint32_t first = p->seen;
	struct sub_buffer sb;
	struct record rec;

	p->pages++;
	sub_buffer_open(&sb, &p->layout, page, p->layout.page_size);
	assert_int_equal(sb.lost, loss.lost);
	assert_true(!sb.lost_known || (loss.known && sb.lost_count == loss.count));
	while (sub_buffer_next(&sb, &rec))
		check_record(p, rec.ts, rec.data, rec.size);
	assert_int_equal(sb.damage, SUB_BUFFER_SOUND);
	assert_true(p->seen > first);
	check_by_library(p, page, first);
	assert_true(record_packer_is_empty(&p->packer));
}

/* Packs one in @every records. */
static void pack_stream(const struct gen_trace *trace, const struct gen_stream *stream,
			struct packing *p, uint32_t every, struct gen_random *random)
{
	struct record_loss loss = { 0 };

	for (uint32_t i = 0; i < stream->nr_events; i++) {
		const struct gen_event *e = &stream->events[i];
		const uint8_t *page = stream->pages +
				      (size_t)e->page * trace->options.layout.page_size;
		const struct record rec = { e->payload, e->size, e->offset, e->ts };

		if (!gen_random_one_in(random, every))
			continue;
		if (record_packer_is_empty(&p->packer)) {
			loss = (struct record_loss){ .lost = gen_random_one_in(random, 2) };
			loss.known = loss.lost && gen_random_one_in(random, 2);
			loss.count = 77;
			p->packer.loss = loss;
		}
		if (!record_packer_add(&p->packer, page, &rec)) {
			end_page(p, loss);
			loss = (struct record_loss){ 0 };
			assert_true(record_packer_add(&p->packer, page, &rec));
		}
		p->expected[p->nr++] = e;
	}
	if (!record_packer_is_empty(&p->packer))
		end_page(p, loss);
	assert_int_equal(p->seen, p->nr);
	if (every == 1)
		assert_true(p->pages <= stream->nr_pages * 2);
}

static void check(struct gen_options options, uint32_t every)
{
	struct gen_trace *trace = gen_trace_new(&options);
	struct gen_random random;

	gen_random_init(&random, options.seed + every);
	for (uint32_t i = 0; i < trace->nr_streams; i++) {
		const struct gen_stream *stream = &trace->streams[i];
		struct packing p = { .layout = layout_of(&options.layout) };

		p.expected = calloc(stream->nr_events + 1, sizeof(*p.expected));
		assert_non_null(p.expected);
		record_packer_init(&p.packer, &p.layout);
		pack_stream(trace, stream, &p, every, &random);
		record_packer_fini(&p.packer);
		free(p.expected);
	}
	gen_trace_free(trace);
}

static void test_all_layouts(void **state)
{
	static const uint32_t sizes[] = { 512, 4096, 65536 };

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		for (uint32_t form = 0; form < 12; form++) {
			const struct gen_options options = {
				.seed = i * 12 + form,
				.layout = { sizes[i], form & 1 ? 4 : 8, form & 2 },
				.features = GEN_ALL, .nr_cpus = 2, .pages = 20,
			};

			check(options, form < 4 ? 1 : form < 8 ? 3 : 40);
		}
}

/* Stamps more than 59 bits apart, and back again. */
static void test_far_stamps(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 20; seed++) {
		const struct gen_options options = {
			.seed = seed, .layout = { 4096, seed & 1 ? 4 : 8, seed & 2 },
			.features = GEN_WRAP | GEN_ABSOLUTE | GEN_EXTEND | GEN_LONG_FORM |
			GEN_BACKWARD_RECORDS, .nr_cpus = 1,
			.pages = 20,
		};

		check(options, 1 + seed % 5);
	}
}

/* A sub-buffer that is copied gets a mark, with the count if there is room. */
static void test_mark(void **state)
{
	const struct record_loss known = { .lost = true, .known = true, .count = 5 };
	uint8_t payload[8] = { 45, 1 }, page[4096];

	(void)state;
	for (int full = 0; full < 2; full++)
		for (int form = 0; form < 4; form++) {
			const struct gen_layout gen = { 4096, form & 1 ? 4 : 8, form & 2 };
			const struct sub_buffer_layout layout = layout_of(&gen);
			struct gen_page made;
			struct sub_buffer sb;

			gen_page_begin(&made, &gen, page, 1000);
			gen_page_record(&made, 0, payload, sizeof(payload), false);
			while (full && gen_page_record(&made, 1, payload, 4, false))
				;
			gen_page_end(&made, GEN_LOST_NONE, 0);
			record_packer_mark(&layout, page, &known);
			sub_buffer_open(&sb, &layout, page, sizeof(page));
			assert_true(sb.lost);
			assert_int_equal(sb.lost_known, !full);
			assert_int_equal(sb.lost_count, full ? 0 : 5);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_layouts),
		cmocka_unit_test(test_far_stamps),
		cmocka_unit_test(test_mark),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
