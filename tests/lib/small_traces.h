/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_TESTS_SMALL_TRACES_H
#define FTOP_TESTS_SMALL_TRACES_H
/*
 * small_traces - the smallest traces that have everything, field by field.
 * Sub-buffers of 512 bytes keep them short enough to cut at every byte.
 */
#include "tests/lib/file_bytes.h"

#define SMALL_PAGE	512u

struct small_trace {
	struct file_bytes b;
	int	 long_size;		/* of the kernel */
	/* places, to be damaged by tests */
	size_t	 header_page_tag, formats, cmdlines, cpu_count, options, table, data[3], clock,
	instance_option,
		 instance_table, options2, buffer_option, buffer_section, sections, kallsyms;
};

/* events/header_page of a kernel with this size of long */
static inline void small_header_page(struct small_trace *t, char *text, size_t size)
{
	snprintf(text, size,
		 "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
		 "\tfield: local_t commit;\toffset:8;\tsize:%d;\tsigned:1;\n"
		 "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
		 "\tfield: char data;\toffset:%d;\tsize:%d;\tsigned:1;\n",
		 t->long_size, 8 + t->long_size, (int)SMALL_PAGE - 8 - t->long_size);
}

static inline void small_initial(struct small_trace *t, const char *version, bool big_endian,
				 int long_size)
{
	struct file_bytes *b = &t->b;

	b->len = 0;
	b->big_endian = big_endian;
	t->long_size = long_size;
	fb_bytes(b, "\x17\x08\x44", 3);		/* magic */
	fb_text(b, "tracing");
	fb_string(b, version);			/* version */
	fb_u8(b, big_endian);			/* byte order */
	fb_u8(b, (uint8_t)long_size);		/* long of user space */
	fb_u32(b, SMALL_PAGE);			/* page size */
}

static inline void small_header_info(struct small_trace *t)
{
	struct file_bytes *b = &t->b;
	char text[512];

	small_header_page(t, text, sizeof(text));
	t->header_page_tag = fb_string(b, "header_page");
	fb_u64(b, strlen(text));		/* length of header_page */
	fb_text(b, text);
	fb_string(b, "header_event");
	fb_u64(b, 18);				/* length of header_event */
	fb_text(b, "# compressed entry");
}

static inline void small_format(struct small_trace *t, const char *name, int id)
{
	char text[256];
	int len = snprintf(
		text, sizeof(text),
		"name: %s\nID: %d\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		"\nprint fmt: \"\"\n",
		name, id);

	fb_u64(&t->b, (uint64_t)len);		/* length of the format file */
	fb_text(&t->b, text);
}

static inline void small_ftrace(struct small_trace *t)
{
	fb_u32(&t->b, 2);			/* ftrace formats */
	small_format(t, "function", 1);
	small_format(t, "print", 5);
}

static inline void small_events(struct small_trace *t)
{
	t->formats = fb_u32(&t->b, 2);		/* systems */
	fb_string(&t->b, "sched");		/* system */
	fb_u32(&t->b, 2);			/* its formats */
	small_format(t, "sched_switch", 314);
	small_format(t, "sched_wakeup", 315);
	fb_string(&t->b, "irq");		/* system */
	fb_u32(&t->b, 1);			/* its formats */
	small_format(t, "irq_handler_entry", 5);	/* an id that "print" has already */
}

#define SMALL_KALLSYMS "ffffffff81000000 T _text\nffffffff81000100 t do_one\t[mod]\n"
#define SMALL_PRINTK "0xffffffff82000000 : \"hello %d\\n\"\n"
#define SMALL_CMDLINES "1 init\n42 a b\n"

static inline void small_option_text(struct small_trace *t, uint16_t id, const char *text)
{
	size_t at = fb_option(&t->b, id);

	fb_string(&t->b, text);
	fb_option_end(&t->b, at);
}

