#!/usr/bin/env bash
# run.sh: the tests on hardware counters, in virtual machines. As root it
# installs the emulator from the distribution's packages, after saying so; the
# kernel is fetched into a cache (kernel.sh).
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

if ! command -v qemu-system-aarch64 >/dev/null; then
  packaging/distribution.sh qemu-system-arm || { echo "hardware counters NOT TESTED: no emulator here"; exit 1; }
fi
packaging/qemu/kernel.sh >/dev/null || { echo "hardware counters NOT TESTED: no kernel to boot"; exit 1; }
JOBGAIT_QEMU=run "${GO:-go}" test -trimpath -ldflags=-w -count=1 -timeout 15m -parallel 4 -v ./packaging/qemu
