// Functions of the C library under names that the types of this room do not hide.

func openFile(_ path: String, _ flags: CInt, _ mode: mode_t) -> CInt { open(path, flags, mode) }

func readFile(_ descriptor: CInt, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(descriptor, buffer, count)
}

func writeFile(_ descriptor: CInt, _ buffer: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, buffer, count)
}

func renameFile(_ source: String, _ destination: String) -> CInt { rename(source, destination) }

func linkFile(_ source: String, _ destination: String) -> CInt { link(source, destination) }
