"""Builds and runs the symbolic check of CPBKDF2Lanes, or shows that it refuses mutants.

See scripts/prove. What the check covers is bounded: see README.md.
"""

import collections
import concurrent.futures
import hashlib
import itertools
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
LANES = HERE.parent.parent / "Sources/CPBKDF2Lanes"
# Which files of the package each part of the check includes.
PARTS = {
    "chains": {
        "hmac.c", "chains_sha.c", "chains_arm.c", "chains_portable.c", "chains_avx512.c",
        "chains_vector.h", "sha1_compress.h", "lanes.h",
    },
    "keys": {"derive.c", "lanes.h"},
    "processor": {"processor.c"},
    "prove": set(),
}

# The claims that a mutant may make false; of other files, those about chains.
CLAIMS = {
    "hmac.c": ["first"],
    "sha1_compress.h": ["first", "chains"],
    "derive.c": ["keys"],
    "lanes.h": ["keys", "first", "chains"],
    "processor.c": ["choice"],
}


# What means something else in C than over words, or hides from the check: a line that matches is
# refused, whatever it computes.
REFUSED = {
    r"sizeof\s*\(?\s*(u?int|size_t|unsigned|signed|char|long|short|bool)":
        "the size of a type that is another here",
    r"vector_size\((?!4 \* LANES\))":
        "vectors of another size than the lanes need",
    r"target\((?!\"(sha,sse4\.1|sha2|avx512f)\"\))":
        "instructions that nobody asks the processor for",
    r"\(\s*[\w\s]+\*[\s*]*(const\s*)?\)|\bunion\b|_Generic|\bgoto\b|__builtin_":
        "a look behind the words",
    r"\bstatic (?!inline\b|(void|size_t|int) \w+\(|const struct hash new_hash = |atomic_int known;)"
    r"|^(?!typedef |enum |const bool |void cpbkdf2_|static )\w.*;$":
        "a variable that outlives its function",
    r"\bsteps\b(?!-- > 0\) \{|(?<=uint32_t steps)\)|(?<=lanes, steps)\))":
        "a loop whose body may see its counter",
    r"\b(asm|__asm)\b|\b__asm__(?! volatile\(\"vzeroall|\(\"xgetbv)":
        "an instruction that is not looked into",
    r"^\s*#(?!\s*(define|undef|if|el|endif|pragma once|include [<\"]))|%:|\?\?=|/\*":
        "a line that the preprocessor may read otherwise",
}
# The files of the package that others include, and the headers of the compiler and the C library.
# The check has its own of some of them.
INCLUDED = {
    '"CPBKDF2Lanes.h"', '"chains_vector.h"', '"lanes.h"', '"sha1_compress.h"', "<arm_neon.h>",
    "<cpuid.h>", "<immintrin.h>", "<stdatomic.h>", "<stdbool.h>", "<stddef.h>", "<stdint.h>",
    "<string.h>", "<sys/auxv.h>",
}
# The choices that the preprocessor may make, and in which files: both sides are checked, or neither
# computes anything.
CHOICES = {
    "#if defined(__x86_64__)": {
        "lanes.h", "chains_sha.c", "chains_avx512.c", "derive.c", "processor.c",
    },
    "#if defined(__aarch64__)": {"lanes.h", "chains_arm.c", "derive.c"},
    "#elif defined(__aarch64__) && defined(__APPLE__)": {"processor.c"},
    "#elif defined(__aarch64__) && defined(__linux__)": {"processor.c"},
    "#else": {"lanes.h", "processor.c"},
    "#if __has_attribute(zero_call_used_regs)": {"lanes.h"},
    "#if defined(__OPTIMIZE__)": {"processor.c"},
}
# Of an iteration nothing is left but words: that is what the induction needs.
LOOP = re.compile(r"\bwhile \(steps-- > 0\) \{\n(.*?)\n    \}\n", re.DOTALL)
STAYS = re.compile(
    r"\b(if|while|switch|continue|break|return)\b"
    r"|[?%]|&&|\|\||[-+]=|--|(?<!\bi)\+\+|\bint (?!i = 0)")


