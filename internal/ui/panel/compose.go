package panel

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Composer makes text of several keys. The panel asks it before it takes a key
// itself; an input method stands here in place of the usual one.
type Composer interface {
	// Key takes a key. What is to be written comes back in text; shown is what
	// stands at the caret meanwhile. A key that is not used is the panel's.
	Key(k Key) (text, shown string, used bool)
	// Reset forgets what was begun.
	Reset()
}

// deadKeys are the keysyms from dead_grave on: the sign that stands for each by
// itself, and the combining mark that it puts on a letter.
const firstDead = 0xfe50

var deadKeys = [...]struct{ alone, mark rune }{
	{'`', 0x300}, {'´', 0x301}, {'^', 0x302}, {'~', 0x303}, {'¯', 0x304}, {'˘', 0x306}, {'˙', 0x307}, {'¨', 0x308},
	{'˚', 0x30a}, {'˝', 0x30b}, {'ˇ', 0x30c}, {'¸', 0x327}, {'˛', 0x328}, {'ͺ', 0x345}, {'゛', 0x3099}, {'゜', 0x309a},
	{'̣', 0x323}, {'̉', 0x309}, {'̛', 0x31b}, {'/', 0x338}, {'᾿', 0x313}, {'῾', 0x314}, {'̏', 0x30f}, {'˳', 0x325},
	{'ˍ', 0x331}, {'̭', 0x32d}, {'̰', 0x330}, {'̮', 0x32e}, {'̤', 0x324},
}

// strokes are the letters with a stroke, which have no decomposition.
const strokes = "oøOØlłLŁdđDĐhħHĦtŧTŦbƀgǥzƶZƵ"

// dead_greek and dead_currency write letters that have nothing in common with
// the letter that is typed.
const (
	deadCurrency = 0xfe6f
	deadGreek    = 0xfe8c
	currencies   = "e€E€l£L£y¥Y¥c¢C¢n₦N₦w₩W₩r₨R₨p₧P₱t₺d₫D₫o௹s₪k₭m₥b฿f₣"
	greeks       = "aαbβgγdδeεzζhηuθiικκkκlλmμnνjξoοpπrρsσtτyυfφxχcψwωAΑBΒGΓDΔEΕZΖHΗUΘIΙKΚLΛMΜNΝJΞOΟPΠRΡSΣTΤYΥFΦXΧCΨWΩ"
)

// composeMarks are the keys that put a mark on a letter after the Compose key.
const composeMarks = "`\u0300'\u0301^\u0302~\u0303\"\u0308,\u0327;\u0328*\u030a-\u0304_\u0304.\u0307=\u030b<\u030c>\u0302u\u0306U\u0306b\u0306c\u030c!\u0323?\u0309+\u031b"

// composePairs are the usual signs after the Compose key: two keys and what they
// write, parted by spaces. The other order of the keys writes the same unless it
// is listed too.
const composePairs = `aeæ AEÆ oeœ OEŒ ssß SSẞ aaå AAÅ ththþ o/ø O/Ø l/ł L/Ł d/đ D/Đ DHÐ dhð THÞ thþ ngŋ NGŊ ij` + "\u0133" + ` IJ` + "\u0132" + ` i.ı kkĸ
oc© oC© OC© Oc© or® OR® oR® tm™ TM™ sm℠ SM℠ no№ No№ NO№ C=€ c=€ e=€ E=€ =e€ L-£ l-£ Y=¥ y=¥ Y-¥ c/¢ C/¢ c|¢ |c¢ ox¤ xo¤ rs₹ R=₹ =r₹ W=₩ d=₫ P=₽
oo° o0° *0° 0*° so§ s!§ os§ p!¶ P!¶ PP¶ +-± -+∓ xx× :-÷ -:÷ mu` + "µ" + ` /u` + "µ" + ` 12½ 14¼ 34¾ 13⅓ 23⅔ 18⅛ 38⅜ 58⅝ 78⅞ 15⅕ 25⅖ 35⅗ 45⅘ 16⅙ 56⅚
^0⁰ ^1¹ ^2² ^3³ ^4⁴ ^5⁵ ^6⁶ ^7⁷ ^8⁸ ^9⁹ ^+⁺ ^-⁻ ^(⁽ ^)⁾ _0₀ _1₁ _2₂ _3₃ _4₄ _5₅ _6₆ _7₇ _8₈ _9₉ _+₊ ^aª ^oº a_ª o_º
!!¡ ??¿ <<« >>» <'‘ >'’ '<‘ '>’ <"“ >"” "<“ ">” ,'‚ ,"„ ',‚ ",„ .<‹ .>› ..… .-· .^· ^.· =_≡ :.∴ ,-¬ -,¬ ||¦ !^¦ 00∞ 88∞ v/√ /v√ =/≠ /=≠ <=≤ >=≥ _<≤ _>≥ ~~≈ <3♥ :)☺ :(☹ #b♭ #f♮ ##♯ ->→ <-← |^↑ v|↓ |v↓ =>⇒ *a☆ CCCP☭ {}∅ o-· %o‰`

// composeThree are the usual ones of three keys.
const composeThree = `---— --.– --_– --)‑ (c)© (r)® (1)① (2)② (3)③ (4)④ (5)⑤ (6)⑥ (7)⑦ (8)⑧ (9)⑨`

// compose is the usual Composer: dead keys and the Compose key.
type compose struct {
	dead  []uint32 // dead keys so far
	after []rune   // keys after Compose
	on    bool     // Compose was pressed
}

