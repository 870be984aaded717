"""The vectors of RNCryptor-Spec as data, by version and file. Titles are the publisher's."""

# Versions 1 to 3 all list these.
DERIVATIONS = [
    dict(
        title="One byte",
        comment="The shortest password there is.",
        password="a",
        salt="0102030405060708",
        key="fc632b0ca6b23eff9a9dc3e0e585167f5a328916ed19f83558be3ba9828797cd",
    ),
    dict(
        title="Short password",
        comment="An ASCII password shorter than an HMAC block.",
        password="thepassword",
        salt="0203040506070801",
        key="0ea84f5252310dc3e3a7607c33bfd1eb580805fb68293005da21037ccf499626",
    ),
    dict(
        title="Passphrase",
        comment="A password with spaces.",
        password="this is a bit longer password",
        salt="0304050607080102",
        key="71343acb1e9675b016ac65dcfe5ddac2e57ed9c35565fdbb2dd6d2cefe263d5b",
    ),
    dict(
        title="Long passphrase",
        comment="A password longer than an HMAC block, which HMAC replaces by its hash.",
        password=(
            "$$$it was the epoch of belief, it was the epoch of incredulity; it was the "
            "season of Light, it was the season of Darkness; it was the spring of hope, it "
            "was the winter of despair; we had everything before us, we had nothing before "
            "us; we were all going directly to Heaven, we were all going the other way."
        ),
        salt="0405060708010203",
        key="11b52c50cbf45be6a636a3142b8c30b85a6244814a7d43e37457f38de46c6735",
    ),
]

MULTI_BLOCK = dict(
    title="Multi-block",
    password="password",
    plaintext=(
        "546869732069732061206c6f6e676572207465737420766563746f7220696e74656e64656420746f2062"
        "65206c6f6e676572207468616e206f6e6520626c6f636b2e"
    ),
)

