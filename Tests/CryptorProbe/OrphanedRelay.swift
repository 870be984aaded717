import CCryptorProbe
import CryptorPrimitives
import Dispatch

/// Forks while a thread is in the middle of a step. The child has the relay but not the thread. It may drop the relay;
/// where it would wait forever, it is ended with an error message.
enum OrphanedRelay {
    private struct Step: RelayStep, ~Copyable {
        let hasBegun = DispatchSemaphore(value: 0)
        let mayGoOn = DispatchSemaphore(value: 0)

        mutating func process(_ chunk: inout Int) {
            hasBegun.signal()
            mayGoOn.wait()
        }
    }

    static func run(_ use: String) throws {
        let step = Step()
        let (hasBegun, mayGoOn) = (step.hasBegun, step.mayGoOn)
        var relay: Relay<Step>? = Relay(step)
        _ = relay?.pass(1, besideCaller: true)
        hasBegun.wait()
        let child = try Fork.inChild {
            switch use {
            case "drop": break
            case "next": _ = relay?.next()
            default: relay?.withStep { _ in }
            }
            relay = nil
        }
        print(probe_wait(child))
        mayGoOn.signal()
        guard relay?.next() == 1 else { throw Probe.Failure(description: "the parent's own chunk is lost") }
    }
}
