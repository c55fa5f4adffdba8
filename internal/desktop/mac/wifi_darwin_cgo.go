//go:build darwin && cgo

package mac

/*
#include "encode.h"
#include "objc.h"

// As dlfcn.h has them.
extern void *dlopen(const char *path, int mode);
#define flashLazy 1

// The frameworks are loaded when somebody asks, not with the program: hardly
// anybody does.
static id flashClass(const char *framework, const char *name) {
	if (objc_getClass(name) == NULL) dlopen(framework, flashLazy);
	return (id)objc_getClass(name);
}

static int flashWifi(int *powered, int *joined, char *ssid, long size) {
	void *pool = objc_autoreleasePoolPush();
	int known = 0;
	id client = flashClass("/System/Library/Frameworks/CoreWLAN.framework/CoreWLAN", "CWWiFiClient");
	if (client != NULL) client = flashAsk(client, "sharedWiFiClient");
	if (client != NULL) {
		known = 1;
		id port = flashAsk(client, "interface");
		if (port != NULL) {
			*powered = flashSays(port, "powerOn");
			*joined = flashAsk(port, "wlanChannel") != NULL;
			id name = flashAsk(port, "ssid");
			if (name == NULL || !CFStringGetCString((CFStringRef)name, ssid, size, kCFStringEncodingUTF8)) ssid[0] = 0;
		}
	}
	objc_autoreleasePoolPop(pool);
	return known;
}

static void flashAskLocation(void) {
	static id manager; // asks for as long as it lives
	id class = flashClass("/System/Library/Frameworks/CoreLocation.framework/CoreLocation", "CLLocationManager");
	if (class == NULL) return;
	if (manager == NULL) manager = flashAsk(flashAsk(class, "alloc"), "init");
	if (manager != NULL) flashAsk(manager, "requestWhenInUseAuthorization");
}
*/
import "C"

import "errors"

// ReadWireless is the wireless network as CoreWLAN tells it; it says the name
// to those who may know where the machine is.
func ReadWireless() (Wireless, error) {
	const size = 128 // a name has 32 bytes at most
	var powered, joined C.int
	var ssid [size]C.char
	if C.flashWifi(&powered, &joined, &ssid[0], size) == 0 {
		return Wireless{}, errors.New("wifi: this macOS has no CoreWLAN")
	}
	return Wireless{Powered: powered != 0, Joined: joined != 0, SSID: C.GoString(&ssid[0])}, nil
}

// AskLocation has macOS ask the user for leave to know the location, unless the
// user answered before. It runs on the main thread.
func AskLocation() { C.flashAskLocation() }
