package mach

import (
	"fmt"
	"sync"
	"syscall"
	"unsafe"
)

// Flavors of <mach/processor_info.h> and <mach/host_info.h>.
const (
	flavorCPULoad = 2 // PROCESSOR_CPU_LOAD_INFO
	flavorVM64    = 4 // HOST_VM_INFO64
)

//go:cgo_import_dynamic flash_mach_host_self mach_host_self "/usr/lib/libSystem.B.dylib"
//go:cgo_import_dynamic flash_mach_task_self mach_task_self "/usr/lib/libSystem.B.dylib"
//go:cgo_import_dynamic flash_host_processor_info host_processor_info "/usr/lib/libSystem.B.dylib"
//go:cgo_import_dynamic flash_host_statistics64 host_statistics64 "/usr/lib/libSystem.B.dylib"
//go:cgo_import_dynamic flash_vm_deallocate vm_deallocate "/usr/lib/libSystem.B.dylib"

// Addresses of the trampolines in mach_darwin.s.
var hostSelf, taskSelf, hostProcessorInfo, hostStatistics64, vmDeallocate uintptr

// call is how package syscall calls a function of libSystem; golang.org/x/sys
// reaches it the same way.
//
//go:linkname call syscall.syscall6
func call(fn, a1, a2, a3, a4, a5, a6 uintptr) (r1, r2 uintptr, err syscall.Errno)

// ports are asked for once: each time that they are, the kernel counts one more
// reference.
var ports struct {
	sync.Once
	host, task uintptr
}

func self() (host, task uintptr) {
	ports.Do(func() {
		r, _, _ := call(hostSelf, 0, 0, 0, 0, 0, 0)
		ports.host = uintptr(uint32(r))
		r, _, _ = call(taskSelf, 0, 0, 0, 0, 0, 0)
		ports.task = uintptr(uint32(r))
	})
	return ports.host, ports.task
}

// failed makes an error of a kern_return_t that is not KERN_SUCCESS.
func failed(what string, result uintptr) error {
	if code := int32(result); code != 0 {
		return fmt.Errorf("macOS refuses %s with Mach error %d", what, code)
	}
	return nil
}

// Processors tells the ticks of each processor.
func Processors() ([]Ticks, error) {
	host, task := self()
	var processors, words uint32
	var info *uint32 // memory that the kernel maps into this process
	r, _, _ := call(hostProcessorInfo, host, flavorCPULoad,
		uintptr(unsafe.Pointer(&processors)), uintptr(unsafe.Pointer(&info)), uintptr(unsafe.Pointer(&words)), 0)
	if err := failed("its processor times", r); err != nil {
		return nil, err
	}
	if info == nil {
		return nil, errProcessors
	}
	ticks, err := decodeTicks(unsafe.Slice(info, words), int(processors))
	call(vmDeallocate, task, uintptr(unsafe.Pointer(info)), uintptr(words)*unsafe.Sizeof(*info), 0, 0, 0)
	return ticks, err
}

// Memory tells what the pages of memory are used for.
func Memory() (Pages, error) {
	host, _ := self()
	var info [pagesSize]byte
	size := uint32(len(info) / 4) // as the call counts: in 32-bit words
	r, _, _ := call(hostStatistics64, host, flavorVM64, uintptr(unsafe.Pointer(&info[0])), uintptr(unsafe.Pointer(&size)), 0, 0)
	if err := failed("its memory statistics", r); err != nil {
		return Pages{}, err
	}
	return decodePages(info[:min(int(size)*4, len(info))])
}
