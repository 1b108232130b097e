module vectors

go 1.26.0

require (
	filippo.io/edwards25519 v1.2.0
	github.com/go-jose/go-jose/v4 v4.1.9
	github.com/gowebpki/jcs v1.0.2
	golang.org/x/crypto v0.58.0
	lukechampine.com/blake3 v1.4.1
)

require (
	github.com/klauspost/cpuid/v2 v2.0.9 // indirect
	golang.org/x/sys v0.49.0 // indirect
)
