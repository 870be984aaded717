// swift-tools-version: 6.2
import PackageDescription

// Downloads that are kept on the disk as ciphertext only.
let package = Package(
    name: "DownloadCache",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "CryptorFormat", path: "../..")],
    targets: [
        .executableTarget(
            name: "DownloadCache",
            dependencies: [.product(name: "CryptorFormat", package: "CryptorFormat")])
    ]
)
