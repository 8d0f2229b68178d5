#include "config.h"
#include "option.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* parse_hz reads 1 to OPTION_HZ_MAX. */
static int parse_hz(unsigned int *hz, const char *text)
{
	char *end;
	unsigned long n;

	/* strtoul accepts blanks and signs; a setting has neither. */
	if (*text < '0' || *text > '9')
		return -1;
	errno = 0;
	n = strtoul(text, &end, 10);
	if (errno || *end || n < 1 || n > OPTION_HZ_MAX)
		return -1;
	*hz = (unsigned int)n;
	return 0;
}

int config_parse(struct plugin_config *config, int argc, char *const argv[],
		 char *why, size_t why_size)
{
	int i, rv = 0;

	for (i = 0; i < argc; i++) {
		if (!strncmp(argv[i], "max_hz=", 7) &&
		    !parse_hz(&config->max_hz, argv[i] + 7))
			continue;
		if (rv == 0)
			snprintf(why, why_size,
				 "plugstack.conf: %.64s after jobgait.so is ignored: want max_hz=1..%u",
				 argv[i], OPTION_HZ_MAX);
		rv = -1;
	}
	return rv;
}
