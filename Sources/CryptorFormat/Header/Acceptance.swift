/// The versions to read, as a list: `accepting: [.v3, .v2, .v1UnauthenticatedHeader]`.
public struct Acceptance: OptionSet, Hashable, Sendable {
    /// One bit for each version. Looking into a `Set` would slow down short messages.
    public let rawValue: UInt64

    /// Accepts the versions with these bits, taken from other values of this type. Bits that stand
    /// for no version are ignored.
    public init(rawValue: UInt64) {
        self.rawValue = rawValue & Self.knownBits
    }

    /// Accepts these versions.
    public init(_ versions: Set<FormatVersion>) {
        self.init(rawValue: versions.reduce(0) { $0 | Self.bit(of: $1) })
    }

    private init(_ version: FormatVersion) { rawValue = Self.bit(of: version) }

    /// Version 1, whose name says what is wrong with it: ``FormatVersion/v1UnauthenticatedHeader``.
    public static let v1UnauthenticatedHeader = Acceptance(.v1UnauthenticatedHeader)

    /// Version 2.
    public static let v2 = Acceptance(.v2)

    /// Version 3.
    public static let v3 = Acceptance(.v3)

    /// Versions 3 and 2, the default.
    public static let `default` = Acceptance(
        Set(FormatVersion.allCases.filter(\.isAcceptedByDefault)))

    package static let all = Acceptance(Set(FormatVersion.allCases))

    var versions: Set<FormatVersion> { Set(FormatVersion.allCases.filter(accepts)) }

    private static let knownBits = FormatVersion.allCases.reduce(0) { $0 | bit(of: $1) }

    @inline(__always)
    func accepts(_ version: FormatVersion) -> Bool { rawValue & Self.bit(of: version) != 0 }

    @inline(__always)
    private static func bit(of version: FormatVersion) -> UInt64 {
        precondition(version.rawValue < UInt64.bitWidth, "a version has a bit")
        return 1 << version.rawValue
    }
}
