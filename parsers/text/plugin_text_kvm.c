/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plugin_text_kvm - the exit reasons of virtual machines, like libtraceevent's plugin_kvm. */
#include <inttypes.h>
#include <string.h>

#include "parsers/text/plugin_text_private.h"

struct reason {
	int		 value;
	const char	*name;
};

static const struct reason vmx_reasons[] = {
	{ 0, "EXCEPTION_NMI" }, { 1, "EXTERNAL_INTERRUPT" }, { 2, "TRIPLE_FAULT" },
	{ 7, "PENDING_INTERRUPT" },
	{ 8, "NMI_WINDOW" }, { 9, "TASK_SWITCH" }, { 10, "CPUID" }, { 12, "HLT" }, { 13, "INVD" },
	{ 14, "INVLPG" },
	{ 15, "RDPMC" }, { 16, "RDTSC" }, { 18, "VMCALL" }, { 19, "VMCLEAR" }, { 20, "VMLAUNCH" },
	{ 21, "VMPTRLD" },
	{ 22, "VMPTRST" }, { 23, "VMREAD" }, { 24, "VMRESUME" }, { 25, "VMWRITE" }, { 26, "VMOFF" },
	{ 27, "VMON" },
	{ 28, "CR_ACCESS" }, { 29, "DR_ACCESS" }, { 30, "IO_INSTRUCTION" }, { 31, "MSR_READ" },
	{ 32, "MSR_WRITE" },
	{ 36, "MWAIT_INSTRUCTION" }, { 39, "MONITOR_INSTRUCTION" }, { 40, "PAUSE_INSTRUCTION" },
	{ 41, "MCE_DURING_VMENTRY" }, { 43, "TPR_BELOW_THRESHOLD" }, { 44, "APIC_ACCESS" },
	{ 45, "EOI_INDUCED" },
	{ 48, "EPT_VIOLATION" }, { 49, "EPT_MISCONFIG" }, { 50, "INVEPT" },
	{ 52, "PREEMPTION_TIMER" }, { 54, "WBINVD" },
	{ 55, "XSETBV" }, { 56, "APIC_WRITE" }, { 58, "INVPCID" }, { 62, "PML_FULL" },
	{ 63, "XSAVES" }, { 64, "XRSTORS" },
	{ 0, NULL },
};

static const struct reason svm_reasons[] = {
	{ 0x000, "EXIT_READ_CR0" }, { 0x003, "EXIT_READ_CR3" }, { 0x004, "EXIT_READ_CR4" },
	{ 0x008, "EXIT_READ_CR8" },
	{ 0x010, "EXIT_WRITE_CR0" }, { 0x013, "EXIT_WRITE_CR3" }, { 0x014, "EXIT_WRITE_CR4" },
	{ 0x018, "EXIT_WRITE_CR8" },
	{ 0x020, "EXIT_READ_DR0" }, { 0x021, "EXIT_READ_DR1" }, { 0x022, "EXIT_READ_DR2" },
	{ 0x023, "EXIT_READ_DR3" },
	{ 0x024, "EXIT_READ_DR4" }, { 0x025, "EXIT_READ_DR5" }, { 0x026, "EXIT_READ_DR6" },
	{ 0x027, "EXIT_READ_DR7" },
	{ 0x030, "EXIT_WRITE_DR0" }, { 0x031, "EXIT_WRITE_DR1" }, { 0x032, "EXIT_WRITE_DR2" },
	{ 0x033, "EXIT_WRITE_DR3" },
	{ 0x034, "EXIT_WRITE_DR4" }, { 0x035, "EXIT_WRITE_DR5" }, { 0x036, "EXIT_WRITE_DR6" },
	{ 0x037, "EXIT_WRITE_DR7" },
	{ 0x040, "EXIT_EXCP_DE" }, { 0x041, "EXIT_EXCP_DB" }, { 0x043, "EXIT_EXCP_BP" },
	{ 0x044, "EXIT_EXCP_OF" },
	{ 0x045, "EXIT_EXCP_BR" }, { 0x046, "EXIT_EXCP_UD" }, { 0x047, "EXIT_EXCP_NM" },
	{ 0x048, "EXIT_EXCP_DF" },
	{ 0x04a, "EXIT_EXCP_TS" }, { 0x04b, "EXIT_EXCP_NP" }, { 0x04c, "EXIT_EXCP_SS" },
	{ 0x04d, "EXIT_EXCP_GP" },
	{ 0x04e, "EXIT_EXCP_PF" }, { 0x050, "EXIT_EXCP_MF" }, { 0x051, "EXIT_EXCP_AC" },
	{ 0x052, "EXIT_EXCP_MC" },
	{ 0x053, "EXIT_EXCP_XF" }, { 0x060, "EXIT_INTR" }, { 0x061, "EXIT_NMI" },
	{ 0x062, "EXIT_SMI" }, { 0x063, "EXIT_INIT" },
	{ 0x064, "EXIT_VINTR" }, { 0x065, "EXIT_CR0_SEL_WRITE" }, { 0x066, "EXIT_IDTR_READ" },
	{ 0x067, "EXIT_GDTR_READ" },
	{ 0x068, "EXIT_LDTR_READ" }, { 0x069, "EXIT_TR_READ" }, { 0x06a, "EXIT_IDTR_WRITE" },
	{ 0x06b, "EXIT_GDTR_WRITE" },
	{ 0x06c, "EXIT_LDTR_WRITE" }, { 0x06d, "EXIT_TR_WRITE" }, { 0x06e, "EXIT_RDTSC" },
	{ 0x06f, "EXIT_RDPMC" },
	{ 0x070, "EXIT_PUSHF" }, { 0x071, "EXIT_POPF" }, { 0x072, "EXIT_CPUID" },
	{ 0x073, "EXIT_RSM" }, { 0x074, "EXIT_IRET" },
	{ 0x075, "EXIT_SWINT" }, { 0x076, "EXIT_INVD" }, { 0x077, "EXIT_PAUSE" },
	{ 0x078, "EXIT_HLT" }, { 0x079, "EXIT_INVLPG" },
	{ 0x07a, "EXIT_INVLPGA" }, { 0x07b, "EXIT_IOIO" }, { 0x07c, "EXIT_MSR" },
	{ 0x07d, "EXIT_TASK_SWITCH" },
	{ 0x07e, "EXIT_FERR_FREEZE" }, { 0x07f, "EXIT_SHUTDOWN" }, { 0x080, "EXIT_VMRUN" },
	{ 0x081, "EXIT_VMMCALL" },
	{ 0x082, "EXIT_VMLOAD" }, { 0x083, "EXIT_VMSAVE" }, { 0x084, "EXIT_STGI" },
	{ 0x085, "EXIT_CLGI" },
	{ 0x086, "EXIT_SKINIT" }, { 0x087, "EXIT_RDTSCP" }, { 0x088, "EXIT_ICEBP" },
	{ 0x089, "EXIT_WBINVD" },
	{ 0x08a, "EXIT_MONITOR" }, { 0x08b, "EXIT_MWAIT" }, { 0x08c, "EXIT_MWAIT_COND" },
	{ 0x08d, "EXIT_XSETBV" },
	{ 0x400, "EXIT_NPF" }, { 0x401, "EXIT_AVIC_INCOMPLETE_IPI" },
	{ 0x402, "EXIT_AVIC_UNACCELERATED_ACCESS" },
	{ -1, "EXIT_ERR" }, { 0, NULL },
};