/* Sub-buffer: stamp, commit, rubbish that starts with the CPU's number. */
static inline void small_page(struct small_trace *t, uint64_t ts, int cpu)
{
	size_t at = fb_u64(&t->b, ts);		/* time stamp */

	fb_put(&t->b, 32, t->long_size);	/* commit: bytes of data */
	fb_u8(&t->b, (uint8_t)(0x10 + cpu));
	while (t->b.len < at + SMALL_PAGE)
		fb_u8(&t->b, 0x5a);
}

/* Options that v6 and v7 have alike. */
static inline void small_options(struct small_trace *t)
{
	struct file_bytes *b = &t->b;
	size_t at;

	small_option_text(t, TRACE_OPTION_DATE, "0x10");		/* microseconds */
	small_option_text(t, TRACE_OPTION_OFFSET, "-250");		/* nanoseconds */
	small_option_text(t, TRACE_OPTION_UNAME, "Linux host 6.1.0 x86_64");
	small_option_text(t, TRACE_OPTION_VERSION, "3.4");
	at = fb_option(b, TRACE_OPTION_TRACEID);
	fb_u64(b, 0x1122334455667788);					/* session */
	fb_option_end(b, at);
	at = fb_option(b, TRACE_OPTION_TSC2NSEC);
	fb_u32(b, 1000);						/* multiplier */
	fb_u32(b, 10);							/* shift */
	fb_u64(b, 7);							/* offset */
	fb_option_end(b, at);
	at = fb_option(b, TRACE_OPTION_TIME_SHIFT);
	fb_u64(b, 99);							/* peer */
	fb_u32(b, 1);							/* flags: interpolate */
	fb_u32(b, 1);							/* CPUs */
	fb_u32(b, 3);							/* samples of CPU 0 */
	for (uint64_t i = 0; i < 3; i++)
		fb_u64(b, i == 2 ? 200 : 300 - 100 * i);		/* times: 300 200 200 */
	for (uint64_t i = 0; i < 3; i++)
		fb_u64(b, (uint64_t)-1 - i);				/* offsets: -1 -2 -3 */
	for (uint64_t i = 0; i < 3; i++)
		fb_u64(b, 10 + i);					/* scaling */
	for (uint64_t i = 0; i < 3; i++)
		fb_u64(b, 20 + i);					/* fraction bits */
	fb_option_end(b, at);
	at = fb_option(b, TRACE_OPTION_GUEST);
	fb_string(b, "vm");
	fb_u64(b, 0x8877665544332211);					/* session of the guest */
	fb_u32(b, 2);							/* CPUs */
	fb_u32(b, 1), fb_u32(b, 612);					/* CPU, task of the host */
	fb_u32(b, 0), fb_u32(b, 611);
	fb_option_end(b, at);
	at = fb_option(b, 1234);					/* not known to anybody */
	fb_text(b, "private");
	fb_option_end(b, at);
}

/*
 * Version 6: two CPUs with data, one empty, and an instance of one CPU; both with a clock behind
 * the table.
 */
