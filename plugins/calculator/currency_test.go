package calculator

import (
	"math/big"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/protocol"
	"github.com/flash-launcher/flash/sdk/sdktest"
)

// daily is the bank's file, shortened.
const daily = `<?xml version="1.0" encoding="UTF-8"?>
<gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01" xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref">
	<gesmes:subject>Reference rates</gesmes:subject>
	<gesmes:Sender>
		<gesmes:name>European Central Bank</gesmes:name>
	</gesmes:Sender>
	<Cube>
		<Cube time='2026-11-27'>
			<Cube currency='USD' rate='1.25'/>
			<Cube currency='JPY' rate='160.5'/>
			<Cube currency='GBP' rate='0.8'/>
			<Cube currency='INR' rate='100'/>
			<Cube currency='IDR' rate='20000'/>
			<Cube currency='XTS' rate='2'/>
		</Cube>
	</Cube>
</gesmes:Envelope>`

func withRates(t *testing.T, st style) *plugin {
	t.Helper()
	tab, err := parseECB(daily)
	require.NoError(t, err)
	p := calculatorIn(st)
	p.rates.table, p.rates.fetched = tab, time.Now().Unix()
	return p
}

func TestCurrencies(t *testing.T) {
	p := withRates(t, point)
	for _, c := range []struct{ query, want string }{
		{"100 usd in eur", "80.00 EUR"},
		{"$100 in €", "80.00 EUR"},
		{"100€ to $", "125.00 USD"},
		{"€ 100 to usd", "125.00 USD"},
		{"EUR 100 in USD", "125.00 USD"},
		{"100 USD in GBP", "64.00 GBP"},
		{"US$1,000.50 in eur", "800.40 EUR"},
		{"2*50 dollars in euros", "80.00 EUR"},
		{"10 pounds in euros", "12.50 EUR"},
		{"£10 in €", "12.50 EUR"},
		{"100 eur in yen", "16050 JPY"},
		{"¥1605 in eur", "10.00 EUR"},
		{"₹500 in eur", "5.00 EUR"},
		{"usd in eur", "0.80 EUR"},
		{"1 idr in eur", "0.0000500 EUR"},
		{"100 eur in eur", "100.00 EUR"},
		{"-5 eur in usd", "-6.25 USD"},
		{"0 eur in usd", "0.00 USD"},
		{"1 us dollar in eur", "0.80 EUR"},
		{"4 xts in eur", "2.00 EUR"},
		{"=1 usd in eur", "0.80 EUR"},
		{"100 chf in eur", ""}, // of which there is no rate today
		{"100 usd in km", ""},
		{"five usd in eur", ""},
		{"1 swiss in eur", ""},
		{"1 us in eur", ""},
		{"1 us| in eur", ""},
		{"1e3000 usd in eur", ""},
	} {
		a, _ := p.answer(c.query)
		assert.Equal(t, c.want, a.Title, c.query)
	}
	a, _ := p.answer("100 usd in eur")
	assert.Equal(t, "100 usd in eur · ECB 2026-11-27", a.Subtitle)
	a, _ = withRates(t, comma).answer("1.000,50 usd in eur")
	assert.Equal(t, "800,40 EUR", a.Title)
}

func TestEveryCurrencyNameHasACode(t *testing.T) {
	for _, entry := range strings.Split(strings.Trim(currencyNames, "|"), "|") {
		name, code := entry[:len(entry)-4], entry[len(entry)-3:]
		require.LessOrEqual(t, len(name), maxCurrency, name)
		got, ok := currencyCode(name)
		assert.True(t, ok, name)
		assert.Equal(t, code, got, name)
		assert.Contains(t, currencyCodes, " "+code+" ")
	}
}

