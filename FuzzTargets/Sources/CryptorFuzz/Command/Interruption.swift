/// Replaces the command's type: nobody sends a signal to a fuzz target.
enum Interruption {
    static let signal: Int32? = nil
}
