import Foundation
import CryptorTestSupport
import Testing

/// With `.serial`, no work gets a second thread. Otherwise, large work gets one while cores are free.
@Suite(.enabled(if: Interposer.isAvailable, "there is no C compiler, or a sanitizer")) struct ConcurrencyTests {
    private static let kinds = ["encrypt", "decrypt", "encryptor", "decryptor"]
    private static let fileKinds = ["encryptFile", "decryptFile", "release", "verifyFile", "rekeyFile", "verifiedFile"]

    @Test(arguments: fileKinds) func files(kind: String) throws { try threads(kind: kind, isSerial: false) }

    @Test(arguments: kinds, [true, false]) func threads(kind: String, isSerial: Bool) throws {
        guard isSerial || ProcessInfo.processInfo.activeProcessorCount > 1 else { return }
        let place = try Workplace()
        let note = place.folder.appendingPathComponent("note").path
        let probe = try ProbeProcess(
            ["concurrency", kind, isSerial ? "serial" : "automatic"],
            environment: [
                "LD_PRELOAD": try Interposer.build("threads", in: place), "THREADS": "100", "THREADS_NOTE": note,
            ])
        _ = try probe.finish()
        let count = try #require(String(decoding: try place.read("note"), as: UTF8.self).split(separator: " ").first)
        #expect((count == "0") == isSerial, "\(kind): \(count) threads")
    }
}
