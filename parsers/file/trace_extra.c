/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace_extra - data the format has no place for: saved_tgids, wall time, what was
 * recorded, cuts.
 *
 * Our writers keep them in a private section, which other readers skip (trace_own.c finds it).
 * In version 7 it is one of the sections before the CPU data.  Version 6 has no sections: there it
 * is at the end of the file, and the last 8 bytes of its payload hold its offset.  One that was
 * added later (ftop-trace symbols) is at the end in both versions, and replaces the other.  The
 * option TRACE_SECTION_PRIVATE says where our writers put it, and how long it is: two u64.
 *
 * The section is text.  It begins with TRACE_PRIVATE_MAGIC.  Then come lines "wall CLOCK TS
 * realtime NS within NS", one reading of the wall clock from the beginning of the recording and one
 * from its end: when the trace clock CLOCK showed TS, the wall clock showed NS since the epoch,
 * give or take the second NS.  The difference of the two readings is the drift.  A line "command
 * ended" says that the recording began with its command and stopped when that had ended by itself.
 * A line "extracted WORDS" says which buffer of others it was, and how that was set.
 * A line "hit FROM TO CONDITION<tab>WORDS<tab>PID" says what came true of record --until
 * (src/trace/trace_hits.h).
 * A line "missed COUNT SYSTEM:NAME" says how many hits the probes of an event missed.  The kernel
 * counted them and made no records, whether or not a filter would have kept them.  In an extracted
 * buffer: since the probe was defined.
 * A line "dropped COUNT SYSTEM:NAME" says how many hits are in no row of an event's histograms,
 * because these were full.
 * A line "note WORDS" says what may be wrong in the file: a note for the user.
 * A line "lost WORDS" says that the file was made from one whose section was cut off.
 * A line "cut WORDS" says what was kept when the rest was cut out (src/cut).  The cut of a text has
 * a line "step NS": times are whole steps, and what stamps have beyond them only tells the order;
 * or "untimed": stamps are sums of durations.
 *
 * After the lines come blocks: a line "NAME SIZE", followed by SIZE bytes.  The first one is
 * saved_tgids, the kernel's text.  Blocks and lines of other names are skipped.  A number that is
 * not known is -1; times are raw stamps of the trace clock.
 *
 * "tasks" (parsers/types/who_table.h) has lines:
 *   string LEN         followed by LEN bytes and a newline.  Strings are numbered from 1; 0 stands
 *                      for none, or one that is not known.
 *   hierarchy NUMBER   whose paths CGROUP are: 0 = cgroup v2, as if there were no such line, else
 *                      the one of v1 with the CPU controller; they may go on where its path ends
 *   user UID STRING    the name of a user
 *   task SINCE TS PID PARENT START UID EXE CMDLINE CGROUP KERNEL
 *                      a process, looked at between SINCE and TS.  START: its birth, or some ms
 *                      before; UID: the effective one; EXE, CMDLINE, CGROUP: strings, with NUL
 *                      after each argument; KERNEL: 1 for a thread of the kernel
 *   namespace PID      a process, of which a task line came before, has a PID namespace of its own
 *   recorder PID       a task of the recorder, or a process
 *   only PID           only events of the tasks in such lines were recorded: set_event_pid
 *   only_children 1    and of what these make
 *   without CPU NAME   a CPU that was not recorded in the buffer with this name; "": the top one
 *   thread SINCE TS PID TGID CGROUP   a thread; CGROUP: one of its own
 *   cgroup TS CGROUP QUOTA_US PERIOD_US WEIGHT USAGE_US PERIODS THROTTLED THROTTLED_US THREADED
 *                      cpu.max, cpu.weight and cpu.stat at TS, of a cgroup that tasks are in, or
 *                      one above it; QUOTA_US: 0 = no limit; at the end again; with a limit, each
 *                      second in which it was throttled, too
 *   cgroup_id CGROUP ID   the kernel's number of a cgroup, of which a cgroup line came before
 *   sched SINCE TS PID POLICY PRIORITY NICE ALLOWED RUNTIME_NS PERIOD_NS
 *                      how a task was scheduled, looked at between SINCE and TS: sched_getattr(2);
 *                      ALLOWED: a string, the CPUs on which it may run, as "0-3,7"
 *
 * "machine" (parsers/types/machine.h) has lines, CPUs in ascending order:
 *   cpu CPU CORE CLUSTER DIE PACKAGE NODE L2 L3 CAPACITY MIN_KHZ MAX_KHZ
 *                      what CPUs share is named by the lowest of them; the package and the node by
 *                      the kernel's numbers
 *   memory BYTES
 *   virt NAME          "kvm", …; "none"
 *   watched HZ FROM TO     `steal` of /proc/stat was looked at from FROM to TO; it counts HZ ticks
 *                      in a second
 *   steal SINCE TS CPU TICKS   so many ticks more at TS than at SINCE, the look before; looks that
 *                      found no more have no line
 *
 * "hists": the kernel's histograms when the recording ended, as the files events/SYSTEM/EVENT/hist
 * had them.  A line "# of SYSTEM:NAME" comes before those of an event, with ", buffer NAME" after
 * it if they are of a buffer with a name (src/hist/hist.h).
 *
 * "names", of a cut: lines "TS PID LEN", each followed by LEN bytes and a newline: the name that a
 * task has since TS.  Records that tell it may not be in the cut (src/trace/trace_names.c).
 *
 * "user_symbols": see parsers/types/user_symbols.h.
 *
 * gpuvis' trace-cmd has an option with the same text for saved_tgids.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/file/trace_file_private.h"

