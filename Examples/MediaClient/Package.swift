// swift-tools-version: 6.2
import PackageDescription

// Images that are downloaded into an encrypted cache, and shared over a server that sees neither
// plaintext nor keys.
let package = Package(
    name: "MediaClient",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "CryptorFormat", path: "../..")],
    targets: [
        .executableTarget(
            name: "MediaClient",
            dependencies: [.product(name: "CryptorAsync", package: "CryptorFormat")])
    ]
)
