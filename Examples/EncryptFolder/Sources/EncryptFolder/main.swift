// Encrypts a folder in place and decrypts it again, with two files for which that fails.
import CryptorAsync
import Foundation

func require(_ isTrue: Bool, _ problem: String) {
    guard !isTrue else { return }
    print("FAILED  \(problem)")
    exit(1)
}

let files = FileManager.default
let folder = files.temporaryDirectory.appendingPathComponent("EncryptFolder-\(UUID().uuidString)").path
try files.createDirectory(atPath: folder + "/letters", withIntermediateDirectories: true)
defer { try? files.removeItem(atPath: folder) }

func write(_ text: String, to name: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
}

func show(_ title: String, _ report: FolderCryptor.Report) {
    print("\(title): \(report.done.count) files")
    for (path, reason) in report.failures {
        let names = [path, reason].map { $0.replacingOccurrences(of: folder + "/", with: "") }
        print("  \(names[0]): \(names[1])")
    }
}

var texts: [String: String] = [:]
for number in 1...20 { texts["letters/\(number).txt"] = "Letter \(number)" }
texts["empty"] = ""
texts["taken"] = "There is a file already where its message would be."
for (name, text) in texts { try write(text, to: name) }
try write("Somebody else's.", to: "taken.rnc")

let cryptor = FolderCryptor(credential: try .password("correct horse battery staple"))
let encrypted = try await cryptor.encrypt(folder)
show("encrypted", encrypted)
require(encrypted.done.count == texts.count - 1, "not all files were encrypted")
require(encrypted.failures.map(\.path) == [folder + "/taken"], "the taken name was not reported")
require(try String(contentsOfFile: folder + "/taken", encoding: .utf8) == texts["taken"], "a file that failed is lost")
require(!files.fileExists(atPath: folder + "/letters/1.txt"), "a plaintext is left")

// One message is damaged meanwhile.
let damaged = "letters/7.txt"
var message = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(damaged).rnc"))
message[message.count - 40] ^= 1
try message.write(to: URL(fileURLWithPath: "\(folder)/\(damaged).rnc"))

let decrypted = try await cryptor.decrypt(folder)
show("decrypted", decrypted)
require(
    Set(decrypted.failures.map(\.path)) == ["\(folder)/\(damaged).rnc", folder + "/taken.rnc"],
    "what failed was not reported")
require(!files.fileExists(atPath: "\(folder)/\(damaged)"), "a damaged message got a plaintext")
for (name, text) in texts where name != damaged {
    require(try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8) == text, "\(name) is not what it was")
}
