package calculator

import (
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestUnits(t *testing.T) {
	for _, c := range []struct{ query, want string }{
		{"10 km in miles", "6.21371192237 mi"},
		{"72 F in C", "22.2222222222 °C"},
		{"3 GB in MiB", "2861.02294921875 MiB"},
		{"90 min in h", "1.5 h"},
		{"100 km/h to mph", "62.1371192237 mph"},
		{"2 cups in ml", "473.176473 ml"},
		{"5'11\" to cm", "180.34 cm"},
		{"5'11 to cm", "180.34 cm"},
		{"5 ft 11 in to cm", "180.34 cm"},
		{"5 ft 11 in in cm", "180.34 cm"},
		{"1 h 30 min in s", "5400 s"},
		{"1 d 1 h 30 min 15 s in s", "91815 s"},
		{"10 in in cm", "25.4 cm"},
		{"10 cm in in", "3.93700787402 in"},
		{"cm in in", "0.393700787402 in"},
		{"1 mile as feet", "5280 ft"},
		{"1 inch -> mm", "25.4 mm"},
		{"1 inch → mm", "25.4 mm"},
		{"2*3 km in m", "6000 m"},
		{"(1+1) kg to lb", "4.4092452437 lb"},
		{"2km in m", "2000 m"},
		{"1e3 m in km", "1 km"},
		{"0.5 nautical miles in m", "926 m"},
		{"5 light-years in km", "47303652362904 km"},
		{"1 µm in nm", "1000 nm"},
		{"1 um in nm", "1000 nm"},
		{"1 μm in nm", "1000 nm"},
		{"1 KM in M", "1000 m"},
		{"10 MM in CM", "1 cm"},
		{"1 Mm in km", "1000 km"},
		{"3 kilometers in meters", "3000 m"},
		{"3 kilometres in metres", "3000 m"},

		{"1 m2 in cm2", "10000 cm²"},
		{"1 m² in ft²", "10.7639104167 ft²"},
		{"1 sq mi in ha", "258.9988110336 ha"},
		{"2 acres in square meters", "8093.7128448 m²"},
		{"1 square foot in in^2", "144 in²"},
		{"1 m3 in l", "1000 l"},
		{"1 cubic foot in liters", "28.316846592 l"},
		{"1 gal in l", "3.785411784 l"},
		{"1 imperial gallon in L", "4.54609 l"},
		{"8 oz in ml", "236.5882365 ml"},
		{"8 oz in g", "226.796185 g"},
		{"1 pint in ml", "473.176473 ml"},
		{"3 tsp in tbsp", "1 tbsp"},
		{"1 cc in ml", "1 ml"},

		{"1 lb in oz", "16 oz"},
		{"12 stone in kg", "76.20351816 kg"},
		{"1 t in kg", "1000 kg"},
		{"1 ton in kg", "907.18474 kg"},
		{"70 KG in lbs", "154.323583529 lb"},
		{"5 carats in mg", "1000 mg"},

		{"0 K in C", "-273.15 °C"},
		{"-40 F in C", "-40 °C"},
		{"100°C to °F", "212 °F"},
		{"20 celsius in fahrenheit", "68 °F"},
		{"20 degrees c in f", "68 °F"},
		{"25 c in k", "298.15 K"},

		{"1 week in hours", "168 h"},
		{"1 year in days", "365.25 d"},
		{"1500 ms in s", "1.5 s"},
		{"2 fortnights in days", "28 d"},

		{"1 MB in kB", "1000 kB"},
		{"1 Mb in kB", "125 kB"},
		{"1 MB in Mb", "8 Mbit"},
		{"1 mb in kb", "1000 kB"},
		{"1 gb in mib", "953.67431640625 MiB"},
		{"1 KB in B", "1000 B"},
		{"1 KiB in bytes", "1024 B"},
		{"1 Kib in bits", "1024 bit"},
		{"1 kbit in bits", "1000 bit"},
		{"2 gibibytes in MiB", "2048 MiB"},
		{"1 byte in bits", "8 bit"},
		{"100 Mbps in MB/s", "12.5 MB/s"},
		{"100 mbps in MB/s", "12.5 MB/s"},
		{"100 MBps in Mbit/s", "800 Mbit/s"},
		{"1 GB/h in kB/s", "277.777777778 kB/s"},

		{"10 m/s in km/h", "36 km/h"},
		{"60 miles per hour in kph", "96.56064 km/h"},
		{"10 knots in km/h", "18.52 km/h"},
		{"1 kWh in MJ", "3.6 MJ"},
		{"1 kilowatt-hour in kJ", "3600 kJ"},
		{"250 kcal in kJ", "1046 kJ"},
		{"1 hp in W", "745.69987158227022 W"},
		{"100 PS in kW", "73.549875 kW"},
		{"1 mw in kw", "1000 kW"},
		{"1 atm in hPa", "1013.25 hPa"},
		{"32 psi in bar", "2.20632233381 bar"},
		{"760 mmHg in Torr", "760.000108274 Torr"},
		{"180 deg in rad", "3.14159265359 rad"},
		{"90° in gon", "100 gon"},
		{"1 turn in degrees", "360 °"},
		{"3000 rpm in Hz", "50 Hz"},
		{"1 mhz in khz", "1000 kHz"},
		{"1 mHz in Hz", "0.001 Hz"},
		{"1 kgf in N", "9.80665 N"},
		{"30 mpg in l/100km", "7.84048611111 l/100km"},
		{"5 l/100km in mpg", "47.0429166667 mpg"},
		{"5 L/100 km in km/l", "20 km/l"},
		{"10 km/l in mpg", "23.5214583333 mpg"},

		{"255 in hex", "0xff"},
		{"0xff to decimal", "255"},
		{"10 in binary", "0b1010"},
		{"-8 as octal", "-0o10"},
		{"2^64 in hex", "0x10000000000000000"},
		{"=10 km in m", "10000 m"},
	} {
		assert.Equal(t, c.want, result(point, c.query), c.query)
	}
	assert.Equal(t, "1,5 h", result(comma, "90 min in h"))
	assert.Equal(t, "1500 m", result(comma, "1,5 km in m"))
}

func TestWhatIsNoConversionHasNoAnswer(t *testing.T) {
	for _, query := range []string{
		"10 km in kg", "10 km in", "km", "10 km", " in ", "to", "time in tokyo", "3pm PST in Paris", "5 pm in cst", "10 zm in m",
		"1/0 m in km", "five km in m", "xkm in m", "10 km in mm kg", "how to boil an egg in a pan", "0 mpg in l/100km", "1.5 in hex", "pi in hex",
		"5 in 11 ft to cm", "5 C 3 F in K", "11 ft ft in m", "1 kbb in B", "İİİ m in İ", "10 \xff in m", "1 millibyte in B", "5'' in", "' in cm in \"'",
	} {
		assert.Empty(t, result(point, query), query)
	}
}

// The table is written by hand: each line must parse, and each name must find
// its own line exactly.
func TestEveryNameOfTheTableIsItsUnit(t *testing.T) {
	dimension, lines := "", 0
	for _, line := range strings.Split(strings.Trim(unitTable, "\n"), "\n") {
		if name, ok := strings.CutPrefix(line, "="); ok {
			dimension = name
			continue
		}
		lines++
		factor, names, ok := strings.Cut(line, " ")
		require.True(t, ok, line)
		want := parseUnit(dimension, factor)
		require.NotNil(t, want.factor, line)
		require.Positive(t, want.factor.Sign(), line)
		for _, token := range strings.Split(names, ",") {
			token, _ = splitFlag(token)
			require.LessOrEqual(t, len(token), maxUnit, token)
			found := false
			for _, u := range findUnits(token) {
				found = found || u.dimension == dimension && u.distance == same && u.factor.Cmp(want.factor) == 0
			}
			assert.True(t, found, "%s: %s", dimension, token)
		}
	}
	assert.GreaterOrEqual(t, lines, 100)
}

func TestThereAndBackIsTheSame(t *testing.T) {
	var all []unit
	for _, line := range strings.Split(strings.Trim(unitTable, "\n"), "\n") {
		if _, names, ok := strings.Cut(line, " "); ok {
			token, _ := splitFlag(strings.SplitN(names, ",", 2)[0])
			all = append(all, findUnits(token)...)
		}
	}
	start := value{rat: big.NewRat(355, 113)}
	for _, a := range all {
		for _, b := range all {
			if !a.convertible(b) {
				continue
			}
			there, err := a.convert(start, b)
			require.NoError(t, err)
			back, err := b.convert(there, a)
			require.NoError(t, err)
			assert.Zero(t, back.rat.Cmp(start.rat), a.symbol+" "+b.symbol)
		}
	}
}
