/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clang-format off */
/*
 * request_list - every request, one entry each: its number, then the fields of struct
 * request_info.  request.h makes an enum of it, request.c a table.  The help shows the
 * requests of a group in the order of this list.
 */
REQUEST(REQ_BACK, "back", "q", GROUP_GENERAL,
	.help = "close what is on top; then back to where Enter came from; then quit")
REQUEST(REQ_QUIT, "quit", "Q F10", GROUP_GENERAL, .help = "quit; :q does the same")
REQUEST(REQ_CANCEL, "cancel", "Esc", GROUP_GENERAL,
	.help = "one layer a press: prompt, popup or pending key; running search; highlights. "
		"Never quits")
REQUEST(REQ_INTERRUPT, "interrupt", "^C", GROUP_GENERAL,
	.help = "as Esc; nothing to cancel: stop the recording; none: quit")
REQUEST(REQ_HELP, "help", "? F1", GROUP_GENERAL, .bar = "Help", .help = "this help; / finds in it")
/* REQ_VIEW_…: in the order of enum view_id */
REQUEST(REQ_VIEW_EVENTS, "view-events", "1", GROUP_GENERAL,
	.help = "Events, at the moment under the cursor")
REQUEST(REQ_VIEW_GRAPH, "view-graph", "2", GROUP_GENERAL, .help = "Graph: calls as a tree")
REQUEST(REQ_VIEW_TIMELINE, "view-timeline", "3", GROUP_GENERAL,
	.help = "Timeline: what CPUs and tasks did")
REQUEST(REQ_VIEW_LATENCY, "view-latency", "4", GROUP_GENERAL, .help = "Latency: what took longest")
REQUEST(REQ_VIEW_FUNCTIONS, "view-functions", "5", GROUP_GENERAL, .help = "Functions: their times")
REQUEST(REQ_VIEW_TASKS, "view-tasks", "6", GROUP_GENERAL, .help = "Tasks, CPUs and event types")
REQUEST(REQ_NEXT_LIST, "next-list", "Tab", GROUP_GENERAL,
	.help = "next list: all, then each instance or file by itself")
REQUEST(REQ_PREV_LIST, "prev-list", "S-Tab", GROUP_GENERAL, .help = "previous list")
REQUEST(REQ_CHOOSE_LIST, "choose-list", "o", GROUP_GENERAL, .choices = "acif",
	.letters = "list:  a all  c CPUs…  i instances…  f files…",
	.help = "a list directly: a all, c by CPU, i by instance, f by file")
REQUEST(REQ_ENTER, "enter", "Enter", GROUP_SHOW, .bar = "Fields",
	.help = "into the fields of the row: j k choose, Enter on a pid, address or time goes "
		"there, q out")
REQUEST(REQ_GO, "go", ":", GROUP_JUMP, .bar = "Go",
	.help = "go to a place: :12.345678 :+1ms :-20us :50% :#1000 :'c :@14:03:22, with cpu3 "
		"behind it on that CPU; or a command: :w FILE :e FILE :set :theme :filters :name NAME "
		":plot EVENT.FIELD :messages :q")
REQUEST(REQ_PLACE_BACK, "place-back", "( Backspace", GROUP_JUMP,
	.help = "back to before the last jump, filter, range or view")
REQUEST(REQ_PLACE_FORWARD, "place-forward", ")", GROUP_JUMP, .help = "forward again")
REQUEST(REQ_DOWN, "down", "j Down", GROUP_MOVE, .help = "a row down; the wheel too")
REQUEST(REQ_UP, "up", "k Up", GROUP_MOVE, .help = "a row up")
REQUEST(REQ_RIGHT, "right", "l Right", GROUP_MOVE,
	.help = "open the stack of this row; else text sideways")
REQUEST(REQ_LEFT, "left", "h Left", GROUP_MOVE,
	.help = "close the stack of this row; else text back")
REQUEST(REQ_PAGE_DOWN, "page-down", "PgDn Space ^F", GROUP_MOVE,
	.help = "a screen down (less's f is ^F)")
REQUEST(REQ_PAGE_UP, "page-up", "PgUp ^B", GROUP_MOVE, .help = "a screen up (less's b is ^B)")
REQUEST(REQ_HALF_DOWN, "half-down", "^D", GROUP_MOVE, .help = "half a screen down")
REQUEST(REQ_HALF_UP, "half-up", "^U", GROUP_MOVE, .help = "half a screen up")
REQUEST(REQ_FIRST, "first", "g Home", GROUP_MOVE, .help = "first row")
REQUEST(REQ_LAST, "last", "G End", GROUP_MOVE, .help = "last row")
REQUEST(REQ_SIDE_RIGHT, "side-right", ">", GROUP_MOVE, .help = "text half a screen to the right")
REQUEST(REQ_SIDE_LEFT, "side-left", "<", GROUP_MOVE, .help = "text half a screen to the left")
REQUEST(REQ_RESET, "reset", "0", GROUP_MOVE, .help = "text from its left, stacks closed")
REQUEST(REQ_MORE, "more", "+", GROUP_SHOW, .help = "more rows around each one that a filter keeps")
REQUEST(REQ_LESS, "less", "-", GROUP_SHOW, .help = "fewer")
REQUEST(REQ_SEARCH, "search", "/ F3", GROUP_FIND, .bar = "Search",
	.help = "text, or /regex/, in the line as shown; capitals count if there are any. "
		"Backward: / then N")
