# What people and CI run. Needs Go, make and a shell; what else a target can use
# it looks for, and says what it does without.

GO       ?= go
BIN      := bin
LDFLAGS  := -s -w
GOFILES  := $(shell git ls-files '*.go' 2>/dev/null)
# On macOS the desktop is AppKit and needs cgo; elsewhere everything is pure Go.
ifeq ($(shell uname -s),Darwin)
CGO := 1
else
CGO := 0
endif
# The race detector needs a C compiler.
RACE := $(shell command -v $${CC:-cc} >/dev/null 2>&1 && echo -race)
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2

.PHONY: run test test-display build bench lint fmt clean conformance darwin-check

run: build
	@Scripts/run

build:
	CGO_ENABLED=$(CGO) $(GO) build -trimpath -ldflags "$(LDFLAGS)" -o $(BIN)/ ./cmd/...
	@# A copy lies in the page cache in large pieces, as an installed file does; what
	@# the linker writes lies there page by page, and starts a tenth slower.
	@for f in flash flash-plugin flash-plugin-conformance; do \
		cp $(BIN)/$$f $(BIN)/.$$f && mv $(BIN)/.$$f $(BIN)/$$f; \
	done
	@for m in plugins/*/manifest.json; do \
		id=$$(basename $$(dirname $$m)); \
		ln -sf flash-plugin $(BIN)/flash-plugin-$$id; \
	done

test: build
	@test -n "$(RACE)" || echo "make test: no C compiler, so the race detector is off"
	@command -v tmux >/dev/null || echo "make test: no tmux, so its tests are skipped"
	@command -v dbus-daemon >/dev/null || echo "make test: no dbus-daemon, so its tests are skipped"
	$(GO) test $(RACE) -timeout 20m ./...

# What `make test` skips where the programs of a desktop are missing, as a must:
# real windows, terminals, browsers and buses in private sessions.
DISPLAY_TESTS := ./internal/ax ./internal/desktop/... ./internal/host ./internal/hotkey/... ./internal/ui/... ./internal/x11/... \
	./internal/pointer/... ./plugins/windows ./plugins/kitty ./plugins/browsers

test-display: build
	FLASH_TEST_DISPLAY=require $(GO) test $(RACE) -timeout 20m $(DISPLAY_TESTS)

bench: build
	$(GO) test -run '^$$' -bench . -benchmem ./...

lint:
	@out=$$(gofmt -l $(GOFILES)); test -z "$$out" || { echo "gofmt would change:"; echo "$$out"; exit 1; }
	$(GO) vet ./...
	$(GO) run $(STATICCHECK) ./...

fmt:
	gofmt -w $(GOFILES)

conformance: build
	$(BIN)/flash plugin-dev conform --all
	$(BIN)/flash plugin-dev conform --all --sandbox

darwin-check:
	Scripts/darwin-check/run

clean:
	rm -rf $(BIN) dist
