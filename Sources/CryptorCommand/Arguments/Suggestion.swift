/// What somebody may have meant who mistyped a word.
enum Suggestion {
    /// The one of `words` that `typed` begins, or else the one with the fewest letters to insert,
    /// to remove or to exchange, if these are at most two and fewer than half of them.
    static func closest(to typed: String, among words: [String]) -> String? {
        let begun = words.filter { $0.hasPrefix(typed) }
        if typed.count >= 3, begun.count == 1 { return begun[0] }
        let limit = min(2, (typed.count - 1) / 2)
        let near = words.map { (word: $0, distance: distance(typed, $0)) }
        let nearest = near.min { $0.distance < $1.distance }
        guard let nearest, nearest.distance <= limit else { return nil }
        return nearest.word
    }

    /// How many letters have to be inserted, removed or exchanged to make one word of the other
    /// (Levenshtein's distance).
    private static func distance(_ word: String, _ other: String) -> Int {
        let letters = Array(other)
        // For each beginning of the other word: its distance from the beginning of the first.
        var row = Array(0...letters.count)
        for (index, letter) in word.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for column in letters.indices {
                let exchanged = diagonal + (letters[column] == letter ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(exchanged, diagonal + 1, row[column] + 1)
            }
        }
        return row[letters.count]
    }
}
