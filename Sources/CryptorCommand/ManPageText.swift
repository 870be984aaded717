/// The prose of the man page that is not in a help text.
enum ManPageText {
    static let name = "encrypt and decrypt files in the RNCryptor format"

    static let description = """
        Writes version 3 of the format: AES-256-CBC, then HMAC-SHA256 over header and ciphertext,
        under two random keys or under a password, from which PBKDF2-HMAC-SHA1 with 10,000
        iterations derives them. That is little: use long generated passwords, or keys.

        Files appear only when they are whole and, decrypted, verified. Passwords are never taken
        from an argument, which every user of the machine could read.

        In place of a subcommand, there may be one of these options.
        """

    static let environment = [
        (
            "TMPDIR",
            """
            Where a message that comes through a pipe, or is base64 text, is kept, as ciphertext \
            and without a name, while it is verified; /tmp if it is not set.
            """
        )
    ]

    static let seeAlso = [
        (name: "age", section: "1"),
        (name: "gpg", section: "1"),
        (name: "openssl-enc", section: "1ssl"),
    ]
}
