package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"jobgait/agent/job/jobtest"
	"jobgait/analysis/history"
	"jobgait/analysis/run"
	"jobgait/analysis/summary"
)

// A sweep prints that it left the admin comment of another tool unchanged and succeeds: systemd counts the unit of a
// sweep that fails as failed.
func TestSweepBesideACommentOfAnotherTool(t *testing.T) {
	dir := t.TempDir()
	at := time.Now().Unix() - 3600
	sacct, manager := filepath.Join(dir, "sacct"), filepath.Join(dir, "sacctmgr")
	script := fmt.Sprintf("#!/bin/sh\ncase \"$*\" in\n*AdminComment*) echo '7|ticket 4711' ;;\n"+
		"*) echo '7|1001|%d|%d|COMPLETED|0:0|100|n1|u' ;;\nesac\n", at, at+60)
	settings := fmt.Sprintf("[spool]\ndir = \"%[1]s/spool\"\n[collect]\ndir = \"%[1]s/collect\"\naccount = \"\"\n"+
		"[history]\npath = \"%[1]s/history.db\"\n[slurm]\nscontrol = \"\"\nsacct = %[2]q\nsacctmgr = %[3]q\n"+
		"admin_comment = true\n", dir, sacct, manager)
	db, err := history.Open(t.Context(), filepath.Join(dir, "history.db"))
	if err != nil {
		t.Fatal(err)
	}
	stored := summary.Summary{Schema: summary.Schema, Key: run.Key{Cluster: "test", JobID: 7}, Start: float64(at),
		End: float64(at) + 60, ElapsedS: 60, State: "COMPLETED", Job: run.Job{User: "u", UID: 1001},
		Nodes: []summary.Node{{Name: "n1", Reported: true}}}
	if err := errors.Join(db.Put(t.Context(), stored, history.Ingest{}), db.Close(),
		jobtest.WriteProgram(sacct, []byte(script)),
		jobtest.WriteProgram(manager, []byte("#!/bin/sh\ntouch "+manager+".called\n"))); err != nil {
		t.Fatal(err)
	}
	status, out, complaint := call(t, environment(t, settings), "--sweep")
	if status != 0 || complaint != "" || strings.Count(out, "1 admin comment of other tools left unchanged") != 1 {
		t.Errorf("%d, %q, %q", status, out, complaint)
	}
	if _, err := os.Stat(manager + ".called"); err == nil {
		t.Error("sacctmgr was called")
	}
}
