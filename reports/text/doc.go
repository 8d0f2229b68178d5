// Package text has the primitives of everything that jobgait prints: a page of
// lines of 80 columns, tables, wrapping and cutting by the columns that a terminal
// takes, spark lines of block characters, cleaning of text of users, and the
// sentences in which all reports state a period and its confidence.
//
// Values come in; text goes out. It knows nothing of runs, and it does not
// decide what is worth printing.
package text
