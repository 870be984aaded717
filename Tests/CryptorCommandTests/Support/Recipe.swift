import Foundation
import Testing

/// A recipe for encrypted columns, as it stands in `Command.md`. No other code is in that section.
struct Recipe {
    let text: String

    static let all: [Recipe] = {
        let article = packageDirectory.appendingPathComponent(
            "Sources/CryptorFormat/CryptorFormat.docc/Command.md")
        let text = (try? String(contentsOf: article, encoding: .utf8)) ?? ""
        let section = text.components(separatedBy: "\n## ").first { $0.hasPrefix("Columns\n") }
        let paragraphs = (section ?? "").components(separatedBy: "\n\n")
        return paragraphs.filter { $0.hasPrefix("    ") }.map { paragraph in
            let lines = paragraph.split(separator: "\n").map { $0.dropFirst(4) }
            return Recipe(text: lines.joined(separator: "\n"))
        }
    }()

    /// The only one that has these words.
    init(with words: String) throws {
        let found = Self.all.filter { $0.text.contains(words) }
        try #require(found.count == 1, "\(found.count) recipes with \(words)")
        self = found[0]
    }

    private init(text: String) { self.text = text }

    /// The one with other words, as the article says how to change it.
    func replacing(_ words: [String: String]) throws -> Recipe {
        var text = text
        for (old, new) in words {
            try #require(text.contains(old), "\(old)")
            text = text.replacingOccurrences(of: old, with: new)
        }
        return Recipe(text: text)
    }

    /// Runs it in a directory that has the keys `key` and `new`.
    /// - Parameter victim: a pattern for the program that is killed half-way, and its arguments.
    ///   The first that matches it makes the directory `was-killed`.
    /// - Parameter killsShell: whether the shell that runs the recipe is killed, too.
    func run(
        in place: Workplace, environment: [String: String] = [:],
        killing victim: String? = nil, andShell killsShell: Bool = false
    ) throws -> Workplace.Outcome {
        try start(
            shell, in: place, environment: environment,
            replacing: victim, with: Self.victim, andShell: killsShell)
    }

    /// Runs it twice at the same time. The command of the first run has read its cells before the
    /// second run begins, and writes its output when that of the second is about to read.
    /// - Parameter program: a pattern for the program that waits so, and its arguments.
    /// - Parameter killsShell: whether the shell of the first run is killed meanwhile.
    /// - Parameter change: what changes the rows between the two.
    /// - Returns: the outcome of the second run.
    func runTwice(
        in place: Workplace, environment: [String: String] = [:],
        holding program: String, killingShell killsShell: Bool, changing change: String
    ) throws -> Workplace.Outcome {
        let script = """
            rm -rf first first-*
            { \(shell); } > first-output 2>&1 &
            first=$!
            until test -e first-has-read || ! kill -0 $first 2> /dev/null; do sleep 0.02; done
            { \(change); } || exit
            { \(shell); }
            status=$?
            wait $first
            exit $status
            """
        return try start(
            script, in: place, environment: environment,
            replacing: program, with: Self.first, andShell: killsShell)
    }

    private var shell: String {
        if text.hasPrefix("#!") { return "bash ./recipe" }
        return text.hasPrefix("import ") ? "python3 recipe" : ". ./recipe"
    }

    private func start(
        _ script: String, in place: Workplace, environment: [String: String],
        replacing program: String?, with substitute: String, andShell killsShell: Bool
    ) throws -> Workplace.Outcome {
        try place.write(text + "\n", to: "recipe")
        var environment = environment
        var path = "$PROGRAMS"
        if let program {
            try place.write(substitute, to: "substitute")
            // Children of this process may hold a file open that it has just written, which then
            // cannot be executed. So another process writes these.
            try place.succeed(
                """
                rm -rf bin
                mkdir bin
                for name in cut jq parallel paste psql rncryptor sed sqlite3; do
                    cp substitute bin/$name
                done
                chmod 755 bin/*
                """)
            path = "$PWD/bin:\(path)"
            environment["PLACE"] = place.directory.path
            environment["PROGRAM"] = program
            environment["KILLS_SHELL"] = killsShell ? "yes" : ""
        }
        return try place.shell(
            "export PROGRAMS=$(dirname $RNCRYPTOR):$PATH; PATH=\(path); \(script)",
            environment: environment)
    }

    /// Takes the place of a program. If it is the one to be killed, it writes half of its output,
    /// or the program reads half of its input and still waits for the rest. Then it is killed.
    private static let victim = #"""
        #!/bin/sh
        name=${0##*/}
        program=$(PATH=$PROGRAMS; command -v "$name")
        case "$name $*" in
        $PROGRAM) mkdir "$PLACE/was-killed" 2> /dev/null || exec "$program" "$@" ;;
        *) exec "$program" "$@" ;;
        esac
        processes=$$
        [ -z "$KILLS_SHELL" ] || processes="$PPID $$"
        # Gives half of a file, and kills its reader, which has had time to read it.
        half() {
            head -c $(($(wc -c < "$1") / 2 + 1)) "$1"
            sleep 0.05
            kill -KILL $processes
        }
        case "$name $*" in
        rncryptor*' cells' | 'sqlite3 '*'.read'*)
            for file; do case $file in cells | .read*) break ;; esac; done
            file=${file#.read }
            mv "$file" whole
            mkfifo "$file"
            # Also opened for reading, since a reader may never come.
            half whole 1<> "$file" &
            exec "$program" "$@"
            ;;
        rncryptor* | psql*'FROM STDIN'*)
            cat > whole
            mkfifo standard-input
            half whole 1<> standard-input &
            exec "$program" "$@" < standard-input
            ;;
        esac
        "$program" "$@" > whole
        half whole
        """#

    /// Takes the place of a program in `runTwice`.
    private static let first = #"""
        #!/bin/sh
        name=${0##*/}
        program=$(PATH=$PROGRAMS; command -v "$name")
        case "$name $*" in
        $PROGRAM) ;;
        *) exec "$program" "$@" ;;
        esac
        # For a minute at most.
        await() {
            n=0
            until test -e "$PLACE/$1" || [ $((n += 1)) -gt 3000 ]; do sleep 0.02; done
        }
        if ! mkdir "$PLACE/first" 2> /dev/null; then
            mkdir "$PLACE/first-may-write"
            await first-has-written
            exec "$program" "$@"
        fi
        case $* in
        *' -o notes cells')
            cp cells "$PLACE/first"
            (cd "$PLACE/first" && exec "$program" "$@")
            ;;
        *) "$program" "$@" > "$PLACE/first/output" ;;
        esac
        status=$?
        [ -z "$KILLS_SHELL" ] || kill -KILL $PPID
        mkdir "$PLACE/first-has-read"
        await first-may-write
        case $* in
        # A file that exists is not touched.
        *' -o notes cells') ln "$PLACE/first/notes" notes ;;
        *) cat "$PLACE/first/output" ;;
        esac
        mkdir "$PLACE/first-has-written"
        exit $status
        """#
}
