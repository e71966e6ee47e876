/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * view_kernel - the text of the kernel's `trace` file around a moment: the header and all CPUs. K
 * opens it and returns.
 */
#include <stdlib.h>

#include "src/kernel/kernel_window.h"
#include "src/base/memory.h"
#include "ui/screen/list_window.h"
#include "ui/view/view.h"

#define FIRST_LINE	8		/* line of the screen on which the cursor starts */
#define NEAR_LINES	200u		/* nearer to an end of the window, more lines are made */

struct view {
	const struct view_host *host;
	struct shared	*shared;	/* borrowed */
	struct kernel_window *window;	/* owned; NULL: no place was shown yet */
	unsigned int	 file, buffer;	/* file and buffer that the window shows */
	struct list_window lines;	/* the lines on the screen */
	int		 side;		/* cells by which the text is scrolled */
};

static struct view *kernel_open(const struct view_ops *ops, const struct view_host *host,
				struct shared *shared)
{
	struct view *view = mem_alloc(sizeof(*view));

	(void)ops;
	view->host = host;
	view->shared = shared;
	return view;
}

static void kernel_close(struct view *view)
{
	kernel_window_free(view->window);
	free(view);
}

static void kernel_retrace(struct view *view)
{
	kernel_window_free(view->window);
	view->window = NULL;
	view->file = view->buffer = 0;
	view->lines.at = view->lines.top = 0;
}

/* --- where it is ------------------------------------------------------------------ */

static unsigned int nr_lines(const struct view *view)
{
	return view->window ? kernel_window_nr(view->window) : 0;
}

static void need_window(struct view *view, unsigned int file, unsigned int buffer)
{
	struct kernel_window_options options = { .trace = view->shared->trace,
						 .file = file,
						 .buffer = buffer };

	if (view->window && view->file == file && view->buffer == buffer)
		return;
	kernel_window_free(view->window);
	view->file = file;
	view->buffer = buffer;
	view->window = kernel_window_new(&options);
}

/* The line of a place; -1 if the window does not contain it. */
static int line_of(const struct view *view, const struct place *place)
{
	unsigned int nr = nr_lines(view);
	int line;

	if (!nr)
		return -1;
	if ((place->ts < kernel_window_line(view->window, 0).ts &&
	     !kernel_window_at_start(view->window)) ||
	    (place->ts > kernel_window_line(view->window, nr - 1).ts &&
	     !kernel_window_at_end(view->window)))
		return -1;
	line = kernel_window_find(view->window, place->ref, place->ts,
				  place->ref == TRACE_REF_NONE ? place->cpu : -1);
	return line;
}

static bool kernel_go(struct view *view, const struct place *place)
{
	struct trace *trace = view->shared->trace;
	struct trace_stream_info info = { .file = view->file, .buffer = view->buffer };
	int line, middle = view->lines.height ? (int)view->lines.height / 2 : FIRST_LINE;

	if (place->ref != TRACE_REF_NONE)
		info = trace_stream_info(trace, trace_ref_stream(place->ref));
	else if (place->pid >= 0 && place->file != view->file)
		info = (struct trace_stream_info){ .file = place->file };
	need_window(view, info.file, info.buffer);
	line = line_of(view, place);
	if (line < 0) {
		kernel_window_seek(view->window, place->ts);
		line = line_of(view, place);
		view->lines.top = line > middle ? (unsigned int)(line - middle) : 0;
	}
	view->lines.at = line < 0 ? 0 : (unsigned int)line;
	return nr_lines(view) > 0;
}

static struct place place_of(const struct view *view, unsigned int i)
{
	struct kernel_line line = kernel_window_line(view->window, i);

	return (struct place){ .set = true,
			       .ref = line.ref,
			       .ts = line.ts,
			       .file = view->file,
			       .pid = line.pid,
			       .cpu = line.cpu };
}

static void kernel_publish(struct view *view)
{
	struct shared *shared = view->shared;
	unsigned int nr = nr_lines(view), bottom;

	shared->at.here = (struct place){ 0 };
	if (!nr)
		return;
	shared->at.here = place_of(view, view->lines.at);
	bottom = view->lines.top + (view->lines.height ? view->lines.height - 1 : 0);
	bottom = bottom < nr ? bottom : nr - 1;
	shared->at.here_line = view->lines.at - view->lines.top;
	shared->at.has_window = true;
	shared->at.window_from = kernel_window_line(view->window,
						    view->lines.top < nr ? view->lines.top : nr - 1)
					 .ts;
	shared->at.window_to = kernel_window_line(view->window, bottom).ts;
	if (shared->at.window_to < shared->at.window_from)
		shared->at.window_to = shared->at.window_from;
}

