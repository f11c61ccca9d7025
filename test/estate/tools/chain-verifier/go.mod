module registry-trust/chain-verifier

go 1.26.0
