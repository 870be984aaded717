import CryptorFormat
import CryptorPrimitives
import CryptorSystem

/// An open file that is worked on. Its errors name it and the operation, and while it waits, the
/// handler is asked whether to go on.
struct WorkingFile: ~Copyable {
    var context: FileContext
    let descriptor: FileDescriptor

    init(_ descriptor: consuming FileDescriptor, _ context: FileContext) {
        self.descriptor = descriptor
        self.context = context
    }

    /// Fails unless the file was opened for `access`.
    func require(_ access: FileDescriptor.Access) throws(CryptorError) {
        try context.call(try descriptor.require(access))
    }

    func status() throws(CryptorError) -> FileStatus {
        try context.call(try descriptor.status())
    }

    /// The attributes that a file made from this one may take over.
    func attributes() throws(CryptorError) -> FileAttributes {
        try context.call(try descriptor.attributes())
    }

    func freeByteCount() throws(CryptorError) -> Int {
        try context.call(try descriptor.freeByteCount())
    }

    /// The same open file, with a descriptor of its own.
    func duplicate() throws(CryptorError) -> FileDescriptor {
        try context.call(try FileDescriptor.duplicate(descriptor.rawValue))
    }

    /// Appends at most `count` bytes once there are any. Returns 0 at the end of the file.
    func read(upTo count: Int, into output: inout OutputRawSpan) throws(CryptorError) -> Int {
        try context.call(
            try context.progress.whenReady(descriptor, toRead: true) { () throws(SystemError) in
                try descriptor.read(upTo: count, into: &output)
            })
    }

    /// Appends at most `count` bytes from `offset` on. The file's position stays where it is.
    func read(
        upTo count: Int, at offset: Int, into output: inout OutputRawSpan
    ) throws(CryptorError) -> Int {
        try context.call(try descriptor.read(upTo: count, at: offset, into: &output))
    }

    /// Writes all of `bytes`, in as many calls as it takes.
    func write(_ bytes: [UInt8]) throws(CryptorError) {
        var offset = 0
        while offset < bytes.count {
            offset += try context.call(
                try context.progress.whenReady(descriptor, toRead: false) {
                    () throws(SystemError) in
                    try descriptor.write(bytes.rawSpan(offset..<bytes.count))
                })
        }
    }

    func synchronize() throws(CryptorError) {
        try context.call(try descriptor.synchronize())
    }
}
