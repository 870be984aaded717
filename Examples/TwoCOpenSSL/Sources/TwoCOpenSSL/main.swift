import CryptorFormat
import Digests

// Both modules call the OpenSSL of this machine.
let text = Array("two of them".utf8)
let keys = try MessageKeys.random()
let plaintext = try Cryptor.decrypt(
    Cryptor.encrypt(text, with: .keys(keys)), with: .keys(keys))
let digest = sha256(of: plaintext)
precondition(plaintext == text, "another plaintext: \(plaintext)")
precondition(digest.starts(with: [0x2C, 0xDB, 0xD3, 0xA7]), "another digest: \(digest)")
print("TwoCOpenSSL: a message, and its digest by the other package")
