/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * filter_bind_compare - comparisons, by the kind of the left side: numbers, strings, arrays, sets
 * of CPUs, stacks, the line.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/types/event_header.h"
#include "src/filter/filter_bind.h"

static const struct filter_bound *test_of(struct filter_binder *b, struct filter_test test)
{
	test.swap = b->swap;
	test.long_size = b->long_size;
	return filter_bound_test(&b->f->arena, &test);
}

static const struct filter_bound *negated(struct filter_binder *b, const struct filter_bound *bound,
					  bool negate)
{
	return negate ? filter_bound_not(&b->f->arena, bound) : bound;
}

static bool is_negative(enum filter_op op)
{
	return op == FILTER_OP_NE || op == FILTER_OP_NOT_MATCH || op == FILTER_OP_NOT_IN;
}

static const struct filter_bound *wrong_term(struct filter_binder *b, const struct filter_node *n,
					     const char *message)
{
	filter_wrong(b, n, "%s", message);
	return &filter_bound_false;
}

/* --- strings --------------------------------------------------------------------------- */

static const struct filter_bound *string_test(struct filter_binder *b,
					      const struct filter_value *left, uint32_t index)
{
	struct filter_test test = { .kind = FILTER_TEST_STRING,
				    .index = index,
				    .field = left->field };

	if (left->kind == FILTER_VALUE_COMM) {
		test.kind = FILTER_TEST_COMM;
		b->f->uses_comm = true;
	} else if (left->kind == FILTER_VALUE_SAVED_COMM) {
		test.kind = FILTER_TEST_SAVED_COMM;
		b->f->uses_comm = true;
	} else if (left->kind == FILTER_VALUE_WHO) {
		test.kind = FILTER_TEST_WHO;
		test.lo = left->who;
		b->f->uses_comm = b->f->uses_who = true;
	}
	return test_of(b, test);
}

/* A word may be another string field of the same event.  False: it is text. */
static bool other_string(struct filter_binder *b, const struct filter_value *left,
			 enum filter_op op, const struct filter_node *n,
			 const struct filter_bound **bound)
{
	const struct filter_name *name = n->text ? filter_name_find(n->text, b->f->more_names) :
						   NULL;
	struct filter_test test = { .kind = FILTER_TEST_STRINGS, .field = left->field };
	const struct filter_note *note = &b->notes[n->id];
	struct filter_value right;

	if (left->kind == FILTER_VALUE_WHO || n->kind != FILTER_NODE_WORD ||
	    (op != FILTER_OP_EQ && op != FILTER_OP_NE) ||
	    (!note->is_string && !(name && name->kind == FILTER_NAME_COMM)))
		return false;
	*bound = b->general ? filter_unknown(b) : &filter_bound_false;
	if (b->general)
		return true;
	right = filter_bind_word(b, n, NULL, false);
	if (left->kind == FILTER_VALUE_SAVED_COMM || right.kind == FILTER_VALUE_SAVED_COMM)
		return false;
	if (left->kind == FILTER_VALUE_COMM || right.kind == FILTER_VALUE_COMM) {
		test.kind = FILTER_TEST_COMM_FIELD;
		b->f->uses_comm = true;
		if (left->kind == FILTER_VALUE_COMM && right.kind == FILTER_VALUE_COMM) {
			*bound = op == FILTER_OP_EQ ? &filter_bound_true : &filter_bound_false;
			return true;
		}
		test.field = left->kind == FILTER_VALUE_COMM ? right.field : left->field;
	} else {
		test.other = right.field;
	}
	if (right.kind == FILTER_VALUE_STRING || right.kind == FILTER_VALUE_COMM)
		*bound = negated(b, test_of(b, test), op == FILTER_OP_NE);
	return true;
}

static bool is_function_name(const struct filter_binder *b, const struct filter_node *n)
{
	const struct filter_name *name = n->kind == FILTER_NODE_WORD ?
						 filter_name_find(n->text, b->f->more_names) :
						 NULL;

	return name && name->kind == FILTER_NAME_FUNC && !b->notes[n->id].in_scope;
}

static struct filter_test described_test(const struct filter_binder *b,
					 const struct filter_value *left, enum filter_op op)
{
	return (struct filter_test){ .kind = FILTER_TEST_DESCRIBED, .type = b->type,
				     .described = left->described, .op = op,
				     .index = FILTER_NO_PATTERN };
}