#define MAX_STEP		1000000000u	/* ns */
#define HEAD_BYTES		65536u	/* readings and cuts are within this many bytes */
/* gpuvis, src/trace/trace-cmd/trace-read.cpp; trace-cmd itself does not have it */
#define OPTION_SAVED_TGIDS	32u

static const char *text_of_option(const struct trace_file *file, char **blob, uint64_t *size)
{
	for (unsigned int i = 0; i < file->nr_options; i++)
		if (file->options[i].id == OPTION_SAVED_TGIDS) {
			*size = strnlen((const char *)file->options[i].data, file->options[i].size);
			*blob = mem_strndup((const char *)file->options[i].data, *size);
			return *blob;
		}
	return NULL;
}

static const char *procmaps_of_options(const struct trace_file *file, char **blob, uint64_t *size)
{
	struct text all = { 0 };

	for (unsigned int i = 0; i < file->nr_options; i++) {
		const char *data = (const char *)file->options[i].data;

		if (file->options[i].id != TRACE_OPTION_PROCMAPS)
			continue;
		text_bytes(&all, data, strnlen(data, file->options[i].size));
		text_char(&all, '\0');
	}
	*size = all.len;
	*blob = all.data;
	return *blob;
}

/* Parse "NAME SIZE" at *p and advance *p to the bytes.  False: they are not all there. */
static bool next_block(char **p, const char *end, const char **name, size_t *len, uint64_t *size)
{
	char *line = *p;
	uint64_t v = 0;

	*name = line;
	while (line < end && *line != ' ' && *line != '\n')
		line++;
	*len = (size_t)(line - *name);
	if (line == end || *line++ != ' ')
		return false;
	for (; line < end && *line >= '0' && *line <= '9' && v < (uint64_t)(end - *name); line++)
		v = v * 10 + (uint64_t)(*line - '0');
	if (line == end || *line != '\n' || v > (uint64_t)(end - line - 1))
		return false;
	*p = line + 1;
	*size = v;
	return true;
}

static const char *const block_names[] = {
	[TRACE_TEXT_TGIDS] = "saved_tgids",
	[TRACE_TEXT_WHO] = "tasks",
	[TRACE_TEXT_MACHINE] = "machine",
	[TRACE_TEXT_HISTS] = "hists",
	[TRACE_TEXT_NAMES] = "names",
	[TRACE_TEXT_USER_SYMBOLS] = "user_symbols",
};

static const char first_block[] = "\nsaved_tgids ";

/* Where the blocks begin: the end, if there are none. */
static char *blocks_of(char *text, uint64_t len)
{
	char *p = memmem(text, len, first_block, sizeof(first_block) - 1);

	return p ? p + 1 : text + len;
}

