# What the tracers timerlat, osnoise and hwlat measured.  See README.md.
noinst_LIBRARIES += %D%/libnoise.a
%C%_libnoise_a_SOURCES = \
	%D%/noise.c %D%/noise.h \
	%D%/noise_columns.c \
	%D%/noise_lists.c \
	%D%/noise_private.h \
	%D%/noise_rtla.c
