// swift-tools-version: 6.2
import PackageDescription

// A program that depends on the package as any program does, and uses what the package offers to
// it.
let package = Package(
    name: "Consumer",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "CryptorFormat", path: "../..")],
    targets: [
        .executableTarget(
            name: "Consumer",
            dependencies: [
                .product(name: "CryptorFormat", package: "CryptorFormat"),
                .product(name: "RNCryptorCompat", package: "CryptorFormat"),
            ])
    ]
)
