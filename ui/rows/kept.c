/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/rows/kept.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/memory.h"
#include "src/base/output_names.h"
#include "src/base/paths.h"
#include "src/base/small_file.h"

#define HEAD	OUTPUT_MARKS_HEAD
#define CALL_RECORD_NS	1000000		/* from the begin or end of a call to its record, at most */

/* --- which trace --------------------------------------------------------- */

void kept_identity(const struct trace *trace, struct text *out)
{
	int64_t first = 0, last = 0;
	struct stat st;

	for (unsigned int i = 0; i < trace_nr_files(trace); i++) {
		const char *path = trace_path(trace, i);
		char *real = realpath(path, NULL);

		text_printf(out, "file %lld ", (long long)(stat(path, &st) ? 0 : st.st_size));
		path = real ? real : path;
		text_printable(out, path, strlen(path));
		text_char(out, '\n');
		free(real);
	}
	trace_recorded_span(trace, &first, &last);
	text_printf(out, "span %" PRId64 " %" PRId64 "\n", first, last);
}

const char *kept_path(const struct text *identity, char *buf, size_t size)
{
	uint64_t hash = 14695981039346656037u;		/* FNV-1a */
	char name[48];

	for (size_t i = 0; i < identity->len; i++)
		hash = (hash ^ (uint8_t)identity->data[i]) * 1099511628211u;
	snprintf(name, sizeof(name), "marks/%016" PRIx64, hash);
	return paths_state(name, buf, size);
}

/* Are the lines equal?  @anywhere: paths of files may differ. */
static bool same_line(const char *a, const char *b, bool anywhere)
{
	size_t len = strcspn(a, "\n");

	if (anywhere && !strncmp(a, "file ", 5))
		len = 5 + strcspn(a + 5, " \n");
	return !strncmp(a, b, len) && (b[len] == '\n' || (anywhere && b[len] == ' '));
}

/* The text after the identity in @s; NULL: the identity differs. */
static const char *skip_identity(const char *s, const struct text *identity, bool anywhere)
{
	const char *line = text_str(identity);

	while (*line) {
		if (!same_line(line, s, anywhere))
			return NULL;
		line += strcspn(line, "\n") + 1;
		s += strcspn(s, "\n");
		s += *s == '\n';
	}
	return s;
}

/* The row of its task and CPU, if they are known, at the very time of a place. */
static bool find_moved(struct trace *trace, const struct place *place, struct trace_event *event)
{
	return trace_event_at(trace, trace_seek_time(trace, place->ts, place->cpu), event) &&
	       event->ts == place->ts &&
	       (place->pid < 0 || place_of_event(event).pid == place->pid);
}

bool kept_find(struct trace *trace, struct place *place)
{
	bool is_row = place->ref != TRACE_REF_NONE;
	struct trace_event event;
	int64_t first, last;

	if (is_row && ((trace_event_at(trace, place->ref, &event) && event.ts == place->ts) ||
		       find_moved(trace, place, &event))) {
		*place = place_of_event(&event);
		return true;
	}
	/* a call begins before the record of it is written, and ends before that of its end */
	if (!is_row || !trace_event_at(trace, place->ref, &event) || event.ts < place->ts ||
	    time_between(place->ts, event.ts) > CALL_RECORD_NS)
		place->ref = TRACE_REF_NONE;
	return trace_span(trace, &first, &last) && place->ts >= first && place->ts <= last &&
	       place->file < trace_nr_files(trace);
}

/* --- how many ------------------------------------------------------------ */

struct old_file {
	char		name[48];
	struct timespec	written;
};

/* "0123456789abcdef", or the temporary file of a killed process: the same and ".123". */
static bool is_marks_name(const char *name)
{
	size_t hex = strspn(name, "0123456789abcdef");

	if (hex != 16 || strlen(name) >= sizeof(((struct old_file *)0)->name))
		return false;
	return !name[hex] || (name[hex] == '.' && name[hex + 1] &&
			      !name[hex + 1 + strspn(name + hex + 1, "0123456789")]);
}

static int newest_first(const void *a, const void *b)
{
	const struct timespec *x = &((const struct old_file *)a)->written,
			      *y = &((const struct old_file *)b)->written;

	if (x->tv_sec != y->tv_sec)
		return x->tv_sec < y->tv_sec ? 1 : -1;
	return x->tv_nsec < y->tv_nsec ? 1 : x->tv_nsec > y->tv_nsec ? -1 : 0;
}

