// swift-tools-version: 6.2
import PackageDescription

// Encrypts the files of a folder in place.
let package = Package(
    name: "EncryptFolder",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "CryptorFormat", path: "../..")],
    targets: [
        .executableTarget(
            name: "EncryptFolder",
            dependencies: [.product(name: "CryptorAsync", package: "CryptorFormat")])
    ]
)
