// How values of Core Foundation are written for Decode in value.go: one byte
// for the kind, as numbered there, and its fields, little-endian as both
// architectures are.
#ifndef FLASH_ENCODE_H
#define FLASH_ENCODE_H

#include <stdlib.h>
#include <string.h>
#include <stdint.h>
#include <ApplicationServices/ApplicationServices.h>
#include <CoreFoundation/CoreFoundation.h>

// As the Objective-C runtime exports them for compilers. A thread of Go's has no
// pool: what macOS's own code leaves to one would stay as long as the thread.
extern void *objc_autoreleasePoolPush(void);
extern void objc_autoreleasePoolPop(void *pool);

typedef struct {
	uint8_t *data;
	size_t len, cap;
} flashBuffer;

enum {
	flashNone, flashFailed, flashBool, flashInt, flashFloat, flashString, flashPoint, flashSize, flashRect, flashRange,
	flashElement, flashList, flashDict,
};

// Deeper than this nothing is read; Decode allows as much.
enum { flashDepth = 7 };

static void flashPut(flashBuffer *b, const void *from, size_t n) {
	if (b->len + n > b->cap) {
		size_t cap = b->cap == 0 ? 512 : b->cap;
		while (cap < b->len + n) cap *= 2;
		b->data = realloc(b->data, cap);
		if (b->data == NULL) abort();
		b->cap = cap;
	}
	memcpy(b->data + b->len, from, n);
	b->len += n;
}

static void flashKind(flashBuffer *b, uint8_t kind) { flashPut(b, &kind, 1); }
static void flashU32(flashBuffer *b, uint32_t n) { flashPut(b, &n, sizeof n); }
static void flashI64(flashBuffer *b, uint8_t kind, int64_t n) { flashKind(b, kind); flashPut(b, &n, sizeof n); }
static void flashFail(flashBuffer *b, AXError e) { flashKind(b, flashFailed); flashPut(b, &e, sizeof e); }

static void flashDoubles(flashBuffer *b, uint8_t kind, const double *d, int n) {
	flashKind(b, kind);
	flashPut(b, d, (size_t)n * sizeof *d);
}

// A string's length is known only once it is written.
static void flashText(flashBuffer *b, CFStringRef s) {
	CFRange all = {0, CFStringGetLength(s)};
	CFIndex n = 0;
	CFStringGetBytes(s, all, kCFStringEncodingUTF8, '?', 0, NULL, 0, &n);
	uint8_t *bytes = malloc(n > 0 ? (size_t)n : 1);
	if (bytes == NULL) abort();
	CFStringGetBytes(s, all, kCFStringEncodingUTF8, '?', 0, bytes, n, &n);
	flashU32(b, (uint32_t)n);
	flashPut(b, bytes, (size_t)n);
	free(bytes);
}

static void flashAXValue(flashBuffer *b, AXValueRef v) {
	CGRect r;
	CFRange range;
	AXError error;
	AXValueType type = AXValueGetType(v);
	if (type == kAXValueTypeCGPoint && AXValueGetValue(v, type, &r.origin)) {
		flashDoubles(b, flashPoint, (double[]){r.origin.x, r.origin.y}, 2);
	} else if (type == kAXValueTypeCGSize && AXValueGetValue(v, type, &r.size)) {
		flashDoubles(b, flashSize, (double[]){r.size.width, r.size.height}, 2);
	} else if (type == kAXValueTypeCGRect && AXValueGetValue(v, type, &r)) {
		flashDoubles(b, flashRect, (double[]){r.origin.x, r.origin.y, r.size.width, r.size.height}, 4);
	} else if (type == kAXValueTypeCFRange && AXValueGetValue(v, type, &range)) {
		flashDoubles(b, flashRange, (double[]){(double)range.location, (double)range.length}, 2);
	} else if (type == kAXValueTypeAXError && AXValueGetValue(v, type, &error)) {
		flashFail(b, error);
	} else {
		flashKind(b, flashNone);
	}
}

static void flashValue(flashBuffer *b, CFTypeRef v, int depth) {
	if (v == NULL) {
		flashKind(b, flashNone);
		return;
	}
	CFTypeID type = CFGetTypeID(v);
	if (type == CFStringGetTypeID()) {
		flashKind(b, flashString);
		flashText(b, (CFStringRef)v);
	} else if (type == CFBooleanGetTypeID()) {
		flashI64(b, flashBool, CFBooleanGetValue((CFBooleanRef)v) != 0);
	} else if (type == CFNumberGetTypeID()) {
		int64_t n = 0;
		double d = 0;
		if (CFNumberIsFloatType((CFNumberRef)v) || !CFNumberGetValue((CFNumberRef)v, kCFNumberSInt64Type, &n)) {
			CFNumberGetValue((CFNumberRef)v, kCFNumberDoubleType, &d);
			flashDoubles(b, flashFloat, &d, 1);
		} else {
			flashI64(b, flashInt, n);
		}
	} else if (type == CFURLGetTypeID()) {
		flashKind(b, flashString);
		flashText(b, CFURLGetString((CFURLRef)v));
	} else if (type == AXUIElementGetTypeID()) {
		CFRetain(v);
		flashI64(b, flashElement, (int64_t)(intptr_t)v);
	} else if (type == AXValueGetTypeID()) {
		flashAXValue(b, (AXValueRef)v);
	} else if (type == CFArrayGetTypeID() && depth > 0) {
		CFIndex n = CFArrayGetCount((CFArrayRef)v);
		flashKind(b, flashList);
		flashU32(b, (uint32_t)n);
		for (CFIndex i = 0; i < n; i++) flashValue(b, CFArrayGetValueAtIndex((CFArrayRef)v, i), depth - 1);
	} else if (type == CFDictionaryGetTypeID() && depth > 0) {
		CFIndex n = CFDictionaryGetCount((CFDictionaryRef)v);
		const void **keys = calloc((size_t)n * 2 + 1, sizeof *keys);
		if (keys == NULL) abort();
		CFDictionaryGetKeysAndValues((CFDictionaryRef)v, keys, keys + n);
		uint32_t named = 0;
		for (CFIndex i = 0; i < n; i++) named += CFGetTypeID(keys[i]) == CFStringGetTypeID();
		flashKind(b, flashDict);
		flashU32(b, named);
		for (CFIndex i = 0; i < n; i++) {
			if (CFGetTypeID(keys[i]) != CFStringGetTypeID()) continue;
			flashText(b, (CFStringRef)keys[i]);
			flashValue(b, keys[n + i], depth - 1);
		}
		free(keys);
	} else {
		// Attributed texts, colours, markers and what apps make up.
		flashKind(b, flashNone);
	}
}

// Names are C strings one behind the other, each with its zero.
static CFArrayRef flashNames(const char *names, int count) {
	CFStringRef *list = calloc((size_t)count + 1, sizeof *list);
	if (list == NULL) abort();
	for (int i = 0; i < count; i++) {
		list[i] = CFStringCreateWithCString(kCFAllocatorDefault, names, kCFStringEncodingUTF8);
		if (list[i] == NULL) list[i] = CFStringCreateWithCString(kCFAllocatorDefault, "", kCFStringEncodingUTF8);
		names += strlen(names) + 1;
	}
	CFArrayRef out = CFArrayCreate(kCFAllocatorDefault, (const void **)list, count, &kCFTypeArrayCallBacks);
	for (int i = 0; i < count; i++) CFRelease(list[i]);
	free(list);
	return out;
}

#endif
