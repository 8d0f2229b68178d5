package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"

	"jobgait/agent/as"
	"jobgait/agent/job"
	"jobgait/agent/names"
	"jobgait/agent/peek"
	"jobgait/agent/stack"
	"jobgait/analysis/note"
	"jobgait/configs"
)

const usage = `usage: jobgait-agent --run-dir DIR [--lock-fd N]
       jobgait-agent probe [--json | --gpu]
       jobgait-agent --help | --version

With --run-dir it samples one run on this node until it is stopped (TERM or
INT); the Prolog starts it in this way. DIR contains env.json; the agent creates
agent.pid, ready and profile.jgp in it.

probe opens and reads every counter that this program knows. For each it prints
its source on this node, or why it is not available, and which setting would
give more. With --gpu it reads the node's GPUs for some seconds and prints the
cost of each call, how often values change and which may be read. It has been
run on an H100 and an H200; the output for other GPUs is of interest.

Exit status: 0 success, 1 failure, 2 wrong arguments.
`

// options are the parsed arguments of the command line.
type options struct {
	verb   string // "sample", "probe", "help" or "version"
	dir    job.RunDir
	lockFD int
	json   bool
	gpu    bool
}

// parseOptions parses the arguments of the command line. The first one is the verb, unless it begins with "-"; then
// the verb is "sample", which needs --run-dir. --help and --version replace the verb. An error has one line.
func parseOptions(args []string) (options, error) {
	o := options{verb: "sample"}
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		o.verb, args = args[0], args[1:]
	}
	f := flag.NewFlagSet("jobgait-agent", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	dir, version := "", false
	switch o.verb {
	case "sample":
		f.StringVar(&dir, "run-dir", "", "")
		f.IntVar(&o.lockFD, "lock-fd", -1, "")
		f.BoolVar(&version, "version", false, "")
	case "probe":
		f.BoolVar(&o.json, "json", false, "")
		f.BoolVar(&o.gpu, "gpu", false, "")
	default:
		return o, fmt.Errorf("unknown verb %.40q: want probe, or --run-dir DIR", o.verb)
	}
	err := f.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		o.verb = "help"
		return o, nil
	case err != nil:
		return o, fmt.Errorf("%w (see --help)", err)
	case f.NArg() > 0:
		return o, fmt.Errorf("unexpected argument %.40q (see --help)", f.Arg(0))
	case version:
		o.verb = "version"
		return o, nil
	case o.json && o.gpu:
		return o, errors.New("--gpu prints text only: leave out --gpu or --json")
	case o.verb == "sample" && dir == "":
		return o, errors.New("--run-dir is missing (see --help)")
	}
	o.dir = job.RunDir(dir)
	return o, nil
}

// runAgent runs the program and returns its exit status: 0 for success, 1 for a failure, 2 for wrong arguments. If
// the first argument is the verb of a child process (children), it serves that verb instead of parsing options.
func runAgent(args []string, getenv func(string) string, stdout, stderr io.Writer) int {
	log := func(err error) { fmt.Fprintf(stderr, "jobgait-agent: %s\n", note.Line(err.Error(), 2000)) }
	if children := children(); len(args) > 0 && children[args[0]] != nil {
		runtime.GOMAXPROCS(1)
		if _, err := children.Serve(context.Background(), args, os.Stdin, stdout); err != nil {
			log(err)
			return 1
		}
		return 0
	}
	o, err := parseOptions(args)
	if err != nil {
		log(err)
		return 2
	}
	switch o.verb {
	case "help":
		_, err = io.WriteString(stdout, usage)
	case "version":
		_, err = fmt.Fprintln(stdout, "jobgait-agent", configs.Version)
	case "probe":
		err = probe(o, stdout)
	default:
		err = runSampling(o, getenv, log)
	}
	if err != nil {
		log(err)
		return 1
	}
	return 0
}

// children returns the functions that this program runs as a child process (package as): reading other
// processes, where reads may hang, finding function names, copying and unwinding stacks, and starting the
// site's program.
func children() as.Handlers {
	return as.Handlers{as.Peek: peek.Serve("/proc"), as.Names: names.Serve, as.OnStall: becomeProgram,
		as.CopyStacks: stack.ServeCopyStacks, as.UnwindStacks: stack.ServeUnwindStacks}
}
