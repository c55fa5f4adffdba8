package conformance

import (
	"bytes"
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/sdk/probe"
)

// mustFail says which scenarios find out a plugin that misbehaves in a mode.
// Together they name every scenario: one that cannot fail proves nothing.
var mustFail = []struct {
	mode string
	// hasty shortens the waiting for what will not come.
	hasty     bool
	live      bool // with a manifest whose source is live
	scenarios string
}{
	{mode: "silent", hasty: true, scenarios: "lifecycle/handshake wire/ping events/first_events env/starts_with_*"},
	{mode: "replies twice", scenarios: "lifecycle/handshake wire/ping wire/id_twice* wire/id_not_in_order wire/id_largest concurrency/pings_at_once wire/many_in_one_write notifications/nothing_unasked lifecycle/eof_after_a_request"},
	{mode: "wrong id", hasty: true, scenarios: "lifecycle/handshake wire/id_not_in_order wire/ping"},
	{mode: "ids of 32 bits", hasty: true, scenarios: "wire/id_largest"},
	{mode: "logs to stdout", scenarios: "lifecycle/handshake lifecycle/eof_ends_it wire/ping"},
	{mode: "speaks first", scenarios: "lifecycle/handshake lifecycle/version_*"},
	{mode: "chatters", scenarios: "notifications/nothing_unasked"},
	{mode: "exits early", scenarios: "lifecycle/eof_before_initialize lifecycle/handshake wire/ping env/starts_with_*"},
	{mode: "writes CRLF", scenarios: "wire/crlf wire/ping"},
	{mode: "writes ASCII", scenarios: "wire/unicode wire/escapes wire/line_separators wire/split_* queries/unicode_answer sources/catalogue env/config_values env/config_compact"},
	{mode: "takes any host", scenarios: "lifecycle/version_*"},
	{mode: "own words", scenarios: "lifecycle/version_* lifecycle/initialize_twice* wire/unknown_method queries/bad_* sources/bad_search perform/bad_* perform/unsupported_word wire/trace_and_deadline"},
	{mode: "accepts anything", scenarios: "perform/bad_* queries/bad_* sources/bad_search perform/unknown_kind perform/unsupported_word perform/action_failed events/as_a_request wire/oversized_reply"},
	{mode: "never fails", scenarios: "perform/unknown_kind perform/bad_* perform/action_failed wire/unknown_method"},
	{mode: "handles all", scenarios: "perform/action_unhandled perform/action_undeclared perform/resolve_unknown perform/navigate_unknown perform/navigate_foreign"},
	{mode: "mixes arms", scenarios: "perform/one_arm_only perform/action_failed perform/unknown_kind"},
	{mode: "mumbles", scenarios: "perform/echo hostrpc/[a-df-z]* hostrpc/denied env/identity env/values env/scrubbed env/config_absent env/config_empty* env/config_malformed env/config_no_object env/config_values env/config_compact env/config_nested wire/html_is_text wire/large_reply events/seen events/every_name events/during_work events/*unseen concurrency/host_reply_at_capacity concurrency/seventeenth_is_refused wire/id_of_both_counters"},
	{mode: "says nothing", scenarios: "perform/toast perform/echo env/identity"},
	{mode: "adds a key", scenarios: "wire/ping lifecycle/handshake wire/params_absent wire/key_order queries/answers_are_valid queries/hints_are_valid queries/many_answers perform/target_pid perform/one_arm_only"},
	{mode: "no boolean", scenarios: "wire/ping lifecycle/handshake queries/no_answer"},
	{mode: "names no process", scenarios: "perform/target_pid perform/action_performed perform/action_with_args perform/resolve_known"},
	{mode: "foreign source", scenarios: "sources/publication_is_valid sources/catalogue sources/search env/config_own_table"},
	{mode: "foreign source", live: true, scenarios: "sources/live_search_is_valid"},
	{mode: "accepts anything", live: true, scenarios: "sources/bad_live_search"},
	{mode: "other titles", scenarios: "sources/catalogue sources/search sources/publish_is_a_replacement queries/one_answer queries/unicode_answer"},
	{mode: "other places", scenarios: "queries/hints"},
	{mode: "answers always", scenarios: "queries/no_answer"},
	{mode: "too many rows", scenarios: "sources/catalogue sources/publish_is_a_replacement sources/search env/config_own_table env/config_nested env/config_wrong_types"},
	{mode: "shortens rows", scenarios: "sources/many_rows sources/over_the_*_quota sources/large_rows env/config_own_table env/config_nested env/config_wrong_types"},
	{mode: "shortens answers", scenarios: "queries/many_answers"},
	{mode: "never publishes", hasty: true, scenarios: "sources/catalogue sources/empty_catalogue sources/many_rows"},
	{mode: "publishes anyway", scenarios: "sources/no_publication sources/oversized_publication"},
	{mode: "other log", hasty: true, scenarios: "notifications/log notifications/log_levels lifecycle/eof_logs_shutdown"},
	{mode: "other status", hasty: true, scenarios: "notifications/status*"},
	{mode: "one call id", scenarios: "hostrpc/sixteen_open_calls hostrpc/interleaved hostrpc/reply_twice"},
	{mode: "asks for nothing", scenarios: "hostrpc/fetch hostrpc/open hostrpc/clipboard hostrpc/notify hostrpc/storage_[gs]et hostrpc/media hostrpc/signal hostrpc/keys hostrpc/global_key hostrpc/ax_snapshot hostrpc/activate hostrpc/over_quota"},
	{mode: "other calls", hasty: true, scenarios: "hostrpc/ps hostrpc/normal_mode_target hostrpc/denied/fetch hostrpc/storage_absent"},
	{mode: "no limits", scenarios: "concurrency/seventeenth_is_refused concurrency/sixty_four_at_once concurrency/bytes_are_bounded"},
	{mode: "no outbound cap", scenarios: "wire/oversized_reply"},
	{mode: "answers noise", scenarios: "wire/noise_* wire/id_boolean wire/id_float wire/id_string wire/id_zero wire/id_negative wire/id_null wire/id_too_large wire/id_huge wire/id_array events/noise_unseen"},
	{mode: "dies of noise", scenarios: "wire/noise_[bn]* wire/id_boolean wire/id_zero wire/frame_after_noise_in_one_write wire/crlf hostrpc/noise_is_no_reply"},
	{mode: "answers replies", scenarios: "wire/reply_unknown"},
	{mode: "answers notifications", scenarios: "wire/unknown_notification events/unanswered events/first_events events/bad events/flood"},
	{mode: "dies of many", scenarios: "events/flood concurrency/pings_at_once wire/many_in_one_write wire/noise_many_in_a_row concurrency/sixty_four_at_once"},
	{mode: "believes noise", scenarios: "events/noise_unseen events/bad_unseen"},
	{mode: "settles by noise", scenarios: "hostrpc/noise_is_no_reply"},
	{mode: "restarts", scenarios: "lifecycle/initialize_twice*"},
	{mode: "picky", hasty: true, scenarios: "wire/params_absent wire/key_order wire/trace_and_deadline"},
	{mode: "one counter", hasty: true, scenarios: "wire/id_of_both_counters"},
	{mode: "small frames", hasty: true, scenarios: "wire/largest_frame wire/large_reply wire/oversized_reply concurrency/bytes_are_bounded"},
	{mode: "dedupes", hasty: true, scenarios: "wire/id_twice wire/id_twice_in_flight"},
	{mode: "serial", hasty: true, scenarios: "concurrency/ping_overtakes_work concurrency/seventeenth_is_refused concurrency/sixty_four_at_once concurrency/bytes_are_bounded concurrency/host_reply_at_capacity queries/evaluate_during_work events/during_work hostrpc/delayed hostrpc/interleaved"},
	{mode: "reads by chunk", hasty: true, scenarios: "wire/many_in_one_write wire/frame_after_noise_in_one_write wire/id_twice wire/crlf"},
	{mode: "needs config", scenarios: "env/starts_with_* env/config_absent env/config_malformed"},
	{mode: "leaks", scenarios: "env/scrubbed"},
	{mode: "ignores EOF", hasty: true, scenarios: "lifecycle/eof_* lifecycle/parent_death* hostrpc/eof_with_open_call lifecycle/version_newer wire/ping"},
	{mode: "fails at EOF", scenarios: "lifecycle/eof_ends_it lifecycle/eof_before_initialize hostrpc/eof_with_open_call lifecycle/eof_with_work_in_flight wire/ping"},
	{mode: "ends another way", scenarios: "lifecycle/crash_is_at_once lifecycle/exit_after_reply"},
	{mode: "mute on stderr", hasty: true, scenarios: "lifecycle/stderr_*"},
	{mode: "drops pings", hasty: true, scenarios: "lifecycle/eof_after_a_request wire/one_byte_at_a_time wire/noise_banner"},
	{mode: "guesses the cut", scenarios: "lifecycle/eof_in_a_record"},
	{mode: "refuses all", scenarios: "perform/navigate_known perform/target_pid perform/toast perform/action_performed"},
	{mode: "leaves a child on stdout", hasty: true, scenarios: "wire/ping lifecycle/eof_ends_it lifecycle/version_newer"},
	{mode: "leaves a child", scenarios: "wire/ping lifecycle/eof_ends_it lifecycle/version_newer"},
	{mode: "knows no deadline", hasty: true, scenarios: "concurrency/deadline_ends_work"},
	{mode: "mixes events up", scenarios: "events/order"},
	{mode: "leaves a record", scenarios: "wire/ping"},
}

