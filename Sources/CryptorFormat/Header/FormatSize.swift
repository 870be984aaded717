/// The sizes that all versions share, in bytes.
package enum FormatSize {
    package static let salt = 8
    static let iv = 16
    package static let block = 16
    package static let keyHeader = 2 + iv
    package static let passwordHeader = 2 + salt + salt + iv
    /// As many bytes include the header of any version.
    package static let longestHeader = passwordHeader

    /// The length of the header of a message under a password, or under keys.
    @inline(__always)
    static func header(usingPassword: Bool) -> Int {
        usingPassword ? passwordHeader : keyHeader
    }
}
