// Package svg owns how an icon that is there as SVG becomes pixels: shapes,
// strokes, gradients, clips, masks, opacity, simple style sheets, and the
// filters that icons are made with. It is written here as the libraries for it
// leave out clips, masks and style sheets, without which every third icon of an
// application is wrong, and none bounds what a file may cost.
//
// What a file asks for is bounded: its size, its elements, how deep they lie,
// and the work of painting them. It never opens another file, fetches nothing,
// resolves no entities, and shows no text and no pictures within pictures.
package svg
