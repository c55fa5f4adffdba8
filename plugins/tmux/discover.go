package tmux

import (
	"path/filepath"

	"github.com/flash-launcher/flash/sdk"
)

// watcher watches folders, of which it tells when a file in one comes or goes:
// by the file on Linux, by the folder on macOS.
type watcher interface {
	Add(dir string) error
	// run calls changed for each change, and lost where some were lost, until the
	// watcher is closed.
	run(changed func(path string), lost func())
	Close() error
}

// startWatch watches where sockets appear and go. tmux also changes the mode of
// its socket as the first terminal comes and the last one goes, so on Linux
// that is noticed for a server that nobody is attached to.
func (p *plugin) startWatch() {
	w, err := newWatcher()
	if err != nil {
		p.h.Log(sdk.LevelWarn, "tmux sockets cannot be watched; servers are looked for when the focus changes and when the flashlight opens", "error", err)
		return
	}
	p.watcher = w
	p.mu.Lock()
	p.spawnLocked(func() { w.run(p.socketChanged, p.found.Trigger) })
	p.mu.Unlock()
}

// socketChanged takes what the watch tells of: a socket or a folder of them.
func (p *plugin) socketChanged(path string) {
	p.mu.Lock()
	s := p.servers[path]
	var within []*server
	for at, o := range p.servers {
		if filepath.Dir(at) == path {
			within = append(within, o)
		}
	}
	p.mu.Unlock()
	for _, o := range within {
		o.settle.Trigger() // its socket may be another server's now
	}
	switch {
	case s != nil:
		s.settle.Trigger()
	case path == p.dir || filepath.Dir(path) == p.dir:
		p.found.Trigger()
	default:
		for _, wanted := range p.sockets {
			if path == wanted || path == filepath.Dir(wanted) {
				p.found.Trigger()
				return
			}
		}
	}
}

// discover looks for sockets, begins to read the servers that are new, forgets
// those whose socket went, and returns what is closed when the readings ended.
func (p *plugin) discover() []<-chan struct{} {
	p.watchDirs()
	paths, err := listSockets(p.dir)
	if err != nil {
		p.complain("the directory of tmux sockets cannot be read", "error", withoutPath(err))
	}
	there := make(map[string]bool, len(paths)+len(p.sockets))
	var fresh, gone []*server
	p.mu.Lock()
	add := func(path, name string) {
		there[path] = true
		if p.servers[path] == nil && !p.closed {
			p.servers[path] = newServer(p, name, path, "")
			fresh = append(fresh, p.servers[path])
		}
	}
	for _, path := range paths {
		add(path, filepath.Base(path))
	}
	for _, path := range p.sockets {
		name := path
		if filepath.Dir(path) == p.dir {
			name = filepath.Base(path)
		}
		add(path, name)
	}
	for path, s := range p.servers {
		if s.host != "" || there[path] || err != nil {
			continue
		}
		if s.known || s.ctl != nil || s.running {
			fresh = append(fresh, s) // a reading finds out
			continue
		}
		delete(p.servers, path)
		gone = append(gone, s)
	}
	p.mu.Unlock()
	for _, s := range gone {
		s.stop()
	}
	done := make([]<-chan struct{}, 0, len(fresh))
	for _, s := range fresh {
		done = append(done, s.read())
	}
	return done
}

// watchDirs watches the directories that are there. Watching one again is free.
func (p *plugin) watchDirs() {
	if p.watcher == nil {
		return
	}
	_ = p.watcher.Add(p.dir)
	for _, s := range p.sockets {
		_ = p.watcher.Add(filepath.Dir(s))
	}
}
