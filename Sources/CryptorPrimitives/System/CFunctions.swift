// Functions of the C library, under names that members of this module's types do not hide.

func openFile(in folder: CInt, _ name: FilePath, flags: CInt, mode: mode_t = 0) -> CInt {
    openat(folder, name.characters, flags, mode)
}

func readFile(_ descriptor: CInt, into buffer: UnsafeMutableRawPointer?, count: Int) -> Int {
    read(descriptor, buffer, count)
}

func writeFile(_ descriptor: CInt, from buffer: UnsafeRawPointer?, count: Int) -> Int {
    write(descriptor, buffer, count)
}
