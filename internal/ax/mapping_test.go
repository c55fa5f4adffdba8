package ax

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSignalsStandForTheirNotifications(t *testing.T) {
	const page = "/org/a11y/atspi/accessible/77"
	for _, c := range []struct {
		name, path, detail string
		value              int32
		want               string
	}{
		{"Window.Create", page, "", 0, WindowCreated},
		{"Window.Destroy", page, "", 0, UIElementDestroyed},
		{"Window.Activate", page, "", 0, FocusedWindowChanged + " " + MainWindowChanged},
		{"Window.activate", page, "", 0, FocusedWindowChanged + " " + MainWindowChanged},
		{"Window.Deactivate", page, "", 0, ""},
		{"Window.Minimize", page, "", 0, WindowMiniaturized},
		{"Window.Restore", page, "", 0, WindowDeminiaturized},
		{"Window.Move", page, "", 0, WindowMoved},
		{"Window.Resize", page, "", 0, WindowResized},
		{"Object.ChildrenChanged", atspiRoot, "add", 0, WindowCreated + " " + Created + " " + LayoutChanged},
		{"Object.ChildrenChanged", atspiRoot, "remove", 0, UIElementDestroyed + " " + LayoutChanged},
		{"Object.ChildrenChanged", page, "add", 3, Created + " " + LayoutChanged},
		{"Object.ChildrenChanged", page, "remove", 3, LayoutChanged},
		{"Object.BoundsChanged", page, "", 0, LayoutChanged},
		{"Object.VisibleDataChanged", page, "", 0, LayoutChanged},
		{"Object.PropertyChange", page, "accessible-name", 0, TitleChanged},
		{"object.propertychange", page, "Accessible-Name", 0, TitleChanged},
		{"Object.PropertyChange", page, "accessible-value", 0, ValueChanged},
		{"Object.PropertyChange", page, "accessible-parent", 0, ""},
		{"Object.TextChanged", page, "insert", 1, ValueChanged},
		{"Object.TextChanged", page, "delete", 1, ValueChanged},
		{"Object.TextCaretMoved", page, "", 1, ""},
		{"Object.StateChanged", page, "checked", 1, ValueChanged},
		{"Object.StateChanged", page, "checked", 0, ValueChanged},
		{"Object.StateChanged", page, "focused", 1, FocusedUIElementChanged},
		{"Object.StateChanged", page, "focused", 0, ""},
		{"Object.StateChanged", page, "expanded", 1, RowExpanded},
		{"Object.StateChanged", page, "expanded", 0, RowCollapsed},
		{"Object.StateChanged", page, "iconified", 1, WindowMiniaturized},
		{"Object.StateChanged", page, "iconified", 0, WindowDeminiaturized},
		{"Object.StateChanged", page, "sensitive", 1, ""},
		{"Object.ActiveDescendantChanged", page, "", 0, FocusedUIElementChanged},
		{"Object.SelectionChanged", page, "", 0, SelectedChildrenChanged + " " + SelectedRowsChanged},
		{"Focus.Focus", page, "", 0, ""},
	} {
		var got []string
		planFor(All()).notifications(signal{eventPrefix + c.name, c.path, c.detail, c.value}, func(n string) { got = append(got, n) })
		require.Equal(t, c.want, strings.Join(got, " "), "%s %s %d at %s", c.name, c.detail, c.value, c.path)
	}
	planFor(All()).notifications(signal{"org.elsewhere.Window.Create", page, "", 0}, func(string) { t.Error("not an accessibility signal") })
}

func TestEveryNotificationButTheApplicationsOwnHasASource(t *testing.T) {
	var have []string
	for _, s := range sources {
		have = append(have, s.names...)
	}
	for _, n := range All() {
		require.Equal(t, n != ApplicationHidden && n != ApplicationShown, slices.Contains(have, n), n)
	}
}

func TestNothingIsAskedForThatNobodyWants(t *testing.T) {
	require.Nil(t, planFor(nil))
	require.Nil(t, planFor([]string{"AXNoSuchThing", ApplicationHidden}))
	var none *plan
	none.notifications(signal{name: eventPrefix + "Window.Create"}, func(string) { t.Error("nobody wants it") })

	p := planFor([]string{TitleChanged, WindowCreated, UIElementDestroyed})
	require.Equal(t, []string{"object:children-changed", "object:property-change:accessible-name", "window:create", "window:destroy"}, p.events)
	var rules []string
	for _, r := range p.rules {
		rules = append(rules, r.String(":1.5"))
	}
	slices.Sort(rules)
	const head = "type='signal',sender=':1.5',interface='org.a11y.atspi.Event."
	require.Equal(t, []string{
		head + "Object',member='ChildrenChanged',arg0='add',path='/org/a11y/atspi/accessible/root'",
		head + "Object',member='ChildrenChanged',arg0='remove',path='/org/a11y/atspi/accessible/root'",
		head + "Object',member='PropertyChange',arg0='accessible-name'",
		head + "Window',member='Create'",
		head + "Window',member='Destroy'",
	}, rules)
	p.notifications(signal{eventPrefix + "Object.TextChanged", "/x", "insert", 0}, func(string) { t.Error("nobody wants values") })
}

func TestAWiderRuleStandsForANarrowerOne(t *testing.T) {
	p := planFor([]string{WindowCreated, UIElementDestroyed, Created, LayoutChanged})
	for _, r := range p.rules {
		require.False(t, r.root, "what every element says includes what the root says: %v", r)
	}
}

func FuzzAnySignalIsMappedWithoutHarm(f *testing.F) {
	f.Add(eventPrefix+"Window.Activate", "/x", "", int32(0))
	f.Add("", "", "", int32(-1))
	p := planFor(All())
	f.Fuzz(func(t *testing.T, name, path, detail string, value int32) {
		p.notifications(signal{name, path, detail, value}, func(n string) { require.Contains(t, p.wanted, n) })
	})
}
