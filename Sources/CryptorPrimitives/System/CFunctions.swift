// Functions of the C library: under names that the types of this room do not hide, and those that its module leaves out.

import CCryptorSystem

func openFile(_ path: FilePath, flags: CInt) -> CInt { open(path.characters, flags, 0) }

func openFile(in folder: CInt, _ name: FilePath, flags: CInt) -> CInt { openat(folder, name.characters, flags, 0) }

func createFile(in folder: CInt, _ name: FilePath, flags: CInt, mode: mode_t) -> CInt {
    openat(folder, name.characters, flags, mode)
}

/// Whether a folder is one of /proc (`statfs(2)`).
func isFolderOfProcesses(_ folder: CInt) -> Bool { ccryptor_is_of_processes(folder) }

/// Of `renameat2(2)`
enum RenameFlag { case noReplace, exchange }

/// `renameat2(2)`
func renameFile(in folder: CInt, _ name: FilePath, to other: FilePath, flag: RenameFlag) -> CInt {
    let flag = flag == .noReplace ? CCRYPTOR_NOREPLACE : CCRYPTOR_EXCHANGE
    return ccryptor_rename(folder, name.characters, other.characters, CUnsignedInt(flag))
}

func readFile(_ descriptor: CInt, into buffer: UnsafeMutableRawPointer?, count: Int) -> Int {
    read(descriptor, buffer, count)
}

func writeFile(_ descriptor: CInt, from buffer: UnsafeRawPointer?, count: Int) -> Int {
    write(descriptor, buffer, count)
}

/// `syncfs(2)`; elsewhere the file alone.
func synchronizeFileSystem(of file: CInt) -> CInt { ccryptor_syncfs(file) }

/// `getxattr(2)`
func getExtendedAttribute(_ path: String, name: [CChar], into value: inout [UInt8]) -> Int {
    ccryptor_getxattr(path, name, &value, value.count)
}

/// `listxattr(2)`
func listExtendedAttributes(_ path: String, _ names: inout [CChar]) -> Int {
    ccryptor_listxattr(path, &names, names.count)
}

/// `fsetxattr(2)`
func setExtendedAttribute(_ file: CInt, name: [CChar], value: [UInt8]) -> CInt {
    ccryptor_fsetxattr(file, name, value, value.count)
}

/// `fremovexattr(2)`
func removeExtendedAttribute(_ file: CInt, _ name: [CChar]) -> CInt { ccryptor_fremovexattr(file, name) }
