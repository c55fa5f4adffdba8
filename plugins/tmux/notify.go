package tmux

import (
	"bytes"
	"errors"
)

// notice is what one line of control mode means to the plugin.
type notice int

const (
	noticeNone    notice = iota
	noticeChange         // something that the inventory shows may have changed
	noticeReply          // the reply to one of our commands is whole
	noticeSession        // the control client shows another session; also a change
)

// changes are the notifications that can change an inventory. Sorted. What is
// left out, such as %output, %pane-mode-changed and %paste-buffer-changed, is
// passed over.
var changes = [...]string{
	"%client-detached",
	"%client-session-changed",
	"%layout-change",
	"%session-changed",
	"%session-renamed",
	"%session-window-changed",
	"%sessions-changed",
	"%unlinked-window-add",
	"%unlinked-window-close",
	"%unlinked-window-renamed",
	"%window-add",
	"%window-close",
	"%window-pane-changed",
	"%window-renamed",
}

var errReplySize = errors.New("a reply of tmux is too long")

// decoder reads the lines of control mode. tmux puts no notification between
// the %begin and the %end of a reply.
type decoder struct {
	inReply bool
	ours    bool   // the reply answers a command that this client sent
	guard   []byte // time and number, the same at both ends of a reply

	body    []byte // of the last whole reply, valid until the next line
	refused bool   // it ended in %error
	session string // id of the session that the control client shows
}

// line takes one line without its newline.
func (d *decoder) line(l []byte) (notice, error) {
	if d.inReply {
		return d.replyLine(l)
	}
	word, rest, _ := bytes.Cut(l, []byte{' '})
	if string(word) == "%begin" {
		d.inReply, d.body = true, d.body[:0]
		guard, flags := cutGuard(rest)
		d.guard = append(d.guard[:0], guard...)
		d.ours = string(flags) == "1"
		return noticeNone, nil
	}
	if string(word) == "%session-changed" {
		if id, _, _ := bytes.Cut(rest, []byte{' '}); isID(string(id), '$') {
			d.session = string(id)
			return noticeSession, nil
		}
	}
	for _, name := range changes {
		if string(word) == name {
			return noticeChange, nil
		}
	}
	return noticeNone, nil
}

func (d *decoder) replyLine(l []byte) (notice, error) {
	word, rest, _ := bytes.Cut(l, []byte{' '})
	end, refused := string(word) == "%end", string(word) == "%error"
	if end || refused {
		if guard, _ := cutGuard(rest); bytes.Equal(guard, d.guard) {
			d.inReply, d.refused = false, refused
			if d.ours {
				return noticeReply, nil
			}
			return noticeNone, nil
		}
	}
	if len(d.body)+len(l)+1 > maxInventory {
		return noticeNone, errReplySize
	}
	d.body = append(append(d.body, l...), '\n')
	return noticeNone, nil
}

// cutGuard parts `time number flags` into the first two and the last.
func cutGuard(s []byte) (guard, flags []byte) {
	i := bytes.LastIndexByte(s, ' ')
	if i < 0 {
		return s, nil
	}
	return s[:i], s[i+1:]
}
