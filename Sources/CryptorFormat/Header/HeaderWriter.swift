/// Writes headers.
enum HeaderWriter {
    static let passwordOption: UInt8 = 1

    /// The bytes of `header` as they start a message and enter the HMAC.
    static func bytes(of header: Header) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(header.byteCount)
        bytes.append(header.version.rawValue)
        bytes.append(header.usesPassword && header.version.rules.optionsTellCredential ? passwordOption : 0)
        if let salts = header.salts {
            bytes.append(contentsOf: salts.encryption)
            bytes.append(contentsOf: salts.hmac)
        }
        bytes.append(contentsOf: header.iv)
        return bytes
    }
}
