/*
 * The value of --jobgait. Text that a user wrote comes in; what the Prolog and
 * Epilog are told goes out. Nothing here knows of Slurm, so that the parser is
 * tested by itself.
 */
#ifndef JOBGAIT_OPTION_H
#define JOBGAIT_OPTION_H

#include <stddef.h>

/*
 * The longest app=, size=, commit= or label= in bytes. They become part of a row's identity in
 * the history and stand in a report's head line: 64 is what fits there.
 */
#define OPTION_TEXT_MAX 64

/* The number of label= items that are kept. */
#define OPTION_LABELS_MAX 8

/* Digits of the largest rate that is ever accepted, and what fits in them. */
#define OPTION_HZ_DIGITS 5
#define OPTION_HZ_MAX 20000u

/* What the user asked for; an empty string is "said nothing". */
struct option_value {
	char sampling[OPTION_HZ_DIGITS + 1]; /* "off" or samples a second */
	char app[OPTION_TEXT_MAX + 1];
	char size[OPTION_TEXT_MAX + 1];
	char commit[OPTION_TEXT_MAX + 1];
	char names[sizeof("libraries")]; /* "all", "libraries" or "off" */
	char labels[OPTION_LABELS_MAX * (OPTION_TEXT_MAX + 1)]; /* NAME=VALUE,... */
};

/*
 * option_parse adds the comma-separated items of text to *value; what was said
 * last holds. It returns 0, or -1 with *value untouched and a reason for the
 * user in why.
 */
int option_parse(struct option_value *value, const char *text,
		 unsigned int max_hz, char *why, size_t why_size);

#endif
