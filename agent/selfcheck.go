package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/signal"

	"golang.org/x/sys/unix"

	"jobgait/agent/counter"
	"jobgait/agent/counter/kernel"
	"jobgait/agent/counter/perf"
	"jobgait/agent/job"
	"jobgait/agent/selfcheck"
	"jobgait/configs"
)

// check is the verb selfcheck: what a record costs on this node, and by how much
// the counters and code addresses that an exclusive job here would get slow a
// program down.
func check(o options, c configs.Config, stdout io.Writer) error {
	ctx, stop := signal.NotifyContext(context.Background(), unix.SIGINT, unix.SIGTERM)
	defer stop()
	h := host{proc: "/proc", sys: "/sys", open: perf.Open}
	p := selfcheck.Default()
	p.Virtual = kernel.Virtual(h.proc, h.sys)
	in, err := openInputs(h, job.Run{Exclusive: true}, c.Agent, nodePrices(c.Spool.Dir, h))
	if err != nil {
		return err
	}
	defer in.close()
	for _, s := range in.sources {
		if _, rings := s.(*perf.Counters); rings || s == counter.Source(in.code) {
			p.Sources = append(p.Sources, s)
		}
	}
	p.SourcesAre = fmt.Sprintf("counters at %g Hz and code addresses at %g Hz on every CPU (agent.budget_pct = %g)",
		1e9/float64(in.stepNS), in.rate.Hz, c.Agent.BudgetPct)
	r, err := selfcheck.Measure(ctx, h.open, p)
	if err != nil {
		if more := more(h); more != "" {
			err = fmt.Errorf("%w; %s", err, more)
		}
		return err
	}
	if err := show(r, o.json, stdout); err != nil || !o.store {
		return err
	}
	return keepMeasured(r, c.Spool.Dir)
}

// show writes the result as a paragraph or as JSON.
func show(r selfcheck.Result, asJSON bool, stdout io.Writer) error {
	if !asJSON {
		_, err := fmt.Fprintln(stdout, r)
		return err
	}
	e := json.NewEncoder(stdout)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

var errNoisy = errors.New("the interval is too wide to rest rates on, so nothing was stored; measure again when the node is idle")

// keepMeasured stores a result that rates may rest on.
func keepMeasured(r selfcheck.Result, spool string) error {
	m := measured{InterruptNS: r.CostNS.Value, CILoNS: r.CostNS.Lo, CIHiNS: r.CostNS.Hi, Level: r.Level, Pairs: r.Pairs}
	if !m.usable() {
		return errNoisy
	}
	return m.store(spool)
}
