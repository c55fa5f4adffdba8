#pragma once
#include <stdint.h>

// The items of the menu bar, all of it on the main thread. An item is begun,
// gets its parts, and is ended; so is a menu.
void flashItemPart(const char *text, int ink, uint32_t rgb, int ground, uint32_t groundRGB, int bold, int italic, int underline);
void flashItemSet(int at, const char *hover, const char *spoken);
void flashItemsKeep(int n);
void flashMenuEntry(const char *title, int tag, int can);
void flashMenuLine(void);
void flashMenuPop(int at);

extern void flashItemClicked(int at, int button, int ask);
extern void flashMenuPicked(int tag);
