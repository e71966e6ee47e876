/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clang-format off */
/*
 * request_list - every request, one entry each: its number, then the fields of struct
 * request_info.  request.h makes an enum of it, request.c a table.  The help shows the
 * requests of a group in the order of this list.
 */
REQUEST(REQ_BACK, "back", "q", GROUP_GENERAL, .bar = "Quit",
	.help = "close what is on top, or end a comparison; else return to where Enter was "
		"pressed, or to the view that a jump left; else quit. A q too many on the way back does not quit")
REQUEST(REQ_QUIT, "quit", "Q F10", GROUP_GENERAL, .help = "quit, like :q")
REQUEST(REQ_CANCEL, "cancel", "Esc", GROUP_GENERAL,
	.help = "cancel one thing at a time: prompt, popup or pending key; running search; "
		"highlights. Never quits")
REQUEST(REQ_INTERRUPT, "interrupt", "^C", GROUP_GENERAL,
	.help = "cancel like Esc; if there is nothing to cancel, stop the recording; else a second "
		"^C quits")
REQUEST(REQ_HELP, "help", "? F1", GROUP_GENERAL, .bar = "Help",
	.help = "show this help; / searches it")
REQUEST(REQ_VIEW, "view", "1 2 3 4 5 6 7 8 9 B", GROUP_GENERAL,
	.help = "show a view, at the moment under the cursor")
REQUEST(REQ_VIEW_LIST, "view-list", "V", GROUP_GENERAL, .bar = "Views",
	.help = "list all views: what each shows, and whether the trace has it. They open at the "
		"moment under the cursor")
REQUEST(REQ_SPLIT, "split", "|", GROUP_GENERAL, .bar = "Split",
	.help = "show two views, one above the other, or one again; Timeline and Events belong "
		"together. Needs 160 columns or 40 rows; with both, two are shown at first")
REQUEST(REQ_FOCUS, "focus", "` ^W", GROUP_GENERAL,
	.help = "with two views, move the focus to the other one, like its digit or a click")
REQUEST(REQ_NEXT_LIST, "next-list", "Tab", GROUP_GENERAL,
	.help = "show the next list: all, then each instance or file by itself")
REQUEST(REQ_PREV_LIST, "prev-list", "S-Tab", GROUP_GENERAL, .help = "show the previous list")
REQUEST(REQ_CHOOSE_LIST, "choose-list", "o", GROUP_GENERAL, .choices = "acif",
	.letters = "list:  a all  c CPUs…  i instances…  f files…",
	.help = "choose a list: a all, c by CPU, i by instance, f by file")
REQUEST(REQ_ENTER, "enter", "Enter", GROUP_SHOW, .bar = "Fields",
	.help = "choose a field of the row: j k move; Enter on a pid, address or time goes there; "
		"q leaves")
REQUEST(REQ_GO, "go", ":", GROUP_JUMP, .bar = "Go",
	.help = "go to a place: :12.345678 :+1ms :-20us :50% :#1000 :'c :@14:03:22, on one CPU if "
		"cpu3 follows, in a task's row if pid80 does. Run a command (Tab lists them): :w FILE :e FILE :set :theme "
		":filters :name NAME :plot EVENT.FIELD :count EVENT by FIELD :pair :messages :q")
REQUEST(REQ_PLACE_BACK, "place-back", "( Backspace", GROUP_JUMP,
	.help = "go back to before the last jump, filter, range or view")
REQUEST(REQ_PLACE_FORWARD, "place-forward", ")", GROUP_JUMP, .help = "go forward again")
REQUEST(REQ_DOWN, "down", "j Down", GROUP_MOVE, .help = "move a row down; so does the wheel")
REQUEST(REQ_UP, "up", "k Up", GROUP_MOVE, .help = "move a row up")
REQUEST(REQ_RIGHT, "right", "l Right", GROUP_MOVE,
	.help = "open the stack of this row; else scroll the text right")
REQUEST(REQ_LEFT, "left", "h Left", GROUP_MOVE,
	.help = "close the stack of this row; else scroll the text left")
REQUEST(REQ_PAGE_DOWN, "page-down", "PgDn Space ^F", GROUP_MOVE,
	.help = "move a screen down (f of less is ^F)")
