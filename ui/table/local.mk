# One table for all lists of rows: cursor, order, columns, mouse.  See README.md.
noinst_LIBRARIES += %D%/libtable.a
%C%_libtable_a_SOURCES = \
	%D%/folds.c %D%/folds.h \
	%D%/table.c %D%/table.h \
	%D%/table_cells.c \
	%D%/table_draw.c