// Reset forgets what was begun.
func (c *compose) Reset() { *c = compose{} }

// Key takes a key.
func (c *compose) Key(k Key) (text, shown string, used bool) {
	begun := c.on || len(c.dead) > 0
	switch {
	case isModifier(k.Sym):
		return "", c.shown(), begun
	case k.Sym == symMultiKey:
		c.Reset()
		c.on = true
		return "", c.shown(), true
	case !begun && !isDead(k.Sym):
		return "", "", false
	case k.Sym == symEscape, k.Sym == symBackSpace:
		c.Reset()
		return "", "", true
	case isDead(k.Sym) && !c.on:
		return c.deadKey(k.Sym)
	}
	r := runeOf(k.Sym)
	if isDead(k.Sym) {
		r = deadAlone(k.Sym)
	}
	if r == 0 || k.Mods&(Ctrl|Alt|Super) != 0 {
		c.Reset()
		return "", "", false
	}
	if c.on {
		return c.composeKey(r)
	}
	text = joined(c.dead, r)
	c.Reset()
	return text, "", true
}

func (c *compose) shown() string {
	var b strings.Builder
	if c.on {
		b.WriteRune('·')
	}
	for _, d := range c.dead {
		b.WriteRune(deadAlone(d))
	}
	b.WriteString(string(c.after))
	return b.String()
}

// deadKey takes another dead key: a second one of the same kind writes the sign.
func (c *compose) deadKey(sym uint32) (text, shown string, used bool) {
	if len(c.dead) > 0 && c.dead[len(c.dead)-1] == sym {
		c.Reset()
		return string(deadAlone(sym)), "", true
	}
	if len(c.dead) >= 3 {
		c.Reset()
	}
	c.dead = append(c.dead, sym)
	return "", c.shown(), true
}

// composeKey takes a key after Compose.
func (c *compose) composeKey(r rune) (text, shown string, used bool) {
	c.after = append(c.after, r)
	typed := string(c.after)
	more := false
	for _, entry := range strings.Fields(composeThree) {
		if rest, ok := strings.CutPrefix(entry, typed); ok {
			if utf8.RuneCountInString(rest) == 1 {
				c.Reset()
				return rest, "", true
			}
			more = true
		}
	}
	if len(c.after) == 1 || len(c.after) == 2 && more && pair(c.after[0], c.after[1]) == "" {
		return "", c.shown(), true
	}
	after := c.after
	c.Reset()
	if len(after) == 2 {
		return pair(after[0], after[1]), "", true
	}
	return "", "", true // no such sequence: what was typed was meant for none
}

// pair is what two keys after Compose write, "" for nothing.
func pair(a, b rune) string {
	entries := strings.Fields(composePairs)
	for _, typed := range [...]string{string([]rune{a, b}), string([]rune{b, a})} {
		for _, e := range entries {
			if rest, ok := strings.CutPrefix(e, typed); ok && utf8.RuneCountInString(rest) == 1 {
				return rest
			}
		}
	}
	for _, p := range [...][2]rune{{a, b}, {b, a}} {
		mark := after(composeMarks, p[0])
		for _, d := range deadKeys {
			if mark == 0 && d.alone == p[0] {
				mark = d.mark
			}
		}
		if mark != 0 && unicode.IsLetter(p[1]) {
			if s := norm.NFC.String(string([]rune{p[1], mark})); utf8.RuneCountInString(s) == 1 {
				return s
			}
		}
	}
	return ""
}

// joined puts the marks of dead keys on a letter, in whatever order they came. A
// space takes the signs alone; with a letter that takes no such marks all are
// written.
func joined(dead []uint32, r rune) string {
	if r != ' ' && r != 0xa0 {
		for range 2 {
			if out := marked(dead, r); out != "" {
				return out
			}
			slices.Reverse(dead)
		}
	}
	out := ""
	for _, d := range dead {
		out += string(deadAlone(d))
	}
	if r == ' ' || r == 0xa0 {
		return out
	}
	return out + string(r)
}

// marked is the one character of a letter with marks, "" if there is none.
func marked(dead []uint32, r rune) string {
	s := string(r)
	for _, d := range dead {
		switch {
		case d == deadCurrency || d == deadGreek:
			table := currencies
			if d == deadGreek {
				table = greeks
			}
			to := after(table, r)
			if to == 0 {
				return ""
			}
			s = string(to)
			continue
		case deadKeys[d-firstDead].alone == '/':
			if to := after(strokes, r); to != 0 {
				s = string(to)
				continue
			}
		}
		s += string(deadKeys[d-firstDead].mark)
	}
	if out := norm.NFC.String(s); utf8.RuneCountInString(out) == 1 {
		return out
	}
	return ""
}

// after returns what follows r in a list of pairs.
func after(pairs string, r rune) rune {
	first := true
	var key rune
	for _, c := range pairs {
		if !first && key == r {
			return c
		}
		if first {
			key = c
		}
		first = !first
	}
	return 0
}

func isDead(sym uint32) bool {
	return sym >= firstDead && sym < firstDead+uint32(len(deadKeys)) || sym == deadCurrency || sym == deadGreek
}

// deadAlone is the sign that a dead key stands for.
func deadAlone(sym uint32) rune {
	switch sym {
	case deadCurrency:
		return '¤'
	case deadGreek:
		return 'µ'
	}
	return deadKeys[sym-firstDead].alone
}
