/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_TESTS_SAMPLE_PLAN_H
#define FTOP_TESTS_SAMPLE_PLAN_H
/*
 * sample_plan - an empty plan, and the tracefs of sample_tracefs to compare it with: set up anew
 * for each case of a test.
 */
#include "recorder/plan/record_plan.h"
#include "tests/lib/sample_tracefs.h"

static struct fake_tracefs fake;
static struct tracefs_dir root;		/* of fake */
static struct record_plan plan;

static int set_up(void **state)
{
	(void)state;
	sample_tracefs_init(&fake);
	record_plan_init(&plan);
	return tracefs_dir_open(&root, fake.root, NULL);
}

static int tear_down(void **state)
{
	(void)state;
	tracefs_dir_close(&root);
	record_plan_fini(&plan);
	fake_tracefs_fini(&fake);
	return 0;
}
#endif
