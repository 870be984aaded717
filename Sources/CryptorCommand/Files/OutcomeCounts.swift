import CryptorFiles

/// What has become of the lines or the files of a run.
struct OutcomeCounts {
    var written = 0
    /// Messages that stay as they are: the new password or keys open them already.
    var alreadyNew = 0
    /// Lines that are empty cells.
    var empty = 0
    var failed = 0

    var total: Int { written + alreadyNew + empty + failed }

    static func += (left: inout OutcomeCounts, right: OutcomeCounts) {
        left.written += right.written
        left.alreadyNew += right.alreadyNew
        left.empty += right.empty
        left.failed += right.failed
    }

    /// What `rekey` has done. The first number is always there, since a program may look for 0.
    /// - Parameters:
    ///   - noun: what is counted, such as "line".
    ///   - isOver: whether the run did not end before its time.
    func rekeyed(_ noun: String, isOver: Bool) -> String {
        var parts = ["\(written.counted(noun)) rewritten"]
        if alreadyNew > 0 { parts.append("\(alreadyNew) already under the new password or keys") }
        if empty > 0 { parts.append("\(empty) empty") }
        if failed > 0 { parts.append("\(failed) failed") }
        return parts.joined(separator: ", ") + (isOver ? "" : " so far")
    }

    /// The same as an object of JSON, which has every number.
    var rekeyedJSON: String {
        """
        {"rewritten": \(written), "alreadyNew": \(alreadyNew), "empty": \(empty), \
        "failed": \(failed)}
        """
    }
}
