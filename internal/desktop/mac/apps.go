package mac

// RunningApp is a running application as NSWorkspace tells it.
type RunningApp struct {
	App
	Name   string
	Policy int // NSApplicationActivationPolicy
}

// RunningOf reads what the C side writes of applications: a list of each one's
// process, bundle id, name and policy. What is no application is left out.
func RunningOf(values []Value) []RunningApp {
	var out []RunningApp
	for _, v := range values {
		if v.Kind != List || len(v.List) != 4 {
			continue
		}
		pid, id, name, policy := v.List[0], v.List[1], v.List[2], v.List[3]
		if pid.Kind == Int && pid.Int > 0 {
			out = append(out, RunningApp{App{int(pid.Int), id.Str}, name.Str, int(policy.Int)})
		}
	}
	return out
}

// Strings are those among values that are no empty text.
func Strings(values []Value) []string {
	var out []string
	for _, v := range values {
		if v.Kind == String && v.Str != "" {
			out = append(out, v.Str)
		}
	}
	return out
}
