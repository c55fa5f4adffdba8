// Package sdktest is the host in a test: it drives a plugin over its two
// streams, in the test's process or in one of its own, in any language. It
// holds what the plugin sends to the wire's rules and, given a manifest, to
// what that declares. It never stands in for the sandbox or the user interface.
//
//	func TestHello(t *testing.T) {
//		h := sdktest.InProcess(t, hello.New(), sdktest.Options{})
//		h.Initialize()
//		rows := h.NextPublish()
//		...
//	}
//
// Every method that waits fails the test when what it waits for has not come
// within Options.Timeout. The plugin is ended when the test ends.
package sdktest
