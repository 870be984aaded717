import CryptorFormat
import CryptorPrimitives
import CryptorTestSupport
import Foundation
import Testing

/// No IV and no salt is used twice: not by a process and what it forked, not by threads. And a child can do all that its
/// parent could.
@Suite struct ForkTests {
    /// Files, large messages, streams and key messages in a child, whose parent was in the middle of all of these on other
    /// threads: no lock of theirs is waited for, and none of their threads.
    @Test(.enabled(if: !Sanitizer.thread.isPresent, "it ends a child that starts threads"))
    func aChildOfABusyParent() throws {
        #expect(try ProbeProcess(["threaded-fork", "15"]).finish() == ["15 rounds"])
    }

    /// A stream that another thread was at work on: its child may drop it, and ends where it would wait for that thread.
    @Test(
        .enabled(if: !Sanitizer.thread.isPresent, "it ends a child that starts threads"),
        arguments: ["drop", "next", "with-step"])
    func aStreamUnderWay(use: String) throws {
        let ending = try #require(try Int32(ProbeProcess(["orphaned-relay", use]).finish().first ?? ""))
        // Ended by what a precondition ends it with, not by the clock.
        #expect(use == "drop" ? ending == 0 : ending < 0 && ending != -SIGALRM, "\(ending)")
    }

    /// Keys that were derived in advance go with their salts, and both are copied by a fork; the IVs are not. A child may have
    /// the process number of its parent, by which OpenSSL would know it.
    @Test(arguments: [[], ["--without-mark"], ["--same-pid"], ["--same-pid", "--without-mark"]])
    func parentChildAndGrandchild(options: [String]) throws {
        let lines = try ProbeProcess(["fork"] + options).finish()
        // The parent and the child before and after their forks, and the grandchild.
        #expect(lines.count == 5 * 82)
        var ivs: [Substring: String] = [:]
        var salts: [Substring: String] = [:]
        for line in lines {
            let fields = line.split(separator: " ")
            let iv = try #require(fields.last)
            #expect(iv.count == 32, "\(line)")
            if let other = ivs.updateValue(line, forKey: iv) { Issue.record("the same IV twice: \(other); \(line)") }
            guard fields[1] == "password" else { continue }
            for salt in fields[2..<4] {
                if let other = salts.updateValue(line, forKey: salt) {
                    Issue.record("the same salt twice: \(other); \(line)")
                }
            }
        }
        #expect(salts.count == 5 * 2 * 2)
        #expect(
            Set(lines.compactMap { $0.split(separator: " ").first }) == ["before", "parent", "child", "grandchild"])
    }

    @Test(arguments: [false, true])
    func fourThreads(hasNoMark: Bool) async throws {
        let cryptor = try ForkMark.$isAbsent.withValue(hasNoMark) { try KeyedCryptor(.random()) }
        let ivs = try await withThrowingTaskGroup(of: [[UInt8]].self) { group in
            for _ in 0..<4 {
                group.addTask {
                    try ForkMark.$isAbsent.withValue(hasNoMark) {
                        try (0..<2500).map { _ in Array(try cryptor.encrypt([1, 2, 3])[2..<18]) }
                    }
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(ivs.count == 10_000)
        #expect(Set(ivs).count == ivs.count, "\(ivs.count - Set(ivs).count) IVs came twice")
    }
}
