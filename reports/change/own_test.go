package change

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"jobgait/analysis/changepoint"
)

// aSite draws n histories of 60 runs that scatter by 3 %, twice what is assumed, one run
// in fifty far above; the first slow ones are slower by an eighth from run 40 on.
func aSite(n, slow int) []History {
	list := make([]History, n)
	for i := range list {
		r := rand.New(rand.NewPCG(9, uint64(i)))
		h := &list[i]
		h.ID, h.User = fmt.Sprint(i), fmt.Sprint("u", i)
		for k := range 60 {
			y := 100 * math.Exp(.03*r.NormFloat64())
			if r.IntN(50) == 0 {
				y *= 1.5
			}
			if i < slow && k >= 40 {
				y *= 1.125
			}
			h.T, h.Y = append(h.T, float64(k)), append(h.Y, y)
		}
	}
	return list
}

// The histories that --check counts on a site include few that are due to chance by the site's own rate, and all
// that are slower.
func TestOwnRateOfASite(t *testing.T) {
	o := Default()
	o.Site = true
	for _, c := range []struct {
		n, slow int
		own     bool
	}{{150, 0, true}, {150, 15, true}, {40, 10, false}} {
		r := Analyse(aSite(c.n, c.slow), changepoint.Sequential, changepoint.Default(), o)
		right, wrong := 0, 0
		for _, i := range r.worsePlaces() {
			if i < c.slow {
				right++
			} else {
				wrong++
			}
		}
		if right < c.slow*8/10 || wrong > 1 {
			t.Errorf("%d histories, %d slower: %d right and %d wrong are told", c.n, c.slow, right, wrong)
		}
		text := r.OwnRate()
		if (text != "") != (right+wrong > 0) || text != "" && strings.Contains(text, "this site's own rate") != c.own ||
			(r.Own != nil) != c.own {
			t.Errorf("%d histories: %q, %+v", c.n, text, r.Own)
		}
		var b bytes.Buffer
		var said struct {
			Slower struct {
				Told     int
				ByChance float64                     `json:"by_chance"`
				OwnRate  *struct{ Series, Runs int } `json:"own_rate"`
			}
		}
		if err := JSON(&b, r); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(b.Bytes(), &said); err != nil || said.Slower.Told != right+wrong ||
			(said.Slower.OwnRate != nil) != c.own || said.Slower.ByChance > .05*float64(right+wrong)+1e-9 {
			t.Errorf("%+v, %v", said, err)
		}
	}
}