def refusal(name, text):
    """Why the check takes no such file; None if it does."""
    for line in text.splitlines():
        code = re.sub(r"\s*(//.*|\\)?$", "", line)
        if re.match(r"\s*#\s*(if|el)", code) and name not in CHOICES.get(code, []):
            return "a choice of the preprocessor"
        included = re.match(r"\s*#\s*include\s*(.*)", code)
        if included and included[1] not in INCLUDED:
            return "a file that is not looked into"
        for pattern, why in REFUSED.items():
            if re.search(pattern, code):
                return why
    if name in ("chains_sha.c", "chains_arm.c", "chains_vector.h"):
        loops = LOOP.findall(text)
        before = text.split("while (steps")[0]
        if len(loops) != 1 or STAYS.search(loops[0]) or "iterate(" not in before:
            return "a loop that may keep more than words"
    return None


# The same in C, as the compiler sees it: whatever the types and macros are called, a look at an
# address, or at anything outside of the package, is refused. Whether two addresses are equal may be
# asked.
BEHIND = {
    r"\bptrtoint\b|\binttoptr\b": "a number that is an address",
    r"\bicmp [us][gl][te] ptr\b": "an order of addresses",
    r"^declare .*@(?!cpbkdf2_|getauxval\(|memcpy\(|llvm\.mem(cpy|set)\.|llvm\.x86\.sha1"
    r"|llvm\.aarch64\.(crypto\.sha1|neon\.vsri))|^@.* external ":
        "something outside of the package",
}
# All that C without a library lacks.
HEADERS = {
    "string.h": "void *memcpy(void *, const void *, __SIZE_TYPE__);",
    "sys/auxv.h": "unsigned long getauxval(unsigned long);\n#define AT_HWCAP 16",
}


def behind(name, lanes, build):
    """Why the check takes no such file, or none that includes it; None if it does."""
    headers = build / "headers"
    for header, text in HEADERS.items():
        (headers / header).parent.mkdir(parents=True, exist_ok=True)
        (headers / header).write_text(text)
    for path in [lanes / name] if name.endswith(".c") else sorted(lanes.glob("*.c")):
        for target in ("x86_64-linux-gnu", "aarch64-linux-gnu"):
            command = [
                "clang", f"--target={target}", "-std=gnu17", "-ffreestanding", "-nostdlibinc",
                "-O0", "-S", "-emit-llvm", "-w", f"-I{lanes}", f"-I{lanes}/include",
                f"-isystem{headers}", path, "-o", "-",
            ]
            run = subprocess.run(command, capture_output=True, text=True)
            if run.returncode:
                return "does not compile"
            for pattern, why in BEHIND.items():
                if re.search(pattern, run.stdout, re.MULTILINE):
                    return why
    return None


# What a mutant is built with that passes: an index may leave its array and meet what happens to be
# right.
ADDRESS = ["-fsanitize=address,bounds", "-fno-sanitize-recover=all", "-fuse-ld=lld"]


def compiled(parts, lanes, build, *options):
    """Compiles parts side by side; returns the compiler's errors."""
    command = [
        # Without warnings: the C is compiled with them elsewhere, and is no C++.
        "clang++", "-std=c++20", *(options or ["-O2"]), "-w", "-ftrivial-auto-var-init=pattern",
        "-Ifake", "-I.", f"-I{lanes}", f"-I{lanes}/include",
    ]
    runs = []
    for part in parts:
        files = ["-c", f"{part}.cpp", "-o", build / f"{part}.o"]
        run = subprocess.Popen([*command, *files], cwd=HERE, stderr=subprocess.PIPE, text=True)
        runs.append(run)
    return "".join(run.communicate()[1] for run in runs)


