/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_TESTS_LIB_FAKE_HOST_H
#define FTOP_TESTS_LIB_FAKE_HOST_H
/* fake_host - a host for views and the record screen, which writes down what it is asked for. */
#include "src/base/text.h"
#include "ui/view/host.h"

struct app {
	struct view_host host;
	struct text	 asked;		/* "show Events\n": a line for each call */
	bool		 works;		/* host_work() was called */
};

void fake_host_init(struct app *app);
void fake_host_fini(struct app *app);
#endif