func TestRatesThatDifferFromTheFormatAreRefusedWhole(t *testing.T) {
	for name, change := range map[string][2]string{
		"no end":              {"</gesmes:Envelope>", ""},
		"wrong end":           {"</gesmes:Envelope>", "</gesmes:Envelop>"},
		"text after the end":  {"</gesmes:Envelope>", "</gesmes:Envelope>x"},
		"two documents":       {"</gesmes:Envelope>", "</gesmes:Envelope><a/>"},
		"no date":             {" time='2026-11-27'", ""},
		"bad date":            {"2026-11-27", "2026-13-27"},
		"two dates":           {"<Cube currency='USD' rate='1.25'/>", "<Cube time='2026-11-28'/>"},
		"twice":               {"'JPY'", "'USD'"},
		"a rate of zero":      {"'160.5'", "'0.0'"},
		"a negative rate":     {"'160.5'", "'-1'"},
		"an exponent":         {"'160.5'", "'1e9'"},
		"no rate":             {" rate='160.5'", ""},
		"no currency":         {"currency='JPY' ", ""},
		"a long rate":         {"160.5", strings.Repeat("1", 30)},
		"a small code":        {"'JPY'", "'jpy'"},
		"a euro for a euro":   {"'JPY'", "'EUR'"},
		"an entity":           {"'JPY'", "'J&amp;Y'"},
		"an entity in text":   {"European", "&x;"},
		"a doctype":           {"<gesmes:Envelope ", "<!DOCTYPE a><gesmes:Envelope "},
		"a doubled attribute": {"currency='JPY'", "currency='JPY' currency='JPY'"},
		"no quotes":           {"'JPY'", "JPY"},
		"an open comment":     {"<Cube>", "<!-- <Cube>"},
		"an open instruction": {"?>", ">"},
		"all of it":           {daily, ""},
	} {
		_, err := parseECB(strings.Replace(daily, change[0], change[1], 1))
		assert.Error(t, err, name)
	}
	_, err := parseECB(strings.Replace(daily, "<Cube>", "<!-- > --><Cube >", 1))
	assert.NoError(t, err)
	_, err = parseECB(strings.Repeat("<a>", 1000))
	assert.Error(t, err)
}

func TestRatesAreKeptAsTheyWere(t *testing.T) {
	tab, err := parseECB(daily)
	require.NoError(t, err)
	got, fetched, err := parseKept(tab.keep(1764540000))
	require.NoError(t, err)
	assert.Equal(t, tab, got)
	assert.EqualValues(t, 1764540000, fetched)
	for _, bad := range []string{"", "x", "2026-11-27", "2026-11-27 1\n", "2026-11-27 x\nUSD 1\n", "2026-11-27 0\nUSD 1\n", "2026-1-27 1\nUSD 1\n", "2026-11-27 1\nUSD\n", "2026-11-27 1\nUSD 1\nUSD 2\n", "2026-11-27 -1\nUSD 1\n"} {
		_, _, err := parseKept(bad)
		assert.Error(t, err, bad)
	}
}

// rig is the plugin with a clock of the test's and a host that is the test.
type rig struct {
	*sdktest.Harness
	t       *testing.T
	now     atomic.Int64
	fetches atomic.Int64
	reply   atomic.Pointer[string]
	kept    atomic.Pointer[string]
}

func newRig(t *testing.T, kept string, env ...string) *rig {
	t.Helper()
	manifest, err := os.ReadFile("manifest.json")
	require.NoError(t, err)
	r := &rig{t: t}
	r.now.Store(1764540000)
	getenv := func(key string) string {
		for _, e := range env {
			if v, ok := strings.CutPrefix(e, key+"="); ok {
				return v
			}
		}
		return ""
	}
	p := withEnv(func() time.Time { return time.Unix(r.now.Load(), 0) }, getenv)
	r.Harness = sdktest.InProcess(t, p, sdktest.Options{Manifest: manifest})
	r.HostReply(protocol.HostStorageGet, func(string) string {
		if kept == "" {
			return `{"ok":true,"present":false}`
		}
		return string(protocol.NewObject(nil).Bool("ok", true).Bool("present", true).Str("value", kept).Bytes())
	})
	r.HostReply(protocol.HostStorageSet, func(params string) string {
		r.kept.Store(&params)
		return `{"ok":true}`
	})
	r.HostReply(protocol.HostFetch, func(params string) string {
		r.fetches.Add(1)
		assert.JSONEq(t, `{"url":"`+ratesURL+`"}`, params)
		return *r.reply.Load()
	})
	r.answerWith(200, daily)
	r.Initialize()
	r.NextHostCall(protocol.HostStorageGet)
	return r
}