/* What is not known is neither equal nor different. */
static const struct filter_bound *where_known(struct filter_binder *b,
					      const struct filter_value *left,
					      const struct filter_bound *bound)
{
	const struct filter_bound *known;

	if (left->kind == FILTER_VALUE_WHO)
		known = string_test(b, left, FILTER_WHO_KNOWN);
	else if (left->kind == FILTER_VALUE_DESCRIBED)
		known = test_of(b, described_test(b, left, FILTER_OP_NONE));
	else
		return bound;
	return filter_bound_and(&b->f->arena, known, bound);
}

static const struct filter_bound *compare_string(struct filter_binder *b,
						 const struct filter_node *n, enum filter_op op,
						 const struct filter_value *left,
						 const struct filter_node *right)
{
	struct filter_node list = *right;	/* allowed == 0-3: its text, too, needs no quotes */
	const struct filter_bound *bound;
	uint32_t index;

	if (other_string(b, left, op, right, &bound))
		return bound;
	if (left->kind == FILTER_VALUE_WHO && left->who == FILTER_WHO_ALLOWED &&
	    (list.kind == FILTER_NODE_NUMBER || list.kind == FILTER_NODE_RANGE)) {
		list.kind = FILTER_NODE_STRING;
		list.text = b->f->sources[b->source].text + list.from;
		list.len = list.to - list.from;
	}
	if (!filter_text_pattern(b, op, &list, &index))
		return &filter_bound_false;
	filter_right(b, n);
	/* the branch tracer has names of functions as strings, whatever kallsyms says */
	if (is_function_name(b, left->node))
		filter_right_if_occurs(b, right);
	else
		filter_right(b, right);
	return where_known(b, left, negated(b, string_test(b, left, index), is_negative(op)));
}

/* --- numbers by name ---------------------------------------------------------------------- */

struct symbol_search {
	const struct filter_pattern *m;
	struct filter_scratch	*scratch;
	struct filter_set	*set;
	unsigned int		 nr;		/* number of names */
	uint64_t		 mask;		/* relevant bits; 0 = all */
};

static void match_symbol(void *arg, const char *name, uint64_t value, uint64_t mask)
{
	struct symbol_search *search = arg;

	search->nr++;
	search->mask |= mask;
	if (filter_pattern_test(search->m, search->scratch, name, strlen(name)))
		filter_set_add(search->set, value, value);
}

/* All values whose names match.  False: the field's values have no names. */
static bool symbol_set(struct filter_binder *b, const struct event_field *field,
		       const struct filter_pattern *m, uint32_t *set, uint64_t *mask)
{
	struct symbol_search search = { .m = m, .set = mem_alloc(sizeof(*search.set)) };

	search.scratch = filter_scratch_new();
	filter_symbols_each(b, field, match_symbol, &search);
	filter_scratch_free(search.scratch);
	*set = filter_add_set(b->f, search.set);
	*mask = search.mask;
	return search.nr > 0;
}

/* "0x1f": trace-cmd compares this text if a number has no name. */
static bool hex_number(const struct filter_node *n, uint64_t *value)
{
	char *end;

	if (n->len < 3 || n->len > 18 || strncmp(n->text, "0x", 2) ||
	    !isxdigit((unsigned char)n->text[2]))
		return false;
	*value = strtoull(n->text, &end, 16);
	return !*end;
}

static void number_expected(struct filter_binder *b, const struct filter_node *n)
{
	struct text meant = { 0 };

	filter_offers_text(&b->offers, &meant);
	filter_wrong(b, n, "a number is expected here%s", text_str(&meant));
	text_fini(&meant);
}

/* A word that names no possible value of the left side. */
static void no_such_number(struct filter_binder *b, const struct filter_value *left,
			   const struct filter_node *n)
{
	if (left->is_address && is_function_name(b, left->node))
		filter_no_such_function(b, n);
	else if (left->field)
		filter_no_such_symbol(b, n, left->field);
	else
		number_expected(b, n);
}

