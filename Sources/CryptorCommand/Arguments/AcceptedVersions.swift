import CryptorFiles
import CryptorSystem

/// The versions of messages that `decrypt`, `verify`, `rekey` and `inspect` read.
struct AcceptedVersions {
    /// Those that are read in any way.
    private(set) var inFull = Acceptance.default
    /// Whether version 0 is read as well, whole and in memory.
    private(set) var includesVersion0 = false

    /// Accepts what the options ask for.
    init(_ arguments: Arguments) throws(CommandError) {
        let words = arguments["accept"]?.bytes.split(
            separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        for word in words ?? [] {
            let word = Word(word)
            let number = word.text.hasPrefix("v") ? String(word.text.dropFirst()) : word.text
            if number == "0" {
                includesVersion0 = true
            } else if let version = FormatVersion.allCases.first(where: { $0.number == number }) {
                inFull.insert(Acceptance([version]))
            } else {
                throw .usage(
                    "--accept takes versions such as \(Self.everyOptional), not \(word.quoted)")
            }
        }
    }

    // MARK: The versions in help

    /// From the oldest to the latest: "0 to 3".
    static let range = "0 to \(FormatVersion.allCases.map(\.rawValue).max() ?? 0)"

    /// Those that are read only if an option says so, the latest first: "v1" and "v0".
    private static let optional =
        FormatVersion.latestFirst.filter { !$0.isReadByDefault }.map { "v\($0.number)" } + ["v0"]

    /// All of these in one word: "v1,v0".
    private static let everyOptional = optional.joined(separator: ",")

    static var option: Option {
        let standard = FormatVersion.latestFirst.filter(\.isReadByDefault).map(\.number)
        let always = standard.joined(separator: " and ")
        let each = optional.joined(separator: ", ")
        return Option(
            "accept", value: .word(optional + [everyOptional], "VERSIONS"),
            goesWithLines: true,
            """
            Besides versions \(always), read these: \(each) or \(everyOptional). Anybody can alter \
            their headers unnoticed. Messages of version 0 may have at most 256 MiB.
            """)
    }

    static var options: [Option] { [option, shortenedPasswords] }

    private static let shortenedPasswords = Option(
        "accept-shortened-passwords",
        goesWithLines: true,
        """
        If the password is not ASCII, also try its first bytes alone, as some writers of version 2 \
        and older used them. Anybody who guesses these few bytes, one for an emoji, can forge a \
        message that is accepted.
        """)

    // MARK: Version 0

    /// For `inspect`, which reads the other versions anyway.
    static let version0Option = Option(
        "accept", value: .word(["v0"], "VERSIONS"), goesWithLines: true,
        """
        Also read version 0 (v0), at most 256 MiB. All other versions are read without this \
        option.
        """)

    /// These options, which read version 0 if that is accepted.
    func applied(to options: FileOptions) -> FileOptions {
        var options = options
        options.readsVersion0 = includesVersion0
        return options
    }
}

extension FormatVersion {
    fileprivate static var latestFirst: [FormatVersion] {
        allCases.sorted { $0.rawValue > $1.rawValue }
    }

    fileprivate var number: String { "\(rawValue)" }

    /// Whether it is read without an option.
    var isReadByDefault: Bool { Acceptance.default.contains(Acceptance([self])) }
}
