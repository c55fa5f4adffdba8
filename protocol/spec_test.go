package protocol

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// spec is protocol.json as a program in another language would read it.
type spec struct {
	Version      int                `json:"version"`
	Integers     map[string]int64   `json:"integers"`
	DeadlinesMS  map[string]int64   `json:"deadlines_ms"`
	Quotas       map[string]int64   `json:"quotas"`
	Transport    map[string]int64   `json:"transport"`
	Diagnostics  map[string]int64   `json:"diagnostics"`
	Status       map[string]float64 `json:"status"`
	Bounds       map[string]int64   `json:"host_call_bounds"`
	Errors       map[string]string  `json:"errors"`
	Capabilities []string           `json:"capabilities"`
	PerformKinds []string           `json:"perform_kinds"`
	RowMetadata  []string           `json:"row_metadata"`
	Poll         struct {
		Registrations int      `json:"registrations"`
		Name          int      `json:"name"`
		EveryMin      float64  `json:"every_min_s"`
		Max           float64  `json:"max_s"`
		Priorities    []string `json:"priorities"`
	} `json:"poll"`
	Manifest struct {
		DefaultPriority  int      `json:"default_priority"`
		MaxPriority      int      `json:"priority_max"`
		File             int      `json:"file"`
		CommandTimeout   int64    `json:"command_timeout_max_ms"`
		SourceKinds      []string `json:"source_kinds"`
		SourcePriorities []string `json:"source_priorities"`
		Platforms        []string `json:"platforms"`
	} `json:"manifest"`
	Methods struct {
		HostToPlugin []specMethod `json:"host_to_plugin"`
		PluginToHost []specMethod `json:"plugin_to_host"`
	} `json:"methods"`
	Events []struct {
		Name        string   `json:"name"`
		Replacement bool     `json:"replacement"`
		Key         []string `json:"key"`
		Capability  string   `json:"capability"`
	} `json:"events"`
	Effects []struct {
		Type    string   `json:"type"`
		OneOf   []string `json:"one_of"`
		Answers bool     `json:"answers"`
	} `json:"effects"`
}

type specMethod struct {
	Name       string  `json:"name"`
	Kind       string  `json:"kind"`
	Capability *string `json:"capability"`
}

func parseSpec(t *testing.T) spec {
	t.Helper()
	var s spec
	d := json.NewDecoder(bytes.NewReader(SpecJSON()))
	d.DisallowUnknownFields()
	require.NoError(t, d.Decode(&s))
	return s
}

func ms(d time.Duration) int64 { return d.Milliseconds() }

