// Package match decides which rows a query finds and in which order they show.
//
// # What is preferred, and why
//
// A launcher is judged by its first row. The user types two or three letters
// and presses Enter without reading, so the row that comes first has to be the
// one that these letters name most plainly, and it has to be the same one
// tomorrow. That gives tiers: seven ways to be found, from plain to forgiving,
// and a row found in a plain way always stands above a row found in a more
// forgiving one, whatever else speaks for it.
//
//	query     row                     why it is found
//	--------  ----------------------  ----------------------------------------
//	gvim      gVim                    1 Exact: the whole title, or a whole alias
//	          ~~~~
//	vl        VLC media player        2 Prefix: the title begins so
//	          ~~
//	cprod     metis Client (cprod)    3 WordPrefix: every query word begins a
//	                        ~~~~~       word, in order
//	vscode    Visual Studio Code      4 Acronym: the query is made of beginnings
//	          ~      ~      ~~~~        of neighbouring words
//	at        Kate                    5 Substring: the letters stand together
//	           ~~
//	mngr      Task Manager            6 Fuzzy: the letters abbreviate words, and
//	               ~ ~ ~ ~              the gaps are paid for
//	fireofx   Firefox                 7 Typo: one or two slips away
//	          ~~~~~~~
//
// Words. A word begins after anything that is neither letter nor digit
// (brackets, slashes, dots and dashes too), at a camel-case hump, before a run
// of digits, where the script changes, and at every Han character, because Han
// text has no spaces to go by:
//
//	HTMLParser  Office365  node.js   (cprod)  東京タワー
//	^   ^       ^     ^    ^    ^     ^       ^^^
//
// Text. Rows and queries are folded the same way once (see fold.go): letter
// case and diacritics go, by rules that no locale changes; scripts stay
// themselves. A row that has the query's accents exactly is put above one that
// only has its letters, never in a better tier.
//
// Fields. Titles and aliases can be found in all tiers, subtitles and URLs only
// as substrings: a fuzzy match across a path finds everything. Inside a tier a
// title comes before an alias, an alias before a subtitle or a URL. A query of
// several words may also find them spread over a row's fields, in any order;
// that counts as a substring of the subtitle.
//
// Order inside a tier and field: the exact accent; then closeness, how much of
// the text the query leaves over, in doubling steps (0, 1-2, 3-6, 7-14 …
// letters); then how often and how lately the user took the row; then closeness
// to the letter; then the priority of its source; then what runs before what
// does not; then the catalogue's own order, so that equals never swap. The
// doubling steps are there so that habit decides between Firefox and Firewall,
// but not between Term and Terminology.
//
// Scatter. A fuzzy match abbreviates: its letters are in order, and each word
// that any of them is in has its first letter among them, because nobody
// shortens a word from its middle. It pays for each gap (GapStart, GapLetter)
// and earns for each letter that begins a word or follows the one before
// (FirstAtWord, AtWord, Adjacent); what does not earn its gaps back is no match.
// Letters strewn over a long title say nothing, and would bury the typo below.
//
// Typos. A slip is a wrong, missing, extra or swapped letter. Words of one and
// two letters and numbers get none, of three to five one, longer ones two, against the
// beginning of a word: half-typed words are the common case.
//
// # How it is kept fast
//
// Tiers are searched in order and the search ends at the first complete tier
// that fills the list: what a worse tier would add cannot show. Titles and
// aliases are searched through the vocabulary of their distinct words, which is
// far smaller than the rows: tiers 1 to 3, 5 and 7 are answered from it, and for
// 4 and 6 it says how far each word can take the query. Subtitles and URLs are
// scanned, past most rows by masks of their letters and letter groups. A query
// that goes on from the last one looks only at what that was narrowed to.
// None of this changes an answer: the tests hold every fast path to a plain
// matcher that knows none of it.
//
// The package owns folding, matching and the order. It never learns what a
// plugin, a session or a file is, and keeps no state but what a Searcher holds.
package match