/* The bytes of a block; NULL: there is none, or *is_bad: the section ends before a block does. */
static const char *find_block(char *text, uint64_t len, enum trace_text kind, uint64_t *size,
			      bool *is_bad)
{
	char *p = blocks_of(text, len);
	const char *end = text + len, *name;
	size_t name_len;

	for (; p < end; p += *size) {
		*is_bad = !next_block(&p, end, &name, &name_len, size);
		if (*is_bad)
			return NULL;
		if (name_len != strlen(block_names[kind]) ||
		    memcmp(name, block_names[kind], name_len) != 0)
			continue;
		p[*size] = '\0';	/* within the text, or its spare byte at the end */
		return p;
	}
	return NULL;
}

/*
 * Bytes of the whole lines and blocks of a text that ends before the section did: "missed 12" may
 * have been 1234.
 */
static uint64_t whole_part(char *text, uint64_t len)
{
	const char *end = text + len, *name, *newline = memrchr(text, '\n', len);
	char *p = blocks_of(text, len), *line = p;
	size_t name_len;
	uint64_t size;

	if (p == end)
		return newline ? (uint64_t)(newline + 1 - text) : 0;
	for (; p < end && next_block(&p, end, &name, &name_len, &size); line = p)
		p += size;
	return (uint64_t)(line - text);
}

/* A text from which another file is made says what it lacks. */
static void add_lost(const char *lost, char **text, uint64_t *len)
{
	uint64_t lines = *text ? (uint64_t)(blocks_of(*text, *len) - *text) : 0;
	struct text out = { 0 };

	text_bytes(&out, *text, lines);
	if (!lines)
		text_add(&out, TRACE_PRIVATE_MAGIC);
	text_printf(&out, "lost %s\n", lost);
	if (lines == *len)
		text_add(&out, "saved_tgids 0\n");
	text_bytes(&out, *text + lines, *len - lines);
	free(*text);
	*text = out.data;
	*len = out.len;
}

/*
 * Load our section; NULL: there is none, or it cannot be read.  @most: read only so many bytes, if
 * it is not packed.
 */
static char *load_text(const struct trace_file *file, uint64_t most, uint64_t *len,
		       struct ft_error *err)
{
	struct metadata meta = file->own.text;
	bool is_part = !meta.compressed && meta.size > most;
	char *text;

	if (!meta.present)
		return NULL;
	meta.size = is_part ? most : meta.size;
	text = (char *)trace_file_load_metadata(file, &meta, len, err);
	if (text && file->own.is_cut && !is_part)
		*len = whole_part(text, *len);
	if (text)
		text[*len] = '\0';
	return text;
}

/* Parse the next reading from *p on, and advance *p past it. */
static bool next_reading(const char **p, int64_t *offset_ns, uint64_t *within_ns)
{
	static const char key[] = "\nwall ";
	const char *line = strstr(*p, key);
	uint64_t ts, realtime, within;

	if (!line ||
	    sscanf(line + sizeof(key) - 1, "%*31s %" SCNu64 " realtime %" SCNu64 " within %" SCNu64,
		   &ts, &realtime, &within) != 3 ||
	    ts > INT64_MAX || realtime > INT64_MAX || within > INT64_MAX)
		return false;
	*within_ns = within;
	*p = line + sizeof(key) - 1;
	*offset_ns = (int64_t)realtime - (int64_t)ts;
	return true;
}

/*
 * Take the first reading of a NUL-ended text.  Its uncertainty includes the drift up to the last
 * reading.
 */
static void take_reading(struct trace_file *file, const char *text)
{
	int64_t at_end;
	uint64_t within, apart;

	if (!next_reading(&text, &file->base.info.wall_offset_ns, &file->base.info.wall_within_ns))
		return;
	file->base.info.has_wall = true;
	if (!next_reading(&text, &at_end, &within))
		return;
	apart = at_end > file->base.info.wall_offset_ns ?
			(uint64_t)at_end - (uint64_t)file->base.info.wall_offset_ns :
			(uint64_t)file->base.info.wall_offset_ns - (uint64_t)at_end;
	if (apart <= INT64_MAX && apart + within > file->base.info.wall_within_ns)
		file->base.info.wall_within_ns = apart + within;
}

