import CCryptorProbe
import CryptorFormat
import Foundation

/// What the library does with the state of OpenSSL that belongs to the program as well. A line for each finding.
enum OpenSSLState {
    /// Each operation, with reasons of the program in the queue and without, as it succeeds and as OpenSSL fails: the queue
    /// is as before, and what is said names no reason of the program's.
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
            // The reason is OpenSSL's, and none of those that the program has raised.
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

    /// Each operation before FIPS mode, in it where there is no provider for it, and after it: as the first that comes then, so
    /// that no other has noticed.
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