static const struct filter_bound *number_by_text(struct filter_binder *b,
						 const struct filter_node *n, enum filter_op op,
						 const struct filter_value *left,
						 const struct filter_node *right)
{
	struct filter_value c = { .kind = FILTER_VALUE_CONST, .node = right };
	struct filter_test hex = { .kind = FILTER_TEST_HEX, .load = left->load };
	struct filter_test shown = { .kind = FILTER_TEST_SHOWN,
				     .field = left->field,
				     .type = b->type };
	bool is_text = left->kind == FILTER_VALUE_LOAD && left->field &&
		       filter_shows_bits(b, left->field);
	const struct filter_pattern *m;
	uint32_t index, set;
	uint64_t value;

	if ((op == FILTER_OP_EQ || op == FILTER_OP_NE) && left->field &&
	    right->kind != FILTER_NODE_REGEX &&
	    filter_symbol(b, left->field, right->text, &value, &c.mask)) {
		c.number = value;
		filter_right(b, right);
		return filter_bind_numbers(b, n, op, left, &c);
	}
	if (op != FILTER_OP_EQ && op != FILTER_OP_NE && op != FILTER_OP_MATCH &&
	    op != FILTER_OP_NOT_MATCH && op != FILTER_OP_GLOB &&
	    !(op == FILTER_OP_CONTAINS && is_text))
		return number_expected(b, right), &filter_bound_false;
	m = filter_text_pattern(b, op, right, &index);
	if (!m)
		return &filter_bound_false;
	if (is_text && m->kind != FILTER_PATTERN_EQUAL) {
		filter_right(b, right);
		shown.index = index;
		return negated(b, test_of(b, shown), is_negative(op));
	}
	if (left->field && m->kind != FILTER_PATTERN_EQUAL &&
	    symbol_set(b, left->field, m, &set, &c.mask)) {
		struct filter_value masked = c.mask ? filter_masked(b, n, left, c.mask) : *left;

		filter_right(b, right);
		return filter_bind_number_set(b, &masked, set, is_negative(op));
	}
	if (left->is_address && filter_functions(b, right, m, &set)) {
		filter_right(b, right);
		return filter_bind_number_set(b, left, set, is_negative(op));
	}
	if (right->kind != FILTER_NODE_REGEX && m->kind == FILTER_PATTERN_EQUAL &&
	    hex_number(right, &value)) {
		c.number = value;
		filter_right(b, right);
		return filter_bind_numbers(b, n, op, left, &c);
	}
	if ((m->kind == FILTER_PATTERN_REGEX || b->f->compat) && left->kind == FILTER_VALUE_LOAD) {
		hex.index = index;
		filter_right(b, right);
		hex.swap = b->swap;
		return negated(b, test_of(b, hex), is_negative(op));
	}
	no_such_number(b, left, right);
	return &filter_bound_false;
}

/* --- arrays, sets of CPUs, stacks -------------------------------------------------------- */

static uint64_t element_bits(const struct filter_value *left)
{
	unsigned int width = left->kind == FILTER_VALUE_LOAD &&
					     left->load.from == FILTER_FROM_FIELD ?
				     left->load.width :
				     8;

	return width < 8 ? (1ull << width * 8) - 1 : UINT64_MAX;
}

/* Add numbers from lo to hi, which may wrap around: -5 to 3. */
static void add_bits(struct filter_set *set, uint64_t lo, uint64_t hi, uint64_t bits)
{
	lo &= bits;
	hi &= bits;
	filter_set_add(set, lo, hi >= lo ? hi : bits);
	if (hi < lo)
		filter_set_add(set, 0, hi);
}

