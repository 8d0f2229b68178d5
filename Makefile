# jobgait: `make demo` shows it, `make test` tests it; see README.md. Suites that take long are in packaging/Makefile.

GO      ?= go
BIN     := build/bin
NO_CGO  := jobgait-prolog jobgait-agent
CGO     := jobgait-epilog jobgait
PREFIX  ?= /usr/local
SEED    ?= 1

# A Go that deps.sh fetched; and where go.dev says to put one, which sudo forgets.
export PATH := $(CURDIR)/build/go/bin:$(PATH):/usr/local/go/bin

.PHONY: all build deps demo test cluster cluster-down bench-quick fuzz tables docs install uninstall packages clean

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

cluster: build
	@packaging/testcluster/cluster.sh up

cluster-down:
	@packaging/testcluster/cluster.sh down

# The most telling benchmarks, as ratios that two runs of one machine can be compared by.
bench-quick: deps
	@GO=$(GO) packaging/bench.sh

# Each fuzz target for a while; `packaging/fuzz.sh 1m configs` takes one package.
fuzz: deps
	@GO=$(GO) packaging/fuzz.sh

# What the analyses find and miss, on draws of our own: SEED=n draws others.
tables: deps
	$(GO) test ./analysis/scaling -run '^TestPrintTables$$' -v -count 1 -timeout 0 -args -tables averaged,splits -seed $(SEED)
	$(GO) test ./analysis/changepoint/tables -run '^TestPrintTables$$' -v -count 1 -timeout 0 -args -tables all -seed $(SEED)

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
