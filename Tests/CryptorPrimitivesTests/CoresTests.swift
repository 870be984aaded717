import CryptorTestSupport
import Testing

@testable import CryptorSystem

/// Large work gets a second thread while a core of the process is free for it.
@Suite struct CoresTests {
    /// Small work gets none, and takes none away from others. A stream of small chunks becomes
    /// large. One setting forbids it.
    @Test func onlyLargeWork() async {
        await #expect(processExitsWith: .success) {
            Cores.pretendToHaveMore()
            var work = LargeWork()
            let counts = [LargeWork.firstByteCount - 1, 0, 1, 1, 0]
            let helped = counts.map { count in
                let cores = work.reserveCores(forNext: count)
                return cores.includeSecond
            }
            precondition(helped == [false, false, true, true, true])
            Cores.allowsSecondThread = false
            precondition(!getsSecondThread())
            Cores.allowsSecondThread = true
            precondition(getsSecondThread())
        }
    }

    /// Work that got none while all cores were busy asks again, and gives its cores back.
    @Test func asksAgain() async {
        await #expect(processExitsWith: .success) {
            occupy(Cores.count) { precondition(!getsSecondThread(times: 10)) }
            precondition(getsSecondThread(times: 10) == (Cores.count > 1))
        }
    }

    /// The least of affinity and quota counts, and part of a core as one.
    @Test(arguments: [
        ("", 8), ("max 100000\n", 8), ("nonsense", 8), ("-1 100000\n", 8), ("5 0\n", 8),
        ("6400000 100000\n", 8),
        ("200000 100000\n", 2), ("150000 100000\n", 2), ("100000 100000\n", 1),
        ("1000 100000\n", 1),
    ])
    func quotas(quota: String, count: Int) throws {
        let directory = try TemporaryDirectory()
        try directory.write(Array(quota.utf8), to: "cpu.max")
        #expect(Cores.limit(affinity: 8, quota: Cores.text(of: directory.path("cpu.max"))) == count)
        #expect(Cores.limit(affinity: 0, quota: quota) == 1)
    }
}

private func getsSecondThread(times: Int = 1) -> Bool {
    var work = LargeWork()
    return (0..<times).contains { _ in
        let cores = work.reserveCores(forNext: LargeWork.firstByteCount)
        return cores.includeSecond
    }
}

/// Calls `body` while at least `count` cores are reserved.
private func occupy(_ count: Int, _ body: () -> Void) {
    guard count > 0 else { return body() }
    var work = LargeWork()
    let cores = work.reserveCores(forNext: LargeWork.firstByteCount)
    occupy(count - 1, body)
    // It is used here, so that it is not given back before.
    _ = cores.includeSecond
}