/* The files of marks in a folder; the caller frees the list. */
static struct old_file *list_marks(DIR *dir, const char *spare, unsigned int *nr)
{
	struct old_file *files = NULL;
	unsigned int cap = 0;
	struct dirent *entry;
	struct stat st;

	*nr = 0;
	while ((entry = readdir(dir))) {
		if (!is_marks_name(entry->d_name) || !strcmp(entry->d_name, spare) ||
		    fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) ||
		    !S_ISREG(st.st_mode))
			continue;
		mem_grow(&files, *nr, &cap);
		strcpy(files[*nr].name, entry->d_name);	/* it fits: is_marks_name() */
		files[(*nr)++].written = st.st_mtim;
	}
	return files;
}

void kept_prune(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *folder = mem_strndup(path, (size_t)(slash - path));
	DIR *dir = opendir(folder);
	struct old_file *files;
	unsigned int nr;

	free(folder);
	if (!dir)
		return;
	files = list_marks(dir, slash + 1, &nr);
	if (nr >= KEPT_MAX_FILES) {
		qsort(files, nr, sizeof(*files), newest_first);
		for (unsigned int i = KEPT_MAX_FILES - 1; i < nr; i++)
			unlinkat(dirfd(dir), files[i].name, 0);
	}
	free(files);
	closedir(dir);
}

/* "2 marks, 1 filter": what lines of a file keep; *path and *size: its only trace. */
static bool describe_file(const char *s, char **path, uint64_t *size, struct text *out)
{
	static const char *const kinds[] = { "mark", "note", "filter" };
	unsigned int nr[3] = { 0 }, files = 0;

	for (size_t len; *s; s += len + (s[len] == '\n')) {
		unsigned long long bytes;
		int at = 0;

		len = strcspn(s, "\n");
		for (int i = 0; i < 3; i++)
			nr[i] += !strncmp(s, kinds[i], strlen(kinds[i])) &&
				 s[strlen(kinds[i])] == ' ';
		if (sscanf(s, "file %20llu %n", &bytes, &at) != 1 || !at || (size_t)at > len ||
		    files++)
			continue;
		*size = bytes;
		*path = mem_strndup(s + at, len - (size_t)at);
	}
	for (int i = 0; i < 3; i++)
		if (nr[i])
			text_printf(out, "%s%u %s%s", out->len ? ", " : "", nr[i], kinds[i],
				    PLURAL(nr[i]));
	return files == 1;
}

void kept_each(void (*each)(void *arg, const char *path, uint64_t size, int64_t opened,
			    const char *kept),
	       void *arg)
{
	char folder[4096], file[4200];
	struct old_file *files;
	unsigned int nr = 0;
	DIR *dir;

	if (!paths_state("marks", folder, sizeof(folder)) || !(dir = opendir(folder)))
		return;
	files = list_marks(dir, "", &nr);
	qsort(files, nr, sizeof(*files), newest_first);
	for (unsigned int i = 0; i < nr; i++) {
		struct text t = { 0 }, kept = { 0 };
		char *path = NULL;
		uint64_t size = 0;

		snprintf(file, sizeof(file), "%s/%s", folder, files[i].name);
		if (!small_file_read(file, KEPT_MAX_BYTES, &t, NULL) &&
		    !strncmp(text_str(&t), HEAD, sizeof(HEAD) - 1) &&
		    describe_file(text_str(&t) + sizeof(HEAD) - 1, &path, &size, &kept))
			each(arg, path, size, files[i].written.tv_sec, text_str(&kept));
		free(path);
		text_fini(&t);
		text_fini(&kept);
	}
	free(files);
	closedir(dir);
}

/* --- writing ------------------------------------------------------------- */

void kept_place_text(const struct trace *trace, const struct place *place, struct text *out)
{
	int64_t ts = time_between(trace_offset(trace, place->file).by, place->ts);

	if (place->ref == TRACE_REF_NONE) {
		text_printf(out, "- %" PRId64 " %u:%d:%d", ts, place->file, place->pid, place->cpu);
		return;
	}
	text_printf(out, "%u:%" PRIu64 ":%u %" PRId64, trace_ref_stream(place->ref),
		    trace_ref_page(place->ref), trace_ref_item(place->ref), ts);
}

void kept_add_numbers(struct text *out, const char *key, const uint64_t *numbers, unsigned int nr)
{
	text_add(out, key);
	for (unsigned int i = nr > KEPT_MAX_NUMBERS ? nr - KEPT_MAX_NUMBERS : 0; i < nr; i++)
		text_printf(out, " %" PRIx64, numbers[i]);
	text_char(out, '\n');
}

