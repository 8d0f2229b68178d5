package main

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"jobgait/agent/job/jobtest"
	"jobgait/configs"
)

// Damaged settings are used or refused with one line, and the Prolog returns, which is all that Slurm needs.
// Damaged paths may be anywhere: with those the Prolog is not called, because it would create a spool there.
func TestDamagedSettings(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	random := rand.New(rand.NewPCG(seed, 1))
	s := newSite(t, "", "")
	shipped, err := os.ReadFile("../configs/jobgait.toml")
	if err != nil {
		t.Fatal(err)
	}
	good := strings.Replace(string(shipped), `dir = "/var/spool/jobgait"`, `dir = "`+s.spool+`"`, 1)
	path := filepath.Join(s.dir, "etc", "jobgait.toml")
	env := map[string]string{"JOBGAIT_CONFIG": path}
	for name, value := range s.env {
		env[name] = value
	}
	getenv := func(name string) string { return env[name] }
	called, refused := 0, 0
	for range jobtest.Rounds(300) {
		text := jobtest.Mutate(random, good)
		s.write("etc/jobgait.toml", text, 0o644)
		cfg, err := configs.Load(getenv, "")
		if err != nil {
			refused++
			jobtest.CheckLogLine(t, "settings", err.Error())
		}
		if cfg.Spool.Dir != "" && cfg.Spool.Dir != s.spool {
			continue
		}
		called++
		var said strings.Builder
		runProlog(context.Background(), getenv, nil, &said)
		jobtest.CheckLogLine(t, "settings", said.String())
		if err != nil && said.Len() == 0 || strings.Contains(said.String(), "panic") {
			t.Fatalf("seed %d: said %q of\n%s", seed, said.String(), text)
		}
		s.checkInside("settings")
	}
	t.Logf("%d refused, %d given to the Prolog", refused, called)
	if called == 0 || refused == 0 {
		t.Errorf("seed %d: %d refused, %d given to the Prolog", seed, refused, called)
	}
}
