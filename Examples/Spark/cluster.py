"""Encrypts and decrypts records and files in Spark: each worker pipes its share through the command `rncryptor`.

Usage: cluster.py COMMAND     the path of `rncryptor`, the same on every worker

On a cluster, the key file is on every worker, readable by the worker only, and files are where every worker finds them.
"""

import pathlib
import random
import shlex
import subprocess
import sys
import tempfile

from pyspark.sql import SparkSession

RECORDS = 20_000
PARTITIONS = 4
SEED = 20_110_704
CORES = 2


def require(is_true, problem):
    if not is_true:
        sys.exit(f"FAILED  {problem}")


def records_there_and_back(spark, rncryptor, secret):
    generator = random.Random(SEED)
    records = [f'{{"number": {number}, "text": "{generator.randbytes(generator.randrange(60)).hex()} é"}}'
               for number in range(RECORDS)]
    plaintexts = spark.parallelize(records, PARTITIONS)
    # checkCode: without it a worker that fails looks like one that has nothing to say.
    messages = plaintexts.pipe(f"{rncryptor} encrypt --lines {secret}", checkCode=True).cache()
    decrypted = messages.pipe(f"{rncryptor} decrypt --lines {secret}", checkCode=True)
    require(messages.count() == RECORDS, "there is not one message a record")
    require(messages.filter(lambda line: "number" in line).isEmpty(), "a record is in the clear")
    require(decrypted.collect() == records, "the records did not come back in order")
    print(f"records: {RECORDS} encrypted and decrypted in {PARTITIONS} partitions ({secret.split()[0]}), all as they were")
    return records, messages


def one_bad_record(records, messages, rncryptor, key):
    def alter(numbered):
        message, number = numbered
        return message if number != 7 else message[:100] + ("A" if message[100] != "A" else "B") + message[101:]

    altered = messages.zipWithIndex().map(alter)
    # Without checkCode: a bad record becomes an empty one, named on standard error by its line in its
    # partition, and the others keep their places.
    kept = altered.pipe(f"{rncryptor} decrypt --lines --key-file {key}").collect()
    require(kept == records[:7] + [""] + records[8:], "not the records with an empty one for the bad one")
    print("records: one was altered; it alone was refused, and the others kept their places")
    try:
        altered.pipe(f"{rncryptor} decrypt --lines --key-file {key}", checkCode=True).count()
    except Exception as error:  # Spark wraps what its workers raise.
        require("status 77" in str(error) or "code 77" in str(error),
                f"not the status of an altered message: {error}")
        print("records: with checkCode the job fails, with status 77")
    else:
        require(False, "a job with an altered record succeeded")


def files_there_and_back(spark, rncryptor, key, folder):
    texts = {folder / f"part-{number:03}.txt": f"File {number}\n" * (number * 1_000) for number in range(24)}
    for path, text in texts.items():
        path.write_text(text)
    on_each = r"xargs --no-run-if-empty --delimiter='\n'"
    paths = spark.parallelize([str(path) for path in texts], PARTITIONS)
    paths.pipe(
        f"{on_each} {rncryptor} encrypt --key-file {key} --suffix .rnc --remove-source", checkCode=True).collect()
    require(not any(path.exists() for path in texts), "a file is in the clear")
    names = paths.map(lambda path: path + ".rnc")
    names.pipe(f"{on_each} {rncryptor} decrypt --key-file {key} --suffix .rnc", checkCode=True).collect()
    require(all(path.read_text() == text for path, text in texts.items()), "the files are not as they were")
    print(f"files:   {len(texts)} encrypted in place and decrypted, all as they were")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    rncryptor = shlex.quote(str(pathlib.Path(sys.argv[1]).resolve()))
    session = (SparkSession.builder.master(f"local[{CORES}]").appName("rncryptor")
               .config("spark.ui.enabled", "false").config("spark.ui.showConsoleProgress", "false")
               .config("spark.log.level", "OFF").getOrCreate())
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        subprocess.run(f"{rncryptor} keygen -o {shlex.quote(name)}/key", shell=True, check=True)
        key = shlex.quote(f"{name}/key")
        (folder / "password").touch(mode=0o600)
        (folder / "password").write_text("correct horse battery staple")
        # Each partition derives the keys of the password once.
        records_there_and_back(session.sparkContext, rncryptor, f"--password-file {shlex.quote(name)}/password")
        records, messages = records_there_and_back(session.sparkContext, rncryptor, f"--key-file {key}")
        one_bad_record(records, messages, rncryptor, key)
        files_there_and_back(session.sparkContext, rncryptor, key, folder)
    session.stop()


if __name__ == "__main__":
    main()
