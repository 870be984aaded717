import CCryptorProbe
import Foundation

/// A call that only a mistake can make, and what is said as it ends the process. In debug builds
/// that is also the file that has stopped it.
package struct Misuse: Sendable {
    private let words: String
    private let call: @Sendable () throws -> Void
    private nonisolated(unsafe) static var current: Misuse?

    package init(_ words: String, _ call: @escaping @Sendable () throws -> Void) {
        (self.words, self.call) = (words, call)
    }

    /// Makes each call in a child of this process, which must be that of an exit test. Says on
    /// standard error which calls did not end their process, or ended it with other words.
    package static func expectEnds(_ all: [Misuse]) {
        var path = Array("\(NSTemporaryDirectory())/misuse-XXXXXX".utf8CString)
        let (file, standardError) = (mkstemp(&path), dup(2))
        unlink(path)
        precondition(file >= 0 && dup2(file, 2) == 2 && !all.isEmpty)
        var wrong = ""
        for (number, misuse) in all.enumerated() {
            precondition(ftruncate(file, 0) == 0 && lseek(file, 0, SEEK_SET) == 0)
            current = misuse
            let status = probe_wait(probe_fork({ _ in try? Misuse.current?.call() }, nil))
            var text = [UInt8](repeating: 0, count: 2000)
            let count = pread(file, &text, text.count, 0)
            let said = String(decoding: text.prefix(max(0, count)), as: UTF8.self)
            // An optimised build ends without words.
            if status >= 0 || _isDebugAssertConfiguration() && !said.contains(misuse.words) {
                wrong += "misuse \(number), '\(misuse.words)' expected: status \(status), \(said)\n"
            }
        }
        dup2(standardError, 2)
        FileHandle.standardError.write(Data(wrong.utf8))
    }
}
