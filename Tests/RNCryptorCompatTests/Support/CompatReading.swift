import CryptorFormat
import Foundation
import RNCryptorCompat
import CryptorTestSupport
import Testing

/// What a cryptor made of its input, fed chunk by chunk to the end, even after it had failed.
struct CompatReading {
    private(set) var unverified = Data()
    private(set) var last = Data()
    /// The first error.
    private(set) var error: RNCryptor.Error?
    /// The errors of the calls after that; nil for a call without an error.
    private(set) var laterErrors: [RNCryptor.Error?] = []

    /// Nil after a failure.
    var plaintext: Data? { error == nil ? unverified + last : nil }

    var isSticky: Bool { laterErrors.allSatisfy { $0 == error } && last.isEmpty }

    init(_ message: [UInt8], with cryptor: any RNCryptorType, _ chunking: Chunking) {
        for chunk in chunking.chunks(of: message) {
            unverified.append(released { try cryptor.update(withData: Data(chunk)) })
        }
        if error != nil { unverified.append(released { try cryptor.update(withData: Data()) }) }
        last = released { try cryptor.finalData() }
        // Only a cryptor that succeeded would trap here.
        if error != nil { last.append(released { try cryptor.finalData() }) }
    }

    /// What `call` returns, nothing if it throws.
    private mutating func released(by call: () throws -> Data) -> Data {
        let result = Result { try call() }
        var newError: RNCryptor.Error?
        if case .failure(let failure) = result {
            newError = failure as? RNCryptor.Error
            if newError == nil { Issue.record("not an RNCryptor.Error: \(failure)") }
        }
        if error != nil { laterErrors.append(newError) } else { error = newError }
        return (try? result.get()) ?? Data()
    }
}

/// What RNCryptor 5 throws for a message that it cannot decrypt, by its shape. `generic` stands for `Decryptor`, which
/// checks the first byte as soon as there is one; `DecryptorV3` waits for the complete header.
func expectedError(for message: [UInt8], _ secret: Secret, generic: Bool) -> RNCryptor.Error {
    let headerSize = secret.isPassword ? 34 : 18
    if generic && message.first != 3 { return .unknownHeader }
    if message.count < headerSize { return .messageTooShort }
    if message[0] != 3 { return .unknownHeader }
    if message[1] != (secret.isPassword ? 1 : 0) { return .invalidCredentialType }
    return .hmacMismatch
}
