package host

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/flash-launcher/flash/internal/control"
	"github.com/flash-launcher/flash/internal/install"
	"github.com/flash-launcher/flash/internal/manifest"
)

// needsInstall reports whether the install step of a plugin is due: it never ran
// to its end, or the plugin has another version since.
func (h *Host) needsInstall(def manifest.Definition) bool {
	m := def.Manifest
	return m.Install != "" && h.overrides.installed(m.ID) != installMark{Command: m.Install, Version: m.Version}
}

// installWait says that the user has not allowed the install step of a plugin
// yet, "" when there is none or it is allowed. What was allowed is the command
// as it was read: another one is asked about anew.
func (h *Host) installWait(def manifest.Definition) string {
	m := def.Manifest
	if m.Install == "" || h.overrides.installed(m.ID).Command == m.Install {
		return ""
	}
	return fmt.Sprintf("waits for its install step: look at it and allow it with `flash plugin install %s`", m.ID)
}

// allowInstall is the user's yes to the command that they were shown.
func (h *Host) allowInstall(p control.PluginParams) error {
	s := h.plugins.Load().slots[p.ID]
	if s == nil {
		return control.Errorf(control.CodeNotFound, "plugin %q is gone from its folder", p.ID)
	}
	switch command := s.def.Manifest.Install; {
	case command == "":
		return control.Errorf(control.CodeInvalid, "plugin %q has no install step", p.ID)
	case command != p.Command:
		return control.Errorf(control.CodeFailed, "the install step of plugin %q is another one than you were shown; look again", p.ID)
	}
	if err := h.overrides.setInstalled(p.ID, installMark{Command: p.Command}); err != nil {
		return err
	}
	if s.live != nil {
		s.live.Reload()
	}
	h.enact()
	return nil
}

// install runs a plugin's install step and remembers that it went well.
func (h *Host) install(ctx context.Context, def manifest.Definition) error {
	m := def.Manifest
	logs := filepath.Join(h.paths.Logs, "install")
	if err := os.MkdirAll(logs, 0o700); err != nil {
		return err
	}
	data := h.paths.PluginData(m.ID)
	if err := os.MkdirAll(data, 0o700); err != nil {
		return err
	}
	err := h.installs.Run(ctx, install.Step{
		Plugin: m.ID, Root: def.Root, Command: m.Install, Log: filepath.Join(logs, m.ID+".log"),
		Env: manifest.Environment(def, manifest.World{DataDir: data, LoginPath: manifest.LoginPath(), Lookup: os.LookupEnv}),
	})
	if err != nil {
		return err
	}
	return h.overrides.setInstalled(m.ID, installMark{Command: m.Install, Version: m.Version})
}
