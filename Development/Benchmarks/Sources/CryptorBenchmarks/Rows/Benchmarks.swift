/// All rows, in the order of the report.
enum Benchmarks {
    static func all(_ setting: Setting) -> [Benchmark] {
        LargeRows.benchmarks(setting) + WholeMessageRows.benchmarks(setting) + SizeRows.benchmarks(setting)
            + ChunkRows.benchmarks(setting) + KeyedRows.benchmarks(setting)
            + KindRows.benchmarks(setting) + PasswordRows.benchmarks(setting)
            + PoolRows.benchmarks(setting) + CommandRows.benchmarks(setting)
            + LineRows.benchmarks(setting) + FileRows.benchmarks(setting)
            + PartRows.benchmarks(setting) + DiskRows.benchmarks(setting) + MemoryRows.benchmarks(setting)
    }
}
