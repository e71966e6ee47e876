/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libdw - functions that libdw.a of Debian 13 (elfutils 0.192) calls and does not hold; libdw.so
 * has them from a library that is not installed.  Their tree begins with its root.  Without their
 * lock: a helper has one thread.
 */
#include <search.h>
#include <stddef.h>

struct eu_search_tree {
	void	*root;
};

typedef int eu_compare(const void *a, const void *b);

/* Weak: a libdw.a that has them has its own. */
#define OF_LIBDW __attribute__((weak))

void eu_search_tree_init(struct eu_search_tree *tree) OF_LIBDW;
void eu_search_tree_fini(struct eu_search_tree *tree, void (*free_node)(void *)) OF_LIBDW;
void eu_tdestroy(struct eu_search_tree *tree, void (*free_node)(void *)) OF_LIBDW;
void *eu_tsearch(const void *key, struct eu_search_tree *tree, eu_compare *compare) OF_LIBDW;
void *eu_tfind(const void *key, struct eu_search_tree *tree, eu_compare *compare) OF_LIBDW;
void *eu_tdelete(const void *key, struct eu_search_tree *tree, eu_compare *compare) OF_LIBDW;

void eu_search_tree_init(struct eu_search_tree *tree)
{
	tree->root = NULL;
}

void eu_tdestroy(struct eu_search_tree *tree, void (*free_node)(void *))
{
	tdestroy(tree->root, free_node);
	tree->root = NULL;
}

void eu_search_tree_fini(struct eu_search_tree *tree, void (*free_node)(void *))
{
	eu_tdestroy(tree, free_node);
}

void *eu_tsearch(const void *key, struct eu_search_tree *tree, eu_compare *compare)
{
	return tsearch(key, &tree->root, compare);
}

void *eu_tfind(const void *key, struct eu_search_tree *tree, eu_compare *compare)
{
	return tfind(key, &tree->root, compare);
}

void *eu_tdelete(const void *key, struct eu_search_tree *tree, eu_compare *compare)
{
	return tdelete(key, &tree->root, compare);
}
