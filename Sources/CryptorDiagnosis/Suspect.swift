import CryptorFiles
import CryptorPrimitives

/// A credential that may have been meant in place of the one that was given.
struct Suspect {
    let cause: Cause
    let advice: String
    let credential: Credential
}

extension Credential {
    /// What a mistake may have made of this credential, when the message was written or now.
    func suspects(iterationsUpTo limit: Int) -> [Suspect] {
        if let messageKeys { return messageKeys.suspects }
        guard let (bytes, iterations) = password else { return [] }
        var given = bytes.withRawSpan { bytes in Array(copying: bytes) }
        var tried: [[UInt8]] = []
        defer {
            cleanse(&given)
            for index in tried.indices { cleanse(&tried[index]) }
        }
        var suspects: [Suspect] = []
        for mistake in PasswordMistake.all {
            for password in mistake.candidates(given) {
                let isNew = password != given && !tried.contains(password)
                tried.append(password)
                guard isNew,
                    let credential = try? Credential.password(
                        utf8: password, iterations: iterations)
                else { continue }
                suspects.append(
                    Suspect(cause: mistake.cause, advice: mistake.advice, credential: credential))
            }
        }
        suspects += shortenedReadings.map {
            Suspect(cause: .passwordShortened, advice: Self.shortenedAdvice, credential: $0)
        }
        suspects.append(
            Suspect(
                cause: .passwordEmpty, advice: Self.emptyAdvice, credential: .emptyPassword))
        if let keys = try? MessageKeys(hexadecimal: given) {
            let advice = "The password is the text of a key file: use --key-file."
            suspects.append(
                Suspect(cause: .keysAsPassword, advice: advice, credential: .keys(keys)))
        }
        for count in Self.usualIterations where count <= limit && count != iterations {
            guard let credential = try? Credential.password(utf8: given, iterations: count) else {
                continue
            }
            let advice = """
                The message was written with another number of iterations: use --iterations \
                \(count).
                """
            suspects.append(Suspect(cause: .iterations, advice: advice, credential: credential))
        }
        return suspects
    }

    private static let shortenedAdvice = """
        The writer used only the beginning of the password, as some writers of version 2 and older \
        did: use --accept-shortened-passwords.
        """
    private static let emptyAdvice = """
        The message was written with the empty password, so anybody can read and forge it: use \
        --empty-password.
        """

    private static let usualIterations = [
        1, 10, 100, 500, 1000, 1024, 2000, 2048, 4000, 4096, 5000, 8192, 10_000, 20_000, 50_000,
        65_536, 100_000, 120_000, 131_072, 150_000, 200_000, 210_000, 250_000, 262_144, 300_000,
        310_000, 500_000, 524_288, 600_000, 720_000, 1_000_000, 1_048_576, 1_300_000, 2_000_000,
        5_000_000, 10_000_000,
    ]
}

extension MessageKeys {
    fileprivate var suspects: [Suspect] {
        var (encryptionKey, hmacKey) = copyKeys()
        // Of a key file, without its newline. Growing would leave copies behind.
        var text: [UInt8] = []
        text.reserveCapacity(2 * (encryptionKey.count + hmacKey.count))
        for key in [encryptionKey, hmacKey] {
            for byte in key { text += byte.hexadecimal.utf8 }
        }
        defer {
            encryptionKey.cleanse()
            hmacKey.cleanse()
            text.cleanse()
        }
        let swapped = """
            The two keys are in the wrong order: put the last 64 digits of the key file first.
            """
        func same(_ which: String) -> String {
            """
            The writer used the \(which) key for both: make a key file that has its 64 digits \
            twice, and run 'rncryptor rekey' on the message.
            """
        }
        let pairs = [
            (Cause.keysSwapped, swapped, hmacKey, encryptionKey),
            (Cause.keysSame, same("encryption"), encryptionKey, encryptionKey),
            (Cause.keysSame, same("HMAC"), hmacKey, hmacKey),
        ]
        var suspects: [Suspect] = []
        for (cause, advice, first, second) in pairs {
            guard let keys = try? MessageKeys(encryptionKey: first, hmacKey: second) else {
                continue
            }
            suspects.append(Suspect(cause: cause, advice: advice, credential: .keys(keys)))
        }
        if let password = try? Credential.password(utf8: text) {
            let advice = """
                The writer used the text of the key file as a password: use it with \
                --password-file, and run 'rncryptor rekey' on the message.
                """
            suspects.append(Suspect(cause: .keysAsPassword, advice: advice, credential: password))
        }
        return suspects
    }
}
