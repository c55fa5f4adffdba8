package conformance

func misbehave(string) int { return 0 }