/* @reason, @isa: numbers of the fields */
static bool add_reason(const struct text_context *c, const struct print_record *rec,
		       unsigned int reason, unsigned int isa, const char *name, struct text *out)
{
	const struct reason *r;
	uint64_t v, kind;

	if (!plugin_need(c, reason, name, rec, &v, out))
		return false;
	if (!plugin_number(c, isa, rec, &kind))
		kind = 1;
	text_add(out, "reason ");
	if ((unsigned int)kind != 1 && (unsigned int)kind != 2) {
		text_add(out, "UNKNOWN-ISA");
		return true;
	}
	for (r = (unsigned int)kind == 1 ? vmx_reasons : svm_reasons; r->name && r->value != (int)v;
	     r++)
		;
	if (r->name)
		text_add(out, r->name);
	else
		text_printf(out, "UNKNOWN (%" PRIu64 ")", v);
	return true;
}

/* exit_reason isa guest_rip info1 info2 */
PLUGIN_TWIN(plugin_kvm_exit)
{
	uint64_t rip, info1, info2;

	(void)next;
	if (!add_reason(c, rec, 0, 1, "exit_reason", out) ||
	    !plugin_need(c, 2, "guest_rip", rec, &rip, out))
		return false;
	text_printf(out, " rip 0x%" PRIx64, rip);
	if (plugin_number(c, 3, rec, &info1) && plugin_number(c, 4, rec, &info2))
		text_printf(out, " info %" PRIx64 " %" PRIx64, info1, info2);
	return true;
}

/* vcpu_id rip */
PLUGIN_TWIN(plugin_kvm_entry)
{
	uint64_t vcpu, rip;

	(void)next;
	if (plugin_number(c, 0, rec, &vcpu))
		text_printf(out, " vcpu %u", (unsigned int)vcpu);
	else
		text_add(out, "CAN'T FIND FIELD \"vcpu_id\"");
	if (!plugin_need(c, 1, "rip", rec, &rip, out))
		return false;
	text_printf(out, " rip 0x%" PRIx64, rip);
	return true;
}

static void add_info(const struct text_context *c, const struct print_record *rec, unsigned int i,
		     const char *shown, const char *name, struct text *out)
{
	uint64_t v;

	if (plugin_number(c, i, rec, &v))
		text_printf(out, " %s %" PRIx64, shown, v);
	else
		text_printf(out, "CAN'T FIND FIELD \"%s\"", name);
}

/* exit_code isa rip exit_info1 exit_info2 exit_int_info exit_int_info_err */
PLUGIN_TWIN(plugin_kvm_inject)
{
	(void)next;
	if (!add_reason(c, rec, 0, 1, "exit_code", out))
		return false;
	add_info(c, rec, 3, "info1", "exit_info1", out);
	add_info(c, rec, 4, "info2", "exit_info2", out);
	add_info(c, rec, 5, "int_info", "exit_int_info", out);
	add_info(c, rec, 6, "int_info_err", "exit_int_info_err", out);
	return true;
}

PLUGIN_TWIN(plugin_kvm_nested)
{
	uint64_t rip;

	if (!plugin_need(c, 2, "rip", rec, &rip, out))
		return false;
	text_printf(out, " rip %" PRIx64, rip);
	return plugin_kvm_inject(c, rec, next, out);
}
