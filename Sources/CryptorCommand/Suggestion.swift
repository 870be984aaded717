/// Hints for words that users know from other programs, and for typing errors.
enum Suggestion {
    /// A hint for an option of other programs that is none here, or that would be parsed as another one: `-out FILE`
    /// would write to a file called "ut".
    static func forOption(_ word: Word, among options: [Option]) -> String? {
        let name = Word(word.bytes.prefix { $0 != UInt8(ascii: "=") })
        guard !options.contains(where: { $0.spellings.contains { Word($0.utf8) == name } }) else { return nil }
        return hint(for: name, in: habits)
    }

    /// A hint for an unknown long option, with the option that is spelt most like it.
    static func forSpelling(_ spelling: some Collection<UInt8>, among options: [Option]) -> String? {
        nearest(to: spelling, among: options.map(\.name)).map { "Did you mean --\($0)?" }
    }

    static func forSubcommand(_ word: Word) -> String? {
        hint(for: word, in: subcommands)
            ?? nearest(to: word.bytes, among: Subcommand.all.map(\.name)).map { "Did you mean 'rncryptor \($0)'?" }
    }

    private static func hint(for word: Word, in habits: [(words: String, hint: String)]) -> String? {
        habits.first { $0.words.split(separator: " ").contains { Word($0.utf8) == word } }?.hint
    }

    private static let habits = [
        (
            "--password --passphrase --pass -p -P -k -pass --pw",
            "Other users can see the words of a command. --password-file, --password-env or --password-fd say where the "
                + "password is; without them it is asked for."
        ),
        ("-a --armor --armour --ascii -base64", "'encrypt --base64' writes text; reading recognises it."),
        ("-out --out --outfile --output-file", "--output FILE, or -o FILE, says where to write."),
        ("-in --in --input --infile -i --file", "The files to read are named without an option."),
        ("--key --keys --keyfile -K --identity", "--key-file FILE takes keys; 'rncryptor keygen' makes them."),
        (
            "--recipient --recipients -R --recipients-file",
            "There are no recipients in this format: who reads has the same password or keys as who writes."
        ),
        ("-j --jobs --parallel", "'xargs -P 4 -n 20 rncryptor ...' works on several files at a time."),
        ("-e --encrypt --symmetric -c", "'rncryptor encrypt' encrypts."),
        ("-d --decrypt", "'rncryptor decrypt' decrypts."),
        ("-V --version", "'rncryptor --version' shows the version."),
        ("-v --verbose", "--progress shows how far the work is."),
        ("--delete --rm --remove --shred", "--remove-source removes an INPUT once its output is on the disk."),
        ("-S", "--suffix SUFFIX writes beside each INPUT."),
        ("--stdout", "Without --output, standard output is where it goes."),
        (
            "-aes-256-cbc --cipher --cipher-algo --algorithm -md --digest -pbkdf2 -iter --iter -salt -nosalt",
            "The format leaves no choice here: AES-256-CBC, HMAC-SHA256, and PBKDF2 with 10,000 iterations and random salts."
        ),
    ]

    private static let subcommands = [
        ("enc -e --encrypt -c --symmetric seal lock", "'rncryptor encrypt' encrypts."),
        ("dec -d --decrypt open unlock", "'rncryptor decrypt' decrypts."),
        ("check test -t --verify", "'rncryptor verify' says whether a message is authentic."),
        ("info show header list -l", "'rncryptor inspect' shows what is plain in a message."),
        ("passwd password reencrypt change", "'rncryptor rekey' gives a message another password."),
        ("genkey gen key keys", "'rncryptor keygen' makes keys."),
        ("-V -v version", "'rncryptor --version' shows the version."),
    ]

    /// The name that is fewest typing errors away, if these are fewer than a third of its letters.
    private static func nearest(to word: some Collection<UInt8>, among names: [String]) -> String? {
        // The word may be of any length, and a long one would take long.
        guard word.count < 40 else { return nil }
        let found = names.map { (name: $0, distance: distance(Array(word), Array($0.utf8))) }
            .min { $0.distance < $1.distance }
        return found.flatMap { $0.distance * 3 < max($0.name.utf8.count, 4) ? $0.name : nil }
    }

    /// How many letters are missing, added, wrong or exchanged with the next one (the distance of Damerau and
    /// Levenshtein, without a second error in an exchanged pair).
    private static func distance(_ one: [UInt8], _ other: [UInt8]) -> Int {
        var rows = [Array(0...other.count)]
        for (i, letter) in one.enumerated() {
            var row = [i + 1]
            for (j, expected) in other.enumerated() {
                var least = min(rows[i][j + 1] + 1, row[j] + 1, rows[i][j] + (letter == expected ? 0 : 1))
                if i > 0, j > 0, letter == other[j - 1], one[i - 1] == expected {
                    least = min(least, rows[i - 1][j - 1] + 1)
                }
                row.append(least)
            }
            rows.append(row)
        }
        return rows[one.count][other.count]
    }
}
