# The view of models that make lists.  See README.md.
noinst_LIBRARIES += %D%/liblists.a
%C%_liblists_a_SOURCES = %D%/view_list.c %D%/view_list.h
