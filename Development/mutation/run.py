"""Builds the mutants of a seed and runs the tests that reach each: see Development/mutate."""

import argparse
import concurrent.futures
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import threading
import time

import mutants as finder

ROOT = pathlib.Path.cwd()
BUILD = ROOT / ".build/mutants"
PACKAGE = BUILD / "package"
LOOKS = BUILD / "looks"
HERE = pathlib.Path(__file__).parent
BINARIES = PACKAGE / ".build/debug"
FLAGS = ["--build-tests", "-Xcc", "-O2"]


def say(words):
    print(words, flush=True)


# MARK: Which


def select(count, seed, places):
    """The mutants of these places, PATH:LINE or PATH:LINE:OPERATOR, by number, and others.

    There are as many others in the seed's order, at most one a line: half as many again as asked
    for, because some do not compile. Mutants that overlap others are left out.
    """
    by_line = {}
    asked = []
    for mutant in finder.all_mutants(ROOT):
        by_line.setdefault((mutant.path, mutant.line), []).append(mutant)
        line = f"{mutant.path}:{mutant.line}"
        if line in places or f"{line}:{mutant.operator}" in places:
            asked.append(mutant)
    order = sorted(by_line)
    generator = random.Random(seed)
    generator.shuffle(order)
    chosen = []

    def choose(mutants, limit=None):
        for mutant in mutants:
            if len(chosen) == limit:
                return
            if not any(overlap(mutant, other) for other in chosen):
                chosen.append(mutant)

    choose(asked)
    asked_count = len(chosen)
    choose((generator.choice(by_line[line]) for line in order), asked_count + count * 3 // 2)
    return dict(enumerate(chosen, 1)), asked_count


def overlap(one, other):
    if one.path != other.path:
        return False
    if one.start == other.start:
        return True
    return one.start < other.end and other.start < one.end


def equivalents():
    """The mutants that are known to change nothing, each of which has its reason."""
    text = (HERE / "equivalent.txt").read_text()
    return set(re.findall(r"^(\S.*)\n- (.*)\n\+ (.*)\n(?=.)", text, re.M))


# MARK: Building


def copy_package(manifest):
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "-z"],
        check=True, capture_output=True, text=True).stdout
    wanted = {path for path in listed.split("\0") if path and (ROOT / path).is_file()}
    PACKAGE.mkdir(parents=True, exist_ok=True)
    for directory in ("Sources", "Tests", "TestVectors"):
        for path in (PACKAGE / directory).rglob("*"):
            name = path.relative_to(PACKAGE).as_posix()
            is_added = path.name == "Mutants.swift" or "CMutant" in path.parts
            if path.is_file() and name not in wanted and not is_added:
                path.unlink()
    for path in wanted:
        if not path.startswith("Sources/"):
            original = ROOT / path
            write(PACKAGE / path, original.read_bytes(), original.stat().st_mode)
    for path in (HERE / "CMutant").rglob("*.[ch]"):
        write(PACKAGE / "Sources/CMutant" / path.relative_to(HERE / "CMutant"), path.read_bytes())
    write(PACKAGE / "Package.swift", manifest.encode())


def switched_manifest():
    manifest = (ROOT / "Package.swift").read_text()
    for target in targets():
        manifest = re.sub(
            rf'(arget\(\s*name: "{target}",\s+dependencies: \[)', r'\1"CMutant", ',
            manifest, count=1)
        manifest = re.sub(
            rf'(arget\(\s*name: "{target}",\s+)(?!\s|dependencies)',
            r'\1dependencies: ["CMutant"], ', manifest, count=1)
    if manifest.count('"CMutant"') != len(targets()):
        sys.exit("Development/mutate: could not add the switch to every target of Package.swift")
    targets_begin = "    targets: [\n"
    own_target = '        .target(name: "CMutant"),\n'
    return manifest.replace(targets_begin, targets_begin + own_target, 1)


def targets():
    """The targets of Swift code."""
    return sorted(path.name for path in (ROOT / "Sources").iterdir() if any(path.rglob("*.swift")))