static inline void small_v6(struct small_trace *t, bool big_endian, int long_size)
{
	struct file_bytes *b = &t->b;
	size_t at, place;

	small_initial(t, "6", big_endian, long_size);
	small_header_info(t);
	small_ftrace(t);
	small_events(t);
	t->kallsyms = fb_u32(b, sizeof(SMALL_KALLSYMS) - 1);
	fb_text(b, SMALL_KALLSYMS);
	fb_u32(b, sizeof(SMALL_PRINTK) - 1);
	fb_text(b, SMALL_PRINTK);
	t->cmdlines = fb_u64(b, sizeof(SMALL_CMDLINES) - 1);
	fb_text(b, SMALL_CMDLINES);
	t->cpu_count = fb_u32(b, 3);		/* CPUs */
	t->options = fb_string(b, "options  ");
	small_options(t);
	at = fb_option(b, TRACE_OPTION_TRACECLOCK);	/* empty: stored elsewhere */
	fb_option_end(b, at);
	t->instance_option = fb_option(b, TRACE_OPTION_BUFFER);
	place = fb_u64(b, 0);			/* where the instance's table is */
	fb_string(b, "inst");
	fb_option_end(b, t->instance_option);
	at = fb_option(b, TRACE_OPTION_CPUCOUNT);
	fb_u32(b, 1);				/* CPUs of that instance */
	fb_option_end(b, at);
	fb_u16(b, TRACE_OPTION_DONE);
	t->table = fb_string(b, "flyrecord");
	for (int i = 0; i < 6; i++)
		fb_u64(b, 0);			/* offset and size of each CPU */
	t->clock = fb_u64(b, 14);		/* length of the clock */
	fb_text(b, "local [global]");
	fb_align(b, SMALL_PAGE);
	t->data[0] = b->len;
	small_page(t, 1000, 0);
	small_page(t, 2000, 0);
	t->data[1] = b->len;
	small_page(t, 1500, 2);
	fb_patch(b, t->table + 10, t->data[0], 8);		/* CPU 0: offset */
	fb_patch(b, t->table + 18, 2 * SMALL_PAGE, 8);		/* CPU 0: size */
	fb_patch(b, t->table + 26, t->data[1], 8);		/* CPU 1: offset, no size */
	fb_patch(b, t->table + 42, t->data[1], 8);		/* CPU 2: offset */
	fb_patch(b, t->table + 50, SMALL_PAGE, 8);		/* CPU 2: size */
	t->instance_table = fb_string(b, "flyrecord");
	fb_patch(b, place, t->instance_table, 8);
	fb_u64(b, 0);				/* offset of CPU 0 */
	fb_u64(b, SMALL_PAGE);			/* size */
	fb_u64(b, 0);                           /* trace-cmd fills up to the
						   file's count of CPUs: */
	fb_u64(b, 0);
	fb_u64(b, 0);
	fb_u64(b, 0);
	fb_u64(b, 6);				/* length of the clock */
	fb_text(b, "[mono]");
	fb_align(b, SMALL_PAGE);
	t->data[2] = b->len;
	fb_patch(b, t->instance_table + 10, t->data[2], 8);
	small_page(t, 1200, 0);
}

static inline void small_section_option(struct small_trace *t, uint16_t id, uint64_t offset)
{
	size_t at = fb_option(&t->b, id);

	fb_u64(&t->b, offset);
	fb_option_end(&t->b, at);
}

/* The sections before the options.  @places: [6], receives where they are. */
static inline void small_v7_metadata(struct small_trace *t, size_t *places)
{
	struct file_bytes *b = &t->b;

	t->sections = places[0] = fb_section(b, TRACE_OPTION_HEADER_INFO, 0);
	small_header_info(t);
	fb_section_end(b, places[0]);
	places[1] = fb_section(b, TRACE_OPTION_FTRACE_EVENTS, 0);
	small_ftrace(t);
	fb_section_end(b, places[1]);
	places[2] = fb_section(b, TRACE_OPTION_EVENT_FORMATS, 0);
	small_events(t);
	fb_section_end(b, places[2]);
	t->kallsyms = places[3] = fb_section(b, TRACE_OPTION_KALLSYMS, 0);
	fb_u32(b, sizeof(SMALL_KALLSYMS) - 1);
	fb_text(b, SMALL_KALLSYMS);
	fb_section_end(b, places[3]);
	places[4] = fb_section(b, TRACE_OPTION_PRINTK, 0);
	fb_u32(b, sizeof(SMALL_PRINTK) - 1);
	fb_text(b, SMALL_PRINTK);
	fb_section_end(b, places[4]);
	places[5] = fb_section(b, TRACE_OPTION_CMDLINES, 0);
	fb_u64(b, sizeof(SMALL_CMDLINES) - 1);
	fb_text(b, SMALL_CMDLINES);
	fb_section_end(b, places[5]);
}

/*
 * The second options, which say where the buffers are.  @instance: the section of the other buffer.
 */
