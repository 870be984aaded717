import CryptorPrimitives

extension Cryptor {
    /// A password that nobody guesses: 150 random bits from OpenSSL's generator for secrets, as six groups of five
    /// letters and digits that can be told apart and typed, such as `h4x9m-…`.
    /// - Throws: `randomnessUnavailable`.
    public static func generatePassword() throws(CryptorError) -> String {
        // No i, l, o and u (Crockford's base 32).
        let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz")
        let random: SecretBytes
        do throws(OpenSSLError) { random = try RandomBytes.secret(count: 30) } catch {
            throw .randomnessUnavailable(error)
        }
        return random.withRawSpan { bytes in
            var password = ""
            for index in bytes.byteOffsets {
                if index > 0 && index.isMultiple(of: 5) { password.append("-") }
                // 256 is a multiple of 32: no letter is likelier than another.
                password.append(alphabet[Int(bytes.byte(at: index) % 32)])
            }
            return password
        }
    }
}
