/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_FILTER_FILTER_OFFER_H
#define FTOP_SRC_FILTER_FILTER_OFFER_H
/* filter_offer - what a wrong word in a filter may have meant, besides the nearest names. */
#include "src/filter/filter_near.h"

/* The task that the text at @from names, as "payload", "kworker/1:1" or "payload-61": an offer. */
bool filter_offer_task(struct trace *trace, const char *text, size_t from,
		       struct filter_offers *offers);
/* For "event =~ /irq/": the glob *irq*, which stands alone. */
void filter_offer_event(const struct filter_node *n, struct filter_offers *offers);
#endif
