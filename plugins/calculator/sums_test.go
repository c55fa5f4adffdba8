package calculator

import (
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var point, comma = style{}, style{comma: true}

func calculatorIn(st style) *plugin {
	p := &plugin{style: st, rates: newRates(time.Now)}
	p.once.Do(func() {})
	return p
}

// result is the answer's title, or "" where there is none.
func result(st style, query string) string {
	a, _ := calculatorIn(st).answer(query)
	return a.Title
}

func TestSums(t *testing.T) {
	for _, c := range []struct{ query, want string }{
		{"1-1", "0"},
		{"2200/60", "36.6666666667"},
		{"1/3*3", "1"},
		{"pi*0", "0"},
		{"0.1+0.2", "0.3"},
		{"100+12%", "112"},
		{"0.0003-1%", "0.000297"},
		{"50% of 80", "40"},
		{"12%", "0.12"},
		{"64*20000", "1280000"},

		// Order of operations.
		{"2+3*4", "14"},
		{"(2+3)*4", "20"},
		{"100/10/5", "2"},
		{"10-4-3", "3"},
		{"2^3^2", "512"},
		{"-2^2", "-4"},
		{"(-2)^2", "4"},
		{"2^-2", "0.25"},
		{"2^-2^2", "0.0625"},
		{"2*-3", "-6"},
		{"2--3", "5"},
		{"--2+-+3", "-1"},
		{"3!^2", "36"},
		{"3!!", "720"},
		{"-3!", "-6"},
		{"2**10", "1024"},

		// Products without a sign.
		{"2pi", "6.28318530718"},
		{"2(3+4)", "14"},
		{"(1+2)(3+4)", "21"},
		{"1/2pi", "1.57079632679"},
		{"2sqrt(9)", "6"},
		{"3 x 4", "12"},

		// Percentages.
		{"200-10%", "180"},
		{"100+10%+10%", "121"},
		{"50%+10%", "0.6"},
		{"200*10%", "20"},
		{"100+(12%)", "100.12"},
		{"100+-12%", "88"},
		{"20% off 80", "64"},
		{"20% on 80", "96"},
		{"15% of (40+20)", "9"},
		{"10 % 3", "1"},
		{"10%3", "1"},
		{"-7 mod 3", "2"},

		// Numbers.
		{"1,234+1", "1235"},
		{"1,234,567.5+1", "1234568.5"},
		{"1.234.567,5+1", "1234568.5"},
		{"1.234,5+1", "1235.5"},
		{"1'000'000+1", "1000001"},
		{"1\u202f000+1", "1001"},
		{"0,5+1", "1.5"},
		{"0,567+1", "1.567"},
		{"2911111,82+1", "2911112.82"},
		{"1_000*2", "2000"},
		{".5*2", "1"},
		{"1e3+1", "1001"},
		{"2E-3*1", "0.002"},
		{"0xff", "255"},
		{"0xff+0b11+0o17", "273"},
		{"0XFF*1", "255"},
		{"1e-20*1", "1e-20"},
		{"1e40+1", "1e40"},
		{"2^100", "1267650600228229401496703205376"},
		{"2^200", "1.60693804426e60"},
		{"2^-200", "6.22301527786e-61"},
		{"1/3e20", "3.33333333333e-21"},
		{"10^20/7", "1.42857142857e19"},
		{"12345678901234567.5*1", "12345678901234567.5"},
		{"2/3", "0.666666666667"},
		{"0.99999999999999/3*3", "0.99999999999999"},
		{"9.99999999999999e50*1.00000000000001", "1e51"},

		// Powers, roots and functions.
		{"20!", "2432902008176640000"},
		{"1000!", "4.02387260077e2567"},
		{"2^10000", "1.99506311688e3010"},
		{"0!", "1"},
		{"4^0.5", "2"},
		{"(4/9)^0.5", "0.666666666667"},
		{"8^(1/3)", "2"},
		{"2^0.5", "1.41421356237"},
		{"0^0", "1"},
		{"(-1)^100000000000000000001", "-1"},
		{"1^99999999999999999999", "1"},
		{"(1+0.03625/12)^360", "2.96198817134"},
		{"sqrt(2)^2", "2"},
		{"sqrt 16", "4"},
		{"√16+9", "13"},
		{"sqrt(16", "4"},
		{"floor(sqrt(2)^2)", "2"},
		{"ceil(2.1)", "3"},
		{"ceil(-2.1)", "-2"},
		{"floor(-2.1)", "-3"},
		{"round(2.5)", "3"},
		{"round(-2.5)", "-3"},
		{"round(2.345, 2)", "2.35"},
		{"round(1234; -2)", "1200"},
		{"min(3, 1, 2)", "1"},
		{"max(1,234)", "234"},
		{"abs(-5)", "5"},
		{"sin(pi)", "0"},
		{"pi*phi", "5.08320369232"},
		{"ln(e)", "1"},
		{"cos(pi/2)", "0"},
		{"sin(30°)", "0.5"},
		{"sin 0", "0"},
		{"log(1000)", "3"},
		{"log2(8)", "3"},
		{"log10(10^400)", "400"},
		{"ln(e^2)", "2"},
		{"exp(0)", "1"},
		{"sqrt(2)*sqrt(2)-2", "0"},

		// Signs from elsewhere.
		{"6×7", "42"},
		{"6÷4", "1.5"},
		{"5−3", "2"},
		{"5²+1", "26"},
		{"2³", "8"},
		{"2·3", "6"},
		{"2π", "6.28318530718"},

		// Forced.
		{"=5", "5"},
		{"= 2026-11-30", "1985"},
		{"=pi", "3.14159265359"},
		{"2+2=", "4"},
		{"＝１＋２", "3"},
		{"（１．５＋２）×２＝", "7"},
		{"５０％　of　８０", "40"},
		{"=030+1", "31"},
	} {
		assert.Equal(t, c.want, result(point, c.query), c.query)
	}
}

func TestSumsWithADecimalComma(t *testing.T) {
	for _, c := range []struct{ query, want string }{
		{"3000000-2911111,82", "88888,18"},
		{"1.234+1", "1235"},
		{"1.23+1", "2,23"},
		{"0.001+1", "1,001"},
		{"1234.567+1", "1235,567"},
		{"1.234.567,5*2", "2469135"},
		{"1,234.5*2", "2469"},
		{"sqrt(2,25)", "1,5"},
		{"max(1,5; 2)", "2"},
		{"max(1, 5)", "5"},
		{"round(2,345; 2)", "2,35"},
		{",5*3", "1,5"},
		{"2^200*1,5", "2,41040706639e60"},
	} {
		assert.Equal(t, c.want, result(comma, c.query), c.query)
	}
}

func TestWhatIsNoSumHasNoAnswer(t *testing.T) {
	for _, query := range []string{
		"", " ", "=", "==", "2+", "2*(", "(", "((((", ")", "2)", "+", "-", "%", "!", "2^", "1/", "sqrt", "sqrt(", "max(1,",
		"5", "-5", "+5", "3.14", "1,000", "hello", "e", "pi", "e-e", "2e",
		"2026-11-30", "30/11/2026", "30-11-2026", "1/2/2026", "30.11.2026", "2026-01", "11/2026/x", "10:30",
		"1.2.3", "1.2.3-4", "v1.2", "2.0-rc1", "go1.26", "1.2.3+4",
		"+49 30 123456", "555-123-4567", "1-800-555-0199", "+1-555-123-4567", "(030) 123-4567", "030-1234567", "030/12345", "555 123-4567",
		"192.168.0.1", "192.168.0.1/24", "192.168.100.200/24", "::1", "/usr/bin", "~/x", "c++", "g++ 4", "7-eleven", "3-in-1",
		"catch 22", "max 13", "min 5", "E-3", "log", "sin city", "raspberry pi 4", "3 of 5", "5 on 6", "mod 3", "x", "3 x", "4 x four",
		"1/0", "0/0", "5 mod 0", "0^-1", "sqrt(-1)", "ln(0)", "(-8)^0.3", "(-1)!", "2.5!", "tan(pi/2)", "asin(2)", "sqrt(1; 2)", "round(1,2,3)", "round(1;0.5)", "round(1;101)", "sin(1e300)",
		"9^9^9", "9^9^9^9", "2^-99999", "99999!", "9!!!!!!", "1e9999999999*1", "1e5000+1", "=1e-9999", "=1e4001", "exp(1e6)", "exp(-1e6)", "2^1e300", "10^-4999.5", "2^-9223372036854775808",
		"1,23,456+1", "1,2345,678+1", "1.5.5+1", "0x", "0xg1", "0b2", "\xff\xfe1+1", "1+1\x00", "$5*3", "1+1; 2", "1 2 + 3", "a+1", "100 in", "5 km", "10 to 20",
	} {
		assert.Empty(t, result(point, query), query)
	}
	assert.Empty(t, result(comma, "192.168.100.200/24"))
}

func TestLongAndDeepInputIsBounded(t *testing.T) {
	deep := func(n int) string { return strings.Repeat("(", n) + "1+1" + strings.Repeat(")", n) }
	assert.Equal(t, "2", result(point, deep(150)))
	assert.Empty(t, result(point, deep(400)))
	assert.Empty(t, result(point, strings.Repeat("1+", maxInput/2)+"11"), "too long")
	assert.Equal(t, "450", result(point, strings.Repeat("1+", 449)+"1"))
	assert.Empty(t, result(point, strings.Repeat("-", 900)+"1+1"))
	assert.NotEmpty(t, result(point, "1"+strings.Repeat("0", 900)+"*2"))
}

// Each of these would take far longer than a keystroke has, were it computed.
func heavy() []string {
	return []string{
		strings.Repeat("1700!/1699!+", 80) + "1",
		strings.Repeat("1e-3999+", 120) + "1",
		strings.Repeat("(1/3)^9999*", 80) + "1",
		strings.Repeat("sqrt(2)^300*", 80) + "1",
		"0." + strings.Repeat("7", 900) + "^4",
		strings.Repeat("1/7777777777777777777+", 45) + "1",
		strings.Repeat("1700!", 190),
		strings.Repeat("1700!!", 160),
		strings.Repeat("1000! in ", 110) + "m",
		strings.Repeat("x in m to m in ", 60) + "m",
		strings.Repeat("1700!+", 140) + "1 m in km",
		strings.Repeat("sin(1e3999)+", 80) + "1",
		strings.Repeat("9", 990) + "^9",
		strings.Repeat("round(1/3;100)*", 60) + "1",
		strings.Repeat("2^16000-", 120) + "1",
	}
}

func TestTheWorkOfASumIsBounded(t *testing.T) {
	for _, query := range heavy() {
		require.LessOrEqual(t, len(query), maxInput)
		w := newWork()
		tokens, err := lex(query, point, w)
		if err != nil {
			continue
		}
		p := parser{tokens: tokens, work: w}
		v, err := p.sum()
		if err == nil {
			assert.LessOrEqual(t, v.rat.Num().BitLen(), maxBits)
			assert.LessOrEqual(t, v.rat.Denom().BitLen(), maxBits)
		}
	}
}

func TestManySmallTermsAreRoundedRatherThanRefused(t *testing.T) {
	var b strings.Builder
	want := new(big.Rat)
	for i := 1; i <= 150; i++ {
		b.WriteString("+1/" + big.NewInt(int64(1000+i)).String())
		want.Add(want, big.NewRat(1, int64(1000+i)))
	}
	got, err := evaluate(b.String(), point)
	require.NoError(t, err)
	assert.Equal(t, value{rat: want}.plain(), got.plain())
}

func TestTheAnswerCopiesWhatItShows(t *testing.T) {
	a, ok := calculatorIn(comma).answer(" =1/4 ")
	require.True(t, ok)
	assert.Equal(t, "0,25", a.Title)
	assert.Equal(t, "1/4", a.Subtitle)
	assert.Equal(t, "0,25", a.Effect.Text)
}

func TestTheStyleFollowsTheConfigurationThenTheLocale(t *testing.T) {
	for _, c := range []struct {
		configured, locale string
		comma              bool
	}{
		{"auto", "de_DE.UTF-8", true}, {"auto", "de_CH.UTF-8", false}, {"auto", "fr", true}, {"auto", "en_US.UTF-8", false},
		{"auto", "es_MX.UTF-8", false}, {"auto", "es_ES@euro", true}, {"auto", "C", false}, {"auto", "", false},
		{"point", "de_DE.UTF-8", false}, {"comma", "en_US", true}, {"nonsense", "de_DE", true},
	} {
		assert.Equal(t, c.comma, styleOf(c.configured, c.locale).comma, c.configured+" "+c.locale)
	}
	env := map[string]string{"LANG": "de_DE.UTF-8"}
	assert.Equal(t, "de_DE.UTF-8", localeFrom(func(k string) string { return env[k] }))
	env["LC_ALL"] = "C"
	assert.Equal(t, "C", localeFrom(func(k string) string { return env[k] }))
}

func BenchmarkAnswer(b *testing.B) {
	for _, query := range []string{"2200/60", "100+12%", "firefox", "10 km in miles", "100 usd in eur", "sqrt(2)*sin(30°)", "how to boil an egg in a pan"} {
		b.Run(query, func(b *testing.B) {
			p := calculatorIn(point)
			p.rates.table = table{date: "2026-11-30", lines: "USD 1.0921\n"}
			p.rates.fetched = time.Now().Unix()
			b.ReportAllocs()
			for b.Loop() {
				p.answer(query)
			}
		})
	}
}

// BenchmarkHeaviest is the bound: 10 ms a keystroke.
func BenchmarkHeaviest(b *testing.B) {
	for i, query := range heavy() {
		b.Run(big.NewInt(int64(i)).String(), func(b *testing.B) {
			p := calculatorIn(point)
			for b.Loop() {
				p.answer(query)
			}
		})
	}
}
