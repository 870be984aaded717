// swift-tools-version: 6.2
import PackageDescription

// Thousands of encrypted records in SQLite get new keys. The job may be killed, and run again.
let package = Package(
    name: "RotationJob",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "CryptorFormat", path: "../..")],
    targets: [
        .systemLibrary(
            name: "CSQLite", pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
        .executableTarget(
            name: "RotationJob",
            dependencies: ["CSQLite", .product(name: "CryptorFiles", package: "CryptorFormat")]),
    ]
)