def linked(build, *options):
    objects = [build / f"{part}.o" for part in [*PARTS, "models"]]
    program = build / "prove"
    subprocess.run(["clang++", *options, *objects, "-o", program], check=True)
    return program


def build_all(build, *options):
    build.mkdir(exist_ok=True)
    models = ["clang", "-O1", "-c", "models.c", "-o", build / "models.o"]
    subprocess.run(models, cwd=HERE, check=True)
    files = set().union(*PARTS.values())
    if files | {"cleanse.c", "CPBKDF2Lanes.h"} != {path.name for path in LANES.rglob("*.[ch]")}:
        sys.exit("CPBKDF2Lanes has an unknown file, or lacks one")
    for name in sorted(files):
        why = refusal(name, (LANES / name).read_text()) or behind(name, LANES, build)
        if why:
            sys.exit(f"refused: {name}: {why}")
    errors = compiled(PARTS, LANES, build, *options)
    if errors:
        sys.exit(errors)


# MARK: 64-bit ARM

# The processors that are emulated: two that servers have, and one with every instruction.
PROCESSORS = ["cortex-a72", "neoverse-n1", "max"]


def built_for_arm(build):
    """A program for 64-bit ARM Linux, and the command that runs it; None if one is missing."""
    command = []
    if (platform.system(), platform.machine()) != ("Linux", "aarch64"):
        emulator = shutil.which("qemu-aarch64") or shutil.which("qemu-aarch64-static")
        if not emulator or not shutil.which("aarch64-linux-gnu-gcc"):
            return None
        command = [emulator]
    program = build / "emulated"
    probe = HERE.parent.parent / "Tests/CCryptorProbe"
    sources = [HERE / "emulated.c", probe / "registers.c", *LANES.glob("*.c")]
    subprocess.run([
        "clang", "--target=aarch64-linux-gnu", "-static", "-fuse-ld=lld", "-O2",
        "-Wall", "-Wextra", "-Werror", f"-I{LANES}", f"-I{LANES}/include",
        f"-I{probe}/include", *sources, "-pthread", "-o", program,
    ], check=True)
    return command, program


def expected_keys():
    """What emulated.c has to print, derived by OpenSSL."""
    keys = [
        hashlib.pbkdf2_hmac("sha1", bytes([i + 1]) * (6 * i), bytes([0xFF - i]) * 8, 100, 32)
        for i in range(16)
    ]
    return [
        f"{path} {count} {b''.join(keys[:count]).hex()}"
        for path in ("portable", "arm", "automatic") for count in range(1, 17)
    ]


def compare_on_arm(build):
    """Compares the lanes with OpenSSL on 64-bit ARM. Returns the results of its instructions."""
    found = built_for_arm(build)
    if not found:
        print("64-bit ARM: not emulated (scripts/prepare emulation installs what that needs)")
        return b""
    command, program = found
    for processor in PROCESSORS if command else [None]:
        options = ["-cpu", processor] if processor else []

        def output(work):
            run = [*command, *options, program, work]
            return subprocess.run(run, check=True, stdout=subprocess.PIPE).stdout

        if output("keys").decode().splitlines() != expected_keys():
            sys.exit(f"refused: keys on ARM ({processor})")
        for place in ("registers", "stack"):
            left = output(place).decode()
            if left:
                sys.exit(f"refused: the {place} on ARM ({processor}) still hold:\n{left}")
        print(f"64-bit ARM ({processor or 'native'}): the keys are OpenSSL's, nothing is left")
    return output("instructions")


# MARK: Mutants

