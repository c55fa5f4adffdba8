package ax

// roleNames are the macOS names of AT-SPI's roles, by their number there. What
// macOS has no role for is a group.
var roleNames = [...]string{
	2: "AXGroup", 7: checkBox, 8: menuItem, 9: "AXColorWell", 10: "AXCell", 11: "AXComboBox", 12: "AXDateField",
	15: "AXValueIndicator", 16: window, 18: "AXGroup", 19: window, 20: "AXGroup", 22: window, 23: window, 26: "AXImage",
	27: "AXImage", 29: "AXStaticText", 31: "AXList", 32: "AXGroup", 33: "AXMenu", 34: "AXMenuBar", 35: menuItem, 37: radioButton,
	38: "AXTabGroup", 39: "AXGroup", 40: textField, 41: "AXMenu", 42: "AXProgressIndicator", 43: button, 44: radioButton,
	45: menuItem, 47: "AXCell", 48: "AXScrollBar", 49: "AXScrollArea", 50: "AXSplitter", 51: "AXSlider", 52: "AXIncrementor",
	53: "AXSplitGroup", 54: "AXGroup", 55: "AXTable", 56: "AXCell", 57: "AXCell", 58: "AXCell", 59: menuItem, 60: textArea,
	61: textArea, 62: checkBox, 63: "AXToolbar", 64: "AXHelpTag", 65: "AXOutline", 66: "AXOutline", 69: window, 75: application,
	76: textField, 77: textField, 79: textField, 82: "AXWebArea", 83: "AXHeading", 88: "AXLink", 90: "AXRow", 91: "AXRow",
	95: "AXWebArea", 98: "AXList", 103: "AXLevelIndicator", 114: "AXValueIndicator", 116: "AXStaticText", 129: "AXMenuButton",
}

const (
	application = "AXApplication"
	button      = "AXButton"
	checkBox    = "AXCheckBox"
	menuItem    = "AXMenuItem"
	radioButton = "AXRadioButton"
	textArea    = "AXTextArea"
	textField   = "AXTextField"
	window      = "AXWindow"
)

// Roles of AT-SPI that are treated specially.
const (
	roleAlert       = 2
	roleCheckItem   = 8
	roleDialog      = 16
	roleFileChooser = 19
	roleFontChooser = 22
	rolePageTab     = 37
	rolePassword    = 40
	roleRadioItem   = 45
	roleToggle      = 62
	roleTreeTable   = 66
	roleText        = 61
	roleFrame       = 23
	roleApplication = 75
	roleTreeItem    = 91
)

func roleName(role uint32, states uint64) string {
	if role == roleText && states&(1<<stateSingleLine) != 0 {
		return textField
	}
	if int(role) < len(roleNames) && roleNames[role] != "" {
		return roleNames[role]
	}
	return "AXGroup"
}

func subrole(role uint32, states uint64) string {
	switch role {
	case rolePassword:
		return "AXSecureTextField"
	case rolePageTab:
		return "AXTabButton"
	case roleToggle:
		return "AXToggle"
	case roleTreeItem, roleTreeTable:
		return "AXOutlineRow"
	case roleDialog, roleAlert, roleFileChooser, roleFontChooser:
		return "AXDialog"
	}
	if roleName(role, states) == window {
		return "AXStandardWindow"
	}
	return ""
}

// isWindow says whether a role is that of what a window system shows as one.
func isWindow(role uint32) bool { return role == roleAlert || roleName(role, 0) == window }

// States of AT-SPI, as bits of its two words.
const (
	stateActive             = 1
	stateChecked            = 4
	stateDefunct            = 6
	stateEnabled            = 8
	stateExpandable         = 9
	stateExpanded           = 10
	stateFocused            = 12
	stateIconified          = 15
	stateModal              = 16
	statePressed            = 20
	stateSelected           = 23
	stateSensitive          = 24
	stateShowing            = 25
	stateSingleLine         = 26
	stateManagesDescendants = 31
	stateIndeterminate      = 32
	stateCheckable          = 41
)

// ticks says whether an element's value is whether it is checked.
func ticks(role uint32, states uint64) bool {
	name := roleName(role, states)
	return name == checkBox || name == radioButton && role != rolePageTab || role == roleCheckItem || role == roleRadioItem || states&(1<<stateCheckable) != 0
}
