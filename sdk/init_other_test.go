//go:build !linux

package sdk_test

import "github.com/flash-launcher/flash/sdk"

func initFixture() sdk.Plugin { return fixture() }
