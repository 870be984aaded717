import CryptorFormat
import CryptorSystem

/// The current operation on a file, for its errors, and the handler that may cancel it.
struct FileContext {
    var operation: CryptorError.FileOperation
    /// The name of the file in errors.
    let name: FileName
    var progress: ProgressReporter

    init(
        _ operation: CryptorError.FileOperation, _ name: FileName,
        progress: ProgressReporter = ProgressReporter()
    ) {
        self.operation = operation
        self.name = name
        self.progress = progress
    }

    /// The same file, in another step of the work.
    func during(_ operation: CryptorError.FileOperation) -> FileContext {
        FileContext(operation, name, progress: progress)
    }

    /// Makes a system call, and repeats it if it was interrupted, unless the handler cancels.
    func call<Result: ~Copyable>(
        _ call: @autoclosure () throws(SystemError) -> Result
    ) throws(CryptorError) -> Result {
        while true {
            do throws(SystemError) { return try call() } catch {
                guard error == .interrupted else { throw failure(of: error) }
            }
            try progress.report()
        }
    }

    // MARK: Errors

    /// The failure of a system call.
    func failure(of error: SystemError) -> CryptorError {
        if error == .leadsElsewhere {
            return failure(
                """
                It is a symbolic link, or its path leads through one or out of the named \
                directory. Such paths are not followed: name the file itself.
                """,
                code: .invalidPath, because: error)
        }
        if error == .isDirectory { return failure("It is a directory.", because: error) }
        return failure("It cannot be \(operation.rawValue): \(error).", because: error)
    }

    /// A failure that says what is wrong with the file and what to do about it.
    /// - Parameter isPublished: whether the output has got its name.
    func failure(
        _ sentence: String, code: CryptorError.Code = .inputOutput, advice: String? = nil,
        because error: SystemError? = nil, isPublished: Bool = false
    ) -> CryptorError {
        var failure = CryptorError(code, sentence, advice: advice).naming(name)
        failure.fileOperation = operation
        failure.systemErrorNumber = error?.number
        failure.isPublished = isPublished
        return failure
    }

    /// For a file that is replaced in place.
    var replacedMeanwhile: CryptorError {
        failure(
            """
            Another program changed, moved or replaced it during the operation, so it was not \
            touched. Try again.
            """)
    }

    /// For an output that is its own source.
    var sameFile: CryptorError {
        failure(
            """
            It is both the source and the destination, and was not touched. Choose another \
            destination.
            """,
            code: .sameFile)
    }

    /// For an output that may not replace an existing file.
    var destinationExists: CryptorError {
        during(.creatingOutput).failure(
            "It already exists and was not changed.", code: .destinationExists,
            advice: "Choose another name, or allow overwriting if the call has such an option.")
    }
}

extension FileEndpoint {
    /// The error for an output that may not replace this file.
    package var existsAlready: CryptorError {
        FileContext(.creatingOutput, name).destinationExists
    }
}