REQUEST(REQ_MATCH_NEXT, "match-next", "n", GROUP_FIND, .help = "next match")
REQUEST(REQ_MATCH_PREV, "match-prev", "N", GROUP_FIND, .help = "previous match")
REQUEST(REQ_SLOW_NEXT, "slow-next", "]", GROUP_JUMP, .bar = "Slower",
	.help = "next call of at least the threshold; where no calls were recorded, gap above a "
		"row")
REQUEST(REQ_SLOW_PREV, "slow-prev", "[", GROUP_JUMP, .help = "previous slow place")
REQUEST(REQ_THRESHOLD, "threshold", "T", GROUP_JUMP, .choices = "+!#*@$=wn",
	.letters = "slow: +10 µs  !100 µs  #1 ms  *10 ms  @100 ms  $1 s  = a time…  w wall  n net",
	.help = "how slow is slow: + ! # * @ $, or = and a time; w of the whole duration, n of "
		"the net time of calls, without interrupts and time off the CPU")
REQUEST(REQ_FILTER, "filter", "f F4 \\", GROUP_FILTER, .bar = "Filter",
	.help = "only rows for which an expression holds, while it is typed: sched_switch, pid == "
		"80 && cpu in 0-3; man ftop-trace tells the language, :filters those with names. Enter "
		"keeps it, empty drops it")
REQUEST(REQ_FILTER_ADD, "filter-add", "&", GROUP_FILTER,
	.help = "one more filter: rows that all of them keep")
REQUEST(REQ_FILTER_TOGGLE, "filter-toggle", "F", GROUP_FILTER,
	.help = "all filters off, and on again")
REQUEST(REQ_FILTER_DIM, "filter-dim", "z", GROUP_FILTER,
	.help = "dim the other rows, or hide them")
REQUEST(REQ_ONLY, "only", "i", GROUP_FILTER, .bar = "Only", .choices = "itpecfhv",
	.letters = "only:  i subject  t task  p process  e event  c CPU  f func  h irqs  v value",
	.help = "only what is like this row, written into the filter line: t the task, p its "
		"process (all tasks of its name where the trace does not tell that), e the event, c the "
		"CPU, f the function, h interrupts, v the value chosen among the fields; i what the row "
		"is about. A second value widens: pid in (15, 80)")
REQUEST(REQ_WITHOUT, "without", "x", GROUP_FILTER, .bar = "Without", .choices = "xtpecfhv",
	.letters = "without: x subject  t task  p process  e event  c CPU  f func  h irqs  v "
		"value", .help = "the same, without what is like this row")
REQUEST(REQ_PICK_TASK, "pick-task", "p", GROUP_FILTER, .bar = "Task…",
	.help = "one of all tasks, from a list that narrows while you type")
REQUEST(REQ_TRACK_NEXT, "track-next", "}", GROUP_JUMP, .views = "1235K", .bar = "Task",
	.help = "next event of this task")
REQUEST(REQ_TRACK_PREV, "track-prev", "{", GROUP_JUMP, .views = "1235K",
	.help = "previous event of this task")
REQUEST(REQ_SAME_NEXT, "same-next", "*", GROUP_JUMP, .views = "123", .bar = "Same",
	.help = "next event of this name")
REQUEST(REQ_SAME_PREV, "same-prev", "#", GROUP_JUMP, .views = "123",
	.help = "previous event of this name")
REQUEST(REQ_TROUBLE_NEXT, "trouble-next", "!", GROUP_JUMP, .bar = "Trouble",
	.help = "next lost events, damage, unknown event, clock going back; then round again")
REQUEST(REQ_RANGE, "range", "r", GROUP_MARK,
	.help = "take A–B, or the window, as range; again: the whole")
REQUEST(REQ_MARK_A, "mark-a", "a", GROUP_MARK, .help = "A here; on its own row: away")
REQUEST(REQ_MARK_B, "mark-b", "b", GROUP_MARK, .bar = "Mark",
	.help = "B here; A and B measure. Dragging sets both")
