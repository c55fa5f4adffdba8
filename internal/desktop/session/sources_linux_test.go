package session

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/flash-launcher/flash/internal/desktop/desktoptest"
	"github.com/flash-launcher/flash/internal/event"
	"github.com/flash-launcher/flash/internal/event/eventtest"
	"github.com/flash-launcher/flash/internal/supervisor/leaktest"
	"github.com/flash-launcher/flash/protocol"
)

func TestABurstOfThePowerSupplyIsOneEventAndARestatementNone(t *testing.T) {
	clock := eventtest.New()
	d := newDesk(t, clock)
	line := d.object(upowerPath, upower, map[string]any{"OnBattery": false, "LidIsClosed": false})
	battery := d.object(upowerDisplay, upowerDevice, map[string]any{"Percentage": 50.0, "State": uint32(2), "UpdateTime": uint64(1)})
	d.own(upower)
	d.open(func(o *Options) { o.State = nil })
	require.Empty(t, d.rules(upower), "nobody listens")
	d.listen(protocol.EventPowerChanged)
	d.followed(upowerDisplay)
	const wait = 250 * time.Millisecond
	// Known is what it is compared with, once the first reading is in.
	require.Eventually(t, func() bool {
		line.SetMust(upower, "OnBattery", true)
		line.SetMust(upower, "OnBattery", false)
		return clock.Armed() > 0
	}, patience, 10*time.Millisecond)
	clock.Advance(wait)
	require.Equal(t, protocol.EventPowerChanged, take(t, d.events, "the first change"))

	line.SetMust(upower, "OnBattery", true)
	battery.SetMust(upowerDevice, "State", uint32(1))
	battery.SetMust(upowerDevice, "Percentage", 49.4)
	clock.AwaitTimer(wait)
	// A signal of another object that comes after them all.
	d.settled(clock, wait)
	require.Equal(t, protocol.EventPowerChanged, take(t, d.events, "the burst"))
	require.Empty(t, d.events)

	battery.SetMust(upowerDevice, "Percentage", 49.1)
	battery.SetMust(upowerDevice, "UpdateTime", uint64(2))
	line.SetMust(upower, "LidIsClosed", true)
	line.SetMust(upower, "OnBattery", true)
	battery.SetMust(upowerDevice, "Percentage", 48.9)
	clock.AwaitTimer(wait)
	d.settled(clock, wait)
	require.Equal(t, protocol.EventPowerChanged, take(t, d.events, "a percent less"))
	require.Empty(t, d.events)

	d.listen()
	require.Eventually(t, func() bool { return len(d.rules(upower)) == 0 }, patience, time.Millisecond, "nobody listens any more")
}

// settled moves the clock once every signal that was emitted so far was looked
// at: the name of a service goes and comes behind them.
func (d *desk) settled(clock *eventtest.Fake, wait time.Duration) {
	d.t.Helper()
	_, err := d.services.ReleaseName(upower)
	require.NoError(d.t, err)
	d.own(upower)
	marker := d.session.parts.system
	require.NoError(d.t, marker.Call(d.t.Context(), "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus.GetId", 0, nil))
	clock.Advance(wait)
	clock.Advance(wait)
}

func TestAnotherDesktopIsOneEvent(t *testing.T) {
	d := newDesk(t, event.System())
	desktoptest.Need(t, "xdotool")
	d.open()
	d.listen(protocol.EventSpaceChanged)
	for _, n := range []uint32{1, 0} {
		d.show(n)
		require.Equal(t, protocol.EventSpaceChanged, take(t, d.events, "another desktop"))
	}
	d.listen()
	d.show(2)
	require.Empty(t, d.events)
	d.listen(protocol.EventSpaceChanged)
	d.show(3)
	require.Equal(t, protocol.EventSpaceChanged, take(t, d.events, "another desktop"))
	require.Empty(t, d.events)
}

// show goes to a desktop. A window manager that has just begun may miss being
// asked.
func (d *desk) show(n uint32) {
	d.t.Helper()
	hand, err := d.desk.X().Hand()
	require.NoError(d.t, err)
	defer hand.Close()
	require.Eventually(d.t, func() bool {
		d.desk.Run("xdotool", "set_desktop", strconv.Itoa(int(n)))
		at, _ := hand.Cardinal(spaceProperty)
		return at == n
	}, patience, 10*time.Millisecond)
}

