package panel

import (
	"image"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/shm"
	"github.com/jezek/xgb/xproto"
	"golang.org/x/sys/unix"

	"github.com/flash-launcher/flash/internal/ui/draw"
)

var shmEvents = map[int]xgb.NewEventFun{0: shm.CompletionEventNew}

// surface is the memory that is painted and how it comes into the window: shared
// with the server, or sent where that does not work.
type surface struct {
	p     *Panel
	image *draw.Image
	seg   shm.Seg // 0 where it is not shared
	mem   []byte
	busy  bool // the server reads it
}

func (p *Panel) newSurface(size image.Point) *surface {
	s := &surface{p: p}
	if p.hasShm && s.share(size) {
		return s
	}
	s.image = draw.NewImage(size.X, size.Y)
	return s
}

func (s *surface) share(size image.Point) bool {
	n := size.X * size.Y * 4
	id, err := unix.SysvShmGet(unix.IPC_PRIVATE, n, unix.IPC_CREAT|0o600)
	if err != nil {
		return false
	}
	// Marked to go with its last user, who cannot forget it then.
	defer func() { _, _ = unix.SysvShmCtl(id, unix.IPC_RMID, nil) }()
	mem, err := unix.SysvShmAttach(id, 0, 0)
	if err != nil {
		return false
	}
	seg, err := shm.NewSegId(s.p.conn)
	if err == nil {
		err = shm.AttachChecked(s.p.conn, seg, uint32(id), true).Check()
	}
	if err != nil {
		_ = unix.SysvShmDetach(mem)
		s.p.hasShm = false // the server is elsewhere
		return false
	}
	s.seg, s.mem = seg, mem
	s.image = draw.Over(mem, size.X*4, size.X, size.Y)
	return true
}

func (s *surface) fits(size image.Point) bool { return size.X <= s.image.W && size.Y <= s.image.H }

func (s *surface) close() {
	if s.seg != 0 {
		shm.Detach(s.p.conn, s.seg)
		_ = unix.SysvShmDetach(s.mem)
	}
}

// partsAlone is up to how many parts are put one by one; more go as the one
// rectangle that holds them.
const partsAlone = 3

// put brings parts of the image into the window.
func (s *surface) put(parts []image.Rectangle) {
	if len(parts) == 0 {
		return
	}
	if len(parts) > partsAlone {
		all := parts[0]
		for _, r := range parts[1:] {
			all = all.Union(r)
		}
		parts = []image.Rectangle{all}
	}
	for i, r := range parts {
		r = r.Intersect(s.image.Bounds())
		if s.seg == 0 {
			s.send(r)
			continue
		}
		last := byte(0)
		if i == len(parts)-1 {
			last = 1
			s.busy = true
		}
		shm.PutImage(s.p.conn, xproto.Drawable(s.p.id), s.p.gc, uint16(s.image.W), uint16(s.image.H), uint16(r.Min.X), uint16(r.Min.Y),
			uint16(r.Dx()), uint16(r.Dy()), int16(r.Min.X), int16(r.Min.Y), s.p.depth, xproto.ImageFormatZPixmap, last, s.seg, 0)
	}
}

// maxRequest is what a request may carry on every server.
const maxRequest = 256<<10 - 64

// send sends pixels in requests that every server takes.
func (s *surface) send(r image.Rectangle) {
	if r.Empty() {
		return
	}
	line := r.Dx() * 4
	rows := max(1, maxRequest/line)
	for y := r.Min.Y; y < r.Max.Y; y += rows {
		n := min(rows, r.Max.Y-y)
		data := make([]byte, 0, n*line)
		for i := range n {
			at := (y+i)*s.image.Stride + r.Min.X*4
			data = append(data, s.image.Pix[at:at+line]...)
		}
		xproto.PutImage(s.p.conn, xproto.ImageFormatZPixmap, xproto.Drawable(s.p.id), s.p.gc, uint16(r.Dx()), uint16(n), int16(r.Min.X), int16(y), 0, s.p.depth, data)
	}
}
