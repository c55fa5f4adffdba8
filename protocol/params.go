package protocol

import "strings"

// The decoders of this file are the plugin's side: they hold the types of what
// they read and pass over keys that a later host may add.

// DecodeInitialize returns the host's version, 0 when it is no integer.
func DecodeInitialize(params []byte) (version int64) {
	o, err := ParseObject(params)
	if err != nil {
		return 0
	}
	if version, _ = o.OptInt("protocol_version"); o.Err() != nil {
		return 0
	}
	return version
}

// DecodeEvaluate decodes the params of an evaluate request.
func DecodeEvaluate(params []byte) (Evaluate, error) {
	o, err := ParseObject(params)
	if err != nil {
		return Evaluate{}, err
	}
	q := Evaluate{Query: o.String("query")}
	q.Scope, _ = o.OptString("scope")
	q.Surface, _ = o.OptString("surface")
	if o.Err() != nil {
		return Evaluate{}, o.Err()
	}
	return q, nil
}

// DecodeSearch decodes the params of a search request.
func DecodeSearch(params []byte) (Search, error) {
	o, err := ParseObject(params)
	if err != nil {
		return Search{}, err
	}
	q := Search{Query: o.String("query")}
	q.Scope, _ = o.OptString("scope")
	if o.Err() != nil {
		return Search{}, o.Err()
	}
	return q, nil
}

// DecodeHints decodes the params of a hints request.
func DecodeHints(params []byte) (Hints, error) {
	o, err := ParseObject(params)
	if err != nil {
		return Hints{}, err
	}
	h := Hints{BundleID: o.String("bundle_id"), PID: o.PID("pid"), Frame: o.frame("front_window_frame")}
	if o.Err() != nil {
		return Hints{}, o.Err()
	}
	return h, nil
}

// DecodePerform decodes the params of a perform request. An unknown kind is an error.
func DecodePerform(params []byte) (Perform, error) {
	o, err := ParseObject(params)
	if err != nil {
		return Perform{}, err
	}
	p := Perform{Kind: PerformKind(o.String("kind"))}
	switch p.Kind {
	case PerformResolve:
		if m := o.need("row"); m != nil {
			sc := scanner{s: m.text}
			if p.Row = decodeRow(&sc); sc.fault != "" {
				o.Fail("row", sc.fault)
			}
		}
	case PerformCommand:
		p.Command = o.String("command")
		p.Subcommand, _ = o.OptString("subcommand")
		p.Args, _ = o.OptStrings("args")
		p.Raw, _ = o.OptString("raw")
	case PerformAction:
		p.Name = o.String("name")
		c := o.Object("context")
		p.Context.BundleID, _ = c.OptString("bundle_id")
		p.Context.PID, _ = c.OptPID("pid")
		if c.Has("front_window_frame") {
			f := c.frame("front_window_frame")
			p.Context.Frame = &f
		}
		if a := o.OptObject("args"); a != nil {
			p.ActionArgs = append([]byte(nil), a.raw...)
		}
	case PerformNavigate:
		p.URL = o.String("url")
	default:
		o.Fail("kind", "is none of resolve, command, action, navigate")
	}
	if o.Err() != nil {
		return Perform{}, o.Err()
	}
	return p, nil
}

// DecodeEvent decodes an event notification. The payload aliases params; it is
// {} when the event has none. Events come by the burst, hence no Object.
func DecodeEvent(params []byte) (name string, payload []byte, err error) {
	sc := scanner{s: view(params)}
	sc.open('{')
	set := sc.newKeySet()
	for n := 0; sc.next(n, '}'); n++ {
		k, ok := sc.key()
		if !ok || !set.add(&sc, k) {
			break
		}
		switch k {
		case "name":
			s, _ := sc.str()
			name = strings.Clone(s)
		case "payload":
			if !sc.null() {
				payload = sc.rawObject(params)
			}
		default:
			sc.skip()
		}
	}
	if !sc.end() {
		return "", nil, &DecodeError{"", sc.fault}
	}
	if name == "" {
		return "", nil, &DecodeError{"name", "is missing"}
	}
	if payload == nil {
		payload = []byte("{}")
	}
	return name, payload, nil
}

// DecodeApplications decodes the running_applications of a core:apps.changed payload.
func DecodeApplications(payload []byte) ([]Application, error) {
	o, err := ParseObject(payload)
	if err != nil {
		return nil, err
	}
	apps := []Application{}
	o.Objects("running_applications", func(a *Object) {
		app := Application{PID: a.PID("pid")}
		app.BundleID, _ = a.OptString("bundle_id")
		app.LocalizedName, _ = a.OptString("localized_name")
		a.IgnoreRest()
		apps = append(apps, app)
	})
	if o.Err() != nil {
		return nil, o.Err()
	}
	return apps, nil
}
