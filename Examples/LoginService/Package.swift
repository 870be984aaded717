// swift-tools-version: 6.2
import PackageDescription

// More logins at once than a machine can derive keys for: some are answered, the others refused at
// once or in time.
let package = Package(
    name: "LoginService",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "CryptorFormat", path: "../..")],
    targets: [
        .executableTarget(
            name: "LoginService",
            dependencies: [.product(name: "CryptorAsync", package: "CryptorFormat")])
    ]
)
