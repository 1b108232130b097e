module vectors

go 1.19

require (
	filippo.io/edwards25519 v1.0.0
	github.com/gowebpki/jcs v1.0.1
	golang.org/x/crypto v0.17.0
	lukechampine.com/blake3 v1.1.7
)

require (
	github.com/klauspost/cpuid/v2 v2.0.9 // indirect
	golang.org/x/sys v0.15.0 // indirect
)
