package calculator

import (
	"context"
	"math/big"
	"strings"
	"sync"
	"time"

	"github.com/flash-launcher/flash/sdk"
)

const (
	// ratesURL is where the European Central Bank publishes its reference rates,
	// about 16:00 CET on working days. The manifest allows it and nothing else.
	ratesURL = "https://www.ecb.europa.eu/stats/eurofxref/eurofxref-daily.xml"
	// maxAge is how old rates may grow before a query has them fetched again.
	maxAge = 6 * time.Hour
	// retryAfter is how long a failure is left alone.
	retryAfter = 15 * time.Minute
	// storageKey is where rates outlive the process.
	storageKey = "rates"
)

// rates keeps the exchange rates. One goroutine fetches, which is what keeps
// fetches from running beside each other; queries read what there is.
type rates struct {
	now  func() time.Time
	want chan struct{}

	mu      sync.Mutex
	table   table
	fetched int64 // Unix seconds, as of any clock: the machine may sleep in between
	failed  int64 // of the last failure since; 0 none
}

func newRates(now func() time.Time) *rates {
	return &rates{now: now, want: make(chan struct{}, 1)}
}

// serve takes up the rates of the last time, and then fetches whenever a query
// finds them old, until ctx ends.
func (r *rates) serve(ctx context.Context, h *sdk.Host) error {
	if err := r.load(ctx, h); err != nil && ctx.Err() == nil {
		h.Log(sdk.LevelWarn, "kept exchange rates cannot be read", "error", err)
	}
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-r.want:
		}
		if !r.due() { // asked again while they were on their way
			continue
		}
		if err := r.refresh(ctx, h); err != nil && ctx.Err() == nil {
			r.mu.Lock()
			r.failed = r.now().Unix()
			r.mu.Unlock()
			h.Log(sdk.LevelWarn, "exchange rates cannot be fetched; the next try is in 15 minutes", "error", err)
		}
	}
}

func (r *rates) load(ctx context.Context, h *sdk.Host) error {
	text, present, err := h.StorageGet(ctx, storageKey)
	if err != nil || !present {
		return err
	}
	t, fetched, err := parseKept(text)
	if err != nil {
		return err
	}
	r.mu.Lock()
	r.table, r.fetched = t, fetched
	r.mu.Unlock()
	return nil
}

func (r *rates) refresh(ctx context.Context, h *sdk.Host) error {
	status, body, err := h.Fetch(ctx, ratesURL)
	if err != nil {
		return err
	}
	if status != 200 {
		return errStatus
	}
	t, err := parseECB(body)
	if err != nil {
		return err
	}
	r.mu.Lock()
	if t.date < r.table.date { // an old copy from some cache on the way
		t = r.table
	}
	r.table, r.fetched, r.failed = t, r.now().Unix(), 0
	kept := t.keep(r.fetched)
	r.mu.Unlock()
	return h.StorageSet(ctx, storageKey, kept)
}

// due reports whether the rates are to be fetched.
func (r *rates) due() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.now().Unix()
	return !within(now, r.fetched, maxAge) && !within(now, r.failed, retryAfter)
}

// within reports whether then is a moment of the last d. A moment to come is
// not: the clock was put back.
func within(now, then int64, d time.Duration) bool {
	return then != 0 && then <= now && now-then < int64(d/time.Second)
}

// ask has the rates fetched if they are due, and does not wait.
func (r *rates) ask() {
	if r.due() {
		select {
		case r.want <- struct{}{}:
		default:
		}
	}
}

// convert is the value in another currency, with the rates' date.
func (r *rates) convert(v value, from, to string) (result value, date string, ok bool) {
	r.ask()
	r.mu.Lock()
	t := r.table
	r.mu.Unlock()
	source, ok1 := t.rate(from)
	target, ok2 := t.rate(to)
	if !ok1 || !ok2 {
		return value{}, "", false
	}
	out := new(big.Rat).Mul(v.rat, target)
	result, err := bounded(out.Quo(out, source), v.inexact)
	return result, t.date, err == nil
}

