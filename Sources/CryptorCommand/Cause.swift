/// Why a message does not open.
enum Cause: String, CaseIterable {
    case base64
    case base64URL = "base64-url"
    case base64Spaces = "base64-spaces"
    case hex
    case jsonString = "json-string"
    case truncated
    case trailingNewline = "trailing-newline"
    case textMode = "text-mode"
    case utf8Damaged = "utf8-damaged"
    case latin1AsUTF8 = "latin1-as-utf8"
    case onlyZeros = "only-zeros"
    case foreign
    case versionNotAccepted = "version-not-accepted"
    case passwordNewline = "password-newline"
    case passwordSpace = "password-space"
    case passwordByteOrderMark = "password-byte-order-mark"
    case passwordNFC = "password-nfc"
    case passwordNFD = "password-nfd"
    case passwordLatin1 = "password-latin1"
    case passwordUTF16 = "password-utf16"
    case passwordQuoted = "password-quoted"
    case passwordCase = "password-case"
    case passwordShortened = "password-shortened"
    case passwordEmpty = "password-empty"
    case iterations
    case needsPassword = "needs-password"
    case needsKeys = "needs-keys"
    case keysSwapped = "keys-swapped"
    case keysAsPassword = "keys-as-password"
    case aes128
}
