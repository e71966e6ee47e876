/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "src/report/report_access.h"

/* Words are those that perf script 6.1 printed of a file with these numbers. */
static void test_words(void **state)
{
	static const struct {
		uint64_t data_src;
		const char *words;
	} accesses[] = {
		{ 0x68100142, "|OP LOAD|LVL L1 hit|SNP None|TLB L1 or L2 hit|LCK No|BLK  N/A" },
		{ 0x6a100142, "|OP LOAD|LVL L1 hit|SNP None|TLB L1 or L2 hit|LCK Yes|BLK  N/A" },
		{ 0, "|OP No|LVL N/A|SNP N/A|TLB N/A|LCK No|BLK  N/A" },
		{ 0x159213000204,
		  "|OP STORE|LVL node, same socket CXL|SNP Peer|TLB N/A miss|LCK N/A|BLK  N/A" },
		{ 0x43221000010, "|OP EXEC|LVL Remote CXL|SNP N/A|TLB L1|LCK N/A|BLK  Addr" },
		{ 0x11921010100d,
		  "|OP N/A|LVL node, same socket CXL|SNP None or Peer|TLB N/A miss|LCK No|BLK  N/A" },
		{ 0xa5201410000,
		  "|OP No|LVL core, same node CXL|SNP Miss or Fwd|TLB N/A|LCK N/A|BLK  Data" },
	};
	struct text out = { 0 };

	(void)state;
	for (unsigned int i = 0; i < sizeof(accesses) / sizeof(accesses[0]); i++) {
		text_clear(&out);
		report_access(accesses[i].data_src, &out);
		assert_string_equal(text_str(&out), accesses[i].words);
	}
	text_fini(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_words) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
