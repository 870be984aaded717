import Foundation
import Synchronization
import Testing

@testable import CryptorPrimitives
@testable import CryptorSystem

@Suite struct ThreadNumberTests {
    /// Returns the number of a new thread, asked for `count` times.
    private func numbers(count: Int) -> [Int] {
        let numbers = Mutex<[Int]>([])
        let done = DispatchSemaphore(value: 0)
        let thread = Thread {
            for _ in 0..<count { numbers.withLock { $0.append(ThreadNumber.current) } }
            done.signal()
        }
        thread.start()
        done.wait()
        return numbers.withLock { $0 }
    }

    @Test func oneForEachThread() {
        let threads = (0..<5).map { _ in numbers(count: 3) }
        for numbers in threads { #expect(Set(numbers).count == 1, "\(numbers)") }
        #expect(Set(threads.map { $0[0] }).count == 5, "\(threads)")
    }
}
