import CCryptorProbe
import CryptorFormat
import Foundation

/// Checks what the library does with OpenSSL's state, which belongs to the program as well. Prints a line for each
/// finding.
enum OpenSSLState {
    /// Performs each operation with and without reasons of the program in the queue, first normally and then with
    /// OpenSSL failing. The queue must stay as it was, and errors must not name reasons of the program.
    static func checkQueue() throws {
        let operations = try Operations().all(number: 0)
        for isFailing in [false, true] {
            guard !isFailing || probe_set_fips(true) else { throw Probe.Failure(description: "no FIPS mode") }
            for (name, body) in operations {
                for (count, mark) in [(0, 0), (1, 0), (3, 0), (3, 1), (3, 3)] as [(CInt, CInt)] {
                    let what = "\(name)\(isFailing ? ", failing" : ""), \(count) reasons, mark \(mark)"
                    check(what, body, count: count, mark: mark, isFailing: isFailing)
                }
            }
        }
        print("\(operations.count) operations")
    }

    /// - Parameter mark: the number of the reason that the program has marked; 0 for none.
    private static func check(
        _ what: String, _ body: Operations.Operation, count: CInt, mark: CInt, isFailing: Bool
    ) {
        while probe_take_error() != 0 {}
        for number in 0..<count {
            probe_raise(number + 1)
            if number + 1 == mark { probe_mark_errors() }
        }
        do {
            try body()
            if isFailing { print("\(what): it succeeded") }
        } catch {
            // The error must name OpenSSL's reason, and none that the program has raised.
            let words = "\(error)"
            let isRight = isFailing && words.contains("unsupported") && !words.contains("lib(128)")
            if !isRight { print("\(what): \(words)") }
        }
        var expected = Array(1..<(count + 1))
        if mark > 0 {
            if !probe_pop_to_mark() { print("\(what): the mark is gone") }
            expected = Array(1..<(mark + 1))
        }
        var left: [CInt] = []
        while case let number = probe_take_error(), number != 0 { left.append(number) }
        if left != expected { print("\(what): \(left) are left, and not \(expected)") }
    }

    /// Performs each operation before FIPS mode, in FIPS mode without its provider, and after FIPS mode. Each is the
    /// first operation after a switch, so that no other can have noticed the switch.
    static func switchFIPS() throws {
        let operations = try Operations().all(number: 0)
        for (name, body) in operations {
            for isOn in [false, true, false] {
                guard probe_set_fips(isOn) else { throw Probe.Failure(description: "no FIPS mode") }
                do {
                    try body()
                    if isOn { print("\(name): it went on in FIPS mode") }
                } catch {
                    let code = (error as? CryptorError)?.code
                    if !isOn || code != .cryptoLibraryFailure { print("\(name), FIPS mode \(isOn): \(error)") }
                }
            }
        }
        print("\(operations.count) operations")
    }
}
