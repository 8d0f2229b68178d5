// Package text has the building blocks of everything that jobgait prints: a page of lines of 80 columns,
// tables, wrapping and cutting by terminal columns, spark lines of block characters, cleaning of text of users,
// and the sentences in which all reports state a period and its confidence.
//
// It does not depend on runs and does not decide what is printed.
package text
