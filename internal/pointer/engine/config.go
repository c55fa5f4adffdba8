package engine

// Config is what the decisions depend on. Use Default and change it; package
// settings checks the ranges.
type Config struct {
	Gesture, Back, Forward int32 // button numbers, 2 to 31, distinct

	Threshold       int64   // a gesture fires at this travel, in device units
	CrossRatio      float64 // above 0: refuse while cross > ratio × dominant
	InvertDesktop   bool    // swaps the two workspace actions
	SkipFirstReport bool    // the first movement of a hold is not believed
	Repeat          bool    // a hold may fire again after a rest
	HoldLimitMS     int64

	Target           Target
	InvertVertical   bool
	InvertHorizontal bool
	Smoothing        Smoothing
	Alpha            float64 // weight of the new sample
	SpikeRatio       float64
	ReverseGuardMS   int64
	GapResetMS       int64
	MaxStep          float64
	Inertia          bool
	Release          float64 // part of the carry that one event releases
	CarryMax         float64
}

// Target says whose wheel is transformed.
type Target uint8

// The targets.
const (
	TargetOff Target = iota
	TargetMX
	TargetAllMice
)

// Smoothing says how wheel steps are smoothed.
type Smoothing uint8

// The ways of smoothing.
const (
	SmoothNone Smoothing = iota
	SmoothEMA
)

// Default is the configuration of an empty [pointer] table.
func Default() Config {
	return Config{
		Gesture: 5, Back: 3, Forward: 4,
		Threshold: 220, InvertDesktop: true, HoldLimitMS: 3000,
		Target: TargetMX, InvertVertical: true,
		Smoothing: SmoothEMA, Alpha: 0.35, SpikeRatio: 3, ReverseGuardMS: 40, GapResetMS: 250,
		MaxStep: 5, Release: 0.5, CarryMax: 10,
	}
}

// repeatRestMS is how long the pointer must rest before a hold may fire again:
// longer than any gap between the reports of one stroke, shorter than a pause
// that somebody would notice making.
const repeatRestMS = 120
