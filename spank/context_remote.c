/*
 * slurmstepd: the client sends the option along with every step, and an option
 * that nobody registered there is a line in the log of each step. So it is
 * taken, and ignored: the Prolog knew it before there was a step.
 */
#include <stdint.h> /* spank.h uses its types without including it */

#include "context.h"

static int remote_option(int val, const char *optarg, int remote)
{
	(void)val;
	(void)optarg;
	(void)remote;
	return ESPANK_SUCCESS;
}

int remote_init(spank_t sp)
{
	static char name[] = "jobgait";
	static char usage[] = "performance report"; /* none is refused */
	struct spank_option option = {
		.name = name,
		.usage = usage,
		.has_arg = 1,
		.cb = remote_option,
	};

	if (spank_option_register(sp, &option) != ESPANK_SUCCESS)
		slurm_error("jobgait: cannot register the option --jobgait in slurmstepd: sampling is not affected");
	return ESPANK_SUCCESS;
}