OTHER = {
    "+": "-", "-": "+", "*": "+", "/": "*", "%": "/",
    "<<": ">>", ">>": "<<", "&": "|", "|": "&", "^": "|",
    "+=": "-=", "-=": "+=", "^=": "|=", "|=": "^=", "&&": "||", "||": "&&",
    "==": "!=", "!=": "==", "<": "<=", "<=": "<", ">": ">=", ">=": ">",
}
OPERATOR = re.compile(r"(?<=\s)(<<|>>|&&|\|\||[-+^|]=|[=!<>]=|[-+*/%&|^<>])(?=\s)")
NUMBER = re.compile(r"(?<![\w.])(0x[0-9A-Fa-f]+|\d+)(u?)(?!\w)")
# In the brackets of a parameter, C ignores the first number.
SIGNATURE = re.compile(r"^(?:static|INLINE|CLEANSES|void|    uint32_t digest)[^=]*\(?[^=]*\)?$")
STATEMENT = re.compile(
    r"^ +(?:EACH_LANE )?(?!return|const|struct|static|for|if|while|__)[\w*][^;{}#]*;$")
# What only overwrites memory or registers changes no result, and is for the tests; so is how it is
# compiled.
LEFT_OUT = re.compile(r"cleanse|CLEA|cpbkdf2_is_optimized|^#(?!define)")
COMPILED = re.compile(
    r'_Pragma\("[^"]*"\) ?|_Alignas\(64\) '
    r'|__attribute__\(\((always_inline|target\("[^"]*"\))\)\) ?')


def mutants(path):
    """The line's number, the line, and a mutant of it, for each place that can be mutated."""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        # Without the backslash of a macro's line, which the mutant gets again.
        code = COMPILED.sub("", re.sub(r"//.*|\s*\\$", "", line))
        if LEFT_OUT.search(code):
            continue
        for match in OPERATOR.finditer(code):
            yield number, line, code[:match.start()] + OTHER[match[1]] + code[match.end():]
        for match in NUMBER.finditer("" if SIGNATURE.match(code) else code):
            value = int(match[1], 0)
            for changed in {value + 1, max(value - 1, 0)} - {value}:
                text = hex(changed) + match[2]
                yield number, line, code[:match.start()] + text + code[match.end():]
        if STATEMENT.match(code):
            yield number, line, ";"


def edits(name, reason="(?=.)"):
    """The entries of a file: a file of the package, a line of it, and a mutant of that."""
    entry = rf"^(\S+)\n- (.*)\n\+ ?(.*)\n{reason}"
    return re.findall(entry, (HERE / name).read_text(), re.MULTILINE)


def written(path):
    """The mutants that no operator makes: each is of a kind that the check has once missed."""
    lines = path.read_text().splitlines()
    for name, line, changed in edits("written.txt"):
        if name == path.name:
            number = next(number for number, present in enumerate(lines) if present.strip() == line)
            indentation = lines[number][:-len(lines[number].lstrip())]
            yield number + 1, line, indentation + changed


def planted():
    """Plants each line of refused.txt: it must be refused before anything is computed."""
    entries = edits("refused.txt", reason=r"(.+)\n")
    with tempfile.TemporaryDirectory() as temporary:
        build = pathlib.Path(temporary)
        lanes = build / "lanes"
        shutil.copytree(LANES, lanes)
        for name, line, changed, expected in entries:
            text = (LANES / name).read_text()
            if f"{line}\n" not in text:
                sys.exit(f"refused.txt: {name} has no such line: {line}")
            text = text.replace(f"{line}\n", f"{changed}\n", 1)
            (lanes / name).write_text(text)
            why = refusal(name, text) or behind(name, lanes, build)
            (lanes / name).write_text((LANES / name).read_text())
            if why != expected:
                sys.exit(f"refused.txt: {name}: not '{expected}', but '{why}': {changed}")
    if len(entries) < 10:
        sys.exit("refused.txt has lost its lines")
    print(f"{len(entries)} planted lines that look at addresses or outside are refused", flush=True)


