// swift-tools-version: 6.2
import PackageDescription

// A separate package, so that packages that depend on the library neither resolve nor build it.
let package = Package(
    name: "LoadTest",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "load-test", targets: ["LoadTest"])
    ],
    dependencies: [
        .package(name: "CryptorFormat", path: "../..")
    ],
    targets: [
        .target(name: "CHeap", cSettings: [.enableWarning("all"), .enableWarning("extra")]),
        .executableTarget(
            name: "LoadTest",
            dependencies: [
                "CHeap", .product(name: "CryptorAsync", package: "CryptorFormat"),
            ],
            swiftSettings: [
                .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("MemberImportVisibility"),
                .enableUpcomingFeature("ExistentialAny"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
