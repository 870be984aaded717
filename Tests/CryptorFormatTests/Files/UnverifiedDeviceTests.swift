import CryptorTestSupport
import Foundation
import Testing

@testable import CryptorAsync
@testable import CryptorFiles
@testable import CryptorFormat

/// Devices other than the null device may show somebody what is written to them, so they get only verified plaintext.
@Suite struct UnverifiedDeviceTests {
    private static let devices = ["/dev/full", "/dev/zero"].filter(FileManager.default.isWritableFile(atPath:))

    /// The full device refuses the first byte. A message that is forged at its end must be refused before that.
    @Test(.enabled(if: devices.contains("/dev/full")), arguments: [false, true])
    func nothingOfAForgedMessage(isDescriptor: Bool) throws {
        let job = try FileJob(.decrypt, byteCount: 1_500_000)
        let last = job.sourceBytes.count - 1
        try job.folder.alter("source", last..<last + 1)
        let error = try caughtError {
            guard isDescriptor else { return try job.run(to: .path("/dev/full")) }
            let device = open("/dev/full", O_WRONLY | O_CLOEXEC)
            defer { close(device) }
            try job.run(to: .descriptor(device))
        }
        #expect(error?.code == .authenticationFailed, "\(String(describing: error))")
        #expect(error?.path == job.source.description)
    }

    /// Only the null device, which forgets everything, needs just one pass.
    @Test(.enabled(if: devices.contains("/dev/zero")))
    func theyAreReadForTwice() throws {
        let job = try FileJob(.decrypt, byteCount: 600_000)
        var totals: Set<Int?> = []
        try job.run(to: .path("/dev/zero")) { totals.insert($0.totalBytes) }
        #expect(totals == [2 * job.sourceBytes.count])
    }
}
