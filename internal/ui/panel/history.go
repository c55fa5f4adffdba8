package panel

import "slices"

// historyKept bounds the inputs that are remembered, for as long as the host runs.
const historyKept = 50

// history is the inputs that something was chosen with, the newest last.
type history struct {
	entries []string
	at      int    // entry that shows, len(entries) for what the user types
	draft   string // what the user had typed
}

func (h *history) add(text string) {
	if text == "" {
		return
	}
	if i := slices.Index(h.entries, text); i >= 0 {
		h.entries = slices.Delete(h.entries, i, i+1)
	}
	if len(h.entries) >= historyKept {
		h.entries = slices.Delete(h.entries, 0, 1)
	}
	h.entries = append(h.entries, text)
	h.at = len(h.entries)
}

// reset begins anew at what the user types.
func (h *history) reset() { h.at, h.draft = len(h.entries), "" }

// step moves by entries; ok is false at either end.
func (h *history) step(by int, typed string) (text string, ok bool) {
	to := h.at + by
	if to < 0 || to > len(h.entries) {
		return "", false
	}
	if h.at == len(h.entries) {
		h.draft = typed
	}
	h.at = to
	if to == len(h.entries) {
		return h.draft, true
	}
	return h.entries[to], true
}