unsigned int kept_numbers(const char *value, uint64_t *numbers)
{
	unsigned int nr = 0;
	int len;

	for (; nr < KEPT_MAX_NUMBERS && sscanf(value, "%16" SCNx64 "%n", &numbers[nr], &len) == 1;
	     value += len)
		nr++;
	return nr;
}

static void add_places(struct text *out, const struct trace *trace, const struct places *places)
{
	for (char letter = 'a'; letter <= 'z'; letter++) {
		const struct place *place = places_get(places, letter);

		if (!place)
			continue;
		text_printf(out, "mark %c ", letter);
		kept_place_text(trace, place, out);
		text_char(out, '\n');
	}
	for (unsigned int i = 0; i < places->nr_notes && i < KEPT_MAX_NOTES; i++) {
		text_add(out, "note ");
		kept_place_text(trace, &places->notes[i].place, out);
		text_printf(out, " %s\n", places->notes[i].text);
	}
}

static void add_lines(struct text *out, const char *kind, const char *s)
{
	for (size_t len; *s; s += len + (s[len] == '\n')) {
		len = strcspn(s, "\n");
		text_printf(out, "%s ", kind);
		text_bytes(out, s, len);
		text_char(out, '\n');
	}
}

static void add_offsets(struct text *out, const struct trace *trace)
{
	for (unsigned int i = 0; i < trace_nr_files(trace); i++)
		if (trace_offset(trace, i).by)
			text_printf(out, "offset %u %" PRId64 "\n", i, trace_offset(trace, i).by);
}

void kept_text(const struct trace *trace, const struct text *identity, const struct places *places,
	       const struct text *filters, const struct text *keeps, struct text *out)
{
	text_add(out, HEAD);
	text_bytes(out, text_str(identity), identity->len);
	add_offsets(out, trace);
	add_places(out, trace, places);
	if (filters)
		add_lines(out, "filter", text_str(filters));
	if (keeps)
		add_lines(out, "keep", text_str(keeps));
}

int kept_write(const char *path, const struct trace *trace, const struct text *identity,
	       const struct places *places, const struct text *filters, const struct text *keeps,
	       unsigned int mode, struct ft_error *err)
{
	struct text t = { 0 };
	int result;

	kept_text(trace, identity, places, filters, keeps, &t);
	result = small_file_replace(path, &t, mode, err);
	text_fini(&t);
	return result;
}

/* --- reading ------------------------------------------------------------- */

/* "1:17:4 7574227913", or "- 7574227913 0:80:1"; NULL: no place. */
static const char *parse_place(const char *s, struct place *place)
{
	unsigned int stream, item;
	uint64_t page;
	int len = 0;

	*place = (struct place){ .set = true, .ref = TRACE_REF_NONE, .pid = -1, .cpu = -1 };
	if (*s == '-')
		return sscanf(s, "- %20" SCNd64 " %5u:%11d:%11d%n", &place->ts, &place->file,
			      &place->pid, &place->cpu, &len) < 4 ||
				       !len ?
			       NULL :
			       s + len;
	if (sscanf(s, "%5u:%9" SCNu64 ":%7u %20" SCNd64 "%n", &stream, &page, &item, &place->ts,
		   &len) < 4 ||
	    !len || stream > UINT16_MAX || page >= 1u << TRACE_REF_PAGE_BITS ||
	    item > TRACE_REF_ITEM_LAST)
		return NULL;
	place->ref = trace_ref_make(stream, page, item);
	return s + len;
}

static void take_note(const char *s, size_t len, struct place place, struct places *places)
{
	struct text note = { 0 };

	text_printable(&note, s, len < PLACE_NOTE_BYTES ? len : PLACE_NOTE_BYTES);
	places_note(places, place, text_str(&note));
	text_fini(&note);
}

/* Adds a filter if it could also be typed into a prompt. */
static void take_filter(const char *s, size_t len, struct text *filters, struct kept_count *count)
{
	struct text plain = { 0 };

	text_printable(&plain, s, len);
	if (len && len <= KEPT_FILTER_BYTES && plain.len == len &&
	    !memcmp(text_str(&plain), s, len) && count->filters < KEPT_MAX_FILTERS) {
		text_bytes(filters, s, len);
		text_char(filters, '\n');
		count->filters++;
	}
	text_fini(&plain);
}

