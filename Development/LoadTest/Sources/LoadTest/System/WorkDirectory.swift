import Foundation

/// A private directory for the files of a run.
final class WorkDirectory: Sendable {
    let path = NSTemporaryDirectory() + "/load-test-\(UUID().uuidString)"

    init() throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }

    func file(_ name: String) -> String { "\(path)/\(name)" }

    func write(_ bytes: ArraySlice<UInt8>, to name: String) throws {
        try Data(bytes).write(to: URL(filePath: file(name)))
    }

    func read(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(filePath: file(name))))
    }

    func has(_ name: String) -> Bool { FileManager.default.fileExists(atPath: file(name)) }

    func remove(_ names: String...) {
        for name in names { try? FileManager.default.removeItem(atPath: file(name)) }
    }

    func removeAll() { try? FileManager.default.removeItem(atPath: path) }
}

/// Threads of the system, whose work may wait without holding up a Swift task.
struct Threads {
    private let group = DispatchGroup()

    func start(_ body: @escaping @Sendable () -> Void) {
        group.enter()
        Thread.detachNewThread { [group] in
            body()
            group.leave()
        }
    }

    consuming func join() async {
        await withCheckedContinuation { done in group.notify(queue: .global()) { done.resume() } }
    }
}
