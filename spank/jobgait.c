/*
 * SPANK plugin of jobgait: the option --jobgait of srun, sbatch and salloc.
 *
 * What the user wrote and LOADEDMODULES come in; SPANK_JOBGAIT and
 * SPANK_JOBGAIT_{APP,SIZE,COMMIT,LABELS,MODULES} in the environment of the
 * job's Prolog and Epilog go out
 * (slurm(5) spank.h, spank_job_control_setenv). It refuses nothing but a value
 * of --jobgait that is not understood: every callback returns success, so that
 * neither a fault here nor one in plugstack.conf stops a job or drains a node.
 *
 * The programs that load it bring the spank_ and slurm_ functions; it links no
 * Slurm library. `optional` is the word for it in plugstack.conf.
 */
#include <stdint.h> /* spank.h uses its types without including it */

#include "context.h"

SPANK_PLUGIN(jobgait, 1)

int slurm_spank_init(spank_t sp, int argc, char *argv[])
{
	switch (spank_context()) {
	case S_CTX_LOCAL:
	case S_CTX_ALLOCATOR:
		return client_init(sp, argc, argv);
	case S_CTX_REMOTE:
		return remote_init(sp);
	default:
		return ESPANK_SUCCESS;
	}
}

int slurm_spank_init_post_opt(spank_t sp, int argc, char *argv[])
{
	(void)argc;
	(void)argv;
	switch (spank_context()) {
	case S_CTX_LOCAL:
	case S_CTX_ALLOCATOR:
		return client_init_post_opt(sp);
	default:
		return ESPANK_SUCCESS;
	}
}
