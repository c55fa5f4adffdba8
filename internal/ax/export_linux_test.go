package ax

// Dormant says whether the observer gave up trying until somebody asks.
func (o *Observer) Dormant() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.backoff.dormant
}
