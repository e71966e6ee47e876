/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_CTF_CTF_NAMES_H
#define FTOP_PARSERS_CTF_CTF_NAMES_H
/* ctf_names - LTTng's names of the kernel's events and fields (src/events/known). */
#include <stdbool.h>
#include <stddef.h>

/* The system of an event of the kernel: known, or what is before the first _ of its name. */
const char *ctf_names_system(const char *event);

struct ctf_alias {
	const char	*kernel;	/* the kernel's name for the field, [len]; borrowed */
	size_t		 len;		/* 0: it is the same, or not known */
	bool		 is_taken;	/* LTTng's name is the kernel's name of another field, or
					 * of another number: only the kernel's can be used */
	int		 more;		/* the kernel's number is larger by this */
};

/* A field of an event of the kernel. */
struct ctf_alias ctf_names_field(const char *event, const char *field);
#endif