func TestEveryMisbehaviourIsFoundByTheScenariosThatAreAboutIt(t *testing.T) {
	for _, row := range mustFail {
		t.Run(row.mode, func(t *testing.T) {
			t.Parallel()
			o := pluginOptions(t, row.mode, strings.Fields(row.scenarios)...)
			o.Parallel, o.Patience = 2, 4
			if row.hasty {
				o.Patience = 0.3
			}
			if row.live {
				o.Manifest = liveManifest()
			}
			for _, r := range runPlugin(t, o).Results {
				if assert.Equal(t, Failed, r.Status, "%s did not find it", r.Scenario) {
					assert.NotEmpty(t, r.Failure.Difference)
					assert.NotEmpty(t, r.Failure.Step)
				}
			}
		})
	}
}

func TestEveryScenarioCanFail(t *testing.T) {
	all, err := Scenarios()
	require.NoError(t, err)
	covered := func(name string) bool {
		for _, row := range mustFail {
			for _, pattern := range strings.Fields(row.scenarios) {
				whole, err := path.Match(pattern, name)
				require.NoError(t, err)
				if folder, _ := path.Match(pattern, path.Dir(name)); whole || folder {
					return true
				}
			}
		}
		return false
	}
	for _, s := range all {
		assert.True(t, covered(s.Name), "no misbehaviour makes %s fail", s.Name)
	}
}

func TestALiveSourceIsSearchedAndNotExpectedToPublish(t *testing.T) {
	o := pluginOptions(t, "honest", "sources/*live*", "sources/publication_is_valid")
	o.Manifest = liveManifest()
	report := runPlugin(t, o)
	require.True(t, report.OK(), text(t, report))
	require.Equal(t, 2, report.Passed)
	require.Equal(t, 1, report.Skipped)
}

// liveManifest is the probe's with its source made live.
func liveManifest() []byte {
	return bytes.Replace(probe.Manifest, []byte(`"name": "conformance.items"`), []byte(`"name": "conformance.items", "live": true`), 1)
}

func TestEveryMisbehaviourIsTried(t *testing.T) {
	tried := map[string]bool{}
	for _, row := range mustFail {
		tried[row.mode] = true
	}
	for mode := range faults() {
		assert.True(t, tried[mode], "mode %q is not in the table", mode)
	}
}
