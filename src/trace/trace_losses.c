/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace_losses - how many events were lost, from the marks of sub-buffers and from the statistics
 * that the kernel keeps of each CPU.
 *
 * A sub-buffer is marked if the kernel overwrote events before it ("overrun").  A full one has no
 * room for their number, but the statistics have the sum.  They also count what no mark tells of:
 * events that were not written ("dropped events", "commit overrun"), and those that were still in
 * the ring at the end.  All that is of the whole recording.
 *
 * A file may have a part of it: of a cut; or of a ring that has let go of what is older, as -m and
 * `extract` want it, which is no loss.  There the marks tell, but for that of the first sub-buffer,
 * before which there is nothing.  If the kernel has overwritten nothing, that mark is the ring's.
 */
#include <string.h>

#include "src/trace/trace_private.h"

static uint64_t stat_of(const struct trace_source *s, const struct trace_stream *stream,
			const char *key)
{
	return source_cpu_stat(s->file, (int)stream->buffer, stream->cpu, key);
}

void trace_learn_losses(const struct trace_source *s, struct trace_stream *stream)
{
	const struct source_info *info = source_info(s->file);
	struct told_losses *told = &stream->told;

	told->is_cut = *info->cuts && !info->is_text;
	told->is_extract = *info->extracted && !stream->buffer;
	if (source_buffer(s->file, stream->buffer)->is_text)
		return;
	told->overrun = stat_of(s, stream, "\noverrun:");
	told->unmarked = stat_of(s, stream, "\ncommit overrun:") +
			 stat_of(s, stream, "\ndropped events:");
	told->read = stat_of(s, stream, "\nread events:");
	told->in_ring = stat_of(s, stream, "\nentries:");
	/*
	 * Others read that afterwards.  Where we read nothing, we read a snapshot instead.  A CPU
	 * without data is listed because its data could not be written.
	 */
	if (trace_is_ours(info) && !told->is_extract &&
	    !source_stream(s->file, stream->number)->file_size) {
		told->unread = told->in_ring + told->read;
		told->read = 0;
	} else if (trace_is_ours(info) && told->read && !told->is_extract) {
		told->unread = told->in_ring;
	}
	if (told->is_cut && !strstr(info->cuts, SOURCE_CUT_IN_GAP))
		told->unread = 0;	/* the part ends before that */
}

/*
 * What was lost before the first record is no loss of the file, or may be none.  It is not counted
 * yet while the file is read, or no longer, if a ring has dropped its sub-buffer.
 */
static void leave_out_first(const struct told_losses *told, struct page_totals *totals)
{
	if (told->first_count)
		totals->lost_events -= told->first_count < totals->lost_events ?
					       told->first_count :
					       totals->lost_events;
	else
		totals->lost_unknown -= !!totals->lost_unknown;
}

/* The whole was recorded with its beginning: did the kernel count what is in this file? */
static bool is_whole(const struct told_losses *told, const struct page_totals *totals,
		     bool is_damaged, bool is_ours)
{
	bool may_begin_later = !is_ours || (told->has_first && !told->first_count);

	if (totals->events < told->read)
		return (told->unread || is_damaged) && !may_begin_later;
	return totals->events - told->read <= told->in_ring;
}

bool trace_told_losses(const struct trace *trace, const struct trace_stream *stream,
		       struct page_totals *totals)
{
	const struct trace_source *s = &trace->sources[stream->source];
	const struct told_losses *told = &stream->told;
	bool is_damaged = source_is_damaged(s->file) || totals->damaged_pages,
	     is_ours = trace_is_ours(source_info(s->file)), is_unsure = false, is_ring;
	uint64_t gone = told->read > totals->events ? told->read - totals->events : 0;

	if (!totals->pages && (!told->unread || trace_stream_pages(trace, stream)))
		return !told->is_cut || !told->unmarked;
	if (told->is_cut && told->has_first && !told->is_extract)
		is_unsure = told->first_count ?
				    trace_is_cut_by(trace, (int)stream->source, "--from=") :
				    !trace_is_thinned(trace, (int)stream->source);
	/* the kernel has overwritten nothing: the mark is that of -m */
	is_ring = is_unsure && is_ours && !told->first_count && !told->overrun;
	if (is_unsure || (told->is_extract && told->has_first))
		leave_out_first(told, totals);
	if (told->is_cut || told->is_extract)
		return !told->unmarked && (!is_unsure || is_ring) &&
		       !trace_is_cut_by(trace, (int)stream->source, SOURCE_CUT_IN_GAP);
	if (totals->pages < trace_stream_pages(trace, stream))
		return true;
	if (!is_whole(told, totals, is_damaged, is_ours)) {
		if (is_ours && gone && told->has_first && !told->unread && !is_damaged)	/* -m */
			leave_out_first(told, totals);
		return !told->unmarked && !told->unread;
	}
	if ((totals->lost_unknown || told->unread) && told->overrun > totals->lost_events) {
		totals->lost_events = told->overrun;
		totals->lost_unknown = is_damaged ? totals->lost_unknown : 0;
	}
	/* what could not be written was read, and is no longer in the ring */
	totals->lost_events += told->unmarked + told->unread +
			       (told->unread && !is_damaged ? gone : 0);
	return true;
}

bool trace_has_let_go(const struct trace *trace, unsigned int file)
{
	const struct source_info *info = source_info(trace->sources[file].file);

	for (unsigned int i = 0; i < trace->nr_streams; i++) {
		const struct trace_stream *stream = &trace->streams[i];

		if (stream->source == file && stream->told.has_first && !stream->told.is_extract &&
		    stream->told.overrun + stream->told.unmarked)
			return false;
	}
	return trace_is_ours(info) && (!trace->grows || trace_has_dropped(trace));
}

bool trace_knows_lost(const struct trace *trace)
{
	struct trace_status status = trace_status(trace);
	bool knows = !status.lost_perhaps && !status.lost_unknown && !status.damaged_pages;

	for (unsigned int i = 0; i < trace->nr_sources; i++)
		knows &= !source_is_damaged(trace->sources[i].file);
	return knows;
}