REQUEST(REQ_PAGE_UP, "page-up", "PgUp ^B", GROUP_MOVE, .help = "move a screen up (b of less is ^B)")
REQUEST(REQ_HALF_DOWN, "half-down", "^D", GROUP_MOVE, .help = "move half a screen down")
REQUEST(REQ_HALF_UP, "half-up", "^U", GROUP_MOVE, .help = "move half a screen up")
REQUEST(REQ_FIRST, "first", "g Home", GROUP_MOVE, .help = "go to the first row")
REQUEST(REQ_LAST, "last", "G End", GROUP_MOVE, .help = "go to the last row")
REQUEST(REQ_SIDE_RIGHT, "side-right", ">", GROUP_MOVE,
	.help = "scroll the text right by half a screen")
REQUEST(REQ_SIDE_LEFT, "side-left", "<", GROUP_MOVE,
	.help = "scroll the text left by half a screen")
REQUEST(REQ_RESET, "reset", "0", GROUP_MOVE,
	.help = "scroll the text back to its start and close all stacks")
REQUEST(REQ_MORE, "more", "+", GROUP_SHOW,
	.help = "show more rows around each row that the filter keeps")
REQUEST(REQ_LESS, "less", "-", GROUP_SHOW, .help = "show fewer rows around it")
REQUEST(REQ_SEARCH, "search", "/ F3", GROUP_FIND, .bar = "Search",
	.help = "find text or /regex/ in the lines as shown; case matters if there is a capital. "
		"To search backward: / then N")
REQUEST(REQ_MATCH_NEXT, "match-next", "n", GROUP_FIND, .help = "go to the next match")
REQUEST(REQ_MATCH_PREV, "match-prev", "N", GROUP_FIND, .help = "go to the previous match")
REQUEST(REQ_SLOW_NEXT, "slow-next", "]", GROUP_JUMP, .bar = "Next slow",
	.help = "go to the next of what T chose: at first, the next call at or above the threshold; "
		"without recorded calls, the next row that is at least the threshold after the row "
		"above it")
REQUEST(REQ_SLOW_PREV, "slow-prev", "[", GROUP_JUMP, .help = "go to the previous one")
REQUEST(REQ_THRESHOLD, "threshold", "T", GROUP_JUMP, .bar = "Next what", .choices = "+!#*@$=wnte",
	.letters = "next:  t task  e event  +10µs !100µs #1ms *10ms @100ms $1s =…  w wall  n net",
	.help = "choose what ] and [ go to: t the next event of this task (Graph: the next call of "
		"the same caller; Timeline: the next change in this row), e the next one of this "
		"name (Graph: of this function; Timeline: the next run of this task), or what is "
		"slow: + ! # * @ $, or = and a time; n compares net times of calls, without "
		"interrupts and time off the CPU (at first, where they are known), w whole durations")
REQUEST(REQ_FILTER, "filter", "f F4 \\", GROUP_FILTER, .bar = "Filter",
	.help = "filter rows while you type: sched_switch, pid == 80 && cpu in 0-3. Enter keeps "
		"the filter, an empty line removes it. man ftop-trace-filter describes the "
		"language, :filters lists filters with names")
REQUEST(REQ_FILTER_ADD, "filter-add", "&", GROUP_FILTER,
	.help = "add a filter: rows must match all of them")
REQUEST(REQ_FILTER_TOGGLE, "filter-toggle", "F", GROUP_FILTER,
	.help = "switch all filters off, or on again")
REQUEST(REQ_FILTER_DIM, "filter-dim", "z", GROUP_FILTER,
	.help = "dim the rows that do not match, or hide them")
REQUEST(REQ_ONLY, "only", "i", GROUP_FILTER, .bar = "Keep", .choices = "itpecfhv",
	.letters = "keep:  i subject  t task  p process  e event  c CPU  f func  h irqs  v value",
	.help = "keep only rows like this one: t its task, p its process (all tasks of its name if "
		"the trace does not record that), e its event, c its CPU, f its function, h "
		"interrupts, v the chosen field's value; i what the row is about. A second value "
		"widens the filter: pid in (15, 80)")
