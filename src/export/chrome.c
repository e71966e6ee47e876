/* SPDX-License-Identifier: GPL-2.0-or-later */
/* chrome - the slices and instants of a Perfetto trace in Chrome's JSON, for other viewers. */
#include <inttypes.h>
#include <string.h>

#include "src/base/json_out.h"
#include "src/export/perfetto_private.h"

static void begin_event(struct perfetto *p, const char *phase, uint64_t track)
{
	struct text *out = &p->out.block;
	int32_t pid = packet_pid(p, track);

	text_add(out, p->chrome_begun ? ",\n" : "{\"traceEvents\":[\n");
	p->chrome_begun = true;
	json_out_object(out, NULL);
	json_out_string(out, "ph", phase);
	json_out_i64(out, "pid", pid ? packet_process(p, pid) : 0);
	json_out_i64(out, "tid", pid ? pid : -(int64_t)track);
}

void chrome_track(struct perfetto *p, uint64_t track, const char *name)
{
	struct text *out = &p->out.block;

	begin_event(p, "M", track);
	json_out_string(out, "name", "thread_name");
	json_out_object(out, "args");
	json_out_string(out, "name", name);
	json_out_end(out, '}');
	json_out_end(out, '}');
}

void chrome_event(struct perfetto *p, unsigned int type, int64_t ts, uint64_t track,
		  const char *name, size_t len)
{
	static const char *const phases[] = { [SLICE_BEGIN] = "B", [SLICE_END] = "E",
					      [INSTANT] = "i" };
	struct text *out = &p->out.block;

	begin_event(p, phases[type], track);
	json_out_key(out, "ts");			/* µs */
	text_printf(out, "%s%" PRIu64 ".%03u", ts < 0 ? "-" : "",
		    (ts < 0 ? -(uint64_t)ts : (uint64_t)ts) / 1000,
		    (unsigned int)((ts < 0 ? -(uint64_t)ts : (uint64_t)ts) % 1000));
	json_out_bytes(out, "name", name, len);	/* Firefox Profiler refuses an end without it */
	if (type == INSTANT)
		json_out_string(out, "s", "t");		/* the instant belongs to its thread */
	json_out_end(out, '}');
	packet_block(p);
}

void chrome_last(struct perfetto *p)
{
	if (!p->chrome_begun) {
		if (!p->failed)
			ft_error_set(&p->err, FT_E_UNSUPPORTED, -1,
				     "no calls, slices or marks for Chrome's JSON: --perfetto "
				     "writes all events");
		p->failed = true;
		return;
	}
	text_add(&p->out.block, "\n],\"displayTimeUnit\":\"ns\"}\n");
}
