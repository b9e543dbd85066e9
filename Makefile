# voiced: "make help" lists what there is to do.

PREFIX ?= /usr/local
DESTDIR ?=
CONFIGURATION ?= release
# Compiling is bound by memory as well as by cores: one job a core.
JOBS ?= $(shell nproc)
MINUTES ?= 5
TIMES ?= 20
SECONDS ?= 60
KILLS ?= 200

BIN = .build/$(CONFIGURATION)
SOURCES = Sources Plugins Tests

.PHONY: help deps need build run test check table bench install format lint \
  sanitize soak crash fuzz plugin clean

help: ## this list
	@awk -F':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

deps: ## install the Debian packages that building and testing need (the only place that installs)
	tools/deps install

need:
	@tools/deps check || $(MAKE) --no-print-directory deps

build: need ## build everything for release
	umask 022 && swift build -c release -j $(JOBS)

run: build ## record one take of the built-in speech source and show it
	tools/run $(BIN)

# Plugins that others may write to are not loaded, so a group must not, whatever the umask is here.
# The import check holds the arrows of docs/architecture.md.
test: need ## build and run every test
	umask 022 && swift build --build-tests -j $(JOBS) --explicit-target-dependency-import-check error
	tools/test

check: lint test run table ## what CI runs: lint, every test, the main job, and voiced-check's table

table: build ## voiced-check on the bundled plugins, the template and each bad one
	tools/plugin-table $(BIN)

lint: need
	swift format lint -r --strict $(SOURCES) Package.swift

format: ## format the sources in place
	swift format -i -r $(SOURCES) Package.swift

bench: build ## print what it costs, and how that was measured
	tools/bench $(BIN)

sanitize: need ## run the tests with the address and the thread sanitizer
	tools/sanitize

soak: build ## MINUTES=n TIMES=n: random faults, clients and takes; the end-to-end tests n times
	tools/soak $(BIN) $(MINUTES)
	umask 022 && swift build --build-tests -j $(JOBS) --explicit-target-dependency-import-check error
	tools/repeat $(TIMES)

crash: build ## KILLS=n: kill daemon, take, source or all at random moments, find every take
	tools/crash $(BIN) $(KILLS)

fuzz: need ## SECONDS=n: fuzz everything that reads what others wrote, so long each
	tools/fuzz $(SECONDS)

# LANG in the environment is the locale: only one given to make names a language.
plugin: ## NAME=x LANG=c|swift: stamp a new plugin, build and check it
	tools/new-plugin "$(NAME)" "$(if $(filter command line,$(origin LANG)),$(LANG),c)"

install: ## install to DESTDIR/PREFIX (build first)
	@test -x $(BIN)/voiced || $(MAKE) --no-print-directory build
	tools/install $(BIN) "$(DESTDIR)" "$(PREFIX)"

clean: ## delete what was built
	rm -rf .build
