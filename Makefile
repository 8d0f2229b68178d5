# jobgait: `make demo` shows it, `make test` tests it; see README.md.

GO      ?= go
BIN     := build/bin
NO_CGO  := jobgait-prolog jobgait-agent
CGO     := jobgait-epilog jobgait
PREFIX  ?= /usr/local
SEED    ?= 1

.PHONY: all build deps demo test qemu cluster cluster-down bench tables install clean

all: build

# Go finds by itself what is up to date.
build: deps
	@mkdir -p $(BIN)
	CGO_ENABLED=0 $(GO) build -trimpath -o $(BIN)/jobgait-prolog ./prolog
	CGO_ENABLED=0 $(GO) build -trimpath -o $(BIN)/jobgait-agent ./agent
	CGO_ENABLED=1 $(GO) build -trimpath -o $(BIN)/jobgait-epilog ./epilog
	CGO_ENABLED=1 $(GO) build -trimpath -o $(BIN)/jobgait ./reports/jobgait

deps:
	@packaging/deps.sh

demo: build
	@packaging/demo/demo.sh $(BIN) build/demo

test: build
	@packaging/test.sh $(BIN)

# The counters on a PMU whose counts are known in advance; part of test.
qemu:
	@GO=$(GO) packaging/qemu/run.sh

cluster: build
	@packaging/testcluster/cluster.sh up

cluster-down:
	@packaging/testcluster/cluster.sh down

bench:
	$(GO) test -run '^$$' -bench . -benchtime 3x ./analysis/... ./agent/... ./prolog ./epilog/... ./reports/...

# What the analyses find and miss, on draws of our own: SEED=n draws others.
tables:
	$(GO) run ./analysis/scaling/experiment -seed $(SEED)
	$(GO) run ./analysis/changepoint/experiment -seed $(SEED)
	$(GO) run ./analysis/changepoint/calibrate -seed $(SEED)

install: build
	install -d $(DESTDIR)$(PREFIX)/libexec/jobgait $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/etc $(DESTDIR)$(PREFIX)/share/doc/jobgait
	install -m 755 $(BIN)/jobgait-prolog $(BIN)/jobgait-agent $(BIN)/jobgait-epilog $(DESTDIR)$(PREFIX)/libexec/jobgait/
	install -m 755 $(BIN)/jobgait $(DESTDIR)$(PREFIX)/libexec/jobgait/
	ln -sf ../libexec/jobgait/jobgait $(DESTDIR)$(PREFIX)/bin/jobgait
	install -m 755 configs/slurm/prolog configs/slurm/epilog $(DESTDIR)$(PREFIX)/libexec/jobgait/

clean:
	rm -rf build
