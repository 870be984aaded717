extension Collection<UInt8> {
    /// Whether it ends in `ending` and is longer than that.
    func hasEnding(_ ending: [UInt8]) -> Bool {
        count > ending.count && suffix(ending.count).elementsEqual(ending)
    }
}