/* The constants on the right as a set of numbers that @left can have; false: an error was noted. */
static bool right_set(struct filter_binder *b, enum filter_op op, const struct filter_value *left,
		      const struct filter_node *n, uint32_t *index)
{
	struct filter_value right, view = *left;
	const struct filter_pattern *m;
	struct filter_set *set;
	uint64_t lo, hi;
	uint32_t pattern;
	__int128 c;
	bool all;

	if (filter_node_has_text(n) && left->is_address && n->kind != FILTER_NODE_WORD) {
		m = filter_text_pattern(b, op == FILTER_OP_CONTAINS ? FILTER_OP_EQ : op, n,
					&pattern);
		if (m && filter_functions(b, n, m, index)) {
			filter_right(b, n);
			return true;
		}
		filter_no_such_function(b, n);
		return false;
	}
	right = filter_bind_value(b, n, left->field, true);
	if (right.kind == FILTER_VALUE_SET) {
		filter_right(b, n);
		*index = right.set;
		return true;
	}
	if (right.kind == FILTER_VALUE_MISSING && n->kind == FILTER_NODE_WORD && left->field &&
	    !b->notes[n->id].is_field)
		filter_no_such_symbol(b, n, left->field);
	else if (right.kind != FILTER_VALUE_CONST && right.kind != FILTER_VALUE_MISSING)
		filter_wrong(b, n, "a constant is expected here");
	if (right.kind != FILTER_VALUE_CONST || !filter_const_number(b, &right, false, &c))
		return false;
	set = mem_alloc(sizeof(*set));
	if (op == FILTER_OP_CONTAINS || op == FILTER_OP_NE)
		op = FILTER_OP_EQ;
	/* compared with a negative number, unsigned elements count as signed */
	if (!left->is_signed && !b->f->compat && (c < 0 || (!c && op == FILTER_OP_LT)))
		view.is_signed = true;
	if (filter_const_range(b, &view, op, c, &lo, &hi, &all))
		add_bits(set, lo, hi, left->is_signed ? UINT64_MAX : element_bits(left));
	if (view.is_signed != left->is_signed && op == FILTER_OP_EQ && c >= -4095)
		filter_set_add(set, (uint32_t)c, (uint32_t)c);
	*index = filter_add_set(b->f, set);
	return true;
}

static const struct filter_bound *compare_array(struct filter_binder *b, enum filter_op op,
						const struct filter_value *left,
						const struct filter_node *right)
{
	const struct event_field *f = left->field;
	struct filter_test test = { .kind = FILTER_TEST_ARRAY,
				    .field = f,
				    .negate = op == FILTER_OP_NE || op == FILTER_OP_NOT_MATCH };
	struct filter_value one = { .kind = FILTER_VALUE_LOAD, .node = left->node, .field = f,
				    .is_signed = f->is_signed,
				    .load = { .from = FILTER_FROM_FIELD,
					      .width = (uint8_t)f->element_size },
				    .is_address = f->element_size == b->long_size };

	if (!right_set(b, op, &one, right, &test.index))
		return &filter_bound_false;
	return test_of(b, test);
}

static const struct filter_bound *compare_stack(struct filter_binder *b, enum filter_op op,
						const struct filter_value *left,
						const struct filter_node *right)
{
	struct filter_test test = { .kind = FILTER_TEST_STACK, .field = left->field };

	if (op != FILTER_OP_CONTAINS && op != FILTER_OP_MATCH && op != FILTER_OP_GLOB &&
	    op != FILTER_OP_EQ)
		return wrong_term(b, right,
				  "a stack is searched with contains: stack contains vfs_read");
	if (!right_set(b, op, left, right, &test.index))
		return &filter_bound_false;
	return test_of(b, test);
}

/* "0-3,7" in quotes */
static bool list_of_text(struct filter_binder *b, const struct filter_node *n, uint32_t *index)
{
	struct filter_note *note = &b->notes[n->id];
	struct filter_set *set;
	const char *p = n->text;
	char *end;

	if (note->set) {
		*index = note->set - 1;
		return true;
	}
	set = mem_alloc(sizeof(*set));
	while (*p) {
		unsigned long lo = strtoul(p, &end, 10), hi = lo;

		if (end == p || !isdigit((unsigned char)*p))
			break;
		if (*end == '-' && isdigit((unsigned char)end[1]))
			hi = strtoul(end + 1, &end, 10);
		if (hi < lo || (*end && *end != ','))
			break;
		filter_set_add(set, lo, hi);
		p = *end ? end + 1 : end;
	}
	if (*p) {
		filter_set_fini(set);
		free(set);
		filter_wrong(b, n, "a list of numbers is expected here: 0-3,7");
		return false;
	}
	*index = filter_add_set(b->f, set);
	note->set = 1 + *index;
	return true;
}

static bool mask_set(struct filter_binder *b, const struct filter_node *n, uint32_t *index)
{
	struct filter_value number = { .kind = FILTER_VALUE_LOAD,
				       .node = n,
				       .load = { .from = FILTER_FROM_CPU } };

	return n->kind == FILTER_NODE_STRING ? list_of_text(b, n, index) :
					       right_set(b, FILTER_OP_EQ, &number, n, index);
}

