import CCryptorProcess
import CryptorFormat

/// A word of the command line. It is bytes, since the names of files and environment variables need not be UTF-8.
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

    /// The part of a path after the last slash.
    var name: ArraySlice<UInt8> { bytes[(bytes.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0)...] }

    /// The word for a person to read where a name is expected, as the library shows names: it cannot pass for other
    /// words of the same line, and no terminal obeys it. If need be, it is quoted as in a shell: `$'a\nb'`.
    var shown: String { FileEndpoint.pathBytes(bytes).description }

    /// The word in quotes, for a sentence.
    var quoted: String { shown.hasPrefix("$'") ? shown : "'\(shown)'" }
}

extension Word: ExpressibleByStringLiteral {
    init(stringLiteral text: String) {
        self.init(text.utf8)
    }
}

/// The words of the command line, the name of the command first, as the system passed them: Swift's strings would
/// change bytes that are not UTF-8.
func commandLineWords() -> [[UInt8]] {
    // Swift reads them from /proc, which may be missing.
    var next = unsafe cprocess_arguments() ?? CommandLine.unsafeArgv
    var words: [[UInt8]] = []
    while let word = unsafe next.pointee {
        words.append(unsafe Array(UnsafeRawBufferPointer(start: word, count: strlen(word))))
        unsafe next += 1
    }
    return words
}