// helperKey names what a copy of this test does in namespaces of its own.
const helperKey = "FLASH_SESSION_HELPER"

func TestMain(m *testing.M) {
	switch os.Getenv(helperKey) {
	case "network":
		helpNetwork()
	case "volumes":
		helpVolumes()
	case "listen":
		helpListen()
	default:
		os.Exit(m.Run())
	}
	os.Exit(0)
}

// alone runs this test's binary in namespaces of its own and gives its lines.
func alone(t *testing.T, what string, flags uintptr) []string {
	t.Helper()
	leaktest.Check(t)
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), helperKey+"="+what)
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | flags,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if _, failed := err.(*exec.ExitError); err != nil && !failed {
		t.Skip("this machine gives no user namespaces: ", err)
	}
	require.NoError(t, err)
	return strings.Split(strings.TrimSpace(string(out)), "\n")
}

// step does one thing and waits for the one change that it makes.
func step(changes <-chan struct{}, what string, do func() error) {
	if err := do(); err != nil {
		fmt.Println(what+":", err)
		os.Exit(1)
	}
	select {
	case <-changes:
		fmt.Println(what)
	case <-time.After(patience):
		fmt.Println(what, "was not told")
		os.Exit(1)
	}
}

func helpNetwork() {
	changes := make(chan struct{}, 64)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if err := followNetwork(ctx, func() { changes <- struct{}{} }); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	flags := func(on uint16) func() error {
		return func() error {
			fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM, 0)
			if err != nil {
				return err
			}
			defer func() { _ = unix.Close(fd) }()
			r, err := unix.NewIfreq("lo")
			if err != nil {
				return err
			}
			r.SetUint16(on)
			return unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, r)
		}
	}
	step(changes, "up", flags(unix.IFF_UP|unix.IFF_RUNNING))
	step(changes, "down", flags(0))
}

func TestTheKernelTellsOfInterfaces(t *testing.T) {
	require.Equal(t, []string{"up", "down"}, alone(t, "network", syscall.CLONE_NEWNET))
}

func helpVolumes() {
	for i := range internal {
		if internal[i] == "tmpfs" {
			internal[i] = "" // what a user may mount stands for a volume
		}
	}
	dir, err := os.MkdirTemp("", "flash-volumes-")
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	changes := make(chan struct{}, 64)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if err := followMounts(ctx, mountTable, func() { changes <- struct{}{} }); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	step(changes, "mounted", func() error { return unix.Mount("x", dir, "tmpfs", 0, "") })
	// What is no volume of the user's is not told: the next change is the last.
	inner := filepath.Join(dir, "inner")
	step(changes, "unmounted", func() error {
		if err := os.Mkdir(inner, 0o700); err != nil {
			return err
		}
		if err := unix.Mount("x", inner, "ramfs", 0, ""); err != nil {
			return err
		}
		if err := unix.Unmount(inner, 0); err != nil {
			return err
		}
		return unix.Unmount(dir, 0)
	})
	if len(changes) > 0 {
		fmt.Println("told too often")
	}
}

func TestTheKernelTellsOfVolumes(t *testing.T) {
	require.Equal(t, []string{"mounted", "unmounted"}, alone(t, "volumes", syscall.CLONE_NEWNS))
}

func TestAFollowedSourceEndsWithItsWant(t *testing.T) {
	d := newDesk(t, event.System())
	s := d.open()
	all := want(protocol.EventNetworkChanged, protocol.EventVolumesChanged, protocol.EventSpaceChanged, protocol.EventPowerChanged, protocol.EventClipboardChanged)
	for range 5 {
		s.Want(all)
		d.listen()
	}
	s.Want(all)
	require.NoError(t, s.Close())
	s.Want(all)
	require.Empty(t, d.events)
}

func message(kind uint16, body []byte) []byte {
	b := make([]byte, headerLen)
	binary.NativeEndian.PutUint32(b, uint32(headerLen+len(body)))
	binary.NativeEndian.PutUint16(b[4:], kind)
	b = append(b, body...)
	return append(b, make([]byte, (4-len(b)%4)%4)...)
}

