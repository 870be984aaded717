// swift-tools-version: 5.9
import PackageDescription

// Stands for a package of somebody else, whose system library is called COpenSSL.
let package = Package(
    name: "Other",
    products: [.library(name: "Digests", targets: ["Digests"])],
    targets: [
        .systemLibrary(
            name: "COpenSSL", pkgConfig: "openssl",
            providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
        .target(name: "Digests", dependencies: ["COpenSSL"]),
    ]
)
