import CLibcrypto
import Foundation

/// What the figures were measured with.
struct Machine {
    let description: String

    init() {
        var system = utsname()
        uname(&system)
        let kernel = [
            Self.text(system.sysname), Self.text(system.release), Self.text(system.machine),
        ]
        description = [
            "\(Self.model ?? "unknown"), \(ProcessInfo.processInfo.activeProcessorCount) cores",
            kernel.joined(separator: " "), Self.swiftVersion,
            String(cString: OpenSSL_version(OPENSSL_VERSION)),
            Date.now.formatted(.iso8601),
        ].joined(separator: "; ")
    }

    /// The name, which many models share, with family and model.
    private static var model: String? {
        let lines =
            (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8))?.split(separator: "\n")
            ?? []
        func value(_ key: String) -> String? {
            let fields = lines.lazy.map { $0.split(separator: ":", maxSplits: 1) }.first {
                $0.count == 2 && $0[0].split(separator: "\t").first == key[...]
            }
            return fields.map { $0[1].split(separator: " ").joined(separator: " ") }
        }
        guard let name = value("model name") else {
            // 64-bit ARM has numbers instead.
            guard let implementer = value("CPU implementer"), let part = value("CPU part") else {
                return nil
            }
            return "ARM (implementer \(implementer), part \(part))"
        }
        guard let family = value("cpu family"), let model = value("model") else { return name }
        return "\(name) (family \(family), model \(model))"
    }

    private static func text<Characters>(_ characters: Characters) -> String {
        withUnsafeBytes(of: characters) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }

    /// The version of the installed compiler, which has just built this.
    private static var swiftVersion: String {
        guard let text = try? Tool.named("swift").run(["--version"]),
            let start = text.firstRange(of: "Swift version ")
        else { return "an unknown version of Swift" }
        return "Swift \(text[start.upperBound...].prefix { !$0.isWhitespace })"
    }
}
