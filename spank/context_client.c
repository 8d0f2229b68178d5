/*
 * srun ("local"), sbatch and salloc ("allocator"): check the option while the
 * user can still correct it, and put it into the job control environment,
 * which Slurm gives to the job's Prolog and Epilog on every node with SPANK_
 * before each name.
 */
#include <stdint.h> /* spank.h uses its types without including it */
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "context.h"
#include "option.h"

/* The longest list of modules that is passed on, in bytes. */
#define MODULES_MAX 4096

/*
 * The SPANK option callback gets no argument of ours, so what it learns stays
 * here until init_post_opt. The command loads the plugin once and is done.
 */
static struct plugin_config config = CONFIG_DEFAULT;
static struct option_value chosen;

static int client_option(int val, const char *optarg, int remote)
{
	char why[160];

	(void)val;
	if (remote || !option_parse(&chosen, optarg, config.max_hz, why, sizeof(why)))
		return ESPANK_SUCCESS;
	slurm_error("jobgait: --jobgait: %s", why);
	return ESPANK_BAD_ARG;
}

int client_init(spank_t sp, int argc, char *argv[])
{
	static char name[] = "jobgait";
	static char arginfo[] = "off|HZ|app=NAME|size=TEXT|commit=ID|names=off|label=NAME=VALUE";
	static char usage[] = "performance report: none, rate of code-address "
			      "samples, or how earlier runs are matched "
			      "(repeat, or separate by commas)";
	struct spank_option option = {
		.name = name,
		.arginfo = arginfo,
		.usage = usage,
		.has_arg = 1,
		.cb = client_option,
	};
	char why[160];

	if (config_parse(&config, argc, argv, why, sizeof(why)))
		slurm_error("jobgait: %s", why);
	if (spank_option_register(sp, &option) != ESPANK_SUCCESS)
		slurm_error("jobgait: cannot register the option --jobgait: this command has no such option");
	return ESPANK_SUCCESS;
}

/* hand_over sets one variable for the hooks, unless nothing was said. */
static void hand_over(spank_t sp, const char *name, const char *value)
{
	if (*value && spank_job_control_setenv(sp, name, value, 1) != ESPANK_SUCCESS)
		slurm_error("jobgait: cannot pass %s to the job's Prolog: it has no effect on this job", name);
}

/*
 * hand_over_modules tells which environment modules were loaded: the history
 * names what else changed when runs became slower. The list is cut off at a
 * length that no honest one has.
 */
static void hand_over_modules(spank_t sp)
{
	const char *loaded = getenv("LOADEDMODULES");
	size_t n = loaded ? strlen(loaded) : 0, i;

	if (n == 0 || n > MODULES_MAX)
		return;
	for (i = 0; i < n; i++)
		if (loaded[i] <= ' ' || loaded[i] > '~')
			return;
	hand_over(sp, "JOBGAIT_MODULES", loaded);
}

int client_init_post_opt(spank_t sp)
{
	hand_over(sp, "JOBGAIT", chosen.sampling);
	hand_over(sp, "JOBGAIT_APP", chosen.app);
	hand_over(sp, "JOBGAIT_SIZE", chosen.size);
	hand_over(sp, "JOBGAIT_COMMIT", chosen.commit);
	hand_over(sp, "JOBGAIT_NAMES", chosen.names);
	hand_over(sp, "JOBGAIT_LABELS", chosen.labels);
	hand_over_modules(sp);
	return ESPANK_SUCCESS;
}
