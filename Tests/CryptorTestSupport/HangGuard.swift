import Testing

extension Trait where Self == TimeLimitTrait {
    /// Ends what hangs, and measures nothing: all tests begin at once, most of their time is that of others, and a machine may
    /// be emulated.
    package static var unlessItHangs: Self { .timeLimit(.minutes(40)) }
}
