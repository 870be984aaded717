import CryptorAsync

/// What a service stores for each user: a message under the user's password.
let record = try Cryptor.encrypt(
    "name=Alice".utf8.map(\.self), with: .password("correct horse battery staple"))

/// At most 400 logins wait at a time. One that comes while as many wait is refused at once, and
/// costs nothing.
let logins = CryptorPool(maximumPendingCount: 400)
let deadline = Duration.milliseconds(200)

enum Answer: String, CaseIterable {
    case welcome = "200, welcome"
    case wrongPassword = "403, wrong password"
    case tooLate = "503, its time was over"
    case tooMany = "503, too many at a time"
    case failure = "500"
}

func logIn(password: String) async -> Answer {
    do {
        let name = try await withThrowingTaskGroup(of: [UInt8]?.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await logins.decrypt(record, with: .password(password)) }
            group.addTask {
                try await Task.sleep(for: deadline)
                return nil
            }
            return try await group.next() ?? nil
        }
        guard let name else { return .tooLate }
        return name == Array("name=Alice".utf8) ? .welcome : .failure
    } catch CryptorError.authenticationFailed {
        return .wrongPassword
    } catch CryptorError.overloaded {
        return .tooMany
    } catch {
        return .failure
    }
}

let clock = ContinuousClock()
let start = clock.now
let requestCount = 2000
var answers: [Answer: Int] = [:]
var slowest: [Answer: Duration] = [:]
await withTaskGroup(of: (Answer, Duration).self) { requests in
    for index in 0..<requestCount {
        requests.addTask {
            let start = clock.now
            let isGuess = index.isMultiple(of: 10)
            let answer = await logIn(password: isGuess ? "123456" : "correct horse battery staple")
            return (answer, clock.now - start)
        }
    }
    for await (answer, duration) in requests {
        answers[answer, default: 0] += 1
        slowest[answer] = max(slowest[answer] ?? .zero, duration)
    }
}
print("\(requestCount) logins at once, answered in \(clock.now - start):")
for answer in Answer.allCases {
    guard let count = answers[answer], let slowest = slowest[answer] else { continue }
    print("  \(count) times \(answer.rawValue), after at most \(slowest)")
}
precondition(
    answers.values.reduce(0, +) == requestCount && answers[.failure] == nil
        && answers[.welcome] ?? 0 > 0)
