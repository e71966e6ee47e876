# The Noise view.  See README.md.
noinst_LIBRARIES += %D%/libnoise.a
%C%_libnoise_a_SOURCES = %D%/view_noise.c
