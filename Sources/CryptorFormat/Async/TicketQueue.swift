/// First in, first out; what still waits can be taken back by its ticket, at once and wherever it stands.
struct TicketQueue<Element> {
    private var elements: [UInt64: Element] = [:]
    private var first: UInt64 = 0
    private var end: UInt64 = 0

    var isEmpty: Bool { elements.isEmpty }
    var count: Int { elements.count }

    /// The one that comes next.
    var head: Element? {
        mutating get {
            // A place that was left is passed once.
            while first < end {
                if let element = elements[first] { return element }
                first += 1
            }
            return nil
        }
    }

    mutating func append(_ element: Element) -> UInt64 {
        defer { end += 1 }
        elements[end] = element
        return end
    }

    mutating func popFirst() -> Element? {
        guard head != nil else { return nil }
        defer { first += 1 }
        return elements.removeValue(forKey: first)
    }

    /// - Returns: nil if it does not wait any more.
    mutating func remove(_ ticket: UInt64) -> Element? {
        elements.removeValue(forKey: ticket)
    }
}
