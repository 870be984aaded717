import Foundation

/// Numbers as people read them.
enum Figures {
    /// The number with `places` digits after the point.
    static func decimal(_ value: Double, _ places: Int) -> String {
        String(format: "%.\(places)f", value)
    }

    /// The number with three significant digits.
    static func significant(_ value: Double) -> String {
        decimal(value, value >= 100 ? 0 : value >= 10 ? 1 : 2)
    }

    static func count(_ value: Double) -> String {
        value >= 1e6 ? "\(significant(value / 1e6)) million" : significant(value)
    }

    static func seconds(_ value: Double) -> String {
        for (scale, unit) in [(1.0, "s"), (1e-3, "ms"), (1e-6, "µs")] where value >= scale {
            return "\(significant(value / scale)) \(unit)"
        }
        return "\(decimal(value * 1e9, 0)) ns"
    }

    /// A number of bytes, in units of 1,024.
    static func binary(_ count: Int) -> String {
        for (shift, unit) in [(30, "GiB"), (20, "MiB"), (10, "KiB")] where count >= 1 << shift {
            let value = Double(count) / Double(1 << shift)
            return "\(decimal(value, value == value.rounded() ? 0 : 1)) \(unit)"
        }
        return "\(count) bytes"
    }

    static func speed(seconds: Double, _ unit: Unit) -> String {
        switch unit {
        case .throughput(let byteCount): "\(decimal(Double(byteCount) / seconds / 1e9, 2)) GB/s"
        case .time: Self.seconds(seconds)
        }
    }
}