func (r *rig) answerWith(status int64, body string) {
	reply := string(protocol.NewObject(nil).Bool("ok", true).Int("status", status).Str("body", body).Bytes())
	r.reply.Store(&reply)
}

func (r *rig) title(query string) string {
	r.t.Helper()
	answers := r.Evaluate(query)
	if len(answers) == 0 {
		return ""
	}
	require.Len(r.t, answers, 1)
	return answers[0].Title
}

// until asks again until the answer is there, as keystrokes do.
func (r *rig) until(query, want string) {
	r.t.Helper()
	require.Eventually(r.t, func() bool { return r.title(query) == want }, 10*time.Second, time.Millisecond)
}

// failed waits for the warning of a fetch that failed.
func (r *rig) failed() {
	r.t.Helper()
	require.Equal(r.t, "warn", r.NextLog().Level)
}

func (r *rig) pass(d time.Duration) { r.now.Add(int64(d / time.Second)) }

func TestRatesAreFetchedByTheFirstQueryForThemAndKept(t *testing.T) {
	r := newRig(t, "")
	assert.Equal(t, "0.3", r.title("0.1+0.2"))
	assert.Equal(t, "10000 m", r.title("10 km in m"))
	assert.Empty(t, r.title("firefox"))
	assert.Zero(t, r.fetches.Load(), "nothing asked for a currency")

	r.until("100 usd in eur", "80.00 EUR")
	assert.EqualValues(t, 1, r.fetches.Load())
	assert.Equal(t, "100 usd in eur · ECB 2026-11-27", r.Evaluate("100 usd in eur")[0].Subtitle)

	params := r.NextHostCall(protocol.HostStorageSet)
	o, err := protocol.ParseObject([]byte(params))
	require.NoError(t, err)
	assert.Equal(t, storageKey, o.String("key"))
	tab, fetched, err := parseKept(o.String("value"))
	require.NoError(t, err)
	assert.Equal(t, "2026-11-27", tab.date)
	assert.Equal(t, r.now.Load(), fetched)
}

func TestHalfAQueryAlreadyFetches(t *testing.T) {
	r := newRig(t, "")
	assert.Empty(t, r.title("100 usd"))
	r.NextHostCall(protocol.HostFetch)
}

func TestAnEvaluationNeverWaitsForRates(t *testing.T) {
	r := newRig(t, "")
	r.HostReply(protocol.HostFetch, func(string) string {
		r.fetches.Add(1)
		return "" // never
	})
	for range 50 {
		assert.Empty(t, r.title("100 usd in eur"))
	}
	assert.Equal(t, "2", r.title("1+1"))
	r.NextHostCall(protocol.HostFetch)
	assert.EqualValues(t, 1, r.fetches.Load(), "one at a time")
	r.CloseStdin()
	assert.Zero(t, r.WaitExit())
}

func TestKeptRatesAnswerAtOnceAndAreRenewedAfterSixHours(t *testing.T) {
	r := newRig(t, "2026-11-20 "+strconv.Itoa(1764540000-3600)+"\nUSD 2\n")
	r.until("100 usd in eur", "50.00 EUR")
	assert.Equal(t, "100 usd in eur · ECB 2026-11-20", r.Evaluate("100 usd in eur")[0].Subtitle)
	r.pass(5*time.Hour - time.Second)
	assert.Equal(t, "50.00 EUR", r.title("100 usd in eur"))
	assert.Zero(t, r.fetches.Load(), "not old yet")
	r.pass(time.Second)
	assert.NotEmpty(t, r.title("100 usd in eur"), "the old ones answer while the new are on their way")
	r.until("100 usd in eur", "80.00 EUR")
	assert.EqualValues(t, 1, r.fetches.Load())
}

