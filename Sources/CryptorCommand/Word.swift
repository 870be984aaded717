import CCryptorProcess
import CryptorFormat

/// A word of the command line: bytes, since the names of files and of environment variables are no more than that.
struct Word: Sendable, Hashable {
    let bytes: [UInt8]

    init(_ bytes: some Sequence<UInt8>) {
        self.bytes = Array(bytes)
    }

    /// - Throws: a usage error if it is no UTF-8.
    var text: String {
        get throws(CommandError) {
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw .usage("the word \(quoted) is no UTF-8")
            }
            return text
        }
    }

    /// The file that it names.
    /// - Parameter dash: what a dash stands for.
    func file(dash: FileEndpoint) -> FileEndpoint {
        self == "-" ? dash : .pathBytes(bytes)
    }

    /// Of a path, what is after the last slash.
    var name: ArraySlice<UInt8> { bytes[(bytes.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0)...] }

    /// For a person to read where a name is expected, as the library shows names: it cannot pass for other words of the same
    /// line, and no terminal takes it for a command. What is more than plain characters is written as a shell reads it: `$'a\nb'`.
    var shown: String { FileEndpoint.pathBytes(bytes).description }

    /// As it may be shown in a sentence.
    var quoted: String { shown.hasPrefix("$'") ? shown : "'\(shown)'" }
}

extension Word: ExpressibleByStringLiteral {
    init(stringLiteral text: String) {
        self.init(text.utf8)
    }
}

/// The words of the command line, the name of the command first, as the system passed them: Swift's strings would have
/// other bytes where these are no UTF-8.
func commandLineWords() -> [[UInt8]] {
    // Swift asks /proc for them, which may be missing.
    var next = unsafe cprocess_arguments() ?? CommandLine.unsafeArgv
    var words: [[UInt8]] = []
    while let word = unsafe next.pointee {
        words.append(unsafe Array(UnsafeRawBufferPointer(start: word, count: strlen(word))))
        unsafe next += 1
    }
    return words
}
