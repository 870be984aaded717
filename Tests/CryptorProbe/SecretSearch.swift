import CCryptorProbe
import CryptorAsync
import CryptorFiles
import CryptorFormat
import CryptorPrimitives
import CryptorSystem
import Foundation

/// Works with secrets that arrive masked. When every object that knew them is gone, it searches all of its memory for
/// them.
///
/// It reads lines "NAME HEX", up to "end": the masked password and keys, and messages. After the work it prints the
/// salts of the messages that it wrote, and "ready". Then it reads the masked needles, up to another "end", and names
/// each needle that it finds with its place.
enum SecretSearch {
    static func run(_ name: String) throws {
        guard let scenario = Scenario(rawValue: name) else { throw Probe.Failure(description: "no scenario \(name)") }
        guard probe_watch_allocations() else { throw Probe.Failure(description: "OpenSSL has allocated already") }
        let given = given()
        // The work has a stack frame of its own: it is not inlined here.
        let kept = try perform(scenario, given)
        print("ready")
        fflush(nil)
        try search()
        withExtendedLifetime(kept) {}
    }

    @inline(never)
    private static func perform(_ scenario: Scenario, _ given: [String: [UInt8]]) throws -> AnyObject? {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("probe-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try ScenarioWork(given, folder: folder.path).perform(scenario)
    }

    private static func given() -> [String: [UInt8]] {
        var given: [String: [UInt8]] = [:]
        while let line = readLine(), line != "end" {
            let fields = line.split(separator: " ")
            given[String(fields[0])] = bytes(fields[1])
        }
        return given
    }

    private static func bytes(_ hex: Substring) -> [UInt8] {
        let digits = hex.utf8.map { $0 < 58 ? $0 - 48 : $0 - 87 }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    private static func search() throws {
        var names: [String] = []
        var needles: [UInt8] = []
        while let line = readLine(), line != "end" {
            let fields = line.split(separator: " ")
            names.append(String(fields[0]))
            needles += bytes(fields[1])
        }
        precondition(!names.isEmpty && needles.count == names.count * Int(PROBE_NEEDLE_BYTES))
        var hits = [probe_hit](repeating: probe_hit(), count: 40)
        var scanned = 0
        let count = probe_scan(needles, names.count, &hits, hits.count, &scanned)
        guard count >= 0 else { throw Probe.Failure(description: "the memory cannot be read: error \(errno)") }
        print("scanned \(scanned)")
        for hit in hits.prefix(count) {
            let region = withUnsafeBytes(of: hit.region) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            print("found \(names[hit.needle]) in \(region)")
        }
    }
}
