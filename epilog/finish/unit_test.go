package finish

import (
	"os"
	"testing"

	"jobgait/agent/job/jobtest"
)

// The sweep's unit does not take from a sweep what it needs after faults: killed workers, torn files, runs that
// cannot be finished, full spools and forged records. (Tests that mount file systems or give files away need
// more than the unit has for that, and are not among them.)
func TestFaultsUnderTheSweepUnit(t *testing.T) {
	dir, err := os.Getwd()
	must(t, err)
	jobtest.TestsUnderUnit(t, "../../configs/systemd/jobgait-sweep.service", dir, "^Test(KillAfterTheEnd|TornEnd|"+
		"TornFiles|MissingNode|SweepAfter|RunOfADead|SpoolStaysWithinItsSize|RunsAreAbandoned|SweepRetires|"+
		"ForgedRecord|AdoptedRun|CollectorBelieves|RecordInTheSpool|EndWithout)", 14)
}
