package mac

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestEveryNoticeOfPresenceIsRead(t *testing.T) {
	on := map[string]int{}
	for _, n := range PresenceNotices {
		p, ok := PresenceOf(n)
		assert.True(t, ok, n)
		if p.On {
			on[p.By]++
		} else {
			on[p.By]--
		}
		assert.Equal(t, n == WillSleep || n == DidWake, p.Sleep)
	}
	for by, left := range on {
		assert.Zero(t, left, "what %q begins it also ends", by)
	}
	assert.Len(t, on, 3)
	_, ok := PresenceOf(SpaceChanged)
	assert.False(t, ok)
	assert.Equal(t, OfWorkspace, CenterOf(WillSleep))
	assert.Equal(t, OfSession, CenterOf(ScreenLocked))
	assert.Equal(t, OfApplication, CenterOf(ScreensChanged))
}

func battery(now, most int64, charging bool) Value {
	v := Value{Kind: Dict, Keys: []string{"Type", "Current Capacity", "Max Capacity", "Is Charging"}}
	v.List = []Value{{Kind: String, Str: "InternalBattery"}, {Kind: Int, Int: now}, {Kind: Int, Int: most}, {Kind: Bool}}
	if charging {
		v.List[3].Int = 1
	}
	return v
}

func TestASupplyIsReadFromWhatIOKitSays(t *testing.T) {
	assert.Equal(t, Supply{}, SupplyOf("AC Power", nil), "a machine without a battery")
	assert.Equal(t, Supply{Battery: true, Percent: 80}, SupplyOf("Battery Power", []Value{battery(80, 100, false)}))
	assert.Equal(t, Supply{Charging: true, Percent: 50}, SupplyOf("AC Power", []Value{battery(4000, 8000, true)}))
	mouse := Value{Kind: Dict, Keys: []string{"Type", "Current Capacity", "Max Capacity"}, List: []Value{{Kind: String, Str: "Accessory Source"}, {Kind: Int, Int: 1}, {Kind: Int, Int: 100}}}
	assert.Equal(t, Supply{Percent: 90}, SupplyOf("AC Power", []Value{mouse, battery(90, 100, false)}))
}

func TestOnlyAChangeIsTold(t *testing.T) {
	var c Changed[Supply]
	assert.False(t, c.Now(Supply{Percent: 80}), "the first look is no change")
	assert.False(t, c.Now(Supply{Percent: 80}))
	assert.True(t, c.Now(Supply{Percent: 79}))
	assert.True(t, c.Now(Supply{Percent: 79, Battery: true}))
}

func TestAWirelessNetworkIsThereWithoutItsName(t *testing.T) {
	for _, c := range []struct {
		w       Wireless
		ssid    string
		present bool
	}{
		{Wireless{}, "", false}, {Wireless{Powered: true}, "", false}, {Wireless{Joined: true, SSID: "home"}, "", false},
		{Wireless{Powered: true, Joined: true}, "", true}, {Wireless{Powered: true, SSID: "home"}, "home", true},
		{Wireless{Powered: true, Joined: true, SSID: strings.Repeat("a", 33)}, "", true}, {Wireless{Powered: true, Joined: true, SSID: "a\x01"}, "", true},
	} {
		ssid, present := c.w.Network()
		assert.Equal(t, c.ssid, ssid)
		assert.Equal(t, c.present, present)
	}
}
