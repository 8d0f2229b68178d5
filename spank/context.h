/*
 * What the plugin does in each SPANK context. Contexts that are not here
 * (slurmd, job_script) need nothing: the Prolog and Epilog programs get what
 * they need in their environment, and a job_prolog callback would cost each job
 * two more processes (40 ms measured) and one more way to fail.
 */
#ifndef JOBGAIT_CONTEXT_H
#define JOBGAIT_CONTEXT_H

#include <slurm/spank.h>

/* srun, sbatch and salloc: context_client.c */
int client_init(spank_t sp, int argc, char *argv[]);
int client_init_post_opt(spank_t sp);

/* slurmstepd: context_remote.c */
int remote_init(spank_t sp);

#endif
