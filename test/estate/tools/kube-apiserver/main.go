// The real kube-apiserver of Kubernetes with its etcd inside, as one process for tests.
//
// It is given the loopback address to bind and flags of kube-apiserver; it chooses a free port itself, and holds it
// while the server starts, so that two that start at once never meet. The first line of its output is the port. Its
// etcd is reached by a socket in a folder of its own that nobody else may enter and that goes when it ends. It ends on
// SIGTERM, and when its standard input ends: then whoever started it is gone.
package main

import (
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"go.etcd.io/etcd/server/v3/embed"
	"golang.org/x/sys/unix"
	"k8s.io/component-base/cli"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"
)

// Long enough for an orderly end, short enough for a test run that was interrupted.
const orphanGrace = 10 * time.Second

func main() {
	if len(os.Args) < 2 || net.ParseIP(os.Args[1]).To4() == nil {
		fmt.Fprintln(os.Stderr, "usage: kube-apiserver <IPv4 address to bind> [flags of kube-apiserver]")
		os.Exit(2)
	}
	os.Exit(run(os.Args[1], os.Args[2:]))
}

func run(host string, flags []string) int {
	go endWithStdin()
	folder, err := os.MkdirTemp("", "registry-trust-etcd-")
	if err != nil {
		return fail("make a folder for etcd", err)
	}
	defer os.RemoveAll(folder)
	etcd, err := startEtcd(folder)
	if err != nil {
		return fail("start etcd", err)
	}
	defer etcd.Close()
	port, err := holdPort(host)
	if err != nil {
		return fail("find a free port", err)
	}
	fmt.Println(port)

	command := app.NewAPIServerCommand()
	command.SetArgs(append([]string{
		"--etcd-servers=unix://" + socketIn(folder, "client"),
		"--bind-address=" + host,
		fmt.Sprintf("--secure-port=%d", port),
		"--permit-port-sharing",
	}, flags...))
	return cli.Run(command)
}

func startEtcd(folder string) (*embed.Etcd, error) {
	config := embed.NewConfig()
	config.Dir = filepath.Join(folder, "data")
	config.LogLevel = "error"
	// What it holds ends with the test.
	config.UnsafeNoFsync = true
	config.ListenClientUrls = []url.URL{{Scheme: "unix", Path: socketIn(folder, "client")}}
	config.ListenPeerUrls = []url.URL{{Scheme: "unix", Path: socketIn(folder, "peer")}}
	// Nobody connects to these, but etcd demands host and port of what it advertises.
	nowhere := url.URL{Scheme: "http", Host: "127.0.0.1:1"}
	config.AdvertiseClientUrls = []url.URL{nowhere}
	config.AdvertisePeerUrls = []url.URL{nowhere}
	config.InitialCluster = config.Name + "=" + nowhere.String()
	etcd, err := embed.StartEtcd(config)
	if err != nil {
		return nil, err
	}
	select {
	case <-etcd.Server.ReadyNotify():
		return etcd, nil
	case err := <-etcd.Err():
		return nil, err
	}
}

func socketIn(folder, name string) string {
	return filepath.Join(folder, name+".sock")
}

// holdPort binds a free port and never listens at it: the server may share it, others don't get it.
func holdPort(host string) (int, error) {
	socket, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return 0, err
	}
	if err := unix.SetsockoptInt(socket, unix.SOL_SOCKET, unix.SO_REUSEPORT, 1); err != nil {
		return 0, err
	}
	if err := unix.Bind(socket, &unix.SockaddrInet4{Addr: [4]byte(net.ParseIP(host).To4())}); err != nil {
		return 0, err
	}
	bound, err := unix.Getsockname(socket)
	if err != nil {
		return 0, err
	}
	return bound.(*unix.SockaddrInet4).Port, nil
}

func endWithStdin() {
	_, _ = io.Copy(io.Discard, os.Stdin)
	_ = syscall.Kill(os.Getpid(), syscall.SIGTERM)
	time.Sleep(orphanGrace)
	os.Exit(1)
}

func fail(what string, err error) int {
	fmt.Fprintf(os.Stderr, "can't %s: %s\n", what, strings.TrimSpace(err.Error()))
	return 1
}
