package draw

import "testing"

// BenchmarkScan looks at the machine's fonts, as the first text does.
func BenchmarkScan(b *testing.B) {
	n := 0
	for b.Loop() {
		n = len(scanFonts(fontDirs()))
	}
	b.ReportMetric(float64(n), "fonts")
}

func BenchmarkShape(b *testing.B) {
	f := NewFonts(FontOptions{})
	defer f.Drop()
	for _, s := range []string{"Firefox Web Browser", "القواعد العربية 101", "日本語のウィキペディア"} {
		b.Run(s, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				f.shape(s, Style{Size: 15})
			}
		})
	}
}