static const struct filter_bound *compare_mask(struct filter_binder *b, enum filter_op op,
					       const struct filter_value *left,
					       const struct filter_node *right)
{
	struct filter_test test = { .kind = FILTER_TEST_MASK, .field = left->field };

	if (op == FILTER_OP_EQ || op == FILTER_OP_NE)
		test.mask_op = FILTER_MASK_EQUAL;
	else if (op == FILTER_OP_CONTAINS)
		test.mask_op = FILTER_MASK_ALL;
	else if (op == FILTER_OP_AND)
		test.mask_op = FILTER_MASK_ANY;
	else
		return wrong_term(b, right,
				  "sets of CPUs are compared with ==, !=, contains, & and in");
	if (!mask_set(b, right, &test.index))
		return &filter_bound_false;
	return negated(b, test_of(b, test), op == FILTER_OP_NE);
}

/* --- what records describe ----------------------------------------------------------------- */

static const struct filter_bound *described_number(struct filter_binder *b,
						   const struct filter_value *left,
						   enum filter_op op, __int128 number)
{
	struct filter_test test = described_test(b, left, op);

	test.number = (long double)number;
	return test_of(b, test);
}

/* A number with its number, a text with its text. */
static const struct filter_bound *compare_described(struct filter_binder *b, enum filter_op op,
						    const struct filter_value *left,
						    const struct filter_node *right)
{
	struct filter_test test = described_test(b, left, op);
	struct filter_value v;
	__int128 lo, hi;

	if (filter_node_has_text(right)) {
		test.negate = is_negative(op);
		return filter_text_pattern(b, op, right, &test.index) ? test_of(b, test) :
									&filter_bound_false;
	}
	if (right->kind == FILTER_NODE_RANGE) {
		if (!filter_range_numbers(b, right, false, &lo, &hi))
			return &filter_bound_false;
		return filter_bound_and(&b->f->arena, described_number(b, left, FILTER_OP_GE, lo),
					described_number(b, left, FILTER_OP_LE, hi));
	}
	if (op > FILTER_OP_GE)
		return wrong_term(b, right, "a text is expected here");
	if (right->kind == FILTER_NODE_NUMBER && right->has_fraction && !right->relative) {
		test.number = (long double)right->value + (long double)right->nano / 1000000000;
		return test_of(b, test);
	}
	v = filter_bind_value(b, right, NULL, true);
	if (v.kind != FILTER_VALUE_CONST)
		return wrong_term(b, right, "a number or a text is expected here");
	return filter_const_number(b, &v, false, &lo) ? described_number(b, left, op, lo) :
							&filter_bound_false;
}

/* --- comparisons ------------------------------------------------------------------------- */

/* Is it a field or a known name, and not a constant to compare with? */
static bool is_subject(const struct filter_binder *b, const struct filter_node *n)
{
	if (n->kind == FILTER_NODE_WORD)
		return b->notes[n->id].is_field || event_header_name(n->text) ||
		       filter_name_find(n->text, b->f->more_names);
	return (n->kind == FILTER_NODE_INDEX || n->kind == FILTER_NODE_UNARY ||
		n->kind == FILTER_NODE_BINARY) &&
	       is_subject(b, n->a);
}

static const struct filter_name_word *words_of(const struct filter_value *left)
{
	return left->kind == FILTER_VALUE_LOAD && left->load.from == FILTER_FROM_NAME ?
		       left->load.name->words :
		       NULL;
}

/*
 * The right side of a comparison with a number: a value, or a word that names one of the number's
 * values.
 */
static struct filter_value bind_right(struct filter_binder *b, const struct filter_value *left,
				      const struct filter_node *n)
{
	const struct filter_name_word *words = words_of(left);
	struct text all = { 0 };
	struct filter_value v;

	if (!words || n->kind != FILTER_NODE_WORD)
		return filter_bind_value(b, n, left->field, true);
	for (const struct filter_name_word *word = words; word->name; word++)
		if (!strcmp(word->name, n->text))
			return (struct filter_value){ .kind = FILTER_VALUE_CONST, .node = n,
						      .number = word->value };
	for (const struct filter_name_word *word = words; word->name; word++)
		text_printf(&all, "%s%s", all.len ? " " : "", word->name);
	/* this message is better than that of a type with a field of that name */
	b->notes[n->id].problem = NULL;
	b->notes[n->id].weak = false;
	v = filter_wrong(b, n, "%s must be one of: %s", left->load.name->name, text_str(&all));
	text_fini(&all);
	return v;
}

