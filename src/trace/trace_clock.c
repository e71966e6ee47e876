/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace_clock - raw stamps to model time, as trace-cmd's timestamp_calc(): first
 * TIME_SHIFT, then TSC2NSEC, then the sum of DATE, OFFSET and trace_options.offsets.
 */
#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"
#include "src/trace/trace_private.h"

/* (a * mult) >> shift, saturated.  Without 128-bit integers, which 32-bit machines lack. */
static uint64_t mul_shift(uint64_t a, uint64_t mult, unsigned int shift)
{
	uint64_t al = (uint32_t)a, ah = a >> 32, ml = (uint32_t)mult, mh = mult >> 32;
	uint64_t ll = al * ml, lh = al * mh, hl = ah * ml, hh = ah * mh;
	uint64_t middle = (ll >> 32) + (uint32_t)lh + (uint32_t)hl;
	uint64_t low = middle << 32 | (uint32_t)ll;
	uint64_t high = hh + (lh >> 32) + (hl >> 32) + (middle >> 32);

	if (shift >= 128)
		return 0;
	if (shift >= 64)
		return high >> (shift - 64);
	if (shift == 0)
		return high ? UINT64_MAX : low;
	return high >> shift ? UINT64_MAX : high << (64 - shift) | low >> shift;
}

