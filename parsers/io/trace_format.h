/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_IO_TRACE_FORMAT_H
#define FTOP_PARSERS_IO_TRACE_FORMAT_H
/*
 * trace_format - magic, section and option ids of trace.dat, and our limits.
 * Source: trace-cmd.dat.v6(5), trace-cmd.dat.v7(5); ids from trace-cmd 3.4.
 */

#define TRACE_MAGIC		"\x17\x08\x44tracing"	/* 10 bytes, then the version as text */
/* for new traces: they hold addresses of the kernel */
#define TRACE_FILE_MODE		0640
#define TRACE_MAGIC_LEN		10
/* perf.data, in either byte order */
#define PERF_MAGIC		"PERFILE2"
#define PERF_MAGIC_OLD		"PERFFILE"	/* before Linux 3.4, in this byte order */
#define PERF_MAGIC_SWAPPED	"2ELIFREP"
#define PERF_MAGIC_LEN		8

/* Option ids (v6 and v7) and, from STRINGS on, section ids of v7. */
enum trace_option_id {
	TRACE_OPTION_DONE		= 0,	/* also the id of an options section */
	TRACE_OPTION_DATE		= 1,
	TRACE_OPTION_CPUSTAT		= 2,
	TRACE_OPTION_BUFFER		= 3,	/* also the id of a section of CPU data */
	TRACE_OPTION_TRACECLOCK		= 4,
	TRACE_OPTION_UNAME		= 5,
	TRACE_OPTION_HOOK		= 6,
	TRACE_OPTION_OFFSET		= 7,
	TRACE_OPTION_CPUCOUNT		= 8,
	TRACE_OPTION_VERSION		= 9,
	TRACE_OPTION_PROCMAPS		= 10,
	TRACE_OPTION_TRACEID		= 11,
	TRACE_OPTION_TIME_SHIFT		= 12,
	TRACE_OPTION_GUEST		= 13,
	TRACE_OPTION_TSC2NSEC		= 14,
	TRACE_OPTION_STRINGS		= 15,
	TRACE_OPTION_HEADER_INFO	= 16,
	TRACE_OPTION_FTRACE_EVENTS	= 17,
	TRACE_OPTION_EVENT_FORMATS	= 18,
	TRACE_OPTION_KALLSYMS		= 19,
	TRACE_OPTION_PRINTK		= 20,
	TRACE_OPTION_CMDLINES		= 21,
	TRACE_OPTION_BUFFER_TEXT	= 22,	/* latency text; also a section id */
	TRACE_OPTION_BTF_FILE		= 23,
	TRACE_OPTION_LAST_BOOT_INFO	= 24,
	TRACE_OPTION_MODULES_FILE	= 25,
};

/*
 * A private section of this program, and the option that says where it is; trace-cmd skips both.
 * See trace_extra.c and recorder/output/output.h.
 */
#define TRACE_SECTION_PRIVATE		0x4654u
/* how its text begins if it holds metadata */
#define TRACE_PRIVATE_MAGIC		"ftop-trace private 1\n"

#define TRACE_SECTION_COMPRESSED	1u	/* bit of a section header's flags */
#define TRACE_SECTION_HEADER_BYTES	16u

/* Limits: a number from a file is compared with one of these before it is used. */
/* bytes of a sub-buffer */
#define TRACE_MIN_PAGE_SIZE		512u
#define TRACE_MAX_PAGE_SIZE		(1u << 20)
#define TRACE_MAX_BLOB			(256u << 20)	/* one piece of metadata, uncompressed */
#define TRACE_MAX_CHUNK			(64u << 20)	/* one chunk, uncompressed */
/* per stream: 640 GiB with trace-cmd's chunk size */
#define TRACE_MAX_CHUNKS		(1u << 24)
#define TRACE_MAX_CPUS			65536u
#define TRACE_MAX_STREAMS		65535u		/* in all files of a session */
#define TRACE_MAX_BUFFERS		4096u
#define TRACE_MAX_OPTIONS		1000000u
#define TRACE_MAX_OPTION_SECTIONS	65536u
#define TRACE_MAX_OPTION_BYTES		(64u << 20)	/* in all options sections together */
#define TRACE_MAX_FORMATS		65536u		/* event ids are 16 bits */

/* Commit word of a sub-buffer: kernel/trace/ring_buffer.c, libtraceevent kbuffer-parse.c. */
#define TRACE_COMMIT_MASK		((1u << 27) - 1)
/* events were lost before this sub-buffer */
#define TRACE_COMMIT_LOST		(1u << 31)
/* the number of lost events follows the data */
#define TRACE_COMMIT_LOST_STORED	(1u << 30)

/* How the sections of a v7 file are compressed. */
enum trace_compression { TRACE_PLAIN, TRACE_ZLIB, TRACE_ZSTD };

/* Texts of the file. */
enum trace_text {
	TRACE_TEXT_HEADER_PAGE,		/* events/header_page of the top buffer */
	TRACE_TEXT_HEADER_EVENT,
	TRACE_TEXT_KALLSYMS,
	TRACE_TEXT_PRINTK,		/* printk_formats */
	TRACE_TEXT_CMDLINES,		/* saved_cmdlines: "pid comm" lines */
	TRACE_TEXT_BTF,			/* vmlinux BTF (trace-cmd 3.4): binary */
	TRACE_TEXT_MODULES,		/* /proc/modules (trace-cmd 3.4) */
	TRACE_TEXT_TGIDS,		/* saved_tgids, "pid tgid" lines, if the recorder kept it */
	TRACE_TEXT_WHO,			/* who tasks were, as the recorder saw it */
	TRACE_TEXT_MACHINE,		/* its CPUs and memory */
	TRACE_TEXT_HISTS,		/* the kernel's histograms: src/hist/hist.h */
	TRACE_TEXT_NAMES,		/* names of tasks that records of a cut do not have */
	TRACE_TEXT_USER_SYMBOLS,	/* functions of user space: parsers/types/user_symbols.h */
	TRACE_TEXT_PROCMAPS,		/* all options PROCMAPS, each ends with a NUL */
	TRACE_TEXT_PRIVATE,		/* all that the recorder kept in our own section */
};
#define TRACE_NR_TEXTS	(TRACE_TEXT_PRIVATE + 1)
#endif
