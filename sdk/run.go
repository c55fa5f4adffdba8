package sdk

import (
	"context"
	"os"
)

func runProcess(p Plugin) int {
	return newConn(p, Options{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Env: os.Getenv}).serve(context.Background())
}

func exit(status int) { os.Exit(status) }
