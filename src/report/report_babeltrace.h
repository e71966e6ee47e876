/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_REPORT_REPORT_BABELTRACE_H
#define FTOP_SRC_REPORT_REPORT_BABELTRACE_H
/* report_babeltrace - `report --style=babeltrace`: a line as babeltrace2 prints it. */
#include "src/report/report_form.h"

extern const struct report_line_style report_babeltrace;
#endif
