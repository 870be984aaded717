// swift-tools-version: 6.2
import PackageDescription

// A checkout of swift-crypto, for the rows that compare with it.
let swiftCrypto = Context.environment["CRYPTORFORMAT_SWIFT_CRYPTO"]

// A separate package, so that packages that depend on the library neither resolve nor build it.
let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    products: [.executable(name: "cryptor-benchmarks", targets: ["CryptorBenchmarks"])],
    dependencies: [
        .package(name: "CryptorFormat", path: "../..")
    ] + (swiftCrypto.map { [.package(name: "swift-crypto", path: $0)] } ?? []),
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
        .executableTarget(
            name: "CryptorBenchmarks",
            dependencies: [
                "CBaseline", "CLibcrypto", .product(name: "CryptorAsync", package: "CryptorFormat"),
            ]
                + (swiftCrypto == nil
                    ? [] : [.product(name: "CryptoExtras", package: "swift-crypto")])),
    ],
    swiftLanguageModes: [.v6]
)
