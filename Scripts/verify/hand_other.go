//go:build !darwin || !cgo

package main

func newHand() hand { return noHand{} }
