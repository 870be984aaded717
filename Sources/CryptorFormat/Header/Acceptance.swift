/// The versions that are read, as a list: `accepting: [.v3, .v2, .v1UnauthenticatedHeader]`.
public struct Acceptance: Sendable, Hashable, ExpressibleByArrayLiteral {
    /// Versions 3 and 2. This is what is read unless the caller says otherwise.
    public static let `default`: Acceptance = [.v3, .v2]

    package static let all = Acceptance(Set(FormatVersion.allCases))

    /// One bit for each version. Looking into a `Set` would slow down short messages.
    private var bits: UInt8 = 0

    /// Accepts these versions. Version 1 has a name that says what is wrong with it.
    public init(_ versions: Set<FormatVersion>) {
        for version in versions { bits |= Self.bit(version) }
    }

    /// Accepts these versions.
    public init(arrayLiteral versions: FormatVersion...) { self.init(Set(versions)) }

    @inline(__always)
    func contains(_ version: FormatVersion) -> Bool { bits & Self.bit(version) != 0 }

    package var versions: Set<FormatVersion> { Set(FormatVersion.allCases.filter(contains)) }

    @inline(__always)
    private static func bit(_ version: FormatVersion) -> UInt8 { 1 << version.rawValue }
}