def verdict(path, number, changed, lanes, build, is_explained):
    """Why the mutant is refused; None if the check passes all the same."""
    lines = path.read_text().splitlines(keepends=True)
    line = lines[number - 1]
    end = line[len(line.rstrip("\\\n")):]
    lines[number - 1] = changed + end
    text = "".join(lines)
    why = refusal(path.name, text)
    if why:
        return why
    (lanes / path.name).write_text(text)
    parts = [part for part, files in PARTS.items() if path.name in files]
    # Most are refused at once, so that compiling them takes the time; many of the header's are not.
    option = "-O1" if is_explained or path.name == "lanes.h" else "-O0"
    try:
        if compiled(parts, lanes, build, option):
            return "does not compile"
        claims = CLAIMS.get(path.name, ["chains"])
        run = subprocess.run(
            [linked(build), *claims], stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=400)
        why = behind(path.name, lanes, build) if run.returncode == 0 else None
        if why:
            return why
        if run.returncode == 0 and not is_explained:
            address = build / "address"
            build_all(address, "-O1", *ADDRESS)
            compiled(parts, lanes, address, "-O1", *ADDRESS)
            program = linked(address, *ADDRESS)
            again = subprocess.run(
                [program, *claims], stdin=subprocess.DEVNULL, capture_output=True, timeout=600)
            return "accesses memory out of bounds" if again.returncode else None
    except subprocess.TimeoutExpired:
        return None
    finally:
        (lanes / path.name).write_text(path.read_text())
    if run.returncode == 0:
        return None
    found = re.search(r"^refused: (.*?)(?: \(\d+\))?$", run.stdout, re.MULTILINE)
    return found[1] if found else "ends the program"


def try_file(path, places, reasons):
    """The verdict of each mutant of a file, with what it would be explained by."""
    chosen = [*written(path), *mutants(path)]
    if places:
        chosen = [one for one in chosen if f"{path.name}:{one[0]}" in places]
    if not chosen:
        return []
    verdicts = []
    with tempfile.TemporaryDirectory() as temporary:
        build = pathlib.Path(temporary)
        lanes = build / "lanes"
        shutil.copytree(LANES, lanes)
        build_all(build)
        for number, line, changed in chosen:
            key = (path.name, line.strip(), changed.strip())
            why = verdict(path, number, changed, lanes, build, key in reasons)
            if why is None and key not in reasons:
                print(f"{path.name}\n- {key[1]}\n+ {key[2]}\n", flush=True)
            verdicts.append((key, why))
    return verdicts


def try_mutants(places):
    reasons = set(edits("survivors.txt"))
    with tempfile.TemporaryDirectory() as temporary:
        build = pathlib.Path(temporary)
        build_all(build, "-O1", *ADDRESS)
        if subprocess.run(
            [linked(build, *ADDRESS)], stdin=subprocess.DEVNULL, capture_output=True).returncode:
            sys.exit("the check itself accesses memory out of bounds")
    known = set().union(*PARTS.values())
    paths = [path for path in LANES.iterdir() if path.name in known]
    # The largest first.
    paths.sort(key=lambda path: -path.stat().st_size)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as workers:
        files = workers.map(lambda path: try_file(path, places, reasons), paths)
        verdicts = list(itertools.chain.from_iterable(files))
    survivors = {key for key, why in verdicts if why is None}
    counts = collections.Counter()
    for key, why in verdicts:
        passed = "PASSES, and is explained" if key in reasons else "PASSES"
        counts[why or passed] += 1
    for why, count in counts.most_common():
        print(f"{count:5d}  {why}")
    print(f"{len(verdicts):5d}  mutants")
    forgotten = set() if places else reasons - survivors
    for key in forgotten:
        print("survivors.txt explains a mutant that does not pass:", *key)
    sys.exit(1 if survivors - reasons or forgotten else 0)


if sys.argv[1:2] == ["--mutants"]:
    try_mutants(set(sys.argv[2:]))
with tempfile.TemporaryDirectory() as temporary:
    build = pathlib.Path(temporary)
    build_all(build)
    planted()
    instructions = compare_on_arm(build)
    sys.stdout.flush()
    sys.exit(subprocess.run([linked(build)], input=instructions).returncode)