def write(path, contents, mode=None):
    """Writes only what has changed: the build goes by the times of files."""
    if not path.exists() or path.read_bytes() != contents:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(contents)
    if mode is not None:
        path.chmod(mode)


def operator_name(symbol, number):
    digits = ""
    while number:
        digits = "%^~*"[number % 4] + digits
        number //= 4
    return symbol[0] + "~" + digits + "~"


def operator_declaration(symbol, number):
    pattern = COMPARE
    constraint = "Comparable"
    precedence = None
    if symbol in ("==", "!="):
        pattern = COMPARE + COMPARE_NIL
        constraint = "Equatable"
    if symbol in ("&&", "||"):
        pattern = CONNECT
        precedence = "LogicalDisjunctionPrecedence"
        if symbol == "&&":
            precedence = "LogicalConjunctionPrecedence"
    return pattern.format(
        name=operator_name(symbol, number), number=number, symbol=symbol,
        other=finder.FLIPPED[symbol], constraint=constraint, precedence=precedence)


COMPARE = """infix operator {name}: ComparisonPrecedence
func {name} <T: {constraint}>(a: T, b: T) -> Bool {{
    mutant({number}) ? a {other} b : a {symbol} b
}}
@_disfavoredOverload func {name} <T: BinaryInteger, U: BinaryInteger>(a: T, b: U) -> Bool {{
    mutant({number}) ? a {other} b : a {symbol} b
}}
"""
COMPARE_NIL = """@_disfavoredOverload func {name} <T: ~Copyable>(
    a: borrowing T?, b: _OptionalNilComparisonType
) -> Bool {{
    mutant({number}) ? a {other} nil : a {symbol} nil
}}
"""
CONNECT = """infix operator {name}: {precedence}
func {name} <E: Error>(a: Bool, b: @autoclosure () throws(E) -> Bool) throws(E) -> Bool {{
    if mutant({number}) {{
        return try a {other} b()
    }}
    return try a {symbol} b()
}}
"""
MINIMUM = """public import CMutant
func mutantMin<T: Comparable>(_ number: CInt, _ a: T, _ b: T) -> T {
    mutant(number) ? max(a, b) : min(a, b)
}
func mutantMax<T: Comparable>(_ number: CInt, _ a: T, _ b: T) -> T {
    mutant(number) ? min(a, b) : max(a, b)
}
"""


def write_switched(drawn):
    """Writes the sources with these mutants, each behind its switch."""
    helpers = {target: MINIMUM for target in targets()}
    by_path = {}
    for number, mutant in drawn.items():
        by_path.setdefault(mutant.path, []).append((number, mutant))
    for path in (ROOT / "Sources").rglob("*"):
        if not path.is_file():
            continue
        name = path.relative_to(ROOT).as_posix()
        text = path.read_text()
        for number, mutant in sorted(by_path.get(name, []), key=lambda pair: -pair[1].start):
            switched = mutant.switched.replace("@N@", str(number))
            if mutant.helper:
                switched = operator_name(mutant.helper, number)
                helpers[name.split("/")[1]] += operator_declaration(mutant.helper, number)
            text = text[:mutant.start] + switched + text[mutant.end:]
        if name.endswith(".swift"):
            text = "public import CMutant\n" + text
        write(PACKAGE / name, text.encode())
    for target, text in helpers.items():
        write(PACKAGE / "Sources" / target / "Mutants.swift", text.encode())


