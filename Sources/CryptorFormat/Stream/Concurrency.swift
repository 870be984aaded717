/// Whether large work is spread over two threads.
public enum Concurrency: Sendable {
    /// Cipher and HMAC run side by side while a core is free for the second thread: for chunks and whole messages of
    /// 512 KiB and more, and for files after their first 512 KiB. Over the whole process no more such threads are asked for
    /// than there are cores; a file that found none asks again. Smaller work never touches a thread.
    case automatic

    /// All work is done by the calling thread.
    case serial
}
