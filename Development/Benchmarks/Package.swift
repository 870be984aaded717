// swift-tools-version: 6.2
import PackageDescription

// A separate package, so that packages that depend on the library neither resolve nor build it.
let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "cryptor-benchmarks", targets: ["CryptorBenchmarks"])
    ],
    dependencies: [
        .package(name: "CryptorFormat", path: "../..")
    ],
    targets: [
        .systemLibrary(
            name: "CLibcrypto",
            pkgConfig: "libcrypto",
            providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]
        ),
        .target(
            name: "CBaseline", dependencies: ["CLibcrypto"],
            cSettings: [.enableWarning("all"), .enableWarning("extra")],
            linkerSettings: [.linkedLibrary("crypto")]),
        .target(name: "CSupport", cSettings: [.enableWarning("all"), .enableWarning("extra")]),
        .executableTarget(
            name: "CryptorBenchmarks",
            dependencies: [
                "CBaseline", "CSupport", .product(name: "CryptorAsync", package: "CryptorFormat"),
            ],
            swiftSettings: [
                .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("MemberImportVisibility"),
                .enableUpcomingFeature("ExistentialAny"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