static const struct filter_bound *compare_number(struct filter_binder *b,
						 const struct filter_node *n, enum filter_op op,
						 const struct filter_value *left,
						 const struct filter_node *right_node)
{
	bool plain = op >= FILTER_OP_EQ && op <= FILTER_OP_GE;
	const struct filter_bound *bound;
	struct filter_value right;
	unsigned int wrong;

	if (right_node->kind == FILTER_NODE_STRING || right_node->kind == FILTER_NODE_GLOB ||
	    right_node->kind == FILTER_NODE_REGEX ||
	    (right_node->kind == FILTER_NODE_CHAR && right_node->len != 1) ||
	    (!plain && filter_node_has_text(right_node)))
		return number_by_text(b, n, op, left, right_node);
	if (!plain)
		return wrong_term(
			b, n,
			op == FILTER_OP_CONTAINS ?
				"contains works for strings, arrays, sets of CPUs and stacks" :
				"patterns work for strings and functions");
	right = bind_right(b, left, right_node);
	if (right.kind == FILTER_VALUE_CONST && right.mask && left->kind == FILTER_VALUE_STEPS)
		right.mask = 0;		/* the bits are selected already */
	if (right.kind == FILTER_VALUE_UNKNOWN)
		return filter_unknown(b);
	if (right.kind == FILTER_VALUE_MISSING && right_node->kind == FILTER_NODE_WORD &&
	    !b->notes[right_node->id].is_field && !b->general)
		no_such_number(b, left, right_node);
	if (right.kind == FILTER_VALUE_MISSING || right.kind == FILTER_VALUE_WRONG)
		return &filter_bound_false;
	if (right.kind > FILTER_VALUE_STEPS)
		return wrong_term(b, n, "a number can only be compared with a number");
	wrong = b->nr_wrong;
	bound = filter_bind_numbers(b, n, op, left, &right);
	if (wrong == b->nr_wrong) {
		filter_right(b, n);
		filter_right(b, right_node);
	}
	return bound;
}

static const struct filter_bound *compare(struct filter_binder *b, const struct filter_node *n,
					  enum filter_op op, const struct filter_value *left,
					  const struct filter_node *right)
{
	const struct filter_bound *bound = &filter_bound_false;

	switch (left->kind) {
	case FILTER_VALUE_MISSING:
	case FILTER_VALUE_WRONG:
		return &filter_bound_false;
	case FILTER_VALUE_UNKNOWN:
		return filter_unknown(b);
	case FILTER_VALUE_STRING:
	case FILTER_VALUE_WHO:
	case FILTER_VALUE_COMM:
	case FILTER_VALUE_SAVED_COMM:
		return compare_string(b, n, op, left, right);
	case FILTER_VALUE_FILE:
	case FILTER_VALUE_INSTANCE:
		return filter_bind_origin(b, n, op, left, right);
	case FILTER_VALUE_ARRAY:
		bound = compare_array(b, op, left, right);
		break;
	case FILTER_VALUE_MASK:
		bound = compare_mask(b, op, left, right);
		break;
	case FILTER_VALUE_STACK:
		bound = compare_stack(b, op, left, right);
		break;
	case FILTER_VALUE_DESCRIBED:
		bound = compare_described(b, op, left, right);
		break;
	case FILTER_VALUE_CONST:
	case FILTER_VALUE_SET:
	case FILTER_VALUE_LOAD:
	case FILTER_VALUE_STEPS:
		return compare_number(b, n, op, left, right);
	case FILTER_VALUE_TEXT:
		return wrong_term(b, n, "a field is expected on one side");
	}
	if (bound != &filter_bound_false) {
		filter_right(b, n);
		filter_right(b, right);
	}
	return bound;
}

const struct filter_bound *filter_bind_compare(struct filter_binder *b, const struct filter_node *n)
{
	const struct filter_node *left = n->a, *right = n->b;
	enum filter_op op = n->op;
	struct filter_value v;

	if (!is_subject(b, left) && is_subject(b, right) && op <= FILTER_OP_GE) {
		left = n->b;
		right = n->a;
		op = filter_op_mirrored(op);
	}
	v = filter_bind_value(b, left, NULL, false);
	return compare(b, n, op, &v, right);
}

