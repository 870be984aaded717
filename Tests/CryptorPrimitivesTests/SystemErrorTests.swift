import Foundation
import Testing

@testable import CryptorPrimitives
@testable import CryptorSystem

@Suite struct SystemErrorTests {
    @Test(arguments: [ENOENT, EACCES, ENOSPC, EEXIST, EISDIR])
    func speaksTheWordsOfTheSystem(number: CInt) {
        #expect(SystemError(number: number).description == String(cString: strerror(number)))
    }

    @Test func anUnknownNumberIsNamed() {
        #expect(SystemError(number: 12_345).description == "error 12345")
    }

    @Test func interruptedIsEINTR() {
        #expect(SystemError.interrupted.number == EINTR)
        #expect(SystemError.interrupted != SystemError(number: EAGAIN))
    }
}
