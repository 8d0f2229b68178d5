# jobgait: `make demo` shows it, `make test` tests it; see README.md.

GO      ?= go
BIN     := build/bin
NO_CGO  := jobgait-prolog jobgait-agent
CGO     := jobgait-epilog jobgait
PREFIX  ?= /usr/local
SEED    ?= 1

# A Go that deps.sh fetched; and where go.dev says to put one, which sudo forgets.
export PATH := $(CURDIR)/build/go/bin:$(PATH):/usr/local/go/bin

.PHONY: all build deps demo test qemu fresh modern league soak reanalyse cluster cluster-down bench bench-quick bench-site fuzz tables docs install uninstall packages clean

all: build

# Go finds by itself what is up to date.
build: deps
	@mkdir -p $(BIN)
	CGO_ENABLED=0 $(GO) build -trimpath -o $(BIN)/jobgait-prolog ./prolog
	CGO_ENABLED=0 $(GO) build -trimpath -o $(BIN)/jobgait-agent ./agent
	@$(MAKE) -s $(BIN)/jobgait-nvml
	CGO_ENABLED=1 $(GO) build -trimpath -o $(BIN)/jobgait-epilog ./epilog
	CGO_ENABLED=1 $(GO) build -trimpath -o $(BIN)/jobgait ./reports/jobgait

# The reader of NVIDIA's GPUs needs no header and no library of theirs to be built.
$(BIN)/jobgait-nvml: agent/counter/gpu/nvml/nvml.c
	$(CC) -O2 -Wall -Wextra -o $@ $< -ldl

deps:
	@packaging/deps.sh

demo: build
	@packaging/demo/demo.sh $(BIN) build/demo

test: build
	@packaging/test.sh $(BIN)

# The counters on a PMU whose counts are known in advance; part of test.
qemu: deps
	@GO=$(GO) packaging/qemu/run.sh

# Both commands of the README in a new Debian without Go, by hand: SUITE=bookworm or another.
fresh:
	@packaging/fresh/fresh.sh $(or $(SUITE),trixie)

# jobgait on a virtual cluster of Debian 13, or of unstable with SUITE=sid; by hand.
modern: deps
	@GO=$(GO) packaging/modern/run.sh

# Real applications live, against their own logs, by hand and as root: 15 s to a
# minute each, quiet and crowded; goes on where it stopped (packaging/league).
# APPS=lammps-lj,xz takes some, BUDGET=0.5 is the cluster's, ROUNDS=2 runs each again.
league: build
	@$(GO) run ./packaging/league -bin $(BIN) -budget $(or $(BUDGET),3) -rounds $(or $(ROUNDS),1) -applications '$(APPS)'

# Users and faults against the hooks on a real Slurm, by hand and as root: 200 rounds
# take 40 minutes, and can be interrupted. One round of each is part of test.
soak: build
	JOBGAIT_LIVE=1 JOBGAIT_BIN=$(CURDIR)/$(BIN) $(GO) test -count=1 -run Live ./reports/jobgait
	JOBGAIT_ROUNDS=1000 $(GO) test -count=1 -run Exchanged ./epilog/deliver
	JOBGAIT_ROUNDS=10000 $(GO) test -count=1 -timeout 30m -run Damaged ./prolog ./epilog
	@cd packaging/testcluster && CPUS=4 JOBGAIT_CLUSTER=run JOBGAIT_SOAK=$(or $(ROUNDS),200) \
		JOBGAIT_BIN=$(CURDIR)/$(BIN) $(GO) test -count=1 -timeout 3h -run '^TestSoak$$'

# The history of RUNS=2000 runs of a real Slurm made anew from their archived profiles, also
# killed half way, by hand and as root: 20 minutes. 24 of them are part of test.
reanalyse: build
	@cd packaging/testcluster && CPUS=4 JOBGAIT_CLUSTER=run JOBGAIT_REANALYSE=$(or $(RUNS),2000) \
		JOBGAIT_BIN=$(CURDIR)/$(BIN) $(GO) test -count=1 -timeout 3h -run '^TestReanalyse$$'

cluster: build
	@packaging/testcluster/cluster.sh up

cluster-down:
	@packaging/testcluster/cluster.sh down

bench: deps
	$(GO) test -run '^$$' -bench . -benchtime 3x ./analysis/... ./agent/... ./prolog ./epilog/... ./reports/...

# The most telling of them, as ratios that two runs of one machine can be compared by.
bench-quick: deps
	@GO=$(GO) packaging/bench.sh

# A history of many runs (RUNS=10000000 takes 20 GB below TMPDIR), its bytes a run, what is put
# beside readers and the time of each question of the manual and of each verb; by hand. See
# analysis/history/MEASURED.md.
bench-site: build
	JOBGAIT_SITE_RUNS=$(or $(RUNS),640000) JOBGAIT_SITE_PROGRAM=$(abspath $(BIN))/jobgait $(GO) test -count=1 -v -timeout 5h -run '^TestSite$$' ./analysis/history

# Each fuzz target for a while; `packaging/fuzz.sh 1m configs` takes one package.
fuzz: deps
	@GO=$(GO) packaging/fuzz.sh

# What the analyses find and miss, on draws of our own: SEED=n draws others.
tables: deps
	$(GO) test ./analysis/scaling -run '^TestPrintTables$$' -v -count 1 -timeout 0 -args -tables averaged,splits -seed $(SEED)
	$(GO) run ./analysis/changepoint/experiment -seed $(SEED)
	$(GO) run ./analysis/changepoint/calibrate -seed $(SEED)

# Manual pages and completions, from what the programs and the sources say.
docs: build
	$(GO) run ./packaging/man $(BIN) $(BIN)/../share

install: build docs
	@DESTDIR='$(DESTDIR)' packaging/install.sh install $(BIN)/.. $(PREFIX)

uninstall:
	@DESTDIR='$(DESTDIR)' packaging/install.sh remove $(PREFIX)

# Two debs and two rpms in build/packages; the same bytes each time.
packages: deps
	@GO=$(GO) packaging/packages.sh build/packages

clean:
	rm -rf build
