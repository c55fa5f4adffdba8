module github.com/flash-launcher/flash/Scripts/search-benchmark

go 1.26.0

require (
	github.com/flash-launcher/flash v0.0.0
	github.com/junegunn/fzf v0.65.2
	github.com/sahilm/fuzzy v0.1.3
	golang.org/x/sys v0.50.0
)

require (
	github.com/mattn/go-isatty v0.0.20 // indirect
	github.com/rivo/uniseg v0.4.7 // indirect
	golang.org/x/text v0.44.0 // indirect
)

replace github.com/flash-launcher/flash => ../..