bool filter_bind_bits(struct filter_binder *b, const struct filter_node *n,
		      const struct filter_bound **bound)
{
	struct filter_value left;

	if (n->kind != FILTER_NODE_BINARY || n->op != FILTER_OP_AND)
		return false;
	left = filter_bind_value(b, n->a, NULL, false);
	if (n->b->kind == FILTER_NODE_CPUS && left.kind <= FILTER_VALUE_UNKNOWN) {
		*bound = left.kind == FILTER_VALUE_UNKNOWN ? filter_unknown(b) :
							     &filter_bound_false;
		return true;
	}
	if (left.kind == FILTER_VALUE_MASK) {
		*bound = compare_mask(b, FILTER_OP_AND, &left, n->b);
		return true;
	}
	if (left.kind == FILTER_VALUE_LOAD && n->b->kind == FILTER_NODE_CPUS) {
		struct filter_value set = filter_bind_value(b, n->b, NULL, true);

		*bound = filter_bind_number_set(b, &left, set.set, false);
		return true;
	}
	return false;
}

/* --- lists ---------------------------------------------------------------------------------- */

static bool all_numbers(const struct filter_node *n)
{
	for (const struct filter_node *item = n->list; item; item = item->next)
		if (item->kind != FILTER_NODE_NUMBER && item->kind != FILTER_NODE_RANGE)
			return false;
	return true;
}

/* Add an item: a number, or a group of numbers. */
static bool add_item(struct filter_binder *b, const struct filter_value *left,
		     const struct filter_node *item, struct filter_set *set)
{
	struct filter_value v;
	__int128 lo, hi;

	if (item->kind == FILTER_NODE_RANGE) {
		if (!filter_range_numbers(b, item, left->is_time, &lo, &hi))
			return false;
		filter_set_add(set, (uint64_t)lo, (uint64_t)hi);
		return true;
	}
	if (item->kind == FILTER_NODE_STRING || item->kind == FILTER_NODE_GLOB ||
	    item->kind == FILTER_NODE_REGEX)
		return false;
	v = bind_right(b, left, item);
	if (v.kind == FILTER_VALUE_SET) {
		const struct filter_set *from = b->f->sets[v.set];

		for (unsigned int i = 0; i < from->nr; i++)
			filter_set_add(set, from->parts[i].lo, from->parts[i].hi);
		return true;
	}
	if (v.kind != FILTER_VALUE_CONST || v.mask ||
	    !filter_const_number(b, &v, left->is_time, &lo) || lo < 0)
		return false;
	filter_set_add(set, (uint64_t)lo, (uint64_t)lo);
	return true;
}

static const struct filter_bound *in_numbers(struct filter_binder *b, const struct filter_node *n,
					     const struct filter_value *left)
{
	const struct filter_bound *others = &filter_bound_false, *bound;
	struct filter_note *note = &b->notes[n->id];
	struct filter_set *set;
	uint32_t index;

	if (note->set) {
		index = note->set - 1;
	} else {
		set = mem_alloc(sizeof(*set));
		for (const struct filter_node *item = n->list; item; item = item->next)
			if (!add_item(b, left, item, set))
				others = filter_bound_or(&b->f->arena, others,
							 compare(b, n, FILTER_OP_EQ, left, item));
		index = filter_add_set(b->f, set);
		/* times have their own unit, so a list of times is not joined with others */
		if (all_numbers(n))
			note->set = 1 + index;
	}
	filter_right(b, n);
	bound = b->f->sets[index]->nr ? filter_bind_number_set(b, left, index, false) :
					&filter_bound_false;
	return filter_bound_or(&b->f->arena, bound, others);
}

static const struct filter_bound *in_list(struct filter_binder *b, const struct filter_node *n,
					  const struct filter_value *left)
{
	const struct filter_bound *any = &filter_bound_false;

	for (const struct filter_node *item = n->list; item; item = item->next)
		any = filter_bound_or(&b->f->arena, any, compare(b, n, FILTER_OP_EQ, left, item));
	return any;
}

