import CryptorFormat
import Foundation

/// Generic functions are not specialised for this package. They should cost as much as with `[UInt8]`.
enum KindRows {
    private static let byteCount = 1024

    static func benchmarks(_ setting: Setting) -> [Benchmark] {
        let bytes = [UInt8](repeating: 7, count: byteCount)
        let (slice, data) = (bytes[...], Data(bytes))
        return rows("ArraySlice", slice, setting) { Cryptor.base64Text(of: slice) }
            + rows("Data", data, setting) { Cryptor.base64Text(of: data) }
    }

    /// - Parameter text: calls what a program with this kind of bytes calls: `Data` has a function of its own.
    private static func rows(
        _ kind: String, _ bytes: some Collection<UInt8>, _ setting: Setting, text: @escaping () -> [UInt8]
    ) -> [Benchmark] {
        let array = Array(bytes)
        return [
            row("KeyedCryptor.encrypt", kind, setting) { (keyed) throws(CryptorError) in
                let message: [UInt8] = try keyed.encrypt(bytes)
                return message.count
            } array: { (keyed) throws(CryptorError) in
                try keyed.encrypt(array).count
            },
            row("base64Text", kind, setting) { (_) throws(CryptorError) in
                text().count
            } array: { (_) throws(CryptorError) in
                Cryptor.base64Text(of: array).count
            },
        ]
    }

    private typealias Call = (KeyedCryptor) throws(CryptorError) -> Int

    private static func row(
        _ name: String, _ kind: String, _ setting: Setting, _ ours: @escaping Call, array: @escaping Call
    ) -> Benchmark {
        Benchmark(
            section: .kinds, name: "\(name), \(Figures.binary(byteCount)) as \(kind)", note: "the same as [UInt8]",
            target: 0.9,
            work: .race(rounds: setting.rounds) { (setting) throws(BenchmarkError) in
                let keyed = try calling("KeyedCryptor") { () throws(CryptorError) in
                    try KeyedCryptor(try Keys.pair())
                }
                let count = setting.some(20_000)
                func contender(_ name: String, _ call: @escaping Call) -> Contender {
                    Contender(name: name, messages: count) { () throws(BenchmarkError) in
                        let sum = try calling(name) { () throws(CryptorError) in
                            var sum = 0
                            for _ in 0..<count { sum += try call(keyed) }
                            return sum
                        }
                        try check(sum > count * byteCount, "the results are too short")
                    }
                }
                return Race(unit: .time, ours: contender(kind, ours), limits: [contender("[UInt8]", array)])
            })
    }
}