// exchange answers `<sum> <currency> in <currency>`.
func (p *plugin) exchange(left, right string) (result, date string, ok bool) {
	to, ok := p.rates.code(right)
	if !ok {
		return "", "", false
	}
	v, from, ok := p.money(left)
	if !ok {
		return "", "", false
	}
	out, date, ok := p.rates.convert(v, from, to)
	if !ok || magnitude(out.rat) > maxWhole || magnitude(out.rat) < -exactDigits {
		return "", "", false
	}
	return out.money(p.style, places(to)) + " " + to, date, true
}

// money reads 100 usd, $100, USD 100 and €; the last is one of it.
func (p *plugin) money(text string) (v value, code string, ok bool) {
	amount, code, ok := splitAmount(text, p.rates.code)
	if !ok {
		for at := min(len(text), maxCurrency); at > 0; at-- {
			if code, ok = p.rates.code(strings.TrimSpace(text[:at])); ok {
				amount = strings.TrimSpace(text[at:])
				break
			}
		}
	}
	if !ok {
		return value{}, "", false
	}
	v, ok = amountOf(amount, p.style)
	return v, code, ok
}

// places is how many decimals a currency's amounts are written with.
func places(code string) int {
	switch code {
	case "JPY", "KRW", "ISK":
		return 0
	}
	return 2
}

const (
	// currencyCodes are those that the bank has rates for, and the euro, so that
	// a query is known for one before there are rates.
	currencyCodes = " EUR AUD BGN BRL CAD CHF CNY CZK DKK GBP HKD HUF IDR ILS INR ISK JPY KRW MXN MYR NOK NZD PHP PLN RON SEK SGD THB TRY USD ZAR "

	// currencyNames are signs and English names. $ is the United States dollar,
	// £ the pound sterling and ¥ the yen; others are told apart by a letter (A$)
	// or by their codes. kr is three currencies and none of them here.
	currencyNames = "|$ USD|us$ USD|dollar USD|us dollar USD|buck USD|€ EUR|euro EUR|£ GBP|pound GBP|pound sterling GBP|sterling GBP|quid GBP" +
		"|¥ JPY|￥ JPY|円 JPY|yen JPY|元 CNY|cn¥ CNY|rmb CNY|yuan CNY|renminbi CNY|₹ INR|rs INR|rupee INR|₩ KRW|won KRW|₪ ILS|shekel ILS" +
		"|₺ TRY|lira TRY|฿ THB|baht THB|₱ PHP|zł PLN|zloty PLN|złoty PLN|kč CZK|koruna CZK|ft HUF|forint HUF|lei RON|leu RON" +
		"|r$ BRL|real BRL|reais BRL|a$ AUD|au$ AUD|c$ CAD|ca$ CAD|hk$ HKD|nz$ NZD|s$ SGD|mx$ MXN|rm MYR|ringgit MYR|rp IDR|rupiah IDR" +
		"|fr CHF|sfr CHF|franc CHF|swiss franc CHF|rand ZAR|"

	// maxCurrency is the longest of these names, in bytes.
	maxCurrency = 16
)

// code is the code of a currency by its code, sign or name. The rates may hold
// one that was not known when this was written.
func (r *rates) code(text string) (string, bool) {
	if code, ok := currencyCode(text); ok {
		return code, true
	}
	if code := strings.ToUpper(text); isCode(code) {
		r.mu.Lock()
		defer r.mu.Unlock()
		_, ok := r.table.rate(code)
		return code, ok
	}
	return "", false
}

// currencyCode finds what is known without rates.
func currencyCode(text string) (string, bool) {
	if text == "" || len(text) > maxCurrency || strings.Contains(text, "|") {
		return "", false
	}
	if code := strings.ToUpper(text); len(code) == 3 && strings.Contains(currencyCodes, " "+code+" ") {
		return code, true
	}
	name := strings.ToLower(text)
	for range 2 {
		if _, after, found := strings.Cut(currencyNames, "|"+name+" "); found && len(after) > 3 && after[3] == '|' {
			return after[:3], true
		}
		var plural bool
		if name, plural = strings.CutSuffix(name, "s"); !plural || len(name) < 3 {
			break
		}
	}
	return "", false
}