static inline void small_v7_buffers(struct small_trace *t, size_t instance)
{
	struct file_bytes *b = &t->b;

	t->options2 = fb_section(b, TRACE_OPTION_DONE, 0);
	t->buffer_option = fb_option(b, TRACE_OPTION_BUFFER);
	fb_u64(b, t->buffer_section);		/* section */
	fb_string(b, "");			/* name: top */
	fb_string(b, "global");			/* clock */
	fb_u32(b, SMALL_PAGE);			/* page size */
	fb_u32(b, 2);				/* CPUs listed, in any order */
	fb_u32(b, 5);				/* CPU */
	fb_u64(b, t->data[1]);			/* offset */
	fb_u64(b, SMALL_PAGE);			/* size */
	fb_u32(b, 0);				/* CPU */
	fb_u64(b, t->data[0]);			/* offset */
	fb_u64(b, 2 * SMALL_PAGE);		/* size */
	fb_option_end(b, t->buffer_option);
	t->instance_option = fb_option(b, TRACE_OPTION_BUFFER);
	fb_u64(b, instance);			/* section */
	fb_string(b, "inst");			/* name */
	fb_string(b, "mono");			/* clock */
	fb_u32(b, 2 * SMALL_PAGE);		/* page size */
	fb_u32(b, 1);				/* CPUs listed */
	fb_u32(b, 1);				/* CPU */
	fb_u64(b, t->data[2]);			/* offset */
	fb_u64(b, 2 * SMALL_PAGE);		/* size */
	fb_option_end(b, t->instance_option);
	small_section_option(t, TRACE_OPTION_DONE, 0);
	fb_section_end(b, t->options2);
	t->instance_table = fb_section(b, TRACE_OPTION_STRINGS, 0);
	fb_string(b, "a description");
	fb_section_end(b, t->instance_table);
}

/*
 * Version 7, not compressed: CPUs 0 and 5 of the top buffer, CPU 1 of an instance with larger
 * sub-buffers.
 */
static inline void small_v7(struct small_trace *t, bool big_endian, int long_size)
{
	struct file_bytes *b = &t->b;
	size_t places[6], at, done, patch, options;

	small_initial(t, "7", big_endian, long_size);
	fb_string(b, "none");			/* compression */
	fb_string(b, "");			/* its version */
	options = fb_u64(b, 0);			/* where the options are */
	small_v7_metadata(t, places);

	t->options = fb_section(b, TRACE_OPTION_DONE, 0);
	fb_patch(b, options, t->options, 8);
	for (int i = 0; i < 6; i++)
		small_section_option(t, (uint16_t)(TRACE_OPTION_HEADER_INFO + i), places[i]);
	small_options(t);
	small_option_text(t, TRACE_OPTION_TRACECLOCK, "local [global]");
	at = fb_option(b, TRACE_OPTION_CPUCOUNT);
	fb_u32(b, 6);				/* CPUs */
	fb_option_end(b, at);
	done = fb_option(b, TRACE_OPTION_DONE);
	patch = fb_u64(b, 0);			/* the next options */
	fb_option_end(b, done);
	fb_section_end(b, t->options);

	t->buffer_section = fb_section(b, TRACE_OPTION_BUFFER, 0);
	fb_align(b, SMALL_PAGE);
	t->data[0] = b->len;
	small_page(t, 1000, 0);
	small_page(t, 2000, 0);
	t->data[1] = b->len;
	small_page(t, 1500, 5);
	fb_section_end(b, t->buffer_section);
	places[0] = fb_section(b, TRACE_OPTION_BUFFER, 0);
	fb_align(b, 2 * SMALL_PAGE);
	t->data[2] = b->len;
	small_page(t, 1200, 1);
	for (unsigned int i = 0; i < SMALL_PAGE; i++)
		fb_u8(b, 0);			/* the second half of a larger sub-buffer */
	fb_section_end(b, places[0]);

	fb_patch(b, patch, b->len, 8);		/* they follow */
	small_v7_buffers(t, places[0]);
}
#endif
