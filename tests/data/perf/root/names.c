/* gcc -O2 -DROUNDS=9000 -nostdlib -static -fno-omit-frame-pointer -fno-asynchronous-unwind-tables
   -fcf-protection=none -Wl,--build-id=sha1 -Wl,-z,noseparate-code -o names names.c */
/* No library: all samples of user space are in functions of this file. */
#define OUT __attribute__((noinline, noclone))
static inline __attribute__((always_inline)) unsigned int inlined(unsigned int x)
{
	for (int i = 0; i < 100; i++)
		x = x * 1664525u + 1013904223u;
	return x;
}
OUT unsigned int heavy(unsigned int x)
{
	for (int i = 0; i < 300; i++)
		x ^= inlined(x);
	return x;
}
static OUT unsigned int hidden(unsigned int x)
{
	for (int i = 0; i < 100; i++)
		x += inlined(x);
	return x;
}
/* one place, several names: perf has its rules for which one it prints */
OUT unsigned int __aliased(unsigned int x)
{
	for (int i = 0; i < 60; i++)
		x -= inlined(x);
	return x;
}
unsigned int aliased(unsigned int x) __attribute__((weak, alias("__aliased")));
unsigned int aliased_long(unsigned int x) __attribute__((alias("__aliased")));
static unsigned int aliased_longest(unsigned int x) __attribute__((used, alias("__aliased")));
OUT unsigned int middle(unsigned int x)
{
	x = hidden(x) + 1;
	return __aliased(x) ^ x;
}
/* assembler without a type and a size */
unsigned int plain(unsigned int x);
__asm__(".text\nplain:\n\tmov $20000, %ecx\n1:\tdec %ecx\n\tjnz 1b\n\tmov %edi, %eax\n\tret\n\t.skip 32, 0x90\n");
__asm__(".text\n.globl sized\n.type sized, @function\nsized:\n\tmov $9000, %ecx\n2:\tdec %ecx\n\tjnz 2b\n\tmov %edi, %eax\n\tret\n.size sized, . - sized\n");
unsigned int sized(unsigned int x);
static __attribute__((noreturn, noinline)) void leave(void)
{
	__asm__ volatile("mov $231, %eax\n\txor %edi, %edi\n\tsyscall");
	__builtin_unreachable();
}
/* its last instruction is a call: the return address is behind it */
static __attribute__((noreturn, noinline)) void run(unsigned int x)
{
	for (int i = 0; i < ROUNDS; i++) {
		x = heavy(x);
		x = middle(x);
		x = plain(x);
		x = sized(x);
	}
	if (x == 42)
		heavy(x);
	leave();
}
__attribute__((force_align_arg_pointer)) void _start(void)
{
	run(1);
}
