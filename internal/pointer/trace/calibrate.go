package trace

import (
	"fmt"
	"math"
	"slices"

	"github.com/flash-launcher/flash/internal/pointer/engine"
)

// Hold is the travel of one hold of the gesture button.
type Hold struct {
	Travel int64 // the largest dominant travel
	MS     int64
}

// Holds are the holds in traces, read without a threshold and a limit.
func Holds(traces []Trace) []Hold {
	var out []Hold
	for _, t := range traces {
		type open struct {
			x, y, travel, began int64
		}
		holds := map[string]*open{}
		for _, e := range t.In {
			switch kind, _ := kindOf(e.Kind); {
			case kind == engine.Down && *e.Button == t.Settings.Engine.Gesture:
				holds[e.Dev] = &open{began: e.T}
			case kind == engine.Move && holds[e.Dev] != nil:
				h := holds[e.Dev]
				h.x, h.y = h.x+int64(e.DX), h.y+int64(e.DY)
				h.travel = max(h.travel, h.x, -h.x, h.y, -h.y)
			case kind == engine.Up && *e.Button == t.Settings.Engine.Gesture && holds[e.Dev] != nil:
				out = append(out, Hold{Travel: holds[e.Dev].travel, MS: e.T - holds[e.Dev].began})
				delete(holds, e.Dev)
			}
		}
	}
	return out
}

// Proposal is a threshold with what it rests on.
type Proposal struct {
	Threshold int64 `json:"threshold"`
	Clicks    int   `json:"clicks"`
	Flicks    int   `json:"flicks"`
	// Farthest is the longest click, Shortest the shortest flick; when they
	// overlap, Missed counts the holds that the threshold gets wrong.
	Farthest int64 `json:"farthest_click"`
	Shortest int64 `json:"shortest_flick"`
	Missed   int   `json:"missed"`
}

// lowest and highest are the range of pointer.threshold.
const (
	lowest  = 10
	highest = 5000
)

// Split divides holds into clicks and flicks at the widest gap between their
// travels, seen as a ratio: a click jitters by units, a flick by hundreds.
func Split(holds []Hold) (clicks, flicks []Hold, err error) {
	if len(holds) < 2 {
		return nil, nil, fmt.Errorf("%d holds are too few; record some clicks and some flicks of the gesture button", len(holds))
	}
	s := slices.SortedFunc(slices.Values(holds), func(a, b Hold) int { return int(a.Travel - b.Travel) })
	at, widest := 0, 0.0
	for i := 1; i < len(s); i++ {
		// A few units of jitter more or less are no gap.
		const jitter = 8
		if r := float64(s[i].Travel+jitter) / float64(s[i-1].Travel+jitter); r > widest {
			at, widest = i, r
		}
	}
	const clear = 1.5
	if widest < clear {
		return nil, nil, fmt.Errorf("the %d holds travel about alike; record clicks and flicks in files of their own and say --clicks and --flicks", len(holds))
	}
	return s[:at], s[at:], nil
}

// Propose is the threshold between clicks and flicks: where it gets the fewest
// wrong, and of those the middle, seen as a ratio.
func Propose(clicks, flicks []Hold) (Proposal, error) {
	if len(clicks) == 0 || len(flicks) == 0 {
		return Proposal{}, fmt.Errorf("%d clicks and %d flicks; at least one of each is needed", len(clicks), len(flicks))
	}
	p := Proposal{Clicks: len(clicks), Flicks: len(flicks), Shortest: math.MaxInt64}
	for _, h := range clicks {
		p.Farthest = max(p.Farthest, h.Travel)
	}
	for _, h := range flicks {
		p.Shortest = min(p.Shortest, h.Travel)
	}
	if p.Farthest < p.Shortest {
		p.Threshold = int64(math.Round(math.Sqrt(float64(max(p.Farthest, 1)) * float64(p.Shortest))))
		p.Threshold = max(p.Threshold, p.Farthest+1)
	} else {
		p.Missed = math.MaxInt
		for _, h := range append(slices.Clone(flicks), clicks...) {
			for _, at := range [...]int64{h.Travel, h.Travel + 1} {
				if n := wrong(clicks, flicks, at); n < p.Missed {
					p.Missed, p.Threshold = n, at
				}
			}
		}
	}
	p.Threshold = max(lowest, min(highest, p.Threshold))
	p.Missed = wrong(clicks, flicks, p.Threshold)
	return p, nil
}

func wrong(clicks, flicks []Hold, threshold int64) (n int) {
	for _, h := range clicks {
		if h.Travel >= threshold {
			n++
		}
	}
	for _, h := range flicks {
		if h.Travel < threshold {
			n++
		}
	}
	return n
}
