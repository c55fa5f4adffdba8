package sandbox

import (
	"encoding/binary"

	"golang.org/x/sys/unix"
)

// The shim is no Go program: that would cost more time than the plugin it
// starts, and memory where it stays as init. The host writes down beforehand
// what the shim has to do, as a script of system calls, and a few dozen
// instructions (shimText) carry it out. The host names the paths, reads the
// directories and builds the filters; the shim decides nothing.

// step is one system call and where to go from there. Every field is a word,
// in the order that shimText knows; every address is below 4 GiB. Arguments
// are extended with zeros, results are compared as 32 bits.
type step struct {
	call    uint32 // a system call's number, or loadWord
	args    [6]uint32
	store   uint32 // address of the word that takes the result, 0 = none
	equal   uint32 // address of a word, 0 = none: a result equal to it goes on at then
	then    uint32
	onError uint32 // where an error goes on, 0 = it is reported and ends the shim
	next    uint32
}

const (
	stepSize = 48
	// loadWord is a step without a system call: its result is the word at the
	// address in the first argument.
	loadWord = ^uint32(0)
	// Where the script lies in the shim's memory; shimText knows both. The
	// data begins with the report of a failed step.
	firstStep  = 0x1000000
	firstWord  = 0x10000000
	reportSize = 16
)

// script is a shim's work in the making.
type script struct {
	steps []step
	names []string // what each step is for, in the words of an error
	data  []byte
}

func newScript() *script { return &script{data: make([]byte, reportSize)} }

// at is the address of a step, which may still be to come.
func (s *script) at(i int) uint32 { return uint32(firstStep + i*stepSize) }

// do adds a system call that has to succeed.
func (s *script) do(name string, call uintptr, args ...uint32) int {
	return s.add(name, uint32(call), args...)
}

// load adds a step whose result is a word of the data.
func (s *script) load(name string, word uint32) int { return s.add(name, loadWord, word) }

func (s *script) add(name string, call uint32, args ...uint32) int {
	i := len(s.steps)
	st := step{call: call, next: s.at(i + 1)}
	copy(st.args[:], args)
	s.steps = append(s.steps, st)
	s.names = append(s.names, name)
	return i
}

// branch is the steps that lead to one place further on: through their
// onError field, or else through then.
type branch struct{ onError, then []int }

// unless lets the last step fail with one of the errors, with any if none is
// named. The branch goes where join puts it.
func (s *script) unless(last int, errors ...unix.Errno) branch {
	if len(errors) == 0 {
		return branch{onError: []int{last}}
	}
	result := s.word(0)
	s.steps[last].store = result
	s.steps[last].onError = s.at(last + 1)
	var b branch
	for _, errno := range errors {
		i := s.load(s.names[last], result)
		s.steps[i].equal = s.word(-int32(errno))
		s.steps[i].onError = s.at(i + 1)
		b.then = append(b.then, i)
	}
	s.steps[len(s.steps)-1].onError = 0 // none of them
	s.steps[last].next = s.at(len(s.steps))
	return b
}

// join makes a branch go on with the next step to be added.
func (s *script) join(b branch) {
	here := s.at(len(s.steps))
	for _, i := range b.onError {
		s.steps[i].onError = here
	}
	for _, i := range b.then {
		s.steps[i].then = here
	}
}

// try adds a system call that may fail with one of the errors, any if none is
// named; the script goes on either way.
func (s *script) try(name string, call uintptr, args []uint32, errors ...unix.Errno) {
	s.join(s.unless(s.do(name, call, args...), errors...))
}

// put adds data and returns its address, a multiple of eight.
func (s *script) put(b []byte) uint32 {
	for len(s.data)%8 != 0 {
		s.data = append(s.data, 0)
	}
	address := uint32(firstWord + len(s.data))
	s.data = append(s.data, b...)
	return address
}

func (s *script) word(v int32) uint32 {
	return s.put(binary.NativeEndian.AppendUint32(nil, uint32(v)))
}

func (s *script) quads(values ...uint64) uint32 {
	var b []byte
	for _, v := range values {
		b = binary.NativeEndian.AppendUint64(b, v)
	}
	return s.put(b)
}

func (s *script) text(t string) uint32 {
	address := uint32(firstWord + len(s.data))
	s.data = append(append(s.data, t...), 0)
	return address
}

// texts is a list of strings as execve takes it.
func (s *script) texts(list []string) uint32 {
	pointers := make([]uint64, 0, len(list)+1)
	for _, t := range list {
		pointers = append(pointers, uint64(s.text(t)))
	}
	return s.quads(append(pointers, 0)...)
}

// encode is the steps as the shim reads them.
func (s *script) encode() []byte {
	b := make([]byte, 0, len(s.steps)*stepSize)
	for _, st := range s.steps {
		for _, v := range append([]uint32{st.call}, st.args[:]...) {
			b = binary.NativeEndian.AppendUint32(b, v)
		}
		for _, v := range []uint32{st.store, st.equal, st.then, st.onError, st.next} {
			b = binary.NativeEndian.AppendUint32(b, v)
		}
	}
	return b
}

// name is what the step at an address is for.
func (s *script) name(address uint64) (string, bool) {
	i := (int64(address) - firstStep) / stepSize
	if address < firstStep || i >= int64(len(s.names)) {
		return "", false
	}
	return s.names[i], true
}
