import Foundation
import Testing

/// A PostgreSQL server that lives as long as this process, on a socket of its own.
final class PostgreSQL: Sendable {
    /// `.ci/run` does not do without it.
    static let isWanted =
        programs != nil
        || ProcessInfo.processInfo.environment["CRYPTORFORMAT_TEST_POSTGRESQL"] != nil

    private static let programs: String? = {
        // Debian keeps them out of the path.
        let debian = URL(fileURLWithPath: "/usr/lib/postgresql")
        let versions = try? FileManager.default.contentsOfDirectory(atPath: debian.path)
        let directories =
            (versions ?? []).map { debian.appendingPathComponent("\($0)/bin").path }
            + (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(
                String.init)
        return directories.first {
            FileManager.default.isExecutableFile(atPath: "\($0)/initdb")
        }
    }()

    private static let server = Result { try PostgreSQL() }

    /// What `psql` needs to use a schema with this name, which is made.
    static func environment(schema: String) throws -> [String: String] {
        let environment = [
            "PGHOST": try server.get().directory, "PGUSER": "postgres", "PGDATABASE": "postgres",
            "PGOPTIONS": "-c search_path=\(schema) -c client_min_messages=warning",
        ]
        try Workplace().succeed("psql -qX -c 'CREATE SCHEMA \(schema)'", environment: environment)
        return environment
    }

    private let directory: String

    /// The server refuses to run as root. A path in `TMPDIR` may be too long for its socket. It
    /// ends when this process does, whose end of the pipe is then closed.
    private static let script = #"""
        directory=$(mktemp -d /tmp/rncryptor-postgresql-XXXXXX) && cd "$directory" || exit
        user=
        if [ "$(id -u)" = 0 ]; then
            user='setpriv --reuid 65534 --regid 65534 --clear-groups'
            chown 65534:65534 .
        fi
        $user "$1/initdb" -D data -U postgres -A trust -E UTF8 --no-locale --no-sync > log 2>&1
        $user "$1/postgres" -D data -k "$PWD" -c listen_addresses= -c fsync=off >> log 2>&1 &
        server=$!
        until "$1/pg_isready" -q -h "$PWD"; do
            kill -0 $server || { cat log >&2; exit 1; }
            sleep 0.05
        done
        echo "$PWD"
        cat > /dev/null
        kill -QUIT $server
        wait
        rm -r "$PWD"
        """#

    private init() throws {
        let programs = try #require(Self.programs, "PostgreSQL is not installed")
        let process = Process()
        let (input, output) = (Pipe(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", Self.script, "sh", programs]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        let answer = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        directory = answer.trimmingCharacters(in: .newlines)
        try #require(!directory.isEmpty, "PostgreSQL did not start")
        self.input = input
    }

    /// The server ends when it is closed.
    private let input: Pipe
}