REQUEST(REQ_WITHOUT, "without", "x", GROUP_FILTER, .bar = "Hide", .choices = "xtpecfhv",
	.letters = "hide:  x subject  t task  p process  e event  c CPU  f func  h irqs  v value",
	.help = "hide rows like this one; the letters are those of i, and x is what the row is about")
REQUEST(REQ_PICK_TASK, "pick-task", "p", GROUP_FILTER, .bar = "Task",
	.help = "choose a task from a list that narrows while you type")
REQUEST(REQ_TRACK_NEXT, "track-next", "}", GROUP_JUMP, .views = "1235K", .bar = "Task",
	.aliased = "1235K",
	.help = "go to the next event of this task")
REQUEST(REQ_TRACK_PREV, "track-prev", "{", GROUP_JUMP, .views = "1235K", .aliased = "1235K",
	.help = "go to the previous event of this task")
REQUEST(REQ_SAME_NEXT, "same-next", "*", GROUP_JUMP, .views = "1239", .bar = "Same",
	.aliased = "123",
	.help = "go to the next event of this name")
REQUEST(REQ_SAME_PREV, "same-prev", "#", GROUP_JUMP, .views = "123", .aliased = "123",
	.help = "go to the previous event of this name")
REQUEST(REQ_TROUBLE_NEXT, "trouble-next", "!", GROUP_JUMP, .bar = "Problem",
	.help = "go to the next problem: lost events, damage, an unknown event, a clock that goes "
		"back. After the last comes the first; if there is none, say how many switches are "
		"missing")
REQUEST(REQ_RANGE, "range", "r", GROUP_MARK,
	.help = "set the range to A–B; without these, to the window on the screen (a table has "
		"none); again sets it to the whole trace")
REQUEST(REQ_MARK_A, "mark-a", "a", GROUP_MARK,
	.help = "set mark A at the cursor; again moves it to where the call, run or wait under the "
		"cursor begins; a third time removes it")
REQUEST(REQ_MARK_B, "mark-b", "b", GROUP_MARK, .bar = "Mark",
	.help = "set mark B, to measure from A; again moves it to where the call, run or wait "
		"ends; a third time removes it. Dragging sets both")
REQUEST(REQ_MARK, "mark", "m", GROUP_MARK, .any_letter = "az", .letters = "mark this row:  a…z",
	.help = "mark this row with a letter")
REQUEST(REQ_MARK_GO, "mark-go", "'", GROUP_MARK, .any_letter = "az", .choices = "'",
	.letters = "go to the mark:  a…z  ' the previous place",
	.help = "go to a mark; '' goes to the previous place")
REQUEST(REQ_NOTE, "note", "\"", GROUP_MARK, .bar = "Note",
	.help = "write a note on this row; an empty one removes it")
REQUEST(REQ_MARK_LIST, "mark-list", "M", GROUP_MARK, .bar = "Marks",
	.help = "list all marks and notes")
REQUEST(REQ_COMPARE, "compare", "=", GROUP_MARK, .views = "2456789B", .bar = "Compare",
	.help = "compare this call with the one at A; in a table, the range with the rest of the "
		"trace, or of several files one with the next")
REQUEST(REQ_WAKER, "waker", "w", GROUP_JUMP, .views = "134", .bar = "Waker",
	.help = "go to where this task was woken")
REQUEST(REQ_WAKEE, "wakee", "W", GROUP_JUMP, .views = "134", .bar = "Woken",
	.help = "go to where the task woken here runs")
REQUEST(REQ_WHY, "why", "Y", GROUP_SHOW, .bar = "Why",
	.help = "show as a tree where the time of the call, system call, run, wait or sleep under "
		"the cursor went; on A or B: the time from A to B. If another task woke it, that "
		"task's time follows. Enter shows it in Timeline, with the parts in a row")
REQUEST(REQ_FOLD_OPEN, "fold-open", "e", GROUP_SHOW, .views = "123569",
	.help = "open the stack of this row, or close it")
REQUEST(REQ_FOLD_CLOSE, "fold-close", "c", GROUP_SHOW, .views = "123569", .aliased = "123569",
	.help = "close the stack of this row")
