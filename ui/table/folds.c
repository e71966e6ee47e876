/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/table/folds.h"

void folds_set(struct folds *folds, uint64_t key, bool open, bool all_open)
{
	struct number_set rest = { 0 };
	bool is_new;

	if (folds_is_open(folds, key, all_open) == open)
		return;
	for (uint32_t i = 0; i < folds->turned.nr; i++)
		if (folds->turned.numbers[i] != key)
			number_set_add(&rest, folds->turned.numbers[i], &is_new);
	if (rest.nr == folds->turned.nr)
		number_set_add(&rest, key, &is_new);
	number_set_fini(&folds->turned);
	folds->turned = rest;
}
