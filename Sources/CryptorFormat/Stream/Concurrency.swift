/// Whether large work is spread over two threads.
public enum Concurrency: Sendable {
    /// Cipher and HMAC of 512 KiB and more at a time run side by side while a core is free for the second thread. Over the
    /// whole process no more such threads are asked for than there are cores; smaller work never touches a thread.
    case automatic

    /// All work is done by the calling thread.
    case serial
}
