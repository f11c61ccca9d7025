// The real registry of the distribution project for tests, behind TLS that routes by name as a front does.
//
// The first line of standard input is its settings as JSON, so that no key and no password is ever an argument or a
// file. The first line of its output is the port; every other line is one request as JSON. It ends on SIGTERM, and when
// its standard input ends: then whoever started it is gone.
package main

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"github.com/distribution/distribution/v3/configuration"
	_ "github.com/distribution/distribution/v3/registry/auth/htpasswd"
	"github.com/distribution/distribution/v3/registry/handlers"
	_ "github.com/distribution/distribution/v3/registry/storage/driver/inmemory"
	"github.com/sirupsen/logrus"
	"golang.org/x/crypto/bcrypt"
)

type settings struct {
	// Address is the loopback address to listen at.
	Address string `json:"address"`
	// Host is the name that leads to the registry; every other name is unknown.
	Host           string `json:"host"`
	CertificatePem string `json:"certificatePem"`
	PrivateKeyPem  string `json:"privateKeyPem"`
	// UnknownName says what another name gets: "alert", "421" or "default-page".
	UnknownName string `json:"unknownName"`
	// User is empty for a registry that is open.
	User     string `json:"user"`
	Password string `json:"password"`
}

type request struct {
	Method        string `json:"method"`
	Host          string `json:"host"`
	Path          string `json:"path"`
	Authorization string `json:"authorization"`
	Status        int    `json:"status"`
}

func main() {
	log.SetFlags(0)
	logrus.SetLevel(logrus.WarnLevel)
	if err := run(); err != nil {
		log.Fatal(err)
	}
}

func run() error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	input := bufio.NewReader(os.Stdin)
	line, err := input.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("no settings: %w", err)
	}
	var s settings
	if err := json.Unmarshal(line, &s); err != nil {
		return fmt.Errorf("settings: %w", err)
	}
	go func() {
		_, _ = io.Copy(io.Discard, input)
		stop()
	}()

	folder, err := os.MkdirTemp("", "registry-trust-registry-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	registry, err := newRegistry(ctx, folder, s)
	if err != nil {
		return err
	}
	certificate, err := tls.X509KeyPair([]byte(s.CertificatePem), []byte(s.PrivateKeyPem))
	if err != nil {
		return err
	}
	listener, err := tls.Listen("tcp", net.JoinHostPort(s.Address, "0"), &tls.Config{
		NextProtos: []string{"http/1.1"},
		GetCertificate: func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
			if s.UnknownName == "alert" && !strings.EqualFold(hello.ServerName, s.Host) {
				// Without any certificate Go ends the handshake with the alert unrecognized_name.
				return nil, nil
			}
			return &certificate, nil
		},
	})
	if err != nil {
		return err
	}
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	server := &http.Server{Handler: logged(routed(registry, s)), ErrorLog: log.New(io.Discard, "", 0)}
	go func() {
		<-ctx.Done()
		_ = server.Close()
	}()
	if err := server.Serve(listener); err != http.ErrServerClosed {
		return err
	}
	return nil
}

func newRegistry(ctx context.Context, folder string, s settings) (http.Handler, error) {
	config := &configuration.Configuration{
		Storage: configuration.Storage{"inmemory": nil},
		Catalog: configuration.Catalog{MaxEntries: 1000},
	}
	config.HTTP.RelativeURLs = true
	if s.User != "" {
		hash, err := bcrypt.GenerateFromPassword([]byte(s.Password), bcrypt.MinCost)
		if err != nil {
			return nil, err
		}
		path := filepath.Join(folder, "htpasswd")
		if err := os.WriteFile(path, fmt.Appendf(nil, "%s:%s\n", s.User, hash), 0o600); err != nil {
			return nil, err
		}
		config.Auth = configuration.Auth{"htpasswd": {"realm": "registry", "path": path}}
	}
	return handlers.NewApp(ctx, config), nil
}

// routed gives the registry what asks for its host by SNI and by header, and everything else what a front gives.
func routed(registry http.Handler, s settings) http.Handler {
	return http.HandlerFunc(func(response http.ResponseWriter, request *http.Request) {
		name, _, err := net.SplitHostPort(request.Host)
		if err != nil {
			name = request.Host
		}
		if strings.EqualFold(request.TLS.ServerName, s.Host) && strings.EqualFold(name, s.Host) {
			registry.ServeHTTP(response, request)
			return
		}
		if s.UnknownName == "default-page" {
			response.Header().Set("Content-Type", "text/html")
			response.WriteHeader(http.StatusNotFound)
			fmt.Fprint(response, "<html><head><title>404 Not Found</title></head><body>default backend</body></html>\n")
			return
		}
		response.WriteHeader(http.StatusMisdirectedRequest)
	})
}

type recorder struct {
	http.ResponseWriter
	status int
}

func (r *recorder) WriteHeader(status int) {
	r.status = status
	r.ResponseWriter.WriteHeader(status)
}

func logged(next http.Handler) http.Handler {
	var lock sync.Mutex
	output := json.NewEncoder(os.Stdout)
	return http.HandlerFunc(func(response http.ResponseWriter, r *http.Request) {
		// The scheme only: a password must not come to a log.
		scheme, _, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		recorded := &recorder{ResponseWriter: response, status: http.StatusOK}
		path := r.URL.RequestURI()
		// Written before the client has the whole answer, so that a test that has it finds the line.
		defer func() {
			lock.Lock()
			defer lock.Unlock()
			_ = output.Encode(request{r.Method, r.Host, path, scheme, recorded.status})
		}()
		next.ServeHTTP(recorded, r)
	})
}
