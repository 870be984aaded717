import Foundation
import Testing

@testable import CryptorSystem

/// A file that replaces another gives everybody the rights that the other gave, or fewer.
@Suite struct FileAttributesTests {
    /// Anybody but the new owner, who has written the file and so knows it.
    private struct Person: CustomStringConvertible {
        let wasOwner, isInOldGroup, isInNewGroup: Bool

        static let all = (0..<8).map {
            Person(wasOwner: $0 & 1 != 0, isInOldGroup: $0 & 2 != 0, isInNewGroup: $0 & 4 != 0)
        }

        var description: String {
            let groups =
                (isInOldGroup ? ", of the old group" : "")
                + (isInNewGroup ? ", of the new group" : "")
            return (wasOwner ? "the old owner" : "somebody") + groups
        }

        func rightsBefore(_ mode: mode_t) -> mode_t {
            wasOwner ? mode >> 6 & 7 : isInOldGroup ? mode >> 3 & 7 : mode & 7
        }

        func rightsAfter(_ mode: mode_t, _ keeps: (owner: Bool, group: Bool)) -> mode_t {
            if wasOwner && keeps.owner { return mode >> 6 & 7 }
            return (keeps.group ? isInOldGroup : isInNewGroup) ? mode >> 3 & 7 : mode & 7
        }

        /// A person who has more rights afterwards than before.
        static func winner(_ before: mode_t, _ after: mode_t, _ keeps: (owner: Bool, group: Bool))
            -> Person?
        {
            all.first { $0.rightsAfter(after, keeps) & ~$0.rightsBefore(before) != 0 }
        }
    }

    @Test(arguments: [(true, true), (true, false), (false, true), (false, false)])
    func nobodyHasMoreThanBefore(keepsOwner: Bool, keepsGroup: Bool) {
        for mode: mode_t in 0...0o777 {
            let narrowed = FileAttributes.narrowed(
                mode, keepsOwner: keepsOwner, keepsGroup: keepsGroup)
            let winner = Person.winner(mode, narrowed, (keepsOwner, keepsGroup))
            let what = "\(String(mode, radix: 8)) becomes \(String(narrowed, radix: 8))"
            #expect(winner == nil, "\(what)")
            #expect(narrowed & ~mode == 0, "\(what)")
            // The owner's rights are for the new owner.
            #expect(narrowed & 0o700 == mode & 0o700, "\(what)")
            guard keepsOwner else {
                #expect(narrowed & 0o77 == 0, "\(what)")
                continue
            }
            // Every right that is taken away would have given somebody more than before.
            for bit in (0..<9).map({ mode_t(1) << $0 }) where mode & ~narrowed & bit != 0 {
                let winner = Person.winner(mode, narrowed | bit, (keepsOwner, keepsGroup))
                #expect(winner != nil, "\(what), and \(String(bit, radix: 8)) could stay")
            }
        }
    }
}