def build():
    """Returns the path and line of each error, or None.

    Lines of the copy are one further down than in the sources.
    """
    done = subprocess.run(
        ["nice", "-n", "5", "swift", "build", *FLAGS],
        cwd=PACKAGE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    (BUILD / "build.log").write_text(done.stdout)
    if done.returncode == 0:
        return None
    found = set(re.findall(r"(Sources/[\w/+.]+):(\d+):\d+: (?:fatal )?error", done.stdout))
    return {(path, int(line) - 1) for path, line in found}


def is_place(mutant, path, line):
    return path == mutant.path and mutant.line <= line <= mutant.last_line


def build_switched(drawn):
    """Builds these mutants, and returns those that compile."""
    switched = dict(drawn)
    while True:
        write_switched(switched)
        errors = build()
        if errors is None:
            return switched
        culprits = [
            number for number, mutant in switched.items()
            if any(is_place(mutant, path, line) for path, line in errors)]
        if not culprits:
            # The error of a switch may be where its value is used, or where its function begins:
            # the nearest switch before that is taken out, or else the nearest one behind it.
            near = [
                (line < mutant.line, abs(line - mutant.line), number)
                for path, line in errors for number, mutant in switched.items()
                if path == mutant.path and abs(line - mutant.line) < 80]
            culprits = [min(near)[2]] if near else []
        if not culprits:
            sys.exit(f"Development/mutate: the copy does not build; see {BUILD / 'build.log'}")
        for number in culprits:
            del switched[number]


# MARK: Running


def suites():
    listed = subprocess.run(
        ["swift", "test", "list", "--skip-build", *FLAGS[1:]],
        cwd=PACKAGE, check=True, capture_output=True, text=True)
    tests = [line for line in listed.stdout.splitlines() if "/" in line and "." in line]
    return sorted({test.split("/")[0] for test in tests})


# A namespace of its own, with which everything ends that the tests have started. So does the tests'
# process, if this one is ended. The shell waits for orphans, as the first process of a namespace
# has to.
RUNNER = [
    "setpriv", "--pdeathsig", "KILL", "unshare", "--pid", "--fork", "--kill-child", "--mount-proc",
    "sh", "-c", 'nice -n 5 "$0" --testing-library swift-testing --filter "$1"; exit $?',
]


def run_suites(names, number, limit, log, reached=None):
    """Returns None if all is well, otherwise the first failure in words."""
    environment = os.environ | {"CRYPTORFORMAT_MUTANT": str(number)}
    if reached:
        environment["CRYPTORFORMAT_MUTANTS_REACHED"] = str(reached)
    pattern = "^(" + "|".join(re.escape(name) for name in names) + ")/"
    with open(log, "wb") as output:
        process = subprocess.Popen(
            [*RUNNER, str(next(BINARIES.glob("*.xctest"))), pattern],
            cwd=PACKAGE, env=environment, stdin=subprocess.DEVNULL, stdout=output,
            stderr=subprocess.STDOUT, start_new_session=True)
    end = time.monotonic() + limit
    said = None
    while said is None and process.poll() is None:
        time.sleep(0.1)
        said = failure(log)
        if said is None and time.monotonic() > end:
            said = "timed out"
    process.kill()
    status = process.wait()
    said = said or failure(log)
    if said is None and status != 0:
        started = re.findall(r"Test (\w+)\S* started", log.read_text(errors="replace"))
        said = f"crashed: status {status}, in {' or '.join(started[-2:])}"
    return said


def failure(log):
    found = re.search(rb" recorded an issue[^\n]* at (\w+)\.swift:(\d+)", log.read_bytes())
    return f"{found[1].decode()}:{found[2].decode()}" if found else None


def issue(log):
    """What the tests say of their first failure."""
    text = log.read_text(errors="replace")
    found = re.search(r"^.* recorded an issue.*(?:\n(?![◇✔✘➜]).*)*", text, re.M)
    return found[0] if found else text[-1000:]


def look(suite):
    """Runs a suite without mutants.

    Returns how long it takes, and which mutants it reaches. One failure may be chance. Two end the
    run: without this suite, mutants would survive that it sees.
    """
    reached = BUILD / f"reached-{threading.get_ident()}"
    failures = []
    while len(failures) < 2:
        reached.write_bytes(bytes(65536))
        reached.chmod(0o666)
        log = LOOKS / f"{suite}-{len(failures) + 1}.log"
        start = time.monotonic()
        said = run_suites([suite], 0, 600, log, reached)
        seconds = time.monotonic() - start
        if said is None:
            numbers = frozenset(number for number, byte in enumerate(reached.read_bytes()) if byte)
            return suite, seconds, numbers
        failures.append(f"{said}; see {log}\n{issue(log)}")
        if len(failures) == 1:
            say(f"{suite} fails without a mutant, and runs again: {failures[0]}")
    words = [f"Development/mutate: {suite} fails without a mutant, also the second time:"]
    sys.exit("\n".join(words + failures))


def judge(number, seconds):
    """Runs the suites that reach a mutant, the short ones first.

    `seconds`: the time of each without mutants.
    """
    log = BUILD / f"run-{threading.get_ident()}.log"
    order = sorted(seconds, key=lambda suite: seconds[suite])
    groups = [[]]
    for suite in order:
        is_full = sum(seconds[other] for other in groups[-1]) > 6
        if is_full and len(groups) < 3:
            groups.append([])
        groups[-1].append(suite)
    for group in groups:
        limit = 30 + 3 * sum(seconds[suite] for suite in group)
        while group:
            said = run_suites(group, number, limit, log)
            if said is None:
                break
            if said == "timed out":
                return number, said
            # A failure may be chance: the mutant counts as detected if a suite fails again. If not,
            # the other suites, which the failure has stopped, run again.
            failed = "." + said.split(":")[0]
            suspects = [suite for suite in group if suite.endswith(failed)] or group
            again = run_suites(suspects, number, limit, log)
            if again:
                return number, again
            group = [suite for suite in group if suite not in suspects]
    return number, None


def main():
    parser = argparse.ArgumentParser(prog="Development/mutate")
    parser.add_argument("count", nargs="?", type=int, default=100)
    parser.add_argument("seed", nargs="?", type=int, default=1)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--at", action="append", default=[])
    parser.add_argument("--filter", default="")
    options = parser.parse_args()

    chosen, asked_count = select(options.count, options.seed, set(options.at))
    manifest = switched_manifest()
    if options.list:
        for number, mutant in chosen.items():
            show(number, mutant)
        return 0
    begun = time.monotonic()
    copy_package(manifest)
    compiled = build_switched(chosen)
    say(f"built {len(compiled)} mutants in {time.monotonic() - begun:.0f} s")
    asked = [number for number in compiled if number <= asked_count]
    wanted = [number for number in compiled if number > asked_count][:options.count]
    explained = equivalents()
    known = [number for number in wanted if chosen[number].key in explained]
    results = dict.fromkeys(known)

    shutil.rmtree(LOOKS, ignore_errors=True)
    LOOKS.mkdir()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as workers:
        fitting = [suite for suite in suites() if re.search(options.filter, suite)]
        looked = list(workers.map(look, fitting))
        say(f"{len(looked)} suites in {time.monotonic() - begun:.0f} s")

        def seconds(number):
            return {suite: time for suite, time, reached in looked if number in reached}

        running = [
            workers.submit(judge, number, seconds(number))
            for number in asked + wanted
            if number not in known
        ]
        for done in concurrent.futures.as_completed(running):
            number, result = done.result()
            results[number] = result
            show(number, chosen[number], result or "SURVIVED")

    survived = [
        number
        for number, result in results.items()
        if result is None and chosen[number].key not in explained
    ]
    say("")
    for number in survived:
        show(number, chosen[number], "SURVIVED")
    equal = sum(chosen[number].key in explained for number in results)
    for number, result in results.items():
        if result and chosen[number].key in explained:
            contradiction = f"{result}, and equivalent.txt says that it changes nothing"
            show(number, chosen[number], contradiction)
    judged = len(results) - equal
    detected = judged - len(survived)
    percentage = 100 * detected / max(1, judged)
    say(f"seed {options.seed}: {len(results)} mutants, {equal} equivalent, "
        f"{detected} of {judged} others detected: {percentage:.1f} %, "
        f"in {time.monotonic() - begun:.0f} s")
    return 1 if survived else 0


def show(number, mutant, result=None):
    words = f"{number}: {mutant.path}:{mutant.line}: {mutant.operator}"
    if result:
        words += f": {result}"
    say(f"{words}\n    - {mutant.before}\n    + {mutant.after}")


if __name__ == "__main__":
    sys.exit(main())
