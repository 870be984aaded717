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

    /// Runs it in a directory that has the keys `key` and `new`.
    /// - Parameter victim: a pattern for the program that is killed half-way, and its arguments.
    ///   The first that matches it makes the directory `was-killed`.
    /// - Parameter killsShell: whether the shell that runs the recipe is killed, too.
    func run(
        in place: Workplace, environment: [String: String] = [:],
        killing victim: String? = nil, andShell killsShell: Bool = false
    ) throws -> Workplace.Outcome {
        try place.write(text + "\n", to: "recipe")
        let shell =
            if text.hasPrefix("#!") { "bash ./recipe" } else if text.hasPrefix("import ") {
                "python3 recipe"
            } else { ". ./recipe" }
        var environment = environment
        // What a script leaves when it is killed.
        environment["TMPDIR"] = place.directory.path
        var path = "$(dirname $RNCRYPTOR):$PATH"
        if let victim {
            try place.write(Self.victim, to: "victim")
            // Children of this process may hold a file open that it has just written, which then
            // cannot be executed. So another process writes these.
            try place.succeed(
                """
                mkdir -p bin
                for name in cut jq paste psql rncryptor sed sqlite3; do
                    test -e bin/$name || { cp victim bin/$name && chmod 755 bin/$name; }
                done
                """)
            path = "$PWD/bin:\(path)"
            environment["VICTIM"] = victim
            environment["KILLS_SHELL"] = killsShell ? "yes" : ""
        }
        return try place.shell("PATH=\(path); \(shell)", environment: environment)
    }

    /// Takes the place of a program. If it is the one to be killed, it writes half of its output,
    /// or the program reads half of its input and still waits for the rest. Then it is killed.
    private static let victim = #"""
        #!/bin/sh
        name=${0##*/}
        PATH=${PATH#*:}
        case "$name $*" in
        $VICTIM) mkdir "$TMPDIR/was-killed" 2> /dev/null || exec "$name" "$@" ;;
        *) exec "$name" "$@" ;;
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
            exec "$name" "$@"
            ;;
        rncryptor* | psql*'FROM STDIN'*)
            cat > whole
            mkfifo standard-input
            half whole 1<> standard-input &
            exec "$name" "$@" < standard-input
            ;;
        esac
        "$name" "$@" > whole
        half whole
        """#
}
