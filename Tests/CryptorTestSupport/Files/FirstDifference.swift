/// Where bytes are not the expected ones, in words; nil if they are. Says little of what may be megabytes.
package func firstDifference(_ found: some Collection<UInt8>, _ expected: some Collection<UInt8>) -> String? {
    if sameBytes(found, expected) { return nil }
    let offset = zip(found, expected).enumerated().first { $1.0 != $1.1 }?.offset ?? min(found.count, expected.count)
    return "\(found.count) bytes and not \(expected.count), different from byte \(offset) on"
}
