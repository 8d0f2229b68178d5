package league

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// outcome is one run: what its log and what jobgait say of it. It is a file in the cache.
type outcome struct {
	Application string  `json:"application"`
	Crowded     bool    `json:"crowded"` // beside busy loops
	BudgetPct   float64 `json:"budget_pct"`
	Commit      string  `json:"commit"` // of the tree that ran, or judged again
	At          string  `json:"at"`
	Marks       marks   `json:"marks"`
	Answer      answer  `json:"answer"`
	// Seized is how many threads any process of the machine seized while it ran, nil if that was not counted.
	Seized *int `json:"seized,omitempty"`
}

// judge compares the answer of an outcome with its marks.
func (o outcome) judge(a application) judgement {
	return judge(o.Answer, intervals(o.Marks, a.levels))
}

// quiet reports whether the application got the CPU time that it could use.
func (o outcome) quiet(a application) bool { return o.Answer.CPUs >= .85*float64(a.ranks) }

// league is what all its runs share.
type league struct {
	bin, cache string
	budget     float64
	limit      time.Duration
	seizes     seizeCounter // the zero value does not count
}

// key names a run and its files in the cache.
func key(a application, crowded bool, budget float64, round int) string {
	beside := "quiet"
	if crowded {
		beside = "crowded"
	}
	return fmt.Sprintf("%s_%s_%g_%d", a.name, beside, budget, round)
}

// outcome returns the outcome in the cache; without one, or unless the earlier ones are requested, that of a
// new run.
func (l league) outcome(ctx context.Context, a application, crowded bool, round int, again bool) (outcome, error) {
	base := filepath.Join(l.cache, key(a, crowded, l.budget, round))
	var o outcome
	text, err := os.ReadFile(base + ".json")
	if err == nil {
		if err := json.Unmarshal(text, &o); err != nil {
			return o, fmt.Errorf("%s.json is damaged, remove it: %w", base, err)
		}
		if !again {
			return o, nil
		}
		o.Commit = commit()
		o.Answer, err = l.replay(ctx, base+".jgp")
	} else if again || !errors.Is(err, os.ErrNotExist) {
		return o, err
	} else if err = l.install(a.packages); err == nil {
		o, err = l.live(ctx, a, crowded, base)
	}
	if err == nil && len(a.levels) > 0 && len(intervals(o.Marks, a.levels)) == 0 {
		err = errors.New("its log has fewer than five marks: try a longer -limit")
	}
	if err != nil {
		return o, err
	}
	return o, o.save(base + ".json")
}

// save leaves an earlier file or a whole new one.
func (o outcome) save(path string) error {
	text, err := json.Marshal(o)
	if err != nil {
		return err
	}
	return errors.Join(os.WriteFile(path+".new", text, 0o644), os.Rename(path+".new", path))
}

// replay runs today's analysis on a profile.
func (l league) replay(ctx context.Context, profile string) (answer, error) {
	text, err := exec.CommandContext(ctx, filepath.Join(l.bin, "jobgait"), "replay", "--json", profile).Output()
	if err != nil {
		return answer{}, fmt.Errorf("jobgait replay %s: %w", profile, err)
	}
	return parseReport(text)
}

// install sees to Debian's packages of an application.
func (l league) install(packages string) error {
	script, err := filepath.Abs(filepath.Join(l.bin, "../../packaging/distribution.sh"))
	if err != nil {
		return err
	}
	cmd := exec.Command(script, strings.Fields(packages)...)
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	return cmd.Run() // what it could not do it has said
}

// lastLine is where most programs say why they failed.
func lastLine(text []byte) string {
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return lines[len(lines)-1]
}

// commit is that of this source tree, as far as git knows.
func commit() string {
	out, err := exec.Command("git", "describe", "--always", "--dirty").Output()
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(out))
}
