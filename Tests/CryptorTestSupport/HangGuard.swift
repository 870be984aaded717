import Testing

extension Trait where Self == TimeLimitTrait {
    /// Ends a test that hangs. The limit measures nothing: all tests begin at once, each spends most of its time
    /// waiting for others, and a machine may be emulated.
    package static var unlessItHangs: Self { .timeLimit(.minutes(40)) }
}
