// Package devtool finds plugins for the verbs of people who write them, and
// starts one in the world that the host would give it. It owns the search, the
// world and the start; what is done with a started plugin is in the packages
// below it. It never talks to a resident and never changes a plugin's folder.
package devtool
