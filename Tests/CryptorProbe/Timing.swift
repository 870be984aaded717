import CCryptorProbe
import CryptorPrimitives
import CryptorSystem
import Foundation

/// Measures two classes of input in random order, and prints Welch's t of their times (Reparaz, Balasch and
/// Verbauwhede, "Dude, is my code constant time?", 2017). A t over 4.5 is suspicious, over 10 a leak.
enum Timing {
    static func run(_ name: String) throws {
        let code = [UInt8](repeating: 0x5A, count: 32)
        var inputs = [UInt8](repeating: 0, count: 32)
        let t = measure(prepare: { isSecond in prepare(name, isSecond, &inputs) }) {
            inputs.withUnsafeBufferPointer { inputs in
                code.withUnsafeBufferPointer { code in work(name, inputs, code) }
            }
        }
        print("\(name): t = \((t * 100).rounded() / 100)")
    }

    private static func prepare(_ name: String, _ isSecond: Bool, _ inputs: inout [UInt8]) {
        // Both classes have the same verdict, which is public.
        switch name {
        case "padding":
            // 16 bytes of padding, of which the first is wrong, or the last but one.
            for index in inputs.indices { inputs[index] = 16 }
            inputs[isSecond ? 14 : 0] ^= 1
        case "padding-length":
            // One byte of right padding, or 16.
            for index in inputs.indices { inputs[index] = isSecond ? 16 : 1 }
        default:
            // The input is wrong in the first byte, or in the last.
            for index in inputs.indices { inputs[index] = 0x5A }
            inputs[isSecond ? 31 : 0] ^= 1
        }
    }

    @inline(never)
    private static func work(_ name: String, _ input: UnsafeBufferPointer<UInt8>, _ code: UnsafeBufferPointer<UInt8>)
        -> Int
    {
        switch name {
        case "compare": constantTimeEqual(input.span.bytes, code.span.bytes) ? 1 : 0
        case "padding", "padding-length":
            PKCS7Padding.plaintextByteCount(ofLastBlock: input.span.bytes.extracting(first: 16)) ?? -1
        case "leaky-compare": Int(probe_leaky_compare(input.baseAddress, code.baseAddress, code.count))
        default: preconditionFailure("no case \(name)")
        }
    }

    private struct Moments {
        var count = 0.0
        var mean = 0.0
        var squares = 0.0

        /// Adds a value by Welford's method.
        mutating func add(_ value: Double) {
            count += 1
            let distance = value - mean
            mean += distance / count
            squares += distance * (value - mean)
        }

        var squaredError: Double { squares / (count - 1) / count }
    }

    private static func measure(prepare: (Bool) -> Void, _ work: () -> Int) -> Double {
        var times: [[Double]] = [[], []]
        var generator = SystemRandomNumberGenerator()
        var sum = 0
        for _ in 0..<400_000 {
            let isSecond = Bool.random(using: &generator)
            prepare(isSecond)
            let start = DispatchTime.now().uptimeNanoseconds
            for _ in 0..<20 { sum &+= work() }
            times[isSecond ? 1 : 0].append(Double(DispatchTime.now().uptimeNanoseconds - start))
        }
        // The slowest tenth is left out, because it was interrupted.
        let limit = (times[0] + times[1]).sorted()[360_000]
        var moments = [Moments(), Moments()]
        for kind in 0..<2 { for time in times[kind] where time < limit { moments[kind].add(time) } }
        precondition(sum != .min)
        return (moments[0].mean - moments[1].mean)
            / (moments[0].squaredError + moments[1].squaredError).squareRoot()
    }
}
