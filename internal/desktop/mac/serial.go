package mac

import "sync"

// Serial does things in the order in which they are told, away from whoever
// tells, who waits for none of them. At rest it holds no goroutine.
type Serial struct {
	mu    sync.Mutex
	todo  []func()
	busy  bool
	idle  sync.WaitGroup
	ended bool
}

// Do has fn done after all before it.
func (s *Serial) Do(fn func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return
	}
	s.todo = append(s.todo, fn)
	if !s.busy {
		s.busy = true
		s.idle.Go(s.work)
	}
}

func (s *Serial) work() {
	for {
		s.mu.Lock()
		todo := s.todo
		s.todo, s.busy = nil, len(todo) > 0
		s.mu.Unlock()
		if len(todo) == 0 {
			return
		}
		for _, fn := range todo {
			fn()
		}
	}
}

// End does nothing more that comes, and waits for what came.
func (s *Serial) End() {
	s.mu.Lock()
	s.ended = true
	s.mu.Unlock()
	s.idle.Wait()
}
