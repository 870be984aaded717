"""Shows that the proof refuses every mutant of CPBKDF2Lanes: scripts/prove --mutants [PATH:LINE…]

A mutant that passes is explained in `survivors.txt`, or the run fails. What only cleanses memory or registers changes no
result, and is for the tests: lines that do so are left out.
"""

import collections
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path.cwd()
HERE = ROOT / "Development/Proof"
sys.path.insert(0, str(ROOT / "Development/mutation"))
import mutants as finder  # noqa: E402

LANES = "Sources/CPBKDF2Lanes"
CLEANSING = re.compile(r"cleanse|CLEAR|CLEANSES|cpbkdf2_is_optimized")
SECONDS = 300


def verdict(mutant, folder):
    """Why the mutant is refused, or None if the proof is complete all the same."""
    changed = folder / pathlib.Path(mutant.path).name
    original = (ROOT / mutant.path).read_text()
    changed.write_text(original[:mutant.start] + mutant.text + original[mutant.end:])
    try:
        run = subprocess.run(
            ["scripts/prove"], capture_output=True, text=True, timeout=SECONDS,
            env={**os.environ, "CRYPTORFORMAT_LANES": str(folder)})
    except subprocess.TimeoutExpired:
        return "does not end"
    finally:
        changed.write_text(original)
    if run.returncode == 0:
        return None
    refusal = re.search(r"^refused: .*", run.stdout, re.MULTILINE)
    if refusal:
        return refusal.group()
    return "does not compile" if " error: " in run.stderr else "ends the program"


def reasons():
    text = (HERE / "survivors.txt").read_text()
    pattern = r"^(\S+)\n- (.*)\n\+ ?(.*)\n(.+)$"
    return {(path, before, after): why for path, before, after, why in re.findall(pattern, text, re.MULTILINE)}


def main():
    places = set(sys.argv[1:])
    known, counts, unexplained, used = reasons(), collections.Counter(), [], set()
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary) / "lanes"
        shutil.copytree(ROOT / LANES, folder)
        for mutant in finder.all_mutants(ROOT):
            if not mutant.path.startswith(LANES) or mutant.path.endswith("/cleanse.c"):
                continue
            if CLEANSING.search(mutant.before) or places and f"{mutant.path}:{mutant.line}" not in places:
                continue
            why = verdict(mutant, folder)
            key = (mutant.path, mutant.before, mutant.after)
            if why is None and key in known:
                used.add(key)
                why = "explained"
            elif why is None:
                unexplained.append(mutant)
                print(f"PASSES {mutant.path}:{mutant.line}\n- {mutant.before}\n+ {mutant.after}", flush=True)
            counts[re.sub(r" \(.*", "", why or "passes")] += 1
    for why, count in counts.most_common():
        print(f"{count:5d}  {why}")
    print(f"{sum(counts.values()):5d}  mutants")
    stale = [] if places else [key for key in known if key not in used]
    for key in stale:
        print("survivors.txt explains what does not pass:", *key)
    sys.exit(1 if unexplained or stale else 0)


main()
