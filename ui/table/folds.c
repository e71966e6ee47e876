/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/table/folds.h"

#include "src/base/memory.h"
#include "ui/rows/kept.h"

void folds_fini(struct folds *folds)
{
	number_set_fini(&folds->turned);
	*folds = (struct folds){ 0 };
}

void folds_set(struct folds *folds, uint64_t key, bool open, bool at_first)
{
	struct number_set rest = { 0 };
	bool is_new;

	if (folds_is_open(folds, key, at_first) == open)
		return;
	for (uint32_t i = 0; i < folds->turned.nr; i++)
		if (folds->turned.numbers[i] != key)
			number_set_add(&rest, folds->turned.numbers[i], &is_new);
	if (rest.nr == folds->turned.nr)
		number_set_add(&rest, key, &is_new);
	number_set_fini(&folds->turned);
	folds->turned = rest;
}

void folds_set_all(struct folds *folds, bool open)
{
	folds_fini(folds);
	folds->all = open ? FOLDS_ALL_OPEN : FOLDS_ALL_CLOSED;
}

/* "all" comes last: of too many numbers, the last ones are kept. */
void folds_save(const struct folds *folds, const char *name, struct text *out)
{
	uint32_t nr = folds->turned.nr;
	uint64_t *numbers;

	if (!nr && !folds->all)
		return;
	numbers = mem_array(nr + 1, sizeof(*numbers));
	for (uint32_t i = 0; i < nr; i++)
		numbers[i] = folds->turned.numbers[i];
	numbers[nr] = folds->all;
	kept_add_numbers(out, name, numbers, nr + 1);
	free(numbers);
}

void folds_restore(struct folds *folds, const char *value)
{
	uint64_t numbers[KEPT_MAX_NUMBERS];
	unsigned int nr = kept_numbers(value, numbers);
	bool is_new;

	if (!nr || numbers[nr - 1] > FOLDS_ALL_CLOSED)
		return;
	folds_fini(folds);
	folds->all = (enum folds_all)numbers[nr - 1];
	for (unsigned int i = 0; i + 1 < nr; i++)
		number_set_add(&folds->turned, numbers[i], &is_new);
}