/* The rest of lines that begin with @key, "\nWORD ", and precede the saved_tgids. */
static const char *take_lines(struct trace_file *file, const char *text, const char *key)
{
	const char *end = strstr(text, "\nsaved_tgids ");
	struct text lines = { 0 };

	for (const char *line = strstr(text, key); line && (!end || line < end);
	     line = strstr(line, key)) {
		line += strlen(key);
		if (lines.len)
			text_char(&lines, '\n');
		text_bytes(&lines, line, strcspn(line, "\n"));
	}
	key = trace_file_arena_string(file, text_str(&lines), lines.len);
	text_fini(&lines);
	return key;
}

/* The next "COUNT SYSTEM:NAME" of lines: the event, *len bytes; NULL: no more. */
static const char *next_missed(const char **lines, uint64_t *missed, int *len)
{
	while (**lines) {
		const char *line = *lines;
		int at, nr = sscanf(line, "%" SCNu64 " %n", missed, &at);

		*lines += strcspn(line, "\n");
		*len = (int)(*lines - line) - at;
		*lines += **lines == '\n';
		if (nr == 1)
			return line + at;
	}
	return NULL;
}

/* Note what probes have missed. */
static void note_misses(struct trace_file *file)
{
	const char *lines = file->base.info.missed, *event;
	uint64_t missed;
	int len;

	while ((event = next_missed(&lines, &missed, &len)))
		source_add_note(&file->base,
				"%.*s: the kernel's probe missed %" PRIu64
				" hit%s%s: events may be missing from counts and durations",
				len, event, missed, missed == 1 ? "" : "s",
				*file->base.info.extracted ? " since it was defined" : "");
}

/* Note what histograms do not count. */
static void note_drops(struct trace_file *file, const char *text)
{
	const char *lines = take_lines(file, text, "\ndropped "), *event;
	uint64_t dropped;
	int len;

	while ((event = next_missed(&lines, &dropped, &len)))
		source_add_note(&file->base,
				"%.*s: the kernel's histogram was full: %" PRIu64
				" hit%s in no row of ftop-trace hist",
				len, event, dropped, dropped == 1 ? " is" : "s are");
}

/* What the recorder says of the file. */
static void take_notes(struct trace_file *file, const char *text)
{
	const char *line = take_lines(file, text, "\nnote ");

	for (; *line; line += strcspn(line, "\n"), line += *line == '\n')
		source_add_note(&file->base, "%.*s", (int)strcspn(line, "\n"), line);
}

/* Does "SYSTEM:NAME" mean this format?  Its text begins with the line "name: NAME". */
static bool is_format(const struct source_format *format, const char *event, size_t len)
{
	static const char key[] = "name: ";
	size_t before = strlen(format->system) + 1, key_len = sizeof(key) - 1;
	const char *name = format->text + key_len;

	if (len <= before || memcmp(event, format->system, before - 1) || event[before - 1] != ':')
		return false;
	len -= before;
	return format->size > key_len + len && !memcmp(format->text, key, key_len) &&
	       !memcmp(name, event + before, len) && name[len] == '\n';
}

void trace_file_mark_missed(const struct trace_file *file, struct source_formats *formats)
{
	const char *lines = file->base.info.missed, *event;
	uint64_t missed;
	int len;

	while ((event = next_missed(&lines, &missed, &len)))
		for (unsigned int i = 0; i < formats->nr; i++)
			if (is_format(&formats->formats[i], event, (size_t)len))
				formats->formats[i].lacks |= FORMAT_LACKS_HITS;
}

/* Take the line "step NS" or "untimed". */
static void take_times(struct trace_file *file, const char *text)
{
	static const char key[] = "\nstep ";
	const char *line = strstr(text, key), *end = strstr(text, "\nsaved_tgids "),
		   *untimed = strstr(text, "\nuntimed\n");
	unsigned long step = line ? strtoul(line + sizeof(key) - 1, NULL, 10) : 0;

	if (step <= MAX_STEP && (!end || line < end))
		file->base.info.step = step;
	file->base.info.is_untimed = untimed && (!end || untimed < end);
}

/* What is cut out of a recording is no longer all that the command did. */
static void take_command(struct trace_file *file, const char *text)
{
	const char *line = strstr(text, "\ncommand ended\n"), *end = strstr(text, "\nsaved_tgids ");

	file->base.info.has_command = line && end && line < end && !*file->base.info.cuts;
}

