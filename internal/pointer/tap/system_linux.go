package tap

import (
	"bufio"
	"bytes"
	"os"
	"strconv"
	"strings"

	"github.com/flash-launcher/flash/internal/pointer/device"
)

// HasButton reports whether a device has a button of this number.
func HasButton(d device.Device, button int32) bool { return int(toX(button)) <= d.Buttons }

const inputDevices = "/proc/bus/input/devices"

// SystemDevices is the kernel's own list of pointing devices, which needs no
// permission, with notes for those who can open none of them.
func SystemDevices() ([]device.Device, []string) {
	data, err := os.ReadFile(inputDevices)
	if err != nil {
		return nil, nil
	}
	return parseInputDevices(data), nil
}

// parseInputDevices reads the kernel's list: paragraphs of lines such as
// `I: Bus=0003 Vendor=046d Product=c52b Version=0111`.
func parseInputDevices(data []byte) []device.Device {
	var out []device.Device
	d, mouse := device.Device{Source: "kernel"}, false
	flush := func() {
		if mouse && d.Name != "" {
			d.Guess()
			out = append(out, d)
		}
		d, mouse = device.Device{Source: "kernel"}, false
	}
	in := bufio.NewScanner(bytes.NewReader(data))
	for in.Scan() {
		line := in.Text()
		switch {
		case line == "":
			flush()
		case strings.HasPrefix(line, "I: "):
			for word := range strings.FieldsSeq(line[3:]) {
				key, value, _ := strings.Cut(word, "=")
				n, _ := strconv.ParseUint(value, 16, 16)
				switch key {
				case "Vendor":
					d.Vendor = uint16(n)
				case "Product":
					d.Product = uint16(n)
				}
			}
		case strings.HasPrefix(line, "N: Name="):
			if name, err := strconv.Unquote(line[len("N: Name="):]); err == nil {
				d.Name = name
			}
		case strings.HasPrefix(line, "H: Handlers="):
			for word := range strings.FieldsSeq(line[len("H: Handlers="):]) {
				mouse = mouse || strings.HasPrefix(word, "mouse")
			}
		case strings.HasPrefix(line, "B: KEY="):
			d.Buttons = mouseButtons(line[len("B: KEY="):])
		}
	}
	flush()
	return out
}

// mouseButtons counts the bits from BTN_MOUSE (0x110) to BTN_TASK (0x117) in a
// key bitmap, which is written in words of 64 bits, the highest first.
func mouseButtons(bitmap string) (n int) {
	words := strings.Fields(bitmap)
	const btnMouse, btnTask, bits = 0x110, 0x117, 64
	for b := btnMouse; b <= btnTask; b++ {
		i := len(words) - 1 - b/bits
		if i < 0 {
			continue
		}
		if w, err := strconv.ParseUint(words[i], 16, 64); err == nil && w>>(b%bits)&1 != 0 {
			n++
		}
	}
	return n
}