REQUEST(REQ_MARK, "mark", "m", GROUP_MARK, .any_letter = "az", .letters = "mark this row:  a…z",
	.help = "mark this row with a letter")
REQUEST(REQ_MARK_GO, "mark-go", "'", GROUP_MARK, .any_letter = "az", .choices = "'",
	.letters = "go to the mark:  a…z  ' the previous place",
	.help = "go to a mark; '' the previous place")
REQUEST(REQ_NOTE, "note", "\"", GROUP_MARK, .bar = "Note",
	.help = "a note on this row; empty: away")
REQUEST(REQ_MARK_LIST, "mark-list", "M", GROUP_MARK, .bar = "Marks", .help = "all marks and notes")
REQUEST(REQ_COMPARE, "compare", "=", GROUP_MARK, .views = "2456", .bar = "Compare",
	.help = "the call at A with this one; a table's range with the rest")
REQUEST(REQ_WAKER, "waker", "w", GROUP_JUMP, .views = "134", .bar = "Waker",
	.help = "where this task was woken")
REQUEST(REQ_WAKEE, "wakee", "W", GROUP_JUMP, .views = "134", .bar = "Wakee",
	.help = "where the task woken here runs")
REQUEST(REQ_FOLD_OPEN, "fold-open", "e", GROUP_SHOW, .views = "123",
	.help = "open the stack of this row")
REQUEST(REQ_FOLD_CLOSE, "fold-close", "c", GROUP_SHOW, .views = "123", .help = "close it")
REQUEST(REQ_OPEN_ALL, "open-all", "E", GROUP_SHOW, .views = "123", .help = "open all stacks")
REQUEST(REQ_CLOSE_ALL, "close-all", "C", GROUP_SHOW, .views = "123", .help = "close all stacks")
REQUEST(REQ_PARENT, "parent", "u", GROUP_MOVE, .views = "25", .bar = "Parent",
	.help = "the caller")
REQUEST(REQ_HEAVIEST, "heaviest", "L", GROUP_MOVE, .views = "25", .bar = "Heaviest",
	.help = "the child that took longest")
REQUEST(REQ_HOT_PATH, "hot-path", "H", GROUP_MOVE, .views = "25", .bar = "Hot path",
	.help = "down the heaviest children to where the time went")
REQUEST(REQ_KERNEL_TEXT, "kernel-text", "K", GROUP_SHOW, .views = "12K", .bar = "Kernel",
	.help = "the kernel's own text of this moment, and back")
REQUEST(REQ_PIN, "pin", "P", GROUP_SHOW, .views = "3", .bar = "Pin",
	.help = "this row to the top, and back")
REQUEST(REQ_SORT, "sort", "s F6", GROUP_SHOW, .views = "456", .bar = "Sort",
	.help = "choose the column to sort by")
REQUEST(REQ_SORT_INVERT, "sort-invert", "I", GROUP_SHOW, .views = "456",
	.help = "the other end first")
REQUEST(REQ_DETAIL, "detail", "d", GROUP_SHOW, .bar = "Detail",
	.help = "detail pane: larger, off, as at first")
REQUEST(REQ_COLUMNS, "columns", "v", GROUP_SHOW, .bar = "Columns", .help = "which columns")
REQUEST(REQ_TIME_FORMAT, "time-format", "t", GROUP_SHOW, .bar = "Time",
	.help = "next time format: absolute, since start, to the row above, since A, wall clock")
REQUEST(REQ_OPTIONS, "options", "O F2", GROUP_SHOW, .bar = "Options",
	.help = "theme, decimals, colours by, panes, ASCII, mouse")
REQUEST(REQ_SAVE, "save", "S", GROUP_KEEP, .bar = "Save", .choices = "ts",
	.letters = "save:  t text as seen  s session: marks, notes and filters beside the trace",
	.help = "S t: the range (else what the window shows) as text into a file; S s: marks, "
		"notes and filters beside the trace, for others")
REQUEST(REQ_COPY, "copy", "y", GROUP_KEEP, .choices = "yvsc",
	.letters = "copy:  y row  v value  s stack  c the command that prints this",
	.help = "y row, v value, s stack, c command: to the clipboard, over ssh too")
REQUEST(REQ_RECORD, "record", "R", GROUP_GENERAL,
	.help = "the record screen; there R starts: R R repeats the last recording")
REQUEST(REQ_RELOAD, "reload", "^R F5", GROUP_GENERAL,
	.help = "read the file again, :e does the same; marks and the place in time stay. :e "
		"FILE: another file")
REQUEST(REQ_REDRAW, "redraw", "^L", GROUP_GENERAL, .help = "draw the screen anew")
REQUEST(REQ_SUSPEND, "suspend", "^Z", GROUP_GENERAL, .help = "to the shell; fg comes back")
