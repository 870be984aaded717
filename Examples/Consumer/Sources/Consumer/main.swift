import Foundation

/// Ends the program if a check fails.
func check(_ name: String, _ isRight: () throws -> Bool) {
    let result = Result { try isRight() }
    guard (try? result.get()) == true else {
        print("FAILED  \(name): \(result)")
        exit(1)
    }
    print("ok      \(name)")
}

checkMigratedCode()
checkNewCode()
