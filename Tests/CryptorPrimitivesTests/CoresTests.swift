import Testing

@testable import CryptorSystem

/// Large work gets a second thread while a core of the process is free for it.
@Suite struct CoresTests {
    /// Small work gets none, and takes none away from others. A stream of small chunks becomes large. One setting
    /// forbids it.
    @Test func onlyLargeWork() async {
        await #expect(processExitsWith: .success) {
            Cores.pretendToHaveMore()
            var work = SecondThread()
            let counts = [SecondThread.firstByteCount - 1, 0, 1, 1, 0]
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

    /// The least of affinity and quotas counts, and part of a core as one.
    @Test(arguments: [
        ([], 8), (["max 100000\n"], 8), (["", "max 100000\n", "nonsense", "-1 100000\n", "5 0\n"], 8),
        (["200000 100000\n"], 2), (["150000 100000\n", "400000 100000\n"], 2), (["100000 100000\n"], 1),
        (["max 100000\n", "1000 100000\n"], 1), (["6400000 100000\n"], 8),
    ])
    func quotas(quotas: [String], count: Int) {
        #expect(Cores.limit(affinity: 8, quotas: quotas) == count)
    }

    @Test func theGroupsOfTheProcess() {
        let root = "/sys/fs/cgroup/cpu.max"
        #expect(Cores.quotaFiles(ofGroups: "") == [root])
        #expect(Cores.quotaFiles(ofGroups: "3:cpuset:/a\n1:name=systemd:/\n") == [root])
        #expect(Cores.quotaFiles(ofGroups: "3:cpu:/a\n0::/\n") == [root])
        #expect(
            Cores.quotaFiles(ofGroups: "0::/a.slice/b:c\n")
                == [root, "/sys/fs/cgroup/a.slice/cpu.max", "/sys/fs/cgroup/a.slice/b:c/cpu.max"])
    }

}

private func getsSecondThread(times: Int = 1) -> Bool {
    var work = SecondThread()
    return (0..<times).contains { _ in
        let cores = work.reserveCores(forNext: SecondThread.firstByteCount)
        return cores.includeSecond
    }
}

/// Calls `body` while at least `count` cores are reserved.
private func occupy(_ count: Int, _ body: () -> Void) {
    guard count > 0 else { return body() }
    var work = SecondThread()
    let cores = work.reserveCores(forNext: SecondThread.firstByteCount)
    occupy(count - 1, body)
    // It is used here, so that it is not given back before.
    _ = cores.includeSecond
}
