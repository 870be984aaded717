import CryptorFiles

/// The old and the new passwords and keys of `rekey`.
struct RekeySecrets {
    let old: SecretSource
    let new: SecretSource

    init(_ arguments: Arguments) throws(CommandError) {
        old = try SecretSource(arguments, isNew: false)
        new = try SecretSource(arguments, "new-", isNew: true, beside: old.files)
    }

    /// The files and descriptors that the secrets are read from.
    var files: [FileEndpoint] { old.files + new.files }

    /// What opens the messages, and what they are written under.
    /// - Parameters:
    ///   - leavesNew: whether a message that the new credential opens already is left alone, so
    ///     that this is tried first.
    ///   - hint: what to do if nothing could tell which messages these are.
    ///   - checkOld: throws if the old ones open nothing, before anybody types new ones.
    func credentials(
        leavingNew leavesNew: Bool, hint: String?,
        checkingOld checkOld: (Credential) throws -> Void = { _ in }
    ) throws -> (reader: Credential, writer: Credential) {
        let (oldCredentials, newCredentials) = try credentials(checkOld)
        let writer = newCredentials[0]
        let keyring = try SecretSource.keyring(oldCredentials)
        guard leavesNew else { return (keyring, writer) }
        try requireDifference(oldCredentials, newCredentials, hint: hint)
        do {
            return (try SecretSource.keyring(newCredentials + oldCredentials), writer)
        } catch {
            throw CommandError.usage(
                """
                all new and old passwords and keys are tried on each message: \
                \(CommandError(error).message)
                """,
                hint: hint)
        }
    }

    private func credentials(
        _ checkOld: (Credential) throws -> Void
    ) throws -> (old: [Credential], new: [Credential]) {
        if new.isTyped {
            let oldCredentials = try old.credentials()
            try checkOld(try SecretSource.keyring(oldCredentials))
            return (oldCredentials, try new.credentials())
        }
        // Nobody types the old secret in vain because the new one cannot be read.
        let newCredentials = try new.credentials()
        return (try old.credentials(), newCredentials)
    }

    /// Refuses a new and an old pair of keys of which nothing tells which one a message is under: a
    /// run that is repeated could not know what it has done already.
    private func requireDifference(
        _ oldCredentials: [Credential], _ newCredentials: [Credential], hint: String?
    ) throws(CommandError) {
        for (newName, newOne) in zip(new.names, newCredentials) {
            for (oldName, oldOne) in zip(old.names, oldCredentials) {
                let keyring = try? Credential.keyring(primary: newOne, previous: [oldOne])
                guard keyring == nil else { continue }
                throw .usage(
                    """
                    \(newName) and \(oldName) have the same HMAC key but different encryption \
                    keys, so it is unclear which of them opens a message
                    """,
                    hint: hint.map { "\($0) Better still, use random keys." })
            }
        }
    }
}
