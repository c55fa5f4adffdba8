package sandbox

import "slices"

// rootDir may be listed: the dynamic loader opens it, and its names are the
// same on every Mac.
const rootDir = "/"

// resolverSocket is where the system's resolver listens; a program with the
// network asks it for addresses.
const resolverSocket = "/private/var/run/mDNSResponder"

// machServices lists the system services that the plugin may look up.
func (p *Policy) machServices() []string {
	services := slices.Concat(baseMach, p.Mach)
	if p.Network {
		services = append(services, networkMach...)
	}
	if p.AppleEvents {
		services = append(services, eventMach...)
	}
	return sortedUnique(services)
}

// The system services that a program of any kind looks up: logging,
// notifications, users and groups.
var baseMach = []string{
	"com.apple.diagnosticd", "com.apple.logd", "com.apple.logd.events", "com.apple.system.logger",
	"com.apple.system.notification_center", "com.apple.system.opendirectoryd.libinfo",
	"com.apple.system.opendirectoryd.membership",
}

// What TLS and the resolver ask for.
var networkMach = []string{
	"com.apple.SystemConfiguration.configd", "com.apple.dnssd.service", "com.apple.networkd", "com.apple.trustd", "com.apple.trustd.agent",
}

var eventMach = []string{
	"com.apple.coreservices.appleevents", "com.apple.coreservices.launchservicesd", "com.apple.lsd.mapdb",
}

// What sysctl(3) tells about the machine, as /proc/cpuinfo, meminfo and uname
// do on Linux. kern.procargs2 (arguments and environments of other processes,
// the host's among them) and kern.proc (the process list) are not here: either
// sysctl-read or process-info is enough for them, so sysctl-read is never
// allowed as a whole.
var machineNames = []string{
	"kern.argmax", "kern.boottime", "kern.clockrate", "kern.hostname", "kern.ipc.somaxconn", "kern.iossupportversion",
	"kern.maxfiles", "kern.maxfilesperproc", "kern.maxproc", "kern.maxprocperuid", "kern.memorystatus_level",
	"kern.memorystatus_vm_pressure_level", "kern.ngroups", "kern.osproductversion", "kern.osproductversioncompat",
	"kern.osrelease", "kern.ostype", "kern.osvariant_status", "kern.osversion", "kern.secure_kernel", "kern.tcsm_available",
	"kern.tcsm_enable", "kern.usrstack64", "kern.version", "kern.willshutdown", "machdep.ptrauth_enabled",
	"security.mac.lockdown_mode_state", "sysctl.proc_cputype", "sysctl.proc_native", "sysctl.proc_translated",
}

// Processors and memory.
var machinePrefixes = []string{"hw.", "machdep.cpu.", "vm."}

// networkPrefix is the list of interfaces and routes.
const networkPrefix = "net.routetable"
