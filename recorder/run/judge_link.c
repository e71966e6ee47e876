/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recorder/run/judge_link.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "src/base/workers.h"

#define MOST_LINE	1024u	/* bytes; a judge that sends more is taken for gone */
#define MOST_HITS	100u
#define MOST_REFUSAL	8192u	/* bytes */

void judge_link_init(struct judge_link *link, int fd, pid_t pid)
{
	*link = (struct judge_link){ .fd = fd, .pid = pid };
}

void judge_link_fini(struct judge_link *link)
{
	text_fini(&link->line);
	text_fini(&link->hits);
	text_fini(&link->refusal);
	text_fini(&link->doubt);
}

void judge_link_tell(struct judge_link *link, const char *word, const char *rest)
{
	struct text line = { 0 };

	if (link->fd < 0)
		return;
	text_printf(&line, "%s%s%s\n", word, rest ? " " : "", rest ?: "");
	/* it takes a few lines at the beginning, and one at the end */
	if (send(link->fd, line.data, line.len, MSG_NOSIGNAL) < 0)
		errno = 0;
	text_fini(&line);
}

/* What is behind a word of the line, or NULL if it is another one. */
static const char *after(const char *line, const char *word)
{
	size_t len = strlen(word);

	return !strncmp(line, word, len) && line[len] == ' ' ? line + len + 1 : NULL;
}

static enum judge_word take_line(struct judge_link *link, const char *line)
{
	static const struct {
		const char	*word;
		enum judge_word	 means;
	} words[] = { { "go", JUDGE_GO }, { "refuse", JUDGE_REFUSE }, { "stop", JUDGE_STOP },
		      { "done", JUDGE_DONE } };
	const char *rest;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(line, words[i].word))
			return words[i].means;
	rest = after(line, "tid");
	if (rest && link->nr_tids < JUDGE_MOST_TIDS && atoi(rest) > 0)
		link->tids[link->nr_tids++] = atoi(rest);
	rest = after(line, "hit");
	if (rest && link->nr_hits++ < MOST_HITS)
		text_printf(&link->hits, "%s\n", line);
	rest = after(line, "judged");
	if (rest)
		link->judged = isdigit((unsigned char)*rest) ? workers_now_ns() - atoll(rest) : 0;
	rest = after(line, "no");
	if (rest && link->refusal.len < MOST_REFUSAL)
		text_printf(&link->refusal, "%s\n", rest);
	rest = after(line, "doubt");
	if (rest)
		text_printf(&link->doubt, "%s", rest);
	return JUDGE_NOTHING;
}

enum judge_word judge_link_word(struct judge_link *link)
{
	char c = 0;
	ssize_t got;

	for (;;) {
		enum judge_word word;

		do
			got = recv(link->fd, &c, 1, MSG_DONTWAIT);
		while (got < 0 && errno == EINTR);
		if (got < 0 && errno == EAGAIN)
			return JUDGE_NOTHING;
		if (got <= 0 || link->line.len == MOST_LINE)
			return JUDGE_GONE;
		if (c != '\n') {
			text_char(&link->line, c);
			continue;
		}
		word = take_line(link, text_str(&link->line));
		text_clear(&link->line);
		if (word != JUDGE_NOTHING)
			return word;
	}
}
