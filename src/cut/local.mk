# Writes a part of a trace as a trace.dat.  See README.md.
noinst_LIBRARIES += %D%/libcut.a
%C%_libcut_a_SOURCES = \
	%D%/cut.c %D%/cut.h
