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

# Where `make install` puts things, in the layout of the packages.
PREFIX ?= $(HOME)/.local
DEST   := $(DESTDIR)$(PREFIX)

.PHONY: run test test-display build install uninstall bench lint fmt clean conformance darwin-check

run: build
	@Scripts/run

build:
	@command -v $(GO) >/dev/null || { echo "make: there is no $(GO) on PATH; Flash is built with Go 1.26 or later, from https://go.dev/dl or the system's packages"; exit 1; }
	@test -e $(BIN)/flash || echo "make: the first build takes a minute or more, and says nothing meanwhile"
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

install: build
	@rm -rf "$(DEST)/lib/flash"
	@mkdir -p "$(DEST)/bin" "$(DEST)/lib/flash/bin" "$(DEST)/share/bash-completion/completions" \
		"$(DEST)/share/zsh/site-functions" "$(DEST)/share/fish/vendor_completions.d"
	@cp -P $(BIN)/flash $(BIN)/flash-plugin* "$(DEST)/lib/flash/bin"
	@for m in plugins/*/manifest.json; do \
		to="$(DEST)/lib/flash/$$(dirname $$m)" && mkdir -p "$$to" && cp $$m "$$to" || exit 1; \
	done
	@ln -sfn ../lib/flash/bin/flash "$(DEST)/bin/flash"
	@$(BIN)/flash man --dir "$(DEST)/share/man/man1"
	@$(BIN)/flash completion bash > "$(DEST)/share/bash-completion/completions/flash"
	@$(BIN)/flash completion zsh > "$(DEST)/share/zsh/site-functions/_flash"
	@$(BIN)/flash completion fish > "$(DEST)/share/fish/vendor_completions.d/flash.fish"
	@echo "$(DEST)/bin/flash is installed; flash start starts it, and flash autostart enable does so at each login"

# What you configured and what Flash learned stays: docs/configuration.md says where.
uninstall:
	@rm -rf "$(DEST)/lib/flash" "$(DEST)/bin/flash" "$(DEST)/share/bash-completion/completions/flash" \
		"$(DEST)/share/zsh/site-functions/_flash" "$(DEST)/share/fish/vendor_completions.d/flash.fish" \
		"$(DEST)"/share/man/man1/flash.1 "$(DEST)"/share/man/man1/flash-*.1

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
