package main

import (
	"encoding/json"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// treeVerb prints all verbs as JSON, for packaging/man. The library's own pages
// take the help texts for Markdown, which they are not, and need two more modules.
const treeVerb = "__verbs"

// verbTree is a verb as its help has it.
type verbTree struct {
	Name    string     `json:"name"`
	Use     string     `json:"use"` // name and arguments
	Short   string     `json:"short"`
	Long    string     `json:"long"`
	Example string     `json:"example"`
	Topic   bool       `json:"topic"` // a text to read, which does nothing
	Flags   []verbFlag `json:"flags"`
	Verbs   []verbTree `json:"verbs"`
}

type verbFlag struct {
	Name      string `json:"name"`
	Shorthand string `json:"shorthand"`
	Value     string `json:"value"` // what its value is, "" for a switch
	Usage     string `json:"usage"`
	Default   string `json:"default"`
}

func treeCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{Use: treeVerb, Hidden: true, Args: cobra.NoArgs, RunE: func(cmd *cobra.Command, _ []string) error {
		return json.NewEncoder(cmd.OutOrStdout()).Encode(treeOf(root))
	}}
}

func treeOf(c *cobra.Command) verbTree {
	t := verbTree{Name: c.Name(), Use: c.UseLine(), Short: c.Short, Long: c.Long, Example: c.Example,
		Topic: c.IsAdditionalHelpTopicCommand(), Flags: []verbFlag{}, Verbs: []verbTree{}}
	c.InitDefaultHelpFlag()
	c.InitDefaultVersionFlag()
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			value, usage := pflag.UnquoteUsage(f)
			t.Flags = append(t.Flags, verbFlag{f.Name, f.Shorthand, value, usage, f.DefValue})
		}
	})
	for _, sub := range c.Commands() {
		if !sub.Hidden {
			t.Verbs = append(t.Verbs, treeOf(sub))
		}
	}
	return t
}