PUBLISHED = {
    (3, "kdf"): DERIVATIONS + [
        dict(
            title="Multibyte",
            comment="Three bytes in UTF-8 for each character: the bytes count.",
            password="中文密码",
            salt="0506070801020304",
            key="d2fc3237d4a69668ca83d969c2cda1ac6c3684792b6644b1a90b2052007215dd",
        ),
        dict(
            title="Mixed language",
            comment="One-byte and three-byte characters in one password.",
            password="中文密码 with a little English, too.",
            salt="0607080102030405",
            key="46bda5f465982a4740c728bc14c5de5cc7fc4eeaf0aa41bb9b9e8495452dafff",
        ),
    ],
    (3, "password"): [
        dict(
            title="All fields empty or zero (with one-byte password)",
            comment="An empty plaintext still takes one block, all of it padding.",
            password="a",
            encryption_salt="0000000000000000",
            hmac_salt="0000000000000000",
            iv="00000000000000000000000000000000",
            plaintext="",
            message=(
                "03010000000000000000000000000000000000000000000000000000000000000000b3039be31cd7"
                "ece5e754f5c8da17003666313ae8a89ddcf8e3cb41fdc130b2329dbe07d6f4d32c34e050c8bd7e93"
                "3b12"
            ),
        ),
        dict(
            title="One byte",
            comment="One byte of plaintext, fifteen of padding.",
            password="thepassword",
            encryption_salt="0001020304050607",
            hmac_salt="0102030405060708",
            iv="02030405060708090a0b0c0d0e0f0001",
            plaintext="01",
            message=(
                "03010001020304050607010203040506070802030405060708090a0b0c0d0e0f0001a1f8730e0bf4"
                "80eb7b70f690abf21e029514164ad3c474a51b30c7eaa1ca545b7de3de5b010acbad0a9a13857df6"
                "96a8"
            ),
        ),
        dict(
            title="Exactly one block",
            comment="The title notwithstanding, the plaintext is half a block: 8 bytes.",
            password="thepassword",
            encryption_salt="0102030405060700",
            hmac_salt="0203040506070801",
            iv="030405060708090a0b0c0d0e0f000102",
            plaintext="0123456789abcdef",
            message=(
                "030101020304050607000203040506070801030405060708090a0b0c0d0e0f0001020e437fe80930"
                "9c03fd53a475131e9a1978b8eaef576f60adb8ce2320849ba32d742900438ba897d22210c76c35c8"
                "49df"
            ),
        ),
        dict(
            title="More than one block",
            comment="The title notwithstanding, the plaintext is less than a block: 12 bytes.",
            password="thepassword",
            encryption_salt="0203040506070001",
            hmac_salt="0304050607080102",
            iv="0405060708090a0b0c0d0e0f00010203",
            plaintext="0123456789abcdef01234567",
            message=(
                "0301020304050607000103040506070801020405060708090a0b0c0d0e0f00010203e01bbda5df2c"
                "a8adace38f6c588d291e03f951b78d3417bc2816581dc6b767f1a2e57597512b18e1638f21235fa5"
                "928c"
            ),
        ),
        dict(
            title="Multibyte password",
            comment="The password is taken as the bytes of its UTF-8 text.",
            password="中文密码",
            encryption_salt="0304050607000102",
            hmac_salt="0405060708010203",
            iv="05060708090a0b0c0d0e0f0001020304",
            plaintext="23456789abcdef0123456701",
            message=(
                "03010304050607000102040506070801020305060708090a0b0c0d0e0f00010203048a9e08bdec1c"
                "4bfe13e81fb85f009ab3ddb91387e809c4ad86d9e8a6014557716657bd317d4bb6a7644615b3de40"
                "2341"
            ),
        ),
        dict(
            title="Longer text and password",
            comment="A plaintext of many blocks, and a password longer than an HMAC block.",
            password=(
                "It was the best of times, it was the worst of times; it was the age of wisdom, "
                "it was the age of foolishness;"
            ),
            encryption_salt="0405060700010203",
            hmac_salt="0506070801020304",
            iv="060708090a0b0c0d0e0f000102030405",
            plaintext=(
                "697420776173207468652065706f6368206f662062656c6965662c20697420776173207468652065"
                "706f6368206f6620696e63726564756c6974793b206974207761732074686520736561736f6e206f"
                "66204c696768742c206974207761732074686520736561736f6e206f66204461726b6e6573733b20"
                "6974207761732074686520737072696e67206f6620686f70652c2069742077617320746865207769"
                "6e746572206f6620646573706169723b207765206861642065766572797468696e67206265666f72"
                "652075732c20776520686164206e6f7468696e67206265666f72652075733b207765207765726520"
                "616c6c20676f696e67206469726563746c7920746f2048656176656e2c207765207765726520616c"
                "6c20676f696e6720746865206f74686572207761792e0a0a"
            ),
            message=(
                "030104050607000102030506070801020304060708090a0b0c0d0e0f000102030405d564c7a99da9"
                "21a6e7c4078a82641d95479551283167a2c81f31ab80c9d7d8beb770111decd3e3d29bbdf7ebbfc5"
                "f10ac87e7e55bfb5a7f487bcd39835705e83b9c049c6d6952be011f8ddb1a14fc0c925738de017e6"
                "2b1d621ccdb75f2937d0a1a70e44d843b9c61037dee2998b2bbd740b910232eea71961168838f699"
                "5b9964173b34c0bcd311a2c87e271630928bae301a8f4703ac2ae4699f3c285abf1c55ac324b073a"
                "958ae52ee8c3bd68f919c09eb1cd28142a1996a9e6cbff5f4f4e1dba07d29ff66860db9895a48233"
                "140ca249419d63046448db1b0f4252a6e4edb947fd0071d1e52bc15600622fa548a6773963618150"
                "797a8a80e592446df5926d0bfd32b544b796f3359567394f77e7b171b2f9bc5f2caf7a0fac0da7d0"
                "4d6a86744d6e06d02fbe15d0f580a1d5bd16ad91348003611358dcb4ac9990955f6cbbbfb185941d"
                "4b4b71ce7f9ba6efc1270b7808838b6c7b7ef17e8db919b34fac"
            ),
        ),
    ],
    (3, "key"): [
        dict(
            title="All fields empty or zero",
            comment="An empty plaintext still takes one block, all of it padding.",
            encryption_key="0000000000000000000000000000000000000000000000000000000000000000",
            hmac_key="0000000000000000000000000000000000000000000000000000000000000000",
            iv="00000000000000000000000000000000",
            plaintext="",
            message=(
                "0300000000000000000000000000000000001f788fe6d86c317549697fbf0c07fa436384ac0ef35b"
                "860b2ddb2aba2fff816b1fb3a9c180f7b43650aec0d2b5f88e33"
            ),
        ),
        dict(
            title="One byte",
            comment="One byte of plaintext, fifteen of padding.",
            encryption_key="000102030405060708090a0b0c0d0e0f000102030405060708090a0b0c0d0e0f",
            hmac_key="0102030405060708090a0b0c0d0e0f000102030405060708090a0b0c0d0e0f00",
            iv="02030405060708090a0b0c0d0e0f0001",
            plaintext="01",
            message=(
                "030002030405060708090a0b0c0d0e0f0001981b22e7a6448118d695bd654f72e9d6ed75ec14ae2a"
                "a067eed2a98a56e0993dfe22ab5887b3f6e3cdd40767f5195eb5"
            ),
        ),
        dict(
            title="Exactly one block",
            comment="A plaintext of one whole block is followed by a block of padding.",
            encryption_key="0102030405060708090a0b0c0d0e0f000102030405060708090a0b0c0d0e0f00",
            hmac_key="02030405060708090a0b0c0d0e0f000102030405060708090a0b0c0d0e0f0001",
            iv="030405060708090a0b0c0d0e0f000102",
            plaintext="000102030405060708090a0b0c0d0e0f",
            message=(
                "0300030405060708090a0b0c0d0e0f000102d2b177d618781829f56453f739a2d4f729f92b1a9c6c"
                "5083786474e16a22c60f92b073454f7976cdda043e09b11766de05ffe05bc1dca9522ea66e64ad25"
                "bbbc"
            ),
        ),
        dict(
            title="More than one block",
            comment="The last block is half plaintext, half padding.",
            encryption_key="02030405060708090a0b0c0d0e0f000102030405060708090a0b0c0d0e0f0001",
            hmac_key="030405060708090a0b0c0d0e0f000102030405060708090a0b0c0d0e0f000102",
            iv="0405060708090a0b0c0d0e0f00010203",
            plaintext="000102030405060708090a0b0c0d0e0f000102030405060708",
            message=(
                "03000405060708090a0b0c0d0e0f000102034c9b98b425f1d732644cb311278d858e3d182a0789b8"
                "6af7f74134b6a27e9d938617741c0fb8aaf094b3b5b26f505da7bf1913f6c17e70273977ae51323b"
                "6f09"
            ),
        ),
    ],
    (2, "kdf"): DERIVATIONS,
    (2, "password"): [
        dict(
            MULTI_BLOCK,
            comment="66 bytes of plaintext: four blocks, and two bytes in a fifth.",
            encryption_salt="97076dc661b6e0ce",
            hmac_salt="9da3bb43d95bcd45",
            iv="ee396d39e342ffdb679b270dcd9c557c",
            message=(
                "020197076dc661b6e0ce9da3bb43d95bcd45ee396d39e342ffdb679b270dcd9c557c37055fffcc1b"
                "663b1e6b8c5694dbb96d97a3ac0fa3f355db6668c5a8a2a06f10056ce92384a618a35bf0fa9eb612"
                "b0b4fa72f749f76e2f728c16574dc2f15b7cec1786d291c2135f932ddc5a34d9eafd6b45f99491ac"
                "23c34299af0be68a43e6e8113bb748fbc19bcad638ea79b07309"
            ),
        ),
    ],
    (1, "kdf"): DERIVATIONS,
    (1, "password"): [
        # Salts and IV are left out: those listed are version 2's, not those of this message.
        dict(
            MULTI_BLOCK,
            comment="To be read only: the salts and IV that were published do not belong to it.",
            message=(
                "0101d5e9b0eeefa3336d7578c1f9babe4b5de9ecf9598c104ae1e080ec71e0cabad22204d8d0dc5b"
                "f77203fa7e46465d09136cd4a194aadf2b5593d5f9122aa13b27dc7afaca7ca1548e046a92298ee8"
                "84c014b5b4a55503be28852ba1a2750208fd5f0e410e7c1eb969c3990c621b3b73a65715de4d9ff5"
                "6e159ee7625e852517b135dbccef0b9460350a04cd6e3d10e925"
            ),
        ),
    ],
}