REQUEST(REQ_OPEN_ALL, "open-all", "E", GROUP_SHOW, .views = "123569",
	.help = "open all stacks; again closes them")
REQUEST(REQ_CLOSE_ALL, "close-all", "C", GROUP_SHOW, .views = "123569", .aliased = "123569",
	.help = "close all stacks")
REQUEST(REQ_PARENT, "parent", "u", GROUP_MOVE, .views = "25", .bar = "Parent",
	.help = "go to the caller")
REQUEST(REQ_HEAVIEST, "heaviest", "L", GROUP_MOVE, .views = "25", .bar = "Heaviest",
	.help = "go to the child that took longest")
REQUEST(REQ_HOT_PATH, "hot-path", "H", GROUP_MOVE, .views = "245", .bar = "Hot path",
	.help = "follow the heaviest children down to where the time went; for waits, "
		"show what the CPUs did meanwhile")
REQUEST(REQ_KERNEL_TEXT, "kernel-text", "K", GROUP_SHOW, .views = "12K", .bar = "Kernel",
	.help = "switch to the kernel's own text of this moment, and back")
REQUEST(REQ_PIN, "pin", "P", GROUP_SHOW, .views = "3", .bar = "Pin",
	.help = "pin this row at the top, or unpin it")
REQUEST(REQ_SORT, "sort", "s F6", GROUP_SHOW, .views = "456789B", .bar = "Sort",
	.help = "choose the column to sort by")
REQUEST(REQ_SORT_INVERT, "sort-invert", "I", GROUP_SHOW, .views = "456789B",
	.help = "reverse the order")
REQUEST(REQ_DETAIL, "detail", "d", GROUP_SHOW, .bar = "Detail",
	.help = "change the detail pane: larger, off, as at first")
REQUEST(REQ_COLUMNS, "columns", "v", GROUP_SHOW, .bar = "Columns", .help = "choose the columns")
REQUEST(REQ_TIME_FORMAT, "time-format", "t", GROUP_SHOW, .bar = "Time",
	.help = "change the time format: absolute, since start, since the row above, since A, wall "
		"clock")
REQUEST(REQ_OPTIONS, "options", "O F2", GROUP_SHOW, .bar = "Options",
	.help = "set options: theme, decimals, colours, panes, ASCII, mouse")
REQUEST(REQ_SAVE, "save", "S", GROUP_KEEP, .bar = "Save", .choices = "tcjdps",
	.letters = "save:  t text  c CSV  j JSON  d trace.dat  p Perfetto  s session: marks",
	.help = "save: S t as text: the range; without one, all rows that the filter keeps; without "
		"a filter, those on screen. In a table, S t, S c and S j save all its rows as text, "
		"CSV or JSON, with the columns of the commands. S p saves these events and calls as "
		"a trace of Perfetto; in a table, those of the whole trace. S d saves what the "
		"filter keeps, in the range or the whole trace, as a trace.dat. S s saves marks, "
		"notes and filters in a file beside the trace, for others")
REQUEST(REQ_COPY, "copy", "y", GROUP_KEEP, .choices = "yvscl",
	.letters = "copy:  y row  v value  s stack  c command to print this  l to open it",
	.help = "copy to the clipboard, also over ssh: y row, v value, s stack, c the command that "
		"prints this, l the command that opens the browser here, for a mail")
REQUEST(REQ_RECORD, "record", "R", GROUP_GENERAL, .bar = "Record",
	.help = "open the record screen; R there starts, so R R repeats the last recording")
REQUEST(REQ_OTHER_FILE, "other-file", "D", GROUP_GENERAL,
	.help = "in a latency tracer's recording, show the other file: t.dat has the kernel's text "
		"of the maximum, t.max.dat its records")
REQUEST(REQ_RELOAD, "reload", "^R F5", GROUP_GENERAL,
	.help = "read the file again, like :e; marks and the place in time stay. :e FILE opens "
		"another file")
REQUEST(REQ_REDRAW, "redraw", "^L", GROUP_GENERAL, .help = "redraw the screen")
REQUEST(REQ_SUSPEND, "suspend", "^Z", GROUP_GENERAL, .help = "suspend to the shell; fg returns")
