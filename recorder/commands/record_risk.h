/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_COMMANDS_RECORD_RISK_H
#define FTOP_RECORDER_COMMANDS_RECORD_RISK_H
/*
 * record_risk - which values of the options of `record` a browser that was taken over may give:
 * lists of what is harmless.  The user is asked for all else.
 */
#include "src/base/options.h"

enum option_risk record_risk_trigger(const char *value);	/* -R */
enum option_risk record_risk_tracer(const char *value);	/* -p */
enum option_risk record_risk_functions(const char *value);	/* -l -g -n --graph-notrace */
enum option_risk record_risk_option(const char *value);	/* -O */
enum option_risk record_risk_priority(const char *value);	/* -r */
enum option_risk record_risk_measure(const char *value);	/* --measure */
enum option_risk record_risk_setup(const char *value);	/* --setup */
#endif
