/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_TEXT_PLUGIN_TEXT_PRIVATE_H
#define FTOP_PARSERS_TEXT_PLUGIN_TEXT_PRIVATE_H
/*
 * plugin_text_private - shared by the twins of libtraceevent's plugins.  A twin prints what the
 * plugin of libtraceevent 1.7.1 prints, byte for byte, also for records that lack a field.  A twin
 * that returns false leaves the rest to the print format.
 */
#include "parsers/types/field.h"
#include "parsers/text/record_text_private.h"

/*
 * libtraceevent reads past the end of a short record: what follows it in the sub-buffer, then zeros
 * (printer.c).
 */
static inline uint64_t plugin_load(const struct text_context *c, const struct print_record *rec,
				   uint32_t offset, uint32_t width)
{
	uint32_t room = rec->room > rec->size ? rec->room : rec->size;
	uint8_t bytes[8] = { 0 };

	if (offset + width <= room)
		return field_load(rec->data, room, offset, width, c->swap);
	if (offset < room)
		memcpy(bytes, rec->data + offset, room - offset);
	return field_load(bytes, sizeof(bytes), 0, width, c->swap);
}

/*
 * Load a number like libtraceevent: never sign-extended.  False if the type has no such field, or
 * it is not a number.
 */
static inline bool plugin_number(const struct text_context *c, unsigned int i,
				 const struct print_record *rec, uint64_t *v)
{
	const struct event_field *f = c->f[i];

	*v = 0;
	if (!f || !field_is_number(f->size))
		return false;
	*v = plugin_load(c, rec, f->offset, f->size);
	return true;
}

/* tep_get_field_val(), with its complaint. */
static inline bool plugin_need(const struct text_context *c, unsigned int i, const char *name,
			       const struct print_record *rec, uint64_t *v, struct text *out)
{
	if (plugin_number(c, i, rec, v))
		return true;
	text_printf(out, "<CANT FIND FIELD %s>", name);
	return false;
}

/* As plugin_need(), but the text ends with the complaint and trace-cmd's mark. */
static inline bool plugin_demand(const struct text_context *c, unsigned int i, const char *name,
				 const struct print_record *rec, uint64_t *v, struct text *out)
{
	if (plugin_need(c, i, name, rec, v, out))
		return true;
	text_char(out, '!');
	return false;
}

/* The symbol of an address as libtraceevent finds it; false if there is none. */
static inline bool plugin_symbol(const struct text_context *c, uint64_t address,
				 struct kallsyms_symbol *s)
{
	return kallsyms_find_as_tep(c->syms, address, s);
}

#define PLUGIN_TWIN(name) \
	bool name(const struct text_context *c, const struct print_record *rec, \
		  const struct print_record *next, struct text *out)
#define PLUGIN_REMEMBER(name) \
	uint64_t name(const struct text_context *c, const struct print_record *rec, \
		      struct record_text_state *state)

PLUGIN_TWIN(plugin_function);		/* plugin_text_function.c */
/* As plugin_function().  @args: text to append in brackets after the function's name, or NULL. */
bool plugin_function_with(const struct text_context *c, const struct print_record *rec,
			  const struct text *args, struct text *out);
PLUGIN_REMEMBER(plugin_function_indent);	/* the note is its depth */
PLUGIN_TWIN(plugin_repeats);
PLUGIN_TWIN(plugin_stack);
PLUGIN_TWIN(plugin_raw_data);
PLUGIN_TWIN(plugin_kvm_exit);		/* plugin_text_kvm.c */
PLUGIN_TWIN(plugin_kvm_entry);
PLUGIN_TWIN(plugin_kvm_nested);
PLUGIN_TWIN(plugin_kvm_inject);
#endif
