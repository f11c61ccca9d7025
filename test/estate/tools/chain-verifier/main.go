// What Go's own TLS client says of a served chain: the truth that our judgement is held against.
//
// Each line of standard input is a question as JSON, each line of its output the answer to it. It does what crypto/tls
// does with the certificates of a server (`verifyServerCertificate`), with a bundle as the only roots.
package main

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"errors"
	"log"
	"os"
	"slices"
	"strings"
	"time"
)

type question struct {
	// Served has DER, the leaf first; Bundle has PEM.
	Served [][]byte  `json:"served"`
	Bundle string    `json:"bundle"`
	Host   string    `json:"host"`
	Now    time.Time `json:"now"`
}

type answer struct {
	Kind string `json:"kind"`
	// Rule is known for some of what is not allowed.
	Rule string `json:"rule,omitempty"`
	// Fingerprints of the roots that chains end in, sorted.
	Anchors []string `json:"anchors,omitempty"`
	Message string   `json:"message,omitempty"`
}

func main() {
	log.SetFlags(0)
	input := bufio.NewScanner(os.Stdin)
	input.Buffer(nil, 1<<24)
	output := json.NewEncoder(os.Stdout)
	for input.Scan() {
		var q question
		if err := json.Unmarshal(input.Bytes(), &q); err != nil {
			log.Fatal(err)
		}
		if err := output.Encode(judge(q)); err != nil {
			log.Fatal(err)
		}
	}
	if err := input.Err(); err != nil {
		log.Fatal(err)
	}
}

func judge(q question) answer {
	roots, intermediates := x509.NewCertPool(), x509.NewCertPool()
	roots.AppendCertsFromPEM([]byte(q.Bundle))
	var served []*x509.Certificate
	for _, der := range q.Served {
		certificate, err := x509.ParseCertificate(der)
		if err != nil {
			return answer{Kind: "not-allowed", Rule: "unreadable", Message: err.Error()}
		}
		if key, ok := certificate.PublicKey.(*rsa.PublicKey); ok && key.N.BitLen() > 8192 {
			return answer{Kind: "not-allowed", Rule: "key", Message: "RSA key larger than 8192 bits"}
		}
		served = append(served, certificate)
	}
	for _, certificate := range served[1:] {
		intermediates.AddCert(certificate)
	}
	chains, err := served[0].Verify(x509.VerifyOptions{
		DNSName: q.Host, Roots: roots, Intermediates: intermediates, CurrentTime: q.Now,
	})
	if err != nil {
		return classify(err, q.Now)
	}
	switch key := served[0].PublicKey.(type) {
	case *ecdsa.PublicKey, ed25519.PublicKey:
	case *rsa.PublicKey:
		if key.N.BitLen() < 1024 {
			return answer{Kind: "not-allowed", Rule: "key", Message: "RSA key shorter than 1024 bits"}
		}
	default:
		return answer{Kind: "not-allowed", Rule: "key", Message: "unsupported type of public key"}
	}
	var anchors []string
	for _, chain := range chains {
		sum := sha256.Sum256(chain[len(chain)-1].Raw)
		anchors = append(anchors, "sha256:"+hex.EncodeToString(sum[:]))
	}
	slices.Sort(anchors)
	return answer{Kind: "trusted", Anchors: slices.Compact(anchors)}
}

var rules = map[x509.InvalidReason]string{
	x509.NotAuthorizedToSign:        "not-a-ca",
	x509.TooManyIntermediates:       "path-length",
	x509.IncompatibleUsage:          "extended-key-usage",
	x509.CANotAuthorizedForThisName: "name-constraints",
}

func classify(err error, now time.Time) answer {
	message := err.Error()
	var invalid x509.CertificateInvalidError
	switch {
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired && now.Before(invalid.Cert.NotBefore):
		return answer{Kind: "not-yet-valid", Message: message}
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return answer{Kind: "expired", Message: message}
	case errors.As(err, &invalid) && strings.HasSuffix(message, "candidate chains with invalid policies"):
		return answer{Kind: "not-allowed", Rule: "policies", Message: message}
	case errors.As(err, &invalid):
		return answer{Kind: "not-allowed", Rule: rules[invalid.Reason], Message: message}
	case errors.As(err, new(x509.HostnameError)):
		return answer{Kind: "name-mismatch", Message: message}
	case errors.As(err, new(x509.UnhandledCriticalExtension)):
		return answer{Kind: "not-allowed", Rule: "critical-extension", Message: message}
	case errors.As(err, new(x509.UnknownAuthorityError)):
		return answer{Kind: "unknown-authority", Message: message}
	}
	return answer{Kind: "not-allowed", Rule: "too-many-signatures", Message: message}
}
