import CryptorPrimitives
import CryptorSystem
import CryptorTestSupport
import Testing

/// Large work gets a second thread while cores are free, unless the program rules it out.
@Suite(.enabled(if: Interposer.isAvailable, "there is no C compiler, or a sanitizer")) struct SecondThreadTests {
    private static let kinds = [
        "encrypt", "decrypt", "encryptStream", "decryptStream", "encryptFile", "decryptFile", "decryptFileToStream",
        "verifyFile", "rekeyFile", "verifiedFile",
    ]

    @Test(arguments: kinds, [true, false]) func threads(kind: String, isSerial: Bool) throws {
        guard isSerial || Cores.count > 1 else { return }
        let place = try Workplace()
        let note = place.folder.appendingPathComponent("note").path
        let probe = try ProbeProcess(
            ["threads", kind, isSerial ? "serial" : "automatic"],
            environment: [
                "LD_PRELOAD": try Interposer.build("threads", in: place), "THREADS": "100", "THREADS_NOTE": note,
            ])
        _ = try probe.finish()
        let count = try #require(String(decoding: try place.read("note"), as: UTF8.self).split(separator: " ").first)
        #expect((count == "0") == isSerial, "\(kind): \(count) threads")
    }
}
