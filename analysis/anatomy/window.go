package anatomy

// Window is the mean of something over a stretch of time that ends at EndS, 0 to 1. It
// begins where the window before it ends, unless some are missing between.
type Window struct{ EndS, Mean float64 }
