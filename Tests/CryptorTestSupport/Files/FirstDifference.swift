/// Says in words where bytes differ from the expected ones; nil if they do not. The text is short, even for megabytes.
package func firstDifference(_ found: some Collection<UInt8>, _ expected: some Collection<UInt8>) -> String? {
    if sameBytes(found, expected) { return nil }
    let offset = zip(found, expected).enumerated().first { $1.0 != $1.1 }?.offset ?? min(found.count, expected.count)
    return "\(found.count) bytes and not \(expected.count), different from byte \(offset) on"
}
