// What this package may meet of Foundation, with the availability of the originals. Source:
// swiftlang/swift-foundation, Sources/FoundationEssentials: Data/Data.swift, URL/URL.swift,
// Error/CocoaError.swift. Bodies are not the originals'.

@available(macOS 10.10, *)
public struct Data: RandomAccessCollection, MutableCollection, RangeReplaceableCollection,
    Sendable, Hashable, Codable
{
    public typealias Index = Int
    public enum Deallocator {
        case virtualMemory, free, none
        case custom((UnsafeMutableRawPointer, Int) -> Void)
    }
    private var contents: [UInt8] = []

    public init() {}
    public init(capacity: Int) {}
    public init(bytes: UnsafeRawPointer, count: Int) {}
    public init(
        bytesNoCopy bytes: UnsafeMutableRawPointer, count: Int, deallocator: Deallocator
    ) {}
    public init(_ elements: some Sequence<UInt8>) {}

    public var startIndex: Int { 0 }
    public var endIndex: Int { contents.count }
    public func index(before index: Int) -> Int { index - 1 }
    public func index(after index: Int) -> Int { index + 1 }
    public subscript(index: Int) -> UInt8 {
        get { contents[index] }
        set { contents[index] = newValue }
    }
    public subscript(bounds: Range<Int>) -> Data {
        get { self }
        set {}
    }

    public mutating func reserveCapacity(_ minimumCapacity: Int) {}
    public mutating func replaceSubrange(
        _ subrange: Range<Int>, with newElements: some Collection<UInt8>
    ) {}
    public mutating func append(_ other: Data) {}
    public mutating func append(contentsOf elements: some Sequence<UInt8>) {}
    public func withUnsafeBytes<Failure, Result: ~Copyable>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result { fatalError() }
    public mutating func withUnsafeMutableBytes<Failure, Result: ~Copyable>(
        _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result { fatalError() }

    @available(macOS 10.14.4, *)
    public var bytes: RawSpan {
        @_lifetime(borrow self)
        borrowing get { fatalError() }
    }
}

@available(macOS 10.10, *)
public struct URL: Sendable, Hashable {
    public init?(string: String) { nil }
    public init(fileURLWithPath: String) {}
    public var isFileURL: Bool { true }
    public var scheme: String? { nil }
    @available(macOS 13.0, *)
    public func host(percentEncoded: Bool = true) -> String? { nil }
    @available(macOS 13.0, *)
    public func path(percentEncoded: Bool = true) -> String { "" }
}

public protocol LocalizedError: Error {
    var errorDescription: String? { get }
    var failureReason: String? { get }
    var recoverySuggestion: String? { get }
    var helpAnchor: String? { get }
}

extension LocalizedError {
    public var errorDescription: String? { nil }
    public var failureReason: String? { nil }
    public var recoverySuggestion: String? { nil }
    public var helpAnchor: String? { nil }
}
