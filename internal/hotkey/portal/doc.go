// Package portal owns the global shortcuts of a Wayland session, where no program
// may grab a key: it asks the desktop for them (org.freedesktop.portal.GlobalShortcuts),
// and the desktop asks its user, who may choose other keys.
//
// The road of a key. A session is created at the portal, the shortcuts are bound
// to it, once, and from then on the portal tells when one is pressed. A portal
// that was restarted, or shortcuts that changed, begin anew with another session;
// what the user answered once is not asked again, as desktops keep it.
//
// Where there is no such portal, Describe says which line binds the key in the
// compositor. The package reads no key itself and decides not what one does.
package portal
