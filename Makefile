# Everything runs on the Node that package.json pins: npm installs it beside the other packages.
NODE_BIN := $(CURDIR)/node_modules/node/bin
export PATH := $(NODE_BIN):$(CURDIR)/node_modules/.bin:$(PATH)

.PHONY: help install build demo test test-real bench goldens mutation clean

help:
	@echo 'make demo       install, build, and hydrate examples/ from a stand-in estate on this machine'
	@echo 'make test       install, build, lint, type check, all tests that need no extra servers'
	@echo 'make test-real  the tests with the real kpt, kustomize, kubectl, API servers and registry'
	@echo 'make mutation   changes the core thousands of times and expects a test to fail (half an hour)'
	@echo 'make bench      speed and memory as ratios to bare Node'

install: node_modules/.package-lock.json

# The Node and npm that start this may be old; what runs afterwards is the pinned one, so engine warnings mean nothing here.
node_modules/.package-lock.json: package.json package-lock.json
	npm ci --no-audit --no-fund --loglevel=error
	@touch $@

build: dist/registry-trust.js

dist/registry-trust.js: node_modules/.package-lock.json $(shell find src scripts/build.ts scripts/compile-program.ts tsconfig.types.json -type f)
	node scripts/build.ts

demo: build
	node examples/demo.ts

test: build
	biome check --error-on-warnings .
	depcruise --config .dependency-cruiser.json src
	tsc -p .
	node scripts/run-tests.ts '\.test\.ts$$'

test-real: build
	node test/estate/tools/build.ts
	node scripts/run-tests.ts '\.real\.ts$$'

bench: build
	node bench/run.ts

mutation: node_modules/.package-lock.json
	stryker run

goldens: build
	UPDATE_GOLDENS=1 node test/manifest/golden.test.ts

clean:
	rm -rf dist node_modules
