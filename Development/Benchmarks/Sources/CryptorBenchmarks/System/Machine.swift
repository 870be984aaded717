import CBaseline

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// What the figures were measured with.
struct Machine {
    let processor: String
    let cores: Int
    let kernel: String
    let swift: String
    let openSSL = String(cString: baseline_openssl_version())
    /// The time in UTC, in the form of ISO 8601.
    let date: String

    init() {
        processor = Self.model ?? "unknown"
        cores = sysconf(CInt(_SC_NPROCESSORS_ONLN))
        kernel = Self.systemName
        swift = Self.swiftVersion
        date = Self.now
    }

    var description: String {
        "\(processor), \(cores) cores; \(kernel); \(swift); \(openSSL); \(date)"
    }

    /// The name, which many models share, with family and model.
    private static var model: String? {
        let lines = TextFile.lines(of: "/proc/cpuinfo") ?? []
        func value(_ key: String) -> String? {
            let fields = lines.lazy.map { $0.split(separator: ":", maxSplits: 1) }.first {
                $0.count == 2 && $0[0].split(separator: "\t").first == key[...]
            }
            return fields.map { $0[1].split(separator: " ").joined(separator: " ") }
        }
        guard let name = value("model name") else { return nil }
        guard let family = value("cpu family"), let model = value("model") else { return name }
        return "\(name) (family \(family), model \(model))"
    }

    private static var systemName: String {
        var name = utsname()
        guard uname(&name) == 0 else { return "unknown" }
        return [text(name.sysname), text(name.release), text(name.machine)].joined(separator: " ")
    }

    private static func text<Characters>(_ characters: Characters) -> String {
        withUnsafeBytes(of: characters) { bytes in String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self) }
    }

    private static var now: String {
        var seconds = time(nil)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        var text = [CChar](repeating: 0, count: 32)
        let count = strftime(&text, text.count, "%Y-%m-%dT%H:%M:%SZ", &parts)
        return String(decoding: text.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// The version of the installed compiler, which has just built this; without one, as exactly as the program knows.
    private static var swiftVersion: String {
        if let path = try? Tool.named("swift").path, let text = try? Tool.output(of: [path, "--version"]),
            let start = text.firstRange(of: "Swift version ")
        {
            return "Swift \(text[start.upperBound...].prefix { !$0.isWhitespace })"
        }
        #if compiler(>=6.3)
        return "Swift 6.3 or newer"
        #else
        return "Swift 6.2"
        #endif
    }
}
