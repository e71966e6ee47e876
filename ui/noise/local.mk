# The Noise view.  See README.md.
noinst_LIBRARIES += %D%/libnoise.a
%C%_libnoise_a_SOURCES = \
	%D%/noise_draw.c \
	%D%/noise_tables.c \
	%D%/view_noise.c %D%/view_noise.h
