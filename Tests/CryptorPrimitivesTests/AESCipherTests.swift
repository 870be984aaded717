import CryptorPrimitives
import CryptorSystem
import CryptorTestSupport
import Testing

@Suite struct AESCipherTests {
    /// NIST SP 800-38A, F.2.5 and F.2.6: CBC-AES256.
    private let key: SecretBytes
    private let iv: [UInt8]
    private let plaintext: [UInt8]
    private let ciphertext: [UInt8]

    init() throws {
        key = SecretBytes(try [UInt8](hex: "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4"))
        iv = try [UInt8](hex: "000102030405060708090a0b0c0d0e0f")
        plaintext = try [UInt8](
            hex: "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"
                + "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710")
        ciphertext = try [UInt8](
            hex: "f58c4c04d6e5f1ba779eabfb5f7bfbd69cfc4e967edb808d679f777bc6702c7d"
                + "39f23369a9d9bacfa530e26304231461b2eb05e2c39be9fcda6c19078c6a9d1b")
    }

    @Test func publishedEncryption() throws {
        let actual = try BareCBC.encrypt(plaintext, key: key, iv: iv)
        #expect(actual.count == ciphertext.count + 16, "a block of padding follows")
        #expect(Array(actual.prefix(ciphertext.count)) == ciphertext)
    }

    @Test func publishedDecryption() throws {
        #expect(try BareCBC.decrypt(ciphertext, key: key, iv: iv) == plaintext)
    }

    @Test func everySplitEncryptsTheSame() throws {
        for byteCount in [0, 1, 15, 16, 17, 31, 33, 64] {
            let plaintext = Array(plaintext.prefix(byteCount))
            let whole = try BareCBC.encrypt(plaintext, key: key, iv: iv)
            for chunking in Chunking.everySize + Chunking.everySplit(of: byteCount) {
                let actual = try BareCBC.encrypt(plaintext, key: key, iv: iv, chunking)
                #expect(actual == whole, "\(byteCount) bytes \(chunking)")
            }
        }
    }

    @Test func everySplitBetweenBlocksDecryptsTheSame() throws {
        let splits = stride(from: 0, through: ciphertext.count, by: 16).map { Chunking.split($0) }
        for chunking in splits + [.fixed(16), .fixed(48), .padded(16)] {
            #expect(try BareCBC.decrypt(ciphertext, key: key, iv: iv, chunking) == plaintext, "\(chunking)")
        }
    }

    @Test func announcesExactlyWhatItAppends() throws {
        var cipher = try AESCipher(.encrypt, key: key, iv: iv)
        var ciphertext: [UInt8] = []
        var total = 0
        for byteCount in [0, 1, 14, 0, 1, 16, 17, 15, 31, 33, 0, 100, 12, 4] {
            let announced = cipher.outputByteCount(for: byteCount)
            let before = ciphertext.count
            try withRawSpan(of: [UInt8](repeating: 0, count: byteCount)) { chunk in
                try withRoom(for: announced, appendingTo: &ciphertext) { output in
                    try cipher.update(chunk, into: &output)
                }
            }
            total += byteCount
            #expect(ciphertext.count - before == announced, "after \(total) bytes")
            #expect(ciphertext.count == total / 16 * 16, "after \(total) bytes")
        }
    }

    @Test func paddingComesBack() throws {
        for byteCount in 0...33 {
            let plaintext = [UInt8](repeating: 0xC3, count: byteCount)
            let padded = try BareCBC.decrypt(BareCBC.encrypt(plaintext, key: key, iv: iv), key: key, iv: iv)
            let padding = 16 - byteCount % 16
            #expect(padded == plaintext + [UInt8](repeating: UInt8(padding), count: padding))
        }
    }
}