/* Extend the window at its end, or make another one around this line. */
static void extend(struct view *view)
{
	unsigned int nr = nr_lines(view), below = view->lines.at - view->lines.top;
	struct place here;

	if (!nr)
		return;
	if (view->lines.at + NEAR_LINES >= nr && kernel_window_more(view->window))
		return;
	if ((view->lines.at + 1 < nr || kernel_window_at_end(view->window)) &&
	    (view->lines.at >= NEAR_LINES || kernel_window_at_start(view->window)))
		return;
	here = place_of(view, view->lines.at);
	kernel_window_seek(view->window, here.ts);
	view->lines.at = (unsigned int)kernel_window_find(view->window, here.ref, here.ts, -1);
	view->lines.top = view->lines.at > below ? view->lines.at - below : 0;
}

/* --- requests ----------------------------------------------------------------------- */

static void go_to_line(struct view *view, unsigned int line)
{
	view->lines.at = line;
	extend(view);
}

/* Go to the next or previous line of the same task. */
static void to_task(struct view *view, bool forward)
{
	int pid = kernel_window_line(view->window, view->lines.at).pid;

	for (unsigned int i = view->lines.at; forward ? ++i < nr_lines(view) : i-- > 0;) {
		if (kernel_window_line(view->window, i).pid != pid || pid < 0)
			continue;
		go_to_line(view, i);
		return;
	}
	host_message(view->host, forward ? "no more lines of this task near here" :
					   "no lines of this task before, near here");
}

static bool kernel_request(struct view *view, enum request request, char letter)
{
	if (!nr_lines(view))
		return false;
	/* the text continues outside the window, so ui/desk goes to its first or last line */
	if ((request == REQ_FIRST && !kernel_window_at_start(view->window)) ||
	    (request == REQ_LAST && !kernel_window_at_end(view->window)))
		return false;
	if (list_window_request(&view->lines, request, nr_lines(view)))
		return extend(view), true;
	switch ((int)request) {
	case REQ_SIDE_RIGHT:
		view->side += view->shared->look.cols / 2;
		return true;
	case REQ_SIDE_LEFT:
		view->side = view->side > view->shared->look.cols / 2 ?
				     view->side - view->shared->look.cols / 2 :
				     0;
		return true;
	case REQ_RESET:
		view->side = 0;
		return true;
	case REQ_TRACK_NEXT:
	case REQ_TRACK_PREV:
		return to_task(view, request == REQ_TRACK_NEXT), true;
	case REQ_SLOW_NEXT:
	case REQ_SLOW_PREV:
		host_find(view->host, &(struct find){ .kind = FIND_SLOW, .forward = request == REQ_SLOW_NEXT, .what = "slow place" });
		return true;
	case REQ_COPY:
		if (letter != 'y')
			return false;
		host_copy(view->host, "line", kernel_window_line(view->window, view->lines.at).text,
			  kernel_window_line(view->window, view->lines.at).len);
		return true;
	}
	return false;
}

/* Search the lines of the window; the events are searched beyond it. */
static bool kernel_find(struct view *view, const struct find *find)
{
	size_t start, end;

	if (find->kind != FIND_PATTERN || !view->shared->chosen.pattern || !nr_lines(view))
		return false;
	for (unsigned int i = view->lines.at; find->forward ? ++i < nr_lines(view) : i-- > 0;) {
		struct kernel_line line = kernel_window_line(view->window, i);

		if (!search_pattern_find(view->shared->chosen.pattern, line.text, line.len, 0,
					 &start, &end))
			continue;
		go_to_line(view, i);
		return true;
	}
	return false;
}

static void scroll(struct view *view, int lines)
{
	view->lines.top = list_window_scroll(view->lines.top, lines, view->lines.height,
					     nr_lines(view));
	go_to_line(view, list_window_row((int64_t)view->lines.at + lines, nr_lines(view)));
}

