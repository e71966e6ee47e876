/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_COMMANDS_NOISE_RTLA_H
#define FTOP_SRC_COMMANDS_NOISE_RTLA_H
/*
 * noise_rtla - the figures as the kernel's tool rtla prints them: timerlat top and hist, osnoise
 * top, and the auto-analysis of a sample.
 */
#include "src/noise/noise_analysis.h"

/* @span_ns: how long the trace is. */
void noise_rtla_timerlat(const struct noise_result *result, uint64_t span_ns, struct text *out);
void noise_rtla_osnoise(const struct noise_result *result, uint64_t span_ns, struct text *out);
void noise_rtla_histogram(const struct noise_result *result, uint64_t span_ns, struct text *out);
void noise_rtla_analysis(const struct noise_sample *sample, const struct noise_analysis *analysis,
			 struct text *out);
#endif
