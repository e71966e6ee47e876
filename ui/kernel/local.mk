# The view of the kernel's text.  See README.md.
noinst_LIBRARIES += %D%/libkernel.a
%C%_libkernel_a_SOURCES = \
	%D%/view_kernel.c