func TestNumbersAreThoseOfTheContract(t *testing.T) {
	s := parseSpec(t)
	assert.Equal(t, Version, s.Version)
	assert.Equal(t, map[string]int64{
		"id_max": MaxID, "pid_max": MaxPID, "depth_max": MaxDepth, "trace_max": MaxTrace,
	}, s.Integers)
	assert.Equal(t, map[string]int64{
		"startup": ms(DeadlineStartup), "query": ms(DeadlineQuery), "query_warn": ms(DeadlineQueryWarn),
		"live": ms(DeadlineLive), "perform": ms(DeadlinePerform), "ping": ms(DeadlinePing),
		"idle_before_ping": ms(IdleBeforePing), "shutdown_grace": ms(ShutdownGrace), "kill_grace": ms(KillGrace),
		"host_call": ms(HostCallTimeout), "fetch": ms(FetchTimeout), "shutdown_hook": ms(ShutdownHook),
	}, s.DeadlinesMS)
	assert.Equal(t, map[string]int64{
		"frame": MaxFrame, "catalog_rows": MaxCatalogRows, "catalog_bytes": MaxCatalogBytes, "title": MaxTitle,
		"url": MaxURL, "metadata_entries": MaxMetadataEntries, "metadata_key": MaxMetadataKey,
		"metadata_value": MaxMetadataValue, "effect_text": MaxEffectText, "answers": MaxAnswers,
		"answers_bytes": MaxAnswersBytes, "answer_field": MaxAnswerField, "clipboard_write": MaxClipboardWrite,
		"notify_message": MaxNotifyMessage, "storage_key": MaxStorageKey, "storage_value": MaxStorageValue,
		"storage_entries": MaxStorageEntries, "fetch_response": MaxFetchResponse,
	}, s.Quotas)
	assert.Equal(t, map[string]int64{
		"host_outbound_frames": HostOutboundFrames, "host_outbound_bytes": HostOutboundBytes,
		"host_inbound_frames": HostInboundFrames, "host_inbound_bytes": HostInboundBytes,
		"host_decoded_frames": HostDecodedFrames, "host_decoded_bytes": HostDecodedBytes,
		"host_requests": HostRequests, "host_calls": HostCalls,
		"plugin_outbound_frames": PluginOutboundFrames, "plugin_outbound_bytes": PluginOutboundBytes,
		"plugin_requests": PluginRequests, "plugin_request_bytes": PluginRequestBytes, "plugin_host_calls": PluginHostCalls,
		"plugin_event_frames": PluginEventFrames, "plugin_event_bytes": PluginEventBytes, "plugin_event_keys": PluginEventKeys,
	}, s.Transport)
	assert.Equal(t, map[string]int64{
		"bad_lines": MaxBadLines, "stderr_line": StderrLine, "stderr_burst": StderrBurst, "stderr_tail": StderrTail,
		"stderr_window_ms": ms(StderrWindow), "slow_publication_ms": ms(SlowPublication),
	}, s.Diagnostics)
	assert.Equal(t, map[string]int64{
		"notify_min_ms": NotifyMinMS, "notify_max_ms": NotifyMaxMS, "notify_interval_ms": ms(NotifyInterval),
		"media_key_max": MaxMediaKeyCode, "post_keys": MaxPostKeys, "ax_nodes": MaxAXNodes,
		"post_keys_interval_min_ms": PostKeysMinInterval, "post_keys_interval_max_ms": PostKeysMaxInterval,
	}, s.Bounds)
	assert.Equal(t, map[string]float64{"cycle_min_s": MinCycleSeconds}, s.Status)
	assert.Equal(t, MaxRegistrations, s.Poll.Registrations)
	assert.Equal(t, MaxRegistrationName, s.Poll.Name)
	assert.Equal(t, MinEvery, s.Poll.EveryMin)
	assert.Equal(t, float64(MaxPollSeconds), s.Poll.Max)
	assert.Equal(t, DefaultPriority, s.Manifest.DefaultPriority)
	assert.Equal(t, MaxPriority, s.Manifest.MaxPriority)
	assert.Equal(t, MaxManifest, s.Manifest.File)
	assert.Equal(t, ms(MaxCommandTimeout), s.Manifest.CommandTimeout)
}

func TestWordsAreThoseOfTheContract(t *testing.T) {
	s := parseSpec(t)
	assert.Equal(t, map[string]string{
		"unknown_method":     ErrTextUnknownMethod("{method}"),
		"version_mismatch":   strings.Replace(strings.Replace(ErrTextMismatch(7), "v7", "v{host}", 1), "plugin v1", "plugin v{plugin}", 1),
		"initialize_twice":   ErrTextInitializeTwice,
		"host_closed":        ErrTextHostClosed,
		"host_call_timeout":  ErrTextHostCallTimeout,
		"response_too_large": ErrTextResponseTooLarge,
		"missing_capability": ErrTextMissingCapability("{capability}"),
		"request_capacity":   ErrTextRequestCapacity,
		"host_call_capacity": ErrTextHostCallCapacity,
		"deadline":           ErrTextDeadline,
		"invalid_params":     ErrTextInvalidParams("{method}"),
		"stale_ax_handle":    ErrTextStaleAXHandle,
	}, s.Errors)
	assert.Equal(t, Capabilities(), s.Capabilities)
	assert.IsIncreasing(t, s.Capabilities)
	assert.Equal(t, []string{
		CapAccessibility, CapAppControl, CapClipboard, CapMediaKeys, CapNetwork, CapNetworkFetch,
		CapNotify, CapOpen, CapProcessControl, CapSubprocess, CapWifiInfo,
	}, s.Capabilities)
	assert.Equal(t, []string{PriorityHigh, PriorityNormal, PriorityLow}, s.Poll.Priorities)
	assert.Equal(t, []string{PriorityLow, PriorityNormal, PriorityHigh, PriorityImportant, PriorityUrgent}, s.Manifest.SourcePriorities)
	assert.Equal(t, []string{SourceDefault, SourceLocations}, s.Manifest.SourceKinds)
	assert.Equal(t, []string{PlatformDarwin, PlatformLinux, PlatformMacOS}, s.Manifest.Platforms)
	assert.Equal(t, []string{string(PerformResolve), string(PerformCommand), string(PerformAction), string(PerformNavigate)}, s.PerformKinds)
	assert.Equal(t, []string{
		MetaKind, MetaPID, MetaBundleID, MetaNavigationURL, MetaSubtitle, MetaAliases, MetaCurrentLocation,
		MetaPriority, MetaFinishesCommand,
	}, s.RowMetadata)
}

