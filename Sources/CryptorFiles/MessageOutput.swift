import CryptorSystem
package import CryptorFormat
import CryptorPrimitives

/// A file that a message is written to, binary or as base64 text.
package struct MessageOutput: ~Copyable {
    private let file: OutputFile
    private var encoder: Base64Encoder?
    private var text: [UInt8] = []

    package init(_ file: consuming OutputFile) { self.file = file }

    /// Makes the output base64 text. Nothing must have been written before.
    package mutating func writeText(_ layout: Base64Layout) {
        encoder = Base64Encoder(layout)
    }

    package mutating func write(_ bytes: [UInt8], _ progress: ProgressReporter) throws(CryptorError) {
        guard encoder != nil else { return try file.write(bytes, progress) }
        text.removeAll(keepingCapacity: true)
        encoder?.encode(bytes, into: &text)
        try file.write(text, progress)
    }

    /// Writes what is left and gives the file its name.
    /// - Returns: whether the output is now a file that others can find.
    package consuming func publish(_ progress: ProgressReporter) throws(CryptorError) -> Bool {
        var end: [UInt8] = []
        encoder?.finish(into: &end)
        try file.write(end, progress)
        return try file.publish()
    }
}