static void kernel_mouse(struct view *view, const struct ui_mouse *mouse)
{
	enum request wheel = list_window_wheel(mouse);
	int line = list_window_pressed(&view->lines, mouse, nr_lines(view));

	if (wheel != REQ_NONE)
		scroll(view, wheel == REQ_UP ? -3 : 3);
	else if (line >= 0)
		go_to_line(view, (unsigned int)line);
}

/* --- on the screen ---------------------------------------------------------------------- */

static void draw_line(struct view *view, struct canvas *canvas, int y, unsigned int i)
{
	struct kernel_line line = kernel_window_line(view->window, i);
	char letter[2] = { places_letter(&view->shared->at.places, line.ref), '\0' };
	struct text t = { 0 };
	size_t skipped;

	text_printable(&t, line.text, line.len);
	skipped = canvas_prefix(text_str(&t), t.len, view->side, NULL);
	canvas_fit(canvas, y, 1, canvas->cols - 1,
		   line.ref == TRACE_REF_NONE ? ROLE_DIM : ROLE_TEXT, text_str(&t) + skipped);
	text_fini(&t);
	if (i == view->lines.at)
		canvas_cursor(canvas, y, 0, canvas->cols, ROLE_SELECTED);
	else if (letter[0] && line.ref != TRACE_REF_NONE)
		canvas_text(canvas, y, 0, 1, ROLE_MARK, letter);
}

static void kernel_draw(struct view *view, const struct view_area *area)
{
	struct canvas *canvas = area->canvas;
	struct list_window *w = &view->lines;
	unsigned int nr = nr_lines(view);

	list_window_show(w, area->top + 1, area->rows - 1, nr);
	canvas_fit(canvas, area->top, 1, canvas->cols - 1, ROLE_HEADING,
		   "the kernel's own text, without filters   K q back");
	if (!nr) {
		canvas_text(canvas, area->top + 2, 2, canvas->cols - 3, ROLE_DIM,
			    "No records here.");
		return;
	}
	for (unsigned int i = 0; i < w->height && w->top + i < nr; i++)
		draw_line(view, canvas, w->row + (int)i, w->top + i);
}

static void kernel_header(struct view *view, struct text *out)
{
	if (nr_lines(view))
		shared_time(view->shared, kernel_window_line(view->window, view->lines.at).ts, 6,
			    out);
}

static bool kernel_save_row(struct view *view, uint64_t i, struct text *out)
{
	struct kernel_line line;

	if (i >= nr_lines(view))
		return false;
	line = kernel_window_line(view->window, (unsigned int)i);
	text_bytes(out, line.text, line.len);
	return true;
}

static void kernel_command(struct view *view, struct text *out)
{
	(void)view;
	text_add(out, "report --style=kernel");
}

static const enum request row_requests[] = { REQ_KERNEL_TEXT,
					     REQ_MARK_A,      REQ_MARK_B,     REQ_NOTE,
					     REQ_COPY,        REQ_NONE };

static const enum request bar[] = {
	REQ_KERNEL_TEXT, REQ_SEARCH, REQ_GO, REQ_SLOW_NEXT, REQ_THRESHOLD, REQ_MARK_A, REQ_MARK_B,
	REQ_HELP, REQ_OPTIONS, REQ_NONE
};

static const struct view_word words[] = {
	{ REQ_KERNEL_TEXT, "Back", "go back to where K was pressed, at this line" },
	{ REQ_TRACK_NEXT, "Task", "go to the next line of this task" },
	{ REQ_TRACK_PREV, NULL, "go to the previous line of this task" },
	{ REQ_SIDE_RIGHT, NULL, "scroll the text right" },
	{ REQ_SIDE_LEFT, NULL, "scroll the text left" },
	{ REQ_RESET, NULL, "scroll the text back to its start" },
	{ REQ_NONE, NULL, NULL },
};

static const struct view_keys view_keys = {
	.bar = bar,
	.row = row_requests,
	.words = words,
};

const struct view_ops view_kernel_ops = {
	.open = kernel_open,
	.close = kernel_close,
	.draw = kernel_draw,
	.header = kernel_header,
	.publish = kernel_publish,
	.request = kernel_request,
	.mouse = kernel_mouse,
	.go = kernel_go,
	.retrace = kernel_retrace,
	.keys = &view_keys,
	.search = &(const struct view_search){ .find = kernel_find },
	.commands = &(const struct view_commands){
		.command = kernel_command, .save_row = kernel_save_row,
	},
};