static const struct filter_bound *in_mask(struct filter_binder *b, const struct filter_node *n,
					  const struct filter_value *left)
{
	struct filter_test test = { .kind = FILTER_TEST_MASK,
				    .field = left->field,
				    .mask_op = FILTER_MASK_INSIDE };
	struct filter_value number = { .kind = FILTER_VALUE_LOAD,
				       .node = n,
				       .load = { .from = FILTER_FROM_CPU } };
	struct filter_set *set = mem_alloc(sizeof(*set));

	for (const struct filter_node *item = n->list; item; item = item->next)
		if (!add_item(b, &number, item, set))
			filter_wrong(b, item, "a number is expected here");
	test.index = filter_add_set(b->f, set);
	return test_of(b, test);
}

/* If a record does not have the number, both `in` and `not in` are false. */
static const struct filter_bound *there(struct filter_binder *b, const struct filter_value *left)
{
	struct filter_set *all;

	if (left->kind == FILTER_VALUE_LOAD && !filter_may_fail(&left->load))
		return &filter_bound_true;
	all = mem_alloc(sizeof(*all));
	filter_set_add(all, 0, UINT64_MAX);
	return filter_bind_number_set(b, left, filter_add_set(b->f, all), false);
}

const struct filter_bound *filter_bind_in(struct filter_binder *b, const struct filter_node *n)
{
	struct filter_value left = filter_bind_value(b, n->a, NULL, false);
	const struct filter_bound *bound = &filter_bound_false;

	switch (left.kind) {
	case FILTER_VALUE_MISSING:
	case FILTER_VALUE_WRONG:
		return &filter_bound_false;
	case FILTER_VALUE_UNKNOWN:
		return filter_unknown(b);
	case FILTER_VALUE_CONST:
	case FILTER_VALUE_SET:
	case FILTER_VALUE_TEXT:
		return wrong_term(b, n->a, "a field is expected before in");
	case FILTER_VALUE_LOAD:
	case FILTER_VALUE_STEPS:
		bound = in_numbers(b, n, &left);
		if (n->op == FILTER_OP_NOT_IN)
			return filter_bound_and(&b->f->arena, there(b, &left),
						negated(b, bound, true));
		break;
	case FILTER_VALUE_MASK:
		bound = in_mask(b, n, &left);
		break;
	case FILTER_VALUE_STRING:
	case FILTER_VALUE_WHO:
	case FILTER_VALUE_COMM:
	case FILTER_VALUE_SAVED_COMM:
	case FILTER_VALUE_ARRAY:
	case FILTER_VALUE_STACK:
	case FILTER_VALUE_FILE:
	case FILTER_VALUE_INSTANCE:
	case FILTER_VALUE_DESCRIBED:
		bound = in_list(b, n, &left);
		break;
	}
	return where_known(b, &left, negated(b, bound, n->op == FILTER_OP_NOT_IN));
}

/* --- times -------------------------------------------------------------------------- */

static bool mark_or_time(struct filter_binder *b, const struct filter_node *n, __int128 *out)
{
	struct filter_value v = { .kind = FILTER_VALUE_CONST, .node = n, .number = n->value };
	const struct filter_options *o = b->options;
	bool is_a = n->kind == FILTER_NODE_WORD && !strcasecmp(n->text, "a");
	bool is_b = n->kind == FILTER_NODE_WORD && !strcasecmp(n->text, "b");

	if (is_a || is_b) {
		if (!o || !(is_a ? o->has_a : o->has_b)) {
			filter_wrong(b, n, "the mark %s is not set", is_a ? "a" : "b");
			return false;
		}
		*out = is_a ? o->a : o->b;
		b->f->uses_mark[is_b] = true;
		b->f->mark[is_b] = (int64_t)*out;
		return true;
	}
	if (n->kind == FILTER_NODE_NUMBER)
		return filter_const_number(b, &v, true, out);
	filter_wrong(b, n, "a time, or the mark a or b, is expected here");
	return false;
}

const struct filter_bound *filter_bind_between(struct filter_binder *b, const struct filter_node *n)
{
	struct filter_test test = { .kind = FILTER_TEST_RANGE,
				    .load = { .from = FILTER_FROM_TIME } };
	__int128 x, y;

	if (!mark_or_time(b, n->a, &x) || !mark_or_time(b, n->b, &y))
		return &filter_bound_false;
	if (x > INT64_MAX || y > INT64_MAX)
		return wrong_term(b, n, "the time is too large");
	filter_right(b, n->a);
	filter_right(b, n->b);
	test.lo = (uint64_t)(x < y ? x : y);
	test.span = (uint64_t)(x < y ? y - x : x - y);
	return test_of(b, test);
}