/* Adds a line of what the screen showed, without what cannot be printed. */
static void take_keep(const char *s, size_t len, struct text *keeps)
{
	if (len > KEPT_FILTER_BYTES)
		return;
	text_printable(keeps, s, len);
	text_char(keeps, '\n');
}

/* Looks up a parsed place, whose time is as recorded. */
static bool find_recorded(struct trace *trace, struct place *place)
{
	struct trace_event event;

	if (place->ref != TRACE_REF_NONE && trace_ref_stream(place->ref) < trace_nr_streams(trace))
		place->file = trace_stream_info(trace, trace_ref_stream(place->ref)).file;
	if (trace_event_at(trace, place->ref, &event)) {
		place->pid = place_of_event(&event).pid;
		place->cpu = event.cpu;
	}
	if (place->file < trace_nr_files(trace))
		place->ts = time_after(place->ts, trace_offset(trace, place->file).by);
	return kept_find(trace, place);
}

bool kept_place(struct trace *trace, const char *s, struct place *place)
{
	return parse_place(s, place) && find_recorded(trace, place);
}

/* Reads one line.  Unknown lines are skipped: a later version may write more kinds. */
static void take_line(const char *s, size_t len, struct trace *trace, struct places *places,
		      struct kept_count *count)
{
	bool mark = len > 7 && !strncmp(s, "mark ", 5) && s[5] >= 'a' && s[5] <= 'z' && s[6] == ' ';
	struct place place;
	const char *rest;

	if (!mark && strncmp(s, "note ", 5))
		return;
	rest = parse_place(s + (mark ? 7 : 5), &place);
	if (!rest || rest > s + len)
		return;
	if (!find_recorded(trace, &place)) {
		count->lost++;
	} else if (mark) {
		place.is_old = true;
		places->marks[s[5] - 'a'] = place;
		count->marks++;
	} else if (*rest == ' ' && rest + 1 < s + len && count->notes < KEPT_MAX_NOTES) {
		take_note(rest + 1, (size_t)(s + len - rest - 1), place, places);
		count->notes++;
	}
}

/*
 * The lines after the identity if the file belongs to this trace; else NULL with an error.  @t:
 * receives the file.
 */
static const char *read_lines(const char *path, const struct text *identity, bool anywhere,
			      struct text *t, struct ft_error *err)
{
	const char *s;

	if (small_file_read(path, KEPT_MAX_BYTES, t, err))
		return NULL;
	if (strncmp(text_str(t), HEAD, sizeof(HEAD) - 1)) {
		ft_error_set(err, FT_E_FORMAT, 0, "%s is not a file of marks", path);
		return NULL;
	}
	s = skip_identity(t->data + sizeof(HEAD) - 1, identity, anywhere);
	if (!s)
		ft_error_set(err, FT_E_FORMAT, sizeof(HEAD) - 1,
			     "the marks in %s belong to another trace", path);
	return s;
}

bool kept_offsets(const char *path, const struct text *identity, bool anywhere,
		  const struct trace *trace, struct trace_offset *offsets)
{
	struct text t = { 0 };
	const char *s = read_lines(path, identity, anywhere, &t, NULL);
	bool any = false;
	unsigned int file;
	int64_t by;

	for (unsigned int i = 0; i < trace_nr_files(trace); i++)
		offsets[i] = (struct trace_offset){ 0, trace_unit(trace) };
	for (; s && *s; s += strcspn(s, "\n"), s += *s == '\n')
		if (sscanf(s, "offset %5u %20" SCNd64, &file, &by) == 2 &&
		    file < trace_nr_files(trace)) {
			offsets[file].by = by;
			any = any || by;
		}
	text_fini(&t);
	return any;
}

int kept_read(const char *path, const struct text *identity, bool anywhere, struct trace *trace,
	      struct places *places, struct text *filters, struct text *keeps,
	      struct kept_count *count, struct ft_error *err)
{
	unsigned int nr_keeps = 0;
	struct text t = { 0 };
	const char *begin, *s;

	memset(count, 0, sizeof(*count));
	begin = s = read_lines(path, identity, anywhere, &t, err);
	for (size_t len; s && *s; s += len + (s[len] == '\n')) {
		len = strcspn(s, "\n");
		if (!strncmp(s, "filter ", 7))
			take_filter(s + 7, len - 7, filters, count);
		else if (!strncmp(s, "keep ", 5) && keeps && nr_keeps++ < KEPT_MAX_KEEPS)
			take_keep(s + 5, len - 5, keeps);
		else
			take_line(s, len, trace, places, count);
	}
	text_fini(&t);
	return begin ? 0 : -1;
}