/* The segment of a stamp: last sample not after it; the first and last extend outward. */
static unsigned int sync_segment(const struct trace_time_shift *sync, uint64_t raw)
{
	unsigned int lo = 0, hi = sync->nr - 1;		/* segments: nr - 1 */

	while (hi - lo > 1) {
		unsigned int mid = lo + (hi - lo) / 2;

		if (sync->times[mid] <= raw)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

/*
 * What is added to a stamp of a segment; beyond the samples, the line through the nearest two goes
 * on.
 */
static int64_t interpolated(const struct trace_time_shift *sync, uint64_t raw, unsigned int i)
{
	int64_t delta, growth, whole, gone, since = (int64_t)(raw - sync->times[i]);
	double sum;

	/* in integers if they suffice, like trace-cmd; for real traces they do */
	if (!__builtin_sub_overflow(sync->times[i + 1], sync->times[i], &delta) && delta > 0 &&
	    (since < 0) == (raw < sync->times[i]) &&
	    !__builtin_sub_overflow(sync->offsets[i + 1], sync->offsets[i], &growth) &&
	    !__builtin_mul_overflow(since, growth, &whole) &&
	    !__builtin_add_overflow(whole, delta / 2, &gone))
		return time_after(sync->offsets[i], gone / delta);
	if (sync->times[i + 1] == sync->times[i])
		return sync->offsets[i];
	sum = (double)sync->offsets[i] +
	      ((double)raw - (double)sync->times[i]) *
		      ((double)sync->offsets[i + 1] - (double)sync->offsets[i]) /
		      (double)(sync->times[i + 1] - sync->times[i]);
	return sum >= 0x1p63 ? INT64_MAX : sum < -0x1p63 ? INT64_MIN : (int64_t)sum;
}

/* Host time of a guest's stamp, saturated at 0 and UINT64_MAX. */
static uint64_t sync_time(const struct trace_clock *clock, uint64_t raw, unsigned int i)
{
	const struct trace_time_shift *sync = clock->sync;
	int64_t correction = sync->offsets[i];
	uint64_t ts;

	if (sync->nr == 1) {
		ts = raw;
	} else {
		if (clock->interpolate)
			correction = interpolated(sync, raw, i);
		ts = mul_shift(raw, sync->scaling[i],
			       sync->fraction[i] > 127 ? 127 : (unsigned int)sync->fraction[i]);
	}
	if (correction < 0)
		return ts > 0 - (uint64_t)correction ? ts - (0 - (uint64_t)correction) : 0;
	return ts + (uint64_t)correction < ts ? UINT64_MAX : ts + (uint64_t)correction;
}

/* All conversions except the offset. */
static uint64_t convert(const struct trace_clock *clock, uint64_t ts, bool key)
{
	if (clock->sync) {
		unsigned int i = clock->sync->nr > 1 ? sync_segment(clock->sync, ts) : 0;

		ts = sync_time(clock, ts, i);
		if (key && ts < clock->floors[i])
			ts = clock->floors[i];
	}
	if (clock->step && !key)
		ts -= ts % clock->step;
	return clock->mult ? mul_shift(ts, clock->mult, clock->shift) : ts;
}

int64_t trace_clock_slow_ts(const struct trace_clock *clock, uint64_t raw)
{
	return trace_clock_add(convert(clock, raw, false), clock->offset);
}

int64_t trace_clock_slow_key(const struct trace_clock *clock, uint64_t raw)
{
	return trace_clock_add(convert(clock, raw, true), clock->offset);
}

uint64_t trace_clock_bound(const struct trace_clock *clock, int64_t ts, bool *above)
{
	uint64_t lo = 0, hi = UINT64_MAX;

	*above = false;
	if (trace_clock_key(clock, 0) >= ts)
		return 0;
	if (trace_clock_key(clock, UINT64_MAX) < ts) {
		*above = true;
		return UINT64_MAX;
	}
	if (clock->plain)
		return (uint64_t)ts - (uint64_t)clock->offset;
	while (hi - lo > 1) {		/* key(lo) < ts <= key(hi) */
		uint64_t mid = lo + (hi - lo) / 2;

		if (trace_clock_slow_key(clock, mid) >= ts)
			hi = mid;
		else
			lo = mid;
	}
	return hi;
}

/* A correction may jump back, against the order: keys begin where the last segment's ended. */
static void find_floors(struct trace_clock *clock)
{
	unsigned int nr = clock->sync->nr;
	uint64_t floor = 0;

	clock->floors = mem_array(nr, sizeof(*clock->floors));
	for (unsigned int i = 1; i + 1 < nr; i++) {
		uint64_t end = sync_time(clock,
					 clock->sync->times[i] ? clock->sync->times[i] - 1 : 0,
					 i - 1);

		if (end > floor)
			floor = end;
		clock->floors[i] = floor;
	}
}

/* Does a correction fall faster than the time rises?  Then lines between samples have no order. */
static bool falls(const struct trace_time_shift *sync)
{
	for (unsigned int i = 0; i + 1 < sync->nr; i++) {
		uint64_t rise = mul_shift(sync->times[i + 1] - sync->times[i], sync->scaling[i],
					  sync->fraction[i] > 127 ?
						  127 :
						  (unsigned int)sync->fraction[i]);

		if (sync->offsets[i + 1] < sync->offsets[i] &&
		    (uint64_t)sync->offsets[i] - (uint64_t)sync->offsets[i + 1] > rise)
			return true;
	}
	return false;
}

void trace_clock_init(struct trace_clock *clock, const struct source *file, int cpu, int64_t offset)
{
	const struct source_info *info = source_info(file);
	int64_t date;

	memset(clock, 0, sizeof(*clock));
	if (info->has_date && !__builtin_mul_overflow(info->date_us, 1000, &date))
		clock->offset = date;
	if (info->has_offset)
		clock->offset = (int64_t)((uint64_t)clock->offset + (uint64_t)info->offset_ns);
	clock->offset = time_after(clock->offset, offset);
	if (info->has_tsc2nsec) {
		clock->mult = info->tsc_mult;
		clock->shift = info->tsc_shift;
	}
	clock->sync = source_time_shift(file, cpu, &clock->interpolate, NULL);
	if (clock->sync && !clock->sync->nr)
		clock->sync = NULL;
	if (clock->sync) {
		clock->interpolate = clock->interpolate && !falls(clock->sync);
		find_floors(clock);
	}
	clock->step = info->step;
	if (info->zero)
		clock->offset = time_between((int64_t)info->zero, clock->offset);
	clock->plain = !clock->mult && !clock->sync && !clock->step;
}

void trace_clock_fini(struct trace_clock *clock)
{
	free(clock->floors);
}

enum trace_unit trace_clock_unit(const char *name, bool converted)
{
	static const char *const ns[] = {
		"", "local", "global", "perf", "tai", "boot", "tsc2nsec"
	};

	if (converted || !strncmp(name, "mono", 4))
		return TRACE_UNIT_NS;
	for (size_t i = 0; i < sizeof(ns) / sizeof(ns[0]); i++)
		if (!strcmp(name, ns[i]))
			return TRACE_UNIT_NS;
	return TRACE_UNIT_COUNT;
}

/* local, global and perf all read the scheduler's clock. */
static bool is_sched_clock(const char *name)
{
	return !strcmp(name, "local") || !strcmp(name, "global") || !strcmp(name, "perf");
}

bool trace_clock_comparable(const char *a, const char *b)
{
	return !*a || !*b || !strcmp(a, b) || (is_sched_clock(a) && is_sched_clock(b));
}
