package ewmh

import (
	"fmt"
	"testing"

	"github.com/flash-launcher/flash/internal/desktop/window"
)

// BenchmarkList reads the windows of a session with forty of them, as a sweep of
// all applications does for each.
func BenchmarkList(b *testing.B) {
	for _, watched := range []bool{true, false} {
		b.Run(fmt.Sprintf("watched=%v", watched), func(b *testing.B) {
			r := newRig(b)
			for i := range int16(40) {
				r.window(fmt.Sprint("window ", i), 10*i, 10*i, 100, 100)
			}
			if watched {
				if err := r.d.Watch(b.Context(), func(window.Change) {}); err != nil {
					b.Fatal(err)
				}
			}
			ctx := r.ctx()
			for b.Loop() {
				if list, err := r.d.List(ctx); err != nil || len(list) != 40 {
					b.Fatal(len(list), err)
				}
			}
		})
	}
}
