package protocol

// decodeEffect reads an effect; open is allowed on rows only. The problem is
// of the value; faults of syntax are in sc.
func decodeEffect(sc *scanner, limit, row bool) (e Effect, problem string) {
	var kind string
	var seen, has int
	const (
		bitType = 1 << iota
		bitText
		bitURL
		bitBundle
	)
	sc.open('{')
	for n := 0; sc.next(n, '}'); n++ {
		k, ok := sc.key()
		if !ok {
			return e, ""
		}
		var into *string
		var bit int
		switch k {
		case "type":
			bit, into = bitType, &kind
		case "text":
			bit, into = bitText, &e.Text
		case "url":
			bit, into = bitURL, &e.URL
		case "bundle_id":
			bit, into = bitBundle, &e.BundleID
		default:
			if limit {
				return e, "unknown key" + shown(k)
			}
			sc.skip()
			continue
		}
		if seen&bit != 0 {
			return e, "duplicate key"
		}
		seen |= bit
		if sc.null() {
			continue
		}
		if *into, ok = sc.str(); !ok {
			return e, ""
		}
		has |= bit
	}
	if sc.fault != "" {
		return e, ""
	}
	switch {
	case kind == string(EffectCopyText) && has == bitType|bitText:
		e.Type = EffectCopyText
	case kind == string(EffectInsertText) && has == bitType|bitText:
		e.Type = EffectInsertText
	case kind == string(EffectOpen) && row && has == bitType|bitURL && e.URL != "":
		e.Type = EffectOpen
	case kind == string(EffectOpen) && row && has == bitType|bitBundle && e.BundleID != "":
		e.Type = EffectOpen
	case kind == string(EffectOpen) && !row:
		return e, "open is for rows only"
	default:
		return e, "is none of copy_text with text, insert_text with text, open with url or bundle_id"
	}
	if limit {
		switch {
		case len(e.Text) > MaxEffectText:
			return e, "text " + tooLong(MaxEffectText)
		case len(e.URL) > MaxURL:
			return e, "url " + tooLong(MaxURL)
		}
	}
	return e, ""
}
