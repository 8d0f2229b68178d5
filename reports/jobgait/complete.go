package main

import "github.com/spf13/cobra"

// complete tells shells what the flags of the verbs may be, and that job ids are no
// files.
func complete(root *cobra.Command) {
	words := map[string][]string{
		"metric": {"step_s", "elapsed_s", "cpu_s", "step_cpu_s", "step_wait_s", "startup_s", "checkpoint_s", "energy_j"},
		"t-unit": {"day", "s"}, "join": {"day", "scale", joinNone}, "mode": {"strong", "weak"},
		"names":     {"all", "libraries", "off"},
		"parameter": {"nodes", "tasks", "size"}, "extra-p": {"text", "json", "jsonl"},
	}
	methods := map[string][]string{"changes": {"sequential", "paper"}, "periods": {"track", "paper"}, "scaling": {"likelihood", "paper", "extra-p"}}
	for _, c := range root.Commands() {
		words["method"] = methods[c.Name()]
		for flag, list := range words {
			if c.Flags().Lookup(flag) != nil {
				// It fails where a flag is not there or has its words already.
				_ = c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(list, cobra.ShellCompDirectiveNoFileComp))
			}
		}
		if c.Name() == "show" || c.Name() == "list" {
			c.ValidArgsFunction = cobra.NoFileCompletions
		}
	}
}
