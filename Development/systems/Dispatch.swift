// What this package uses of Dispatch. Source: swiftlang/swift-corelibs-libdispatch,
// src/swift/Wrapper.swift; on Darwin DispatchSemaphore came with macOS 10.10.
@available(macOS 10.10, *)
public class DispatchSemaphore: @unchecked Sendable {
    public init(value: Int) {}
    public func wait() {}
    @discardableResult
    public func signal() -> Int { 0 }
}