func TestMethodsAreThoseOfTheContract(t *testing.T) {
	s := parseSpec(t)
	var toPlugin, fromPlugin []string
	for _, m := range s.Methods.HostToPlugin {
		toPlugin = append(toPlugin, m.Name+" "+m.Kind)
	}
	assert.Equal(t, []string{
		MethodInitialize + " request", MethodPing + " request", MethodEvent + " notification", MethodEvaluate + " request",
		MethodSearch + " request", MethodPerform + " request", MethodHints + " request",
	}, toPlugin)
	for _, m := range s.Methods.PluginToHost {
		capability, known := CapabilityOf(m.Name)
		if assert.Equal(t, m.Kind == "request", known, m.Name) && known {
			assert.Equal(t, m.Capability, &capability, m.Name)
		}
		fromPlugin = append(fromPlugin, m.Name)
	}
	assert.Equal(t, []string{
		MethodPublish, MethodStatus, MethodPoll, MethodLog,
		HostPing, HostStorageGet, HostStorageSet, HostFetch, HostOpen, HostActivate, HostNormalModeTarget,
		HostClipboardWrite, HostNotify, HostPostMediaKey, HostProcessTable, HostSignal, HostWifiInfo,
		HostAXSnapshot, HostAXPerform, HostAXSet, HostAXSelectChild, HostPostKeys, HostPostGlobalKey,
	}, fromPlugin)
	_, known := CapabilityOf("host.nothing")
	assert.False(t, known)
}

func TestEventsAreThoseOfTheContract(t *testing.T) {
	var names []string
	for _, e := range parseSpec(t).Events {
		names = append(names, e.Name)
		assert.Equal(t, e.Replacement, Replaces(e.Name), e.Name)
		assert.Equal(t, e.Replacement, len(e.Key) > 0, e.Name)
		if e.Name == EventClipboardChanged {
			assert.Equal(t, CapClipboard, e.Capability)
		}
	}
	assert.Equal(t, []string{
		EventFlashStarted, EventAppsChanged, EventAppsLaunched, EventAppsTerminated, EventFocusChanged,
		EventWindowFocusChanged, EventAXChanged, EventClipboardChanged, EventConfigChanged, EventPowerChanged,
		EventNetworkChanged, EventVolumesChanged, EventSpaceChanged, EventStatusObserved, EventSessionOpened,
		EventPollPrefix + "*",
	}, names)
	assert.False(t, Replaces("plugin:anything"))
}

func TestEffectsAreThoseOfTheContract(t *testing.T) {
	for _, e := range parseSpec(t).Effects {
		for _, field := range e.OneOf {
			effect := NewObject(nil).Str("type", e.Type).Str(field, "https://x").Bytes()
			rows := `{"rows":[{"source":"s","title":"t","effect":` + string(effect) + `}]}`
			_, err := DecodePublish([]byte(rows), nil)
			assert.NoError(t, err, rows)
			answers := `{"ok":true,"answers":[{"title":"t","effect":` + string(effect) + `}]}`
			_, err = DecodeAnswers([]byte(answers))
			assert.Equal(t, e.Answers, err == nil, answers)
		}
	}
}

// A constant that no assertion of this file names could drift from protocol.json unseen.
func TestEveryConstantIsHeldToTheContract(t *testing.T) {
	source, err := os.ReadFile("spec_test.go")
	require.NoError(t, err)
	for _, file := range []string{"constants.go", "errors.go"} {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		require.NoError(t, err)
		for _, d := range parsed.Decls {
			decl, ok := d.(*ast.GenDecl)
			if !ok || decl.Tok != token.CONST {
				continue
			}
			for _, s := range decl.Specs {
				for _, name := range s.(*ast.ValueSpec).Names {
					if name.IsExported() {
						assert.Contains(t, string(source), name.Name)
					}
				}
			}
		}
	}
}
