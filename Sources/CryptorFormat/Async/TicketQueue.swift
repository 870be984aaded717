/// A first-in, first-out queue. An element that still waits can be removed by its ticket, at once, wherever it stands.
struct TicketQueue<Element> {
    private var elements: [UInt64: Element] = [:]
    private var first: UInt64 = 0
    private var end: UInt64 = 0

    var isEmpty: Bool { elements.isEmpty }
    var count: Int { elements.count }

    /// The element that comes next.
    var head: Element? {
        mutating get {
            // The place of a removed element is skipped here, once.
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

    /// - Returns: the element; nil if it no longer waits.
    mutating func remove(_ ticket: UInt64) -> Element? {
        elements.removeValue(forKey: ticket)
    }
}
