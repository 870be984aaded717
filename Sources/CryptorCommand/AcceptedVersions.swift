import CryptorFiles
import CryptorSystem

/// The versions of messages that `decrypt`, `verify`, `rekey` and `inspect` read.
struct AcceptedVersions {
    /// Those that are read in any way.
    private(set) var inFull = Acceptance.default
    /// Whether version 0 is read as well, whole and in memory.
    private(set) var includesVersion0 = false

    static let option = Option(
        "accept", value: "VERSIONS",
        "Read these versions as well as 3 and 2: v1, v0 or v1,v0. Anybody can alter their headers "
            + "unnoticed. With v0, a file of version 0, and what comes from a pipe, may have at "
            + "most 256 MiB.")

    static let options = [
        option,
        Option(
            "accept-shortened-passwords",
            "If the password is not ASCII, also try the beginnings of it that some writers of "
                + "version 2 and older used. Whoever guesses its first few bytes, one byte for an "
                + "emoji, can forge a message that passes."),
    ]

    static let spoolLimit = Option(
        "spool-limit", value: "SIZE",
        "Keep at most SIZE of a pipe, or of base64 text, in $TMPDIR until it is verified: bytes, "
            + "or a number with K, M, G or T. Without this option, half of what is free there.")

    /// Accepts what the options ask for.
    init(_ arguments: Arguments) throws(CommandError) {
        var versions = Acceptance.default.versions
        let comma = UInt8(ascii: ",")
        let words = arguments["accept"]?.bytes.split(
            separator: comma, omittingEmptySubsequences: false)
        for bytes in words ?? [] {
            let word = Word(bytes)
            let number = word.text.hasPrefix("v") ? String(word.text.dropFirst()) : word.text
            if number == "0" {
                includesVersion0 = true
            } else if let version = FormatVersion.allCases.first(where: {
                "\($0.rawValue)" == number
            }) {
                versions.insert(version)
            } else {
                throw .usage("--accept takes versions such as v1,v0, not \(word.quoted)")
            }
        }
        inFull = Acceptance(versions)
    }

    /// Whether a file has to be read whole because it may be of version 0: if it begins so or, if
    /// it can be read only once, in any case.
    func mayBeVersion0(_ input: FileEndpoint) throws(CommandError) -> Bool {
        guard includesVersion0 else { return false }
        guard input.currentStatus?.kind == .regular else { return true }
        return try beginsLikeVersion0(input)
    }

    /// Whether version 0 is read, and a regular file begins like it, perhaps in base64.
    func beginsLikeVersion0(_ input: FileEndpoint) throws(CommandError) -> Bool {
        guard includesVersion0, input.currentStatus?.kind == .regular else { return false }
        let start = try commandError(
            try input.firstBytes(
                Header.base64ProbeByteCount, progress: Interruption.check))
        if start.first == 0 { return true }
        // In base64 text, the two bytes of zero of version 0 begin with "AA".
        let text = start.filter { !" \t\r\n".utf8.contains($0) }
        return Header.isBase64Text(start) && text.starts(with: "AA".utf8)
    }

    static func spoolByteLimit(_ arguments: Arguments) throws(CommandError) -> Int? {
        guard let word = arguments["spool-limit"] else { return nil }
        let units: [String: Int] = ["K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40]
        let unit = word.text.last.flatMap { units[$0.uppercased()] }
        let number = Int(unit == nil ? word.text : String(word.text.dropLast()))
        guard let number, number > 0,
            case (let count, false) = number.multipliedReportingOverflow(by: unit ?? 1)
        else {
            throw .usage(
                "--spool-limit takes a number of bytes, such as 500000000 or 20G, "
                    + "not \(word.quoted)")
        }
        return count
    }
}