func link(index int32, flags uint32) []byte {
	b := make([]byte, linkLen)
	binary.NativeEndian.PutUint32(b[4:], uint32(index))
	binary.NativeEndian.PutUint32(b[8:], flags)
	return b
}

func address(index uint32, addr string, valid uint32) []byte {
	b := make([]byte, addrLen)
	b[0], b[1] = unix.AF_INET, 24
	binary.NativeEndian.PutUint32(b[4:], index)
	attr := func(kind uint16, v []byte) {
		b = binary.NativeEndian.AppendUint16(b, uint16(4+len(v)))
		b = binary.NativeEndian.AppendUint16(b, kind)
		b = append(b, v...)
		b = append(b, make([]byte, (4-len(b)%4)%4)...)
	}
	attr(unix.IFA_ADDRESS, []byte(addr))
	attr(unix.IFA_CACHEINFO, binary.NativeEndian.AppendUint32(nil, valid))
	return b
}

func TestWhatTheKernelRepeatsIsNoNews(t *testing.T) {
	n := network{links: map[int32]uint32{}, addrs: map[string]bool{}}
	up := uint32(unix.IFF_UP | unix.IFF_RUNNING)
	for _, c := range []struct {
		what string
		msg  []byte
		news bool
	}{
		{"a link", message(unix.RTM_NEWLINK, link(1, up)), true},
		{"the same with another flag", message(unix.RTM_NEWLINK, link(1, up|unix.IFF_PROMISC)), false},
		{"its carrier", message(unix.RTM_NEWLINK, link(1, unix.IFF_UP)), true},
		{"an address", message(unix.RTM_NEWADDR, address(1, "abcd", 10)), true},
		{"the same, renewed", message(unix.RTM_NEWADDR, address(1, "abcd", 20)), false},
		{"on another link", message(unix.RTM_NEWADDR, address(2, "abcd", 20)), true},
		{"it goes", message(unix.RTM_DELADDR, address(1, "abcd", 0)), true},
		{"and comes", message(unix.RTM_NEWADDR, address(1, "abcd", 5)), true},
		{"two in one", append(message(unix.RTM_NEWADDR, address(1, "abcd", 5)), message(unix.RTM_DELLINK, link(1, 0))...), true},
		{"a route", message(unix.RTM_NEWROUTE, make([]byte, 12)), false},
		{"cut short", message(unix.RTM_NEWLINK, link(9, up))[:20], false},
	} {
		assert.Equal(t, c.news, n.read(c.msg), c.what)
	}
	for i := range int32(3 * remembered) {
		n.read(message(unix.RTM_NEWLINK, link(i, up)))
	}
	assert.LessOrEqual(t, len(n.links), remembered+1)
}

func FuzzAnnouncementsOfTheKernel(f *testing.F) {
	f.Add(message(unix.RTM_NEWLINK, link(1, 1)))
	f.Add(message(unix.RTM_NEWADDR, address(1, "abcd", 1)))
	f.Fuzz(func(_ *testing.T, b []byte) {
		n := network{links: map[int32]uint32{}, addrs: map[string]bool{}}
		n.read(b)
		volumesOf(string(b))
	})
}

func TestWhatIsNoVolumeIsNotCounted(t *testing.T) {
	const disk = "36 35 98:0 / /mnt rw,noatime - ext4 /dev/sda1 rw\n"
	base := volumesOf(disk)
	assert.Equal(t, base, volumesOf(disk+"40 35 0:50 / /run/user/0/doc rw - fuse.portal portal rw\n41 35 0:51 / /tmp rw shared:1 - tmpfs x rw\nnonsense\n"))
	assert.Equal(t, base, volumesOf(strings.Replace(disk, "rw,noatime", "ro", 1)))
	assert.NotEqual(t, base, volumesOf(disk+"40 35 0:50 / /net rw - nfs4 server:/x rw\n"))
	assert.NotEqual(t, base, volumesOf(""))
}

// helpListen is another user's socket.
func helpListen() {
	l, err := listen(os.Getenv("FLASH_SESSION_SOCKET"))
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	defer func() { _ = l.Close() }()
	fmt.Println("listening")
	_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
}
