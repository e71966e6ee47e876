# The interface of models that make lists.  See README.md.
noinst_LIBRARIES += %D%/libmodel.a
%C%_libmodel_a_SOURCES = %D%/list_run.c %D%/list_run.h %D%/list_source.c %D%/list_source.h
