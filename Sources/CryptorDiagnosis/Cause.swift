/// Why a message does not open.
package enum Cause: String, CaseIterable {
    // Text in place of bytes.
    case base64
    case base64URL = "base64-url"
    case base64Spaces = "base64-spaces"
    case base64Pieces = "base64-pieces"
    case escapedNewlines = "escaped-newlines"
    case wrappedLines = "wrapped-lines"
    case tableRow = "table-row"
    case hex
    case byteOrderMark = "byte-order-mark"
    case utf16 = "utf-16"
    case percentEncoded = "percent-encoded"
    case dataURI = "data-uri"
    case quoted
    case jsonString = "json-string"
    case jsonObject = "json-object"
    case jsonBytes = "json-bytes"
    case mailQuoted = "mail-quoted"
    case plist
    case pem
    // The bytes.
    case truncated
    case leadingBytes = "leading-bytes"
    case trailingBytes = "trailing-bytes"
    case trailingNewline = "trailing-newline"
    case severalMessages = "several-messages"
    case textMode = "text-mode"
    case utf8Damaged = "utf8-damaged"
    case latin1AsUTF8 = "latin1-as-utf8"
    case onlyZeros = "only-zeros"
    case foreign
    case versionNotAccepted = "version-not-accepted"
    // The password.
    case passwordNewline = "password-newline"
    case passwordSpace = "password-space"
    case passwordByteOrderMark = "password-byte-order-mark"
    case passwordNFC = "password-nfc"
    case passwordNFD = "password-nfd"
    case passwordLatin1 = "password-latin1"
    case passwordWindows1252 = "password-windows-1252"
    case passwordUTF16 = "password-utf16"
    case passwordQuestionMarks = "password-question-marks"
    case passwordQuoted = "password-quoted"
    case passwordTypographic = "password-typographic"
    case passwordCase = "password-case"
    case passwordFirstLine = "password-first-line"
    case passwordAssignment = "password-assignment"
    case passwordURLEncoded = "password-url-encoded"
    case passwordBase64 = "password-base64"
    case passwordHex = "password-hex"
    case passwordHashed = "password-hashed"
    case passwordShortened = "password-shortened"
    case passwordEmpty = "password-empty"
    case iterations
    // The keys.
    case needsPassword = "needs-password"
    case needsKeys = "needs-keys"
    case keysSwapped = "keys-swapped"
    case keysSame = "keys-same"
    case keysAsPassword = "keys-as-password"
    case aes128

    /// A cause that is only possible, in words.
    var possibility: String {
        switch self {
        case .base64: "it is base64 text"
        case .base64URL: "it is base64url text"
        case .base64Spaces: "it is base64 text with spaces in it"
        case .base64Pieces: "it is base64 text of pieces, one after the other"
        case .escapedNewlines: "it has \\n in place of newlines"
        case .wrappedLines: "one message was wrapped in several lines"
        case .tableRow: "it is in a row with other columns"
        case .hex: "it is hexadecimal text"
        case .byteOrderMark: "there is a byte order mark before it"
        case .utf16: "it is UTF-16 text"
        case .percentEncoded: "it is percent-encoded"
        case .dataURI: "it is a data URI"
        case .quoted: "there are quotes around it"
        case .jsonString: "it has the quotes or escapes of JSON"
        case .jsonObject: "it is in a JSON string"
        case .jsonBytes: "it is a list of numbers"
        case .mailQuoted: "it is quoted as in mail"
        case .plist: "it is in a property list"
        case .pem: "it has PEM lines"
        case .truncated: "the end is missing"
        case .leadingBytes: "other bytes precede it"
        case .trailingBytes: "other bytes follow it"
        case .trailingNewline: "a newline follows it"
        case .severalMessages: "another message follows it"
        case .textMode: "it was copied as text"
        case .latin1AsUTF8: "it was converted from Latin-1 to UTF-8"
        case .needsPassword: "it was encrypted with a password"
        case .needsKeys: "it was encrypted with keys"
        case .iterations: "other iterations (try --iterations-up-to 1000000)"
        default: rawValue
        }
    }
}
