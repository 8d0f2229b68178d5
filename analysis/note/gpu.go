package note

// What is not told of the job's GPUs.
const (
	GPUsWithheld Code = "gpus_withheld" // the job's GPUs were not recorded: they are not surely its own
	GPUsNotHeld  Code = "gpus_not_held" // no process of the job was seen to hold a GPU that it was given
	GPUsUnread   Code = "gpus_unread"   // the job's GPUs could not be read, or not to the end
	GPUUnproven  Code = "gpu_unproven"  // readings of GPUs are built to the documentation and were not checked on one
)
