/// The value that the step of a pipeline uses, such as a cipher. The caller may use it when no
/// chunk is under way.
package final class PipelineValue<Value: ~Copyable & Sendable>: @unchecked Sendable {
    // Unchecked: the steps follow each other, and the pipeline's lock lies between them and the
    // caller.
    package var value: Value
    package init(_ value: consuming Value) { self.value = value }
}
