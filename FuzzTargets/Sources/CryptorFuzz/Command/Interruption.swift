/// In place of the command's: nobody sends a fuzz target a signal.
enum Interruption {
    static let signal: Int32? = nil
}
