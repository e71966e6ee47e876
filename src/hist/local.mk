# Histograms that the kernel counts.  See README.md.
noinst_LIBRARIES += %D%/libhist.a
%C%_libhist_a_SOURCES = \
	%D%/hist.c %D%/hist.h
