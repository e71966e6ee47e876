# Names for addresses of user space.  See README.md.
noinst_LIBRARIES += %D%/libsymbols.a
%C%_libsymbols_a_CFLAGS = $(AM_CFLAGS) $(DW_CFLAGS)
%C%_libsymbols_a_SOURCES = \
	%D%/elf_helper.c %D%/elf_helper.h \
	%D%/elf_names.c %D%/elf_names.h \
	%D%/elf_wire.h \
	%D%/symbols.c %D%/symbols.h