func TestAFailureIsLeftAloneForAQuarterOfAnHour(t *testing.T) {
	r := newRig(t, "2026-11-20 1764000000\nUSD 2\n")
	for i, bad := range []func(){
		func() { r.answerWith(503, daily) },
		func() { r.answerWith(200, "<html>") },
		func() { refused := `{"ok":false,"error":"no route"}`; r.reply.Store(&refused) },
	} {
		bad()
		r.until("100 usd in eur", "50.00 EUR")
		r.failed()
		r.pass(15*time.Minute - time.Second)
		for range 5 {
			assert.Equal(t, "50.00 EUR", r.title("100 usd in eur"), "the last good ones stay")
		}
		assert.EqualValues(t, i+1, r.fetches.Load())
		r.pass(time.Second)
	}
	r.answerWith(200, daily)
	r.until("100 usd in eur", "80.00 EUR")
}

func TestAnOlderCopyDoesNotReplaceNewerRates(t *testing.T) {
	r := newRig(t, "2026-11-30 1764000000\nUSD 2\n")
	r.until("100 usd in eur", "50.00 EUR")
	r.NextHostCall(protocol.HostStorageSet)
	assert.Equal(t, "50.00 EUR", r.title("100 usd in eur"))
	assert.EqualValues(t, 1, r.fetches.Load())
}

func TestDamagedRatesAreToldAndFetchedAnew(t *testing.T) {
	r := newRig(t, "2026-11-30 rubbish")
	r.failed()
	r.until("100 usd in eur", "80.00 EUR")
}

func TestAClockThatWasPutBackDoesNotKeepRatesForEver(t *testing.T) {
	r := newRig(t, "2026-11-20 "+strconv.Itoa(1764540000+3600)+"\nUSD 2\n")
	r.until("100 usd in eur", "80.00 EUR")
}

func TestTheLocaleOfTheEnvironmentIsFollowed(t *testing.T) {
	r := newRig(t, "", "LANG=de_DE.UTF-8")
	assert.Equal(t, "88888,18", r.title("3000000-2911111,82"))
}

func TestTheConfigurationDecidesOverTheLocale(t *testing.T) {
	h := sdktest.InProcess(t, withEnv(time.Now, func(string) string { return "de_DE" }), sdktest.Options{Config: `{"decimal":"point"}`})
	h.Initialize()
	answers := h.Evaluate("1/4")
	require.Len(t, answers, 1)
	assert.Equal(t, "0.25", answers[0].Title)
	assert.Equal(t, protocol.Effect{Type: protocol.EffectCopyText, Text: "0.25"}, answers[0].Effect)
}

func TestTheManifestAllowsWhatIsFetchedAndNothingElse(t *testing.T) {
	data, err := os.ReadFile("manifest.json")
	require.NoError(t, err)
	m, err := protocol.DecodeManifest(data)
	require.NoError(t, err)
	assert.Equal(t, []string{ratesURL}, m.FetchURLs)
	assert.Equal(t, []string{force}, m.Query.Prefixes)
	assert.True(t, m.HasCapability("network_fetch"))
	assert.Equal(t, protocol.Resident, m.Activation())
}

func FuzzECB(f *testing.F) {
	f.Add(daily)
	f.Add("<a><Cube time='2026-11-27'><Cube currency=\"USD\" rate='1'/></Cube></a>")
	f.Add("<!-- -->< ?><a b=''>")
	f.Fuzz(func(t *testing.T, text string) {
		tab, err := parseECB(text)
		if err != nil {
			return
		}
		got, _, err := parseKept(tab.keep(1))
		if err != nil || got != tab {
			t.Fatalf("%q does not survive the storage: %v", tab, err)
		}
		if len(tab.lines) > (maxRates+1)*(maxRateText+5) {
			t.Fatal("too much of it")
		}
	})
}

func FuzzKept(f *testing.F) {
	f.Add("2026-11-27 1764540000\nUSD 1.25\n")
	f.Fuzz(func(t *testing.T, text string) {
		tab, fetched, err := parseKept(text)
		if err != nil {
			return
		}
		again, _, err := parseKept(tab.keep(fetched))
		if err != nil || again != tab {
			t.Fatalf("%q: %v", text, err)
		}
		if r, ok := tab.rate("EUR"); !ok || r.Cmp(big.NewRat(1, 1)) != 0 {
			t.Fatal("a euro is a euro")
		}
	})
}
