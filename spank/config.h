/*
 * The arguments of the plugin's line in plugstack.conf, written by the
 * administrator.
 */
#ifndef JOBGAIT_CONFIG_H
#define JOBGAIT_CONFIG_H

#include <stddef.h>

struct plugin_config {
	/* Largest rate that users may ask for, in Hz. */
	unsigned int max_hz;
};

/*
 * CONFIG_DEFAULT allows 4000 Hz: 20 address samples of a CPU in each slot of
 * 5 ms, for about 5 % of its time in a virtual machine (12 us each).
 */
#define CONFIG_DEFAULT { .max_hz = 4000 }

/*
 * config_parse reads KEY=VALUE arguments. It returns 0, or -1 with the first
 * fault in why; what was right before and after it holds, because a slip of the
 * administrator must not stop anybody's job.
 */
int config_parse(struct plugin_config *config, int argc, char *const argv[],
		 char *why, size_t why_size);

#endif
