// swift-tools-version: 6.2
import PackageDescription

// CryptorFormat, and another package that has a target COpenSSL. SwiftPM wants each target's name
// once, so CryptorFormat's COpenSSL gets another one here.
let package = Package(
    name: "TwoCOpenSSL",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(path: "CryptorFormat"),
        .package(path: "Other"),
    ],
    targets: [
        .executableTarget(
            name: "TwoCOpenSSL",
            dependencies: [
                .product(
                    name: "CryptorFormat", package: "CryptorFormat",
                    moduleAliases: ["COpenSSL": "CryptorCOpenSSL"]),
                .product(name: "Digests", package: "Other"),
            ])
    ]
)
