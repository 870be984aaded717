// swift-tools-version: 6.2
import PackageDescription

// A separate package, so that packages that depend on the library neither resolve nor build it.
let package = Package(
    name: "LoadTest",
    platforms: [.macOS(.v15)],
    products: [.executable(name: "load-test", targets: ["LoadTest"])],
    dependencies: [.package(name: "CryptorFormat", path: "../..")],
    targets: [
        .systemLibrary(name: "CMalloc"),
        .executableTarget(
            name: "LoadTest",
            dependencies: ["CMalloc", .product(name: "CryptorAsync", package: "CryptorFormat")]),
    ],
    swiftLanguageModes: [.v6]
)
