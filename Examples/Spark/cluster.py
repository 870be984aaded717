"""Encrypts and decrypts records and files in Spark.

Each worker pipes its share through the command `rncryptor`.

Usage: cluster.py COMMAND     the path of `rncryptor`, the same on every worker

On a cluster, the key file is on every worker, readable by the worker only, and files are where
every worker finds them.
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
    records = []
    for number in range(RECORDS):
        text = generator.randbytes(generator.randrange(60)).hex()
        records.append(f'{{"number": {number}, "text": "{text} é"}}')
    plaintexts = spark.parallelize(records, PARTITIONS)
    # checkCode: without it a worker that fails looks like one that has nothing to say.
    messages = plaintexts.pipe(f"{rncryptor} encrypt --lines {secret}", checkCode=True).cache()
    decrypted = messages.pipe(f"{rncryptor} decrypt --lines {secret}", checkCode=True)
    require(messages.count() == RECORDS, "there is not one message a record")
    require(messages.filter(lambda line: "number" in line).isEmpty(), "a record is in the clear")
    require(decrypted.collect() == records, "the records did not come back in order")
    option = secret.split()[0]
    print(
        f"records: {RECORDS} encrypted and decrypted in {PARTITIONS} partitions ({option}), "
        "all as they were")
    return records, messages


def one_bad_record(records, messages, rncryptor, key):
    def alter(numbered):
        message, number = numbered
        if number != 7:
            return message
        other = "B" if message[100] == "A" else "A"
        return message[:100] + other + message[101:]

    altered = messages.zipWithIndex().map(alter)
    # Without checkCode: a bad record becomes an empty one, named on standard error by its line in
    # its partition, and the others keep their places.
    kept = altered.pipe(f"{rncryptor} decrypt --lines --key-file {key}").collect()
    expected = records[:7] + [""] + records[8:]
    require(kept == expected, "not the records with an empty one for the bad one")
    print("records: one was altered; it alone was refused, and the others kept their places")
    try:
        altered.pipe(f"{rncryptor} decrypt --lines --key-file {key}", checkCode=True).count()
    except Exception as error:  # Spark wraps what its workers raise.
        require("status 77" in str(error) or "code 77" in str(error),
                f"not the status of an altered message: {error}")
        print("records: with checkCode the job fails, with status 77")
    else:
        require(False, "a job with an altered record succeeded")


def files_there_and_back(spark, rncryptor, key, directory):
    texts = {}
    for number in range(24):
        path = directory / f"part-{number:03}.txt"
        texts[path] = f"File {number}\n" * (number * 1_000)
        path.write_text(texts[path])
    on_each = r"xargs --no-run-if-empty --delimiter='\n'"
    paths = spark.parallelize([str(path) for path in texts], PARTITIONS)
    encrypt = f"{on_each} {rncryptor} encrypt --key-file {key} --suffix .rnc --remove-source"
    paths.pipe(encrypt, checkCode=True).collect()
    require(not any(path.exists() for path in texts), "a file is in the clear")
    names = paths.map(lambda path: path + ".rnc")
    decrypt = f"{on_each} {rncryptor} decrypt --key-file {key} --suffix .rnc"
    names.pipe(decrypt, checkCode=True).collect()
    require(
        all(path.read_text() == text for path, text in texts.items()),
        "the files are not as they were")
    print(f"files:   {len(texts)} encrypted in place and decrypted, all as they were")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    rncryptor = shlex.quote(str(pathlib.Path(sys.argv[1]).resolve()))
    session = (
        SparkSession.builder.master(f"local[{CORES}]").appName("rncryptor")
        .config("spark.ui.enabled", "false").config("spark.ui.showConsoleProgress", "false")
        .config("spark.log.level", "OFF").getOrCreate())
    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)
        subprocess.run(f"{rncryptor} keygen -o {shlex.quote(name)}/key", shell=True, check=True)
        key = shlex.quote(f"{name}/key")
        by_password = f"--password-file {shlex.quote(name)}/password"
        by_keys = f"--key-file {key}"
        (directory / "password").touch(mode=0o600)
        (directory / "password").write_text("correct horse battery staple")
        # Each partition derives the keys of the password once.
        records_there_and_back(session.sparkContext, rncryptor, by_password)
        records, messages = records_there_and_back(session.sparkContext, rncryptor, by_keys)
        one_bad_record(records, messages, rncryptor, key)
        files_there_and_back(session.sparkContext, rncryptor, key, directory)
    session.stop()


if __name__ == "__main__":
    main()