/* Of the file that this one was made from. */
static void take_lost(struct trace_file *file, const char *text)
{
	const char *lost = take_lines(file, text, "\nlost ");

	if (!*lost || file->own.lost)
		return;
	file->own.lost = trace_file_arena_string(file, lost, strcspn(lost, "\n"));
	source_add_warning(&file->base, -1, "%s", file->own.lost);
}

void trace_file_read_extra(struct trace_file *file)
{
	struct ft_error ignored;
	char *text;
	uint64_t len;

	trace_own_find(file);
	text = load_text(file, HEAD_BYTES, &len, &ignored);
	if (text) {
		take_lost(file, text);
		take_reading(file, text);
		file->base.info.cuts = take_lines(file, text, "\ncut ");
		file->base.info.extracted = take_lines(file, text, "\nextracted ");
		file->base.info.hits = take_lines(file, text, "\nhit ");
		file->base.info.missed = take_lines(file, text, "\nmissed ");
		note_misses(file);
		note_drops(file, text);
		take_notes(file, text);
		take_times(file, text);
		take_command(file, text);
	}
	free(text);
}

/* What stands in options instead of our section. */
static const char *find_in_options(const struct trace_file *file, enum trace_text kind, char **blob,
				   uint64_t *size)
{
	return kind == TRACE_TEXT_PROCMAPS ? procmaps_of_options(file, blob, size) :
	       kind == TRACE_TEXT_TGIDS    ? text_of_option(file, blob, size) :
					     NULL;
}

void trace_file_find_private(const struct trace_file *file, enum trace_text kind,
			     struct source_text_slot *slot)
{
	const struct own_section *own = &file->own;
	const char *text = find_in_options(file, kind, &slot->blob, &slot->size);
	struct ft_error err = { 0 };
	bool is_bad = false;
	uint64_t len = 0;

	if (text)
		slot->text = text;
	if (text || kind == TRACE_TEXT_PROCMAPS)
		return;
	slot->blob = load_text(file, UINT64_MAX, &len, &err);
	if (!slot->blob && own->text.present)
		source_add_warning(&file->base, (int64_t)own->text.offset, "%s: %s",
				   source_text_name(kind), err.message);
	if (kind == TRACE_TEXT_PRIVATE && own->is_cut)
		add_lost(own->lost, &slot->blob, &len);
	text = kind == TRACE_TEXT_PRIVATE ? slot->blob :
	       slot->blob ? find_block(slot->blob, len, kind, &slot->size, &is_bad) :
			    NULL;
	if (is_bad)
		source_add_warning(&file->base, (int64_t)own->text.offset,
				   "%s: the section does not hold what its text says",
				   source_text_name(kind));
	if (text)
		slot->text = text;
	if (kind == TRACE_TEXT_PRIVATE || !text)
		slot->size = text ? len : 0;
	if (!text || kind == TRACE_TEXT_PRIVATE)
		slot->lost = own->lost ?: is_bad || err.code ? "it is damaged" : NULL;
}

void trace_file_with_block(const struct source *source, enum trace_text kind,
			   const struct text *bytes, struct text *out)
{
	uint64_t len, size;
	const char *text = source_text(source, TRACE_TEXT_PRIVATE, &len), *end = text + len;
	char *p = memmem(text, len, first_block, sizeof(first_block) - 1), *line;
	const char *name;
	size_t name_len;

	text_bytes(out, len ? text : TRACE_PRIVATE_MAGIC,
		   p   ? (size_t)(p + 1 - text) :
		   len ? len :
			 sizeof(TRACE_PRIVATE_MAGIC) - 1);
	if (!p)
		text_add(out, "saved_tgids 0\n");
	for (line = p ? ++p : NULL; p && p < end && next_block(&p, end, &name, &name_len, &size);
	     line = p) {
		p += size;
		if (name_len != strlen(block_names[kind]) ||
		    memcmp(name, block_names[kind], name_len) != 0)
			text_bytes(out, line, (size_t)(p - line));
	}
	text_printf(out, "%s %zu\n", block_names[kind], bytes->len);
	text_bytes(out, text_str(bytes), bytes->len);
}
