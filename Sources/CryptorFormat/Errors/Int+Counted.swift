extension Int {
    /// The number before a noun: "1 byte", "2 bytes".
    package func counted(_ noun: String) -> String { self == 1 ? "1 \(noun)" : "\(self) \(noun)s" }
}
