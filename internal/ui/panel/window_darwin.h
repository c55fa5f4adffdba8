#pragma once
#include <stdint.h>

// What the panel asks of its window, all of it on the main thread.
void flashPanelMake(void);
void flashPanelTake(void);
void flashPanelPut(const void *pix, int w, int h, int stride, double scale, double x, double y, double width, double height);
void flashPanelConceal(void);
void flashPanelSettle(void);
void flashPanelEdited(void);
void flashPanelSay(const char *text);
void flashPanelRelease(void);
void flashAddLine(void *lines, const char *label, double x, double y, double w, double h, int selected);
void flashMonitor(double *out); // x, y, width, height, scale
void flashAppearance(int *dark, int *contrast);
uint32_t flashModifiers(void);
char *flashClipboard(void); // to be freed; NULL for no text
int flashListened(void);
int flashIcon(const char *path, void *pix, int size);

// What the window tells the panel. Texts are copied before they return.
extern int flashPanelKey(uint16_t code, uint32_t flags, char *text, char *plain);
extern void flashPanelFlags(uint32_t flags);
extern void flashPanelWrote(char *text, int64_t from, int64_t to);
extern void flashPanelComposes(char *text);
extern void flashPanelKept(void);
extern void flashPanelMeans(char *selector);
extern void flashPanelWritten(int64_t *out); // at, length, from, to
extern char *flashPanelSubstring(int64_t from, int64_t to); // to be freed
extern void flashPanelCaret(double *out); // from the upper left
extern void flashPanelClick(int button, double x, double y, int extend, int twice);
extern void flashPanelMoved(double x, double y);
extern void flashPanelScrolled(double x, double y, double delta, int precise);
extern void flashPanelResigned(void);
extern void flashPanelChanged(void);
extern char *flashPanelText(void); // to be freed
extern void flashPanelLines(void *lines);
