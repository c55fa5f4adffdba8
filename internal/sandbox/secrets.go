package sandbox

// Secrets lists what no plugin reads unless its manifest names that very
// path, in the manifest's own notation; expand turns ~ and $XDG_… into
// absolute paths.
//
// The host adds other plugins' data and the control socket (PolicyInput).
func Secrets(goos string, expand func(string) string) []string {
	list := append([]string{}, homeSecrets...)
	if goos == "darwin" {
		list = append(list, darwinSecrets...)
	} else {
		list = append(list, linuxSecrets...)
	}
	for i, path := range list {
		list[i] = expand(path)
	}
	return list
}

var homeSecrets = []string{
	// Keys and tokens.
	"~/.ssh", "~/.aws", "~/.azure", "~/.gnupg", "~/.kube", "~/.docker", "~/.netrc",
	"~/.config/gh", "~/.config/hub", "~/.config/gcloud", "~/.config/op", "~/.config/rclone",
	"~/.config/git/credentials", "~/.git-credentials", "~/.npmrc", "~/.pypirc",
	"~/.cargo/credentials", "~/.cargo/credentials.toml", "~/.terraform.d/credentials.tfrc.json",
	"~/.vault-token", "~/.pgpass", "~/.my.cnf", "~/.password-store", "~/.age",
	// What was typed.
	"~/.bash_history", "~/.zsh_history", "~/.zhistory", "~/.histfile", "~/.local/share/fish/fish_history",
	"~/.python_history", "~/.node_repl_history", "~/.psql_history", "~/.mysql_history",
	"~/.sqlite_history", "~/.rediscli_history", "~/.lesshst", "~/.viminfo",
}

var linuxSecrets = []string{
	// Keyrings and password managers.
	"~/.local/share/keyrings", "~/.local/share/kwalletd", "~/.local/share/keepassxc",
	"~/.config/1Password", "~/.config/Bitwarden", "~/.config/keepassxc",
	// Browser and mail profiles.
	"~/.mozilla", "~/.config/mozilla", "~/.thunderbird", "~/.librewolf",
	"~/.config/google-chrome", "~/.config/google-chrome-beta", "~/.config/google-chrome-unstable",
	"~/.config/chromium", "~/.config/BraveSoftware", "~/.config/microsoft-edge",
	"~/.config/vivaldi", "~/.config/opera",
	"~/.var/app", "~/snap/firefox", "~/snap/chromium", "~/snap/brave",
	// Sockets that give away the keyboard and the screen. Masked as
	// directories, they stay closed under a grant of /tmp.
	"/tmp/.X11-unix", "/tmp/.ICE-unix",
	// System files that a root host could otherwise hand out.
	"/etc/shadow", "/etc/gshadow", "/etc/sudoers", "/etc/sudoers.d", "/etc/ssh", "/etc/ssl/private",
}

var darwinSecrets = []string{
	"~/Library/Keychains", "/Library/Keychains", "/System/Library/Keychains", "/private/var/db/SystemKey",
	"~/Library/Application Support/Google/Chrome", "~/Library/Application Support/Google/Chrome Beta",
	"~/Library/Application Support/Google/Chrome Dev", "~/Library/Application Support/Google/Chrome Canary",
	"~/Library/Application Support/Chromium", "~/Library/Application Support/BraveSoftware",
	"~/Library/Application Support/Microsoft Edge", "~/Library/Application Support/Microsoft Edge Beta",
	"~/Library/Application Support/Microsoft Edge Dev", "~/Library/Application Support/Microsoft Edge Canary",
	"~/Library/Application Support/Arc", "~/Library/Application Support/Vivaldi",
	"~/Library/Application Support/com.operasoftware.Opera", "~/Library/Application Support/com.operasoftware.OperaGX",
	"~/Library/Application Support/Firefox", "~/Library/Application Support/librewolf",
	"~/Library/Safari", "~/Library/Cookies", "~/Library/HTTPStorages", "~/Library/Containers/com.apple.Safari",
	"~/Library/Mail", "~/Library/Messages", "~/Library/Thunderbird",
	"~/Library/Application Support/1Password", "~/Library/Application Support/Bitwarden", "~/Library/Application Support/KeePassXC",
	"~/Library/Group Containers/2BUA8C4S2C.com.1password",
	"~/.zsh_sessions", "~/.bash_sessions",
	"/private/etc/master.passwd", "/private/etc/sudoers", "/private/etc/ssh",
}
