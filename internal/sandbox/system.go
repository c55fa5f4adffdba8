package sandbox

// systemReads are the broad reads that every plugin gets, decided one by one:
// what a program of any language needs to start, speak TLS, know the time
// zone and name a user. Paths that do not exist are skipped. /etc is granted
// by its public parts, never whole; /proc by single files without other
// processes in them; /run, /var, /tmp, /home not at all.
func systemReads(goos string) []string {
	if goos == "darwin" {
		return darwinReads
	}
	return linuxReads
}

func systemWrites(string) []string { return []string{"/dev/null"} }

var linuxReads = []string{
	"/usr", "/lib", "/lib32", "/lib64", "/libx32", "/bin", "/sbin",
	"/nix/store", "/gnu/store", // libraries of NixOS and Guix
	"/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/ld.so.preload",
	"/etc/ssl/certs", "/etc/ssl/cert.pem", "/etc/ssl/openssl.cnf", "/etc/ca-certificates", "/etc/ca-certificates.conf",
	"/etc/pki/tls/certs", "/etc/pki/tls/cert.pem", "/etc/pki/ca-trust", "/etc/crypto-policies",
	"/etc/localtime", "/etc/timezone", "/etc/locale.alias", "/etc/locale.conf", "/etc/default/locale",
	"/etc/passwd", "/etc/group", "/etc/nsswitch.conf", "/etc/hosts", "/etc/host.conf", "/etc/resolv.conf",
	"/etc/gai.conf", "/etc/services", "/etc/protocols", "/etc/networks", "/etc/os-release", "/etc/lsb-release",
	"/etc/debian_version", "/etc/mime.types", "/etc/magic", "/etc/fonts", "/etc/xdg", "/etc/alternatives",
	"/etc/terminfo", "/etc/inputrc", "/etc/python3", "/etc/perl",
	"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom",
	"/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/loadavg", "/proc/uptime", "/proc/version",
	"/proc/filesystems", "/proc/sys/kernel/osrelease", "/proc/sys/kernel/ostype", "/proc/sys/kernel/cap_last_cap",
	"/proc/sys/vm/overcommit_memory", "/proc/sys/vm/max_map_count",
	"/sys/devices/system/cpu", "/sys/kernel/mm/transparent_hugepage",
}

var darwinReads = []string{
	"/System/Library", "/System/Cryptexes", "/System/Volumes/Preboot/Cryptexes", "/usr/lib", "/usr/share", "/usr/bin", "/bin",
	"/usr/sbin", "/sbin", "/usr/libexec", "/nix/store",
	// What Homebrew installed, without what its programs keep (var) and how they
	// are set up (etc): databases and passwords are among that.
	"/usr/local/bin", "/usr/local/sbin", "/usr/local/lib", "/usr/local/share", "/usr/local/opt", "/usr/local/Cellar", "/usr/local/Frameworks",
	"/usr/local/etc/openssl@3", "/usr/local/etc/ca-certificates",
	"/opt/homebrew/bin", "/opt/homebrew/sbin", "/opt/homebrew/lib", "/opt/homebrew/share", "/opt/homebrew/opt", "/opt/homebrew/Cellar", "/opt/homebrew/Frameworks",
	"/opt/homebrew/etc/openssl@3", "/opt/homebrew/etc/ca-certificates",
	"/Library/Apple", "/Library/Preferences/.GlobalPreferences.plist", "/Library/Frameworks",
	"/private/etc/ssl", "/private/etc/localtime", "/private/etc/passwd", "/private/etc/group", "/private/etc/hosts",
	"/private/etc/resolv.conf", "/private/etc/services", "/private/etc/protocols",
	"/private/var/db/timezone", "/private/var/db/dyld", "/private/var/run/resolv.conf", "/private/var/select",
	"/dev/null", "/dev/zero", "/dev/random", "/dev/urandom",
}
