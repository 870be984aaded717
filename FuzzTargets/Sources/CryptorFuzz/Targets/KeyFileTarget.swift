@testable import CryptorFormat

/// The command's key files: 128 hexadecimal digits are a key pair, which is written again as the same digits.
///
/// Another package cannot import an executable, so `Command` has links to the sources that are tested.
func keyFileTarget(_ input: consuming FuzzInput) throws {
    let text = input.rest()
    let digits = text.filter { !" \t\r\n".utf8.contains($0) }
    let isKeyFile = digits.count == 128 && digits.allSatisfy { isHexadecimal($0) }
    do throws(CommandError) {
        guard case .keys(let keys) = try KeyFile.credential(text, .path("keys")).kind else {
            fail("a key file gave a password")
        }
        expect(isKeyFile, "it is no key file, and was read")
        let lowercase = digits.map { 0x41...0x46 ~= $0 ? $0 + 0x20 : $0 }
        expect(KeyFile.text(keys) == lowercase + [UInt8(ascii: "\n")], "written again, it is another key file")
    } catch {
        expect(!isKeyFile, "a key file was refused: \(error.message)")
        expect(error.status == .malformed, "status \(error.status)")
    }
}

private func isHexadecimal(_ byte: UInt8) -> Bool {
    Array("0123456789abcdefABCDEF".utf8).contains(byte)
}
