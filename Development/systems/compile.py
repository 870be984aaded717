"""Compiles the package for systems that this machine is not. Called by Development/platforms.

What is compiled, with which flags, is what `swift package dump-package` says. The standard library
is made from the interfaces that the toolchain has for this machine; the C library's headers are
those of the package ziglang; what no open header has is in the stubs beside this file.
"""

import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import ziglang

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parent.parent
STUBS = {
    "macos": ["Dispatch", "Foundation", "Darwin"],
    "musl": ["Dispatch", "FoundationEssentials"],
}
ARCHITECTURES = {"macos": ["arm64", "x86_64"], "musl": ["x86_64", "aarch64"]}
STANDARD_LIBRARY = [
    "Swift", "_Concurrency", "Synchronization", "_StringProcessing", "SwiftOnoneSupport",
    "_Builtin_float",
]


def output(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def fresh(directory):
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    return directory


class Toolchain:
    def __init__(self):
        info = json.loads(output("swift", "-print-target-info"))
        self.resources = pathlib.Path(info["paths"]["runtimeResourcePath"])
        self.triple = info["target"]["moduleTriple"]
        self.version = info["compilerVersion"]
        programs = self.resources.parent.parent / "bin"
        self.swift = programs / "swift-frontend"
        self.clang = programs / "clang"

    def interface(self, module, kind):
        """The text of a module's interface: its public one, or the one with SPI."""
        directory = self.resources / "linux" / f"{module}.swiftmodule"
        return (directory / f"{self.triple}.{kind}").read_text()


class Package:
    """The targets of the manifest that are no tests, each after those that it depends on."""

    def __init__(self):
        os.chdir(ROOT)
        self.manifest = json.loads(output("swift", "package", "--ignore-lock", "dump-package"))
        self.targets = {}
        everything = {target["name"]: target for target in self.manifest["targets"]}
        products = [name for product in self.manifest["products"] for name in product["targets"]]
        ours = [name for name, target in everything.items() if self.is_of_c(target)]
        for name in ours + products:
            self.add(name, everything)

    def is_of_c(self, target):
        return target["type"] == "regular" and any(self.directory(target).rglob("*.c"))

    def add(self, name, everything):
        target = everything[name]
        for other in self.needs(target):
            self.add(other, everything)
        self.targets.setdefault(name, target)

    @staticmethod
    def needs(target):
        return [(each.get("byName") or each["target"])[0] for each in target["dependencies"]]

    @staticmethod
    def directory(target):
        return ROOT / (target.get("path") or f"Sources/{target['name']}")

    def minimum(self, system):
        for platform in self.manifest["platforms"]:
            if platform["platformName"] == system:
                return platform["version"]
        return ""

    def traits(self):
        default = next(t for t in self.manifest["traits"] if t["name"] == "default")
        return [flag for name in default["enabledTraits"] for flag in ("-D", name)]


class System:
    def __init__(self, name, architecture, package, toolchain, work):
        self.name, self.package, self.toolchain = name, package, toolchain
        self.said = []
        self.architecture = architecture
        if name == "macos":
            self.triple = f"{architecture}-apple-macosx{package.minimum(name)}"
        else:
            # The triple of Swift's static SDK for Linux.
            self.triple = f"{architecture}-swift-linux-musl"
        info = json.loads(output("swiftc", "-print-target-info", "-target", self.triple))["target"]
        self.platform, self.module_triple = info["platform"], info["moduleTriple"]
        parts = [toolchain.version, self.triple]
        parts += [path.read_text() for path in sorted(HERE.iterdir()) if path.is_file()]
        key = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:12]
        self.cache = work / f"{self.triple}-{key}"
        self.sdk, self.resources = self.cache / "sdk", self.cache / "resources"
        self.modules = self.cache / "modules"

    # MARK: What the toolchain has for other machines only

    def prepare(self):
        if not (self.cache / "complete").exists():
            fresh(self.cache)
            self.make_sdk()
            self.make_resources()
            self.make_stubs()
            (self.cache / "complete").touch()

    def headers(self):
        library = pathlib.Path(ziglang.__file__).parent / "lib/libc/include"
        if self.name == "macos":
            return [library / "any-darwin-any"]
        kernel = "x86" if self.architecture == "x86_64" else self.architecture
        return [
            library / name
            for name in (
                f"{self.architecture}-linux-musl", "generic-musl", f"{kernel}-linux-any",
                "any-linux-any",
            )
        ]

    def make_sdk(self):
        include = self.sdk / "usr/include"
        for directory in reversed(self.headers()):
            shutil.copytree(directory, include, dirs_exist_ok=True)
        shims = self.toolchain.resources / "shims/module.modulemap"
        text = re.findall(r"^module (\w+)", shims.read_text(), re.M)
        text = [f'extern module {module} "{shims}"' for module in text]
        if self.name == "macos":
            text.append((HERE / "Darwin.modulemap").read_text())
            settings = {"Version": "26.0", "MaximumDeploymentTarget": "26.0.99"}
            (self.sdk / "SDKSettings.json").write_text(json.dumps(settings))
        (include / "module.modulemap").write_text("\n".join(text) + "\n")
        self.link_openssl(include)

    def link_openssl(self, include):
        """Those of this machine: what they declare is the same everywhere."""
        for directory in output("pkg-config", "--variable=includedir", "libcrypto").split():
            places = [pathlib.Path(directory), *pathlib.Path(directory).glob("*-linux-gnu")]
            for header in (h for place in places for h in place.glob("openssl/*.h")):
                link = include / "openssl" / header.name
                link.parent.mkdir(exist_ok=True)
                link.symlink_to(header)

    def make_resources(self):
        self.resources.mkdir()
        for name in ("shims", "clang", "apinotes", "host"):
            (self.resources / name).symlink_to(self.toolchain.resources / name)
        for module in STANDARD_LIBRARY:
            directory = self.resources / self.platform / f"{module}.swiftmodule"
            directory.mkdir(parents=True)
            # On Linux the package uses SPI of Swift's. The SDK of macOS has no interface with that.
            kinds = ["swiftinterface"]
            if self.name == "musl" and module == "Swift":
                kinds.append("private.swiftinterface")
            for kind in kinds:
                text = self.adapted(self.toolchain.interface(module, kind))
                (directory / f"{self.module_triple}.{kind}").write_text(text)

    def adapted(self, text):
        """An interface for this machine, as one for the other."""
        text = text.replace(f"-target {self.toolchain.triple}", f"-target {self.triple}")
        text = re.sub(r"^import (Swift)?Glibc\n", "", text, flags=re.M)
        # Bodies that name what this machine alone has.
        text = re.sub(r"self = _stdlib_(remainderl|squareRootl)\(.*\)", "fatalError()", text)
        if self.name == "macos":
            text = text.replace("_swift_stdlib_gettid()", "UInt32(0)")
            text = text.replace(
                "// swift-module-flags: ", "// swift-module-flags: -disable-availability-checking ")
            text = re.sub(r"@backDeployed\([^)]*\)", "", text)
        return text

    def make_stubs(self):
        self.modules.mkdir()
        for stub in STUBS[self.name]:
            source = "Foundation" if stub == "FoundationEssentials" else stub
            flags = ["-import-underlying-module"] if stub == "Darwin" else []
            if not self.run(self.swift_command(stub, [HERE / f"{source}.swift"], "5") + flags):
                raise SystemExit(f"{source}.swift does not compile:\n{''.join(self.said)}")

    # MARK: Compiling

    def swift_command(self, module, sources, language="6"):
        return [
            self.toolchain.swift, "-frontend", "-emit-sil", "-o", "/dev/null",
            "-emit-module-path", self.modules / f"{module}.swiftmodule",
            "-module-name", module, "-parse-as-library", *sources,
            "-target", self.triple, "-disable-objc-interop", "-resource-dir", self.resources,
            "-sdk", self.sdk, "-module-cache-path", self.cache / "module-cache",
            "-I", self.modules, "-package-name", self.package.manifest["name"],
            "-swift-version", language, "-enable-experimental-feature", "Lifetimes",
            "-warnings-as-errors",
        ]

    def run(self, command):
        """Whether it succeeds. Otherwise what it said is kept."""
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode == 0:
            return True
        self.said.append(done.stdout.replace(f"{ROOT}/", ""))
        return False

    def refused(self):
        """The names of the targets that do not compile, or that depend on one."""
        self.prepare()
        refused = []
        for name, target in self.package.targets.items():
            needs_refused = any(other in refused for other in self.package.needs(target))
            if needs_refused or not self.compile(target):
                refused.append(name)
        return refused

    def compile(self, target):
        directory = self.package.directory(target)
        if target["type"] == "system":
            return True
        if self.package.is_of_c(target):
            return all([self.compile_c(target, source) for source in sorted(directory.glob("*.c"))])
        sources = sorted(directory.rglob("*.swift"))
        return self.run(
            self.swift_command(target["name"], sources) + self.swift_settings(target)
            + self.module_maps() + self.package.traits())

    def compile_c(self, target, source):
        includes = [self.package.directory(t) / "include" for t in self.package.targets.values()]
        warnings = [
            f"-W{setting['kind']['enableWarning']['_0']}"
            for setting in target["settings"]
            if setting["tool"] == "c"
        ]
        return self.run([
            self.toolchain.clang, "--target=" + self.triple, "-isysroot", self.sdk,
            f"--sysroot={self.sdk}", "-O2", "-c", source, "-o", "/dev/null", "-Werror", *warnings,
            *(f"-I{include}" for include in includes if include.is_dir()),
        ])

    @staticmethod
    def swift_settings(target):
        flags = []
        for setting in target["settings"]:
            (kind, value), = setting["kind"].items()
            if kind == "enableUpcomingFeature":
                flags += ["-enable-upcoming-feature", value["_0"]]
            elif kind == "enableExperimentalFeature":
                flags += ["-enable-experimental-feature", value["_0"]]
            elif kind == "strictMemorySafety":
                flags += ["-strict-memory-safety"]
            else:
                sys.exit(f"Development/platforms: no flag is known for {setting}")
        return flags

    def module_maps(self):
        """Those of the targets of C. SwiftPM writes one where there is none."""
        flags = []
        for name, target in self.package.targets.items():
            directory = self.package.directory(target)
            own = [directory / "module.modulemap", directory / "include/module.modulemap"]
            path = next((path for path in own if path.exists()), None)
            header = directory / f"include/{name}.h"
            if path is None and header.exists():
                path = self.modules / f"{name}.modulemap"
                path.write_text(f'module {name} {{\n  umbrella header "{header}"\n  export *\n}}\n')
            if path is not None:
                flags += ["-Xcc", f"-fmodule-map-file={path}"]
        return flags


def main():
    wanted = sys.argv[1] if len(sys.argv) > 1 else "all"
    names = list(ARCHITECTURES) if wanted == "all" else [wanted]
    if any(name not in ARCHITECTURES for name in names):
        sys.exit(f"Development/platforms: unknown system '{wanted}'; use macos or musl")
    package, toolchain = Package(), Toolchain()
    work = ROOT / ".build/platforms"
    systems = [
        System(name, architecture, package, toolchain, work)
        for name in names
        for architecture in ARCHITECTURES[name]
    ]
    failed = []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as threads:
        for system, refused in zip(systems, threads.map(System.refused, systems)):
            compiled = len(package.targets) - len(refused)
            print("".join(system.said), end="")
            print(f"{system.triple}: {compiled} of {len(package.targets)} targets", flush=True)
            failed += [f"{name} for {system.triple}" for name in refused]
    if failed:
        sys.exit("Development/platforms: these do not compile: " + ", ".join(failed))


main()
