package note

// Notes on the job's GPUs.
const (
	GPUsWithheld Code = "gpus_withheld" // the job's GPUs were not recorded: it is not certain that they belong to it
	GPUsNotHeld  Code = "gpus_not_held" // no process of the job was seen holding a GPU that it was given
	GPUsUnread   Code = "gpus_unread"   // the job's GPUs could not be read, or not until the end
	GPUUnproven  Code = "gpu_unproven"  // readings follow the documentation, never checked on such a GPU
)
