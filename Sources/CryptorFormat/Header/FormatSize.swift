/// The sizes that all versions share, in bytes. ``FormatVersion`` has the others.
package enum FormatSize {
    package static let iv = 16
    package static let block = 16
}
