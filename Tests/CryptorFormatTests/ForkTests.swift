import CryptorFormat
import CryptorTestSupport
import Foundation
import Testing

/// No IV and no salt is used twice, neither by a process and its child nor by threads; and a child
/// can do all that its parent could.
@Suite(.unlessItHangs) struct ForkTests {
    /// A child works on files, large messages, streams and key messages, while its parent was in
    /// the middle of all these on other threads: the child waits for none of these threads, and for
    /// no lock that they held. This must not depend on the kernel's mark, which macOS, old kernels
    /// and QEMU do not have.
    @Test(
        .enabled(if: !Sanitizer.thread.isPresent, "it ends a child that starts threads"),
        arguments: [[], ["--without-mark"]])
    func aChildOfABusyParent(options: [String]) throws {
        let count = rounds(3, thorough: 20)
        #expect(
            try ProbeProcess(["threaded-fork", "\(count)"] + options).finish()
                == ["\(count) rounds"])
    }

    /// A child waits for no lock of OpenSSL that a thread of its parent held while it drew random
    /// bytes.
    @Test(
        .enabled(if: !Sanitizer.thread.isPresent, "it ends a child that starts threads"),
        arguments: [[], ["--without-mark"], ["--with-handlers"]])
    func aChildOfAParentThatDraws(options: [String]) throws {
        let count = rounds(40, thorough: 400)
        #expect(
            try ProbeProcess(["random-fork", "\(count)"] + options).finish()
                == ["\(count) rounds"])
    }

    /// A child that was forked by a closure, and leaves the call, waits for no thread of its
    /// parent.
    @Test(.enabled(if: !Sanitizer.thread.isPresent, "it ends a child that starts threads"))
    func aChildThatLeavesACall() throws {
        let count = rounds(5, thorough: 20)
        #expect(
            try ProbeProcess(["unwinding-fork", "\(count)"]).finish() == ["\(count) rounds"])
    }

    /// The IVs that a `KeyedCryptor` has in store are not used after a fork, which copies them.
    /// OpenSSL recognises a child by its process number, which may be that of its parent.
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
            if let other = ivs.updateValue(line, forKey: iv) {
                Issue.record("the same IV twice: \(other); \(line)")
            }
            guard fields[1] == "password" else { continue }
            for salt in fields[2..<4] {
                if let other = salts.updateValue(line, forKey: salt) {
                    Issue.record("the same salt twice: \(other); \(line)")
                }
            }
        }
        #expect(salts.count == 5 * 2 * 2)
        #expect(
            Set(lines.compactMap { $0.split(separator: " ").first }) == [
                "before", "parent", "child", "grandchild",
            ])
    }

    @Test func fourThreads() async throws {
        let cryptor = try KeyedCryptor(.random())
        let ivs = try await withThrowingTaskGroup(of: [[UInt8]].self) { group in
            for _ in 0..<4 {
                group.addTask {
                    try (0..<2500).map { _ in Array(try cryptor.encrypt([1, 2, 3])[2..<18]) }
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(ivs.count == 10_000)
        #expect(Set(ivs).count == ivs.count, "\(ivs.count - Set(ivs).count) IVs came twice")
    }
}
