// swift-tools-version: 6.2
import PackageDescription

// A separate package, so that packages that depend on the library neither resolve nor build it. It
// builds only with the flags of Development/fuzz, because the library has to be instrumented, too.
let package = Package(
    name: "FuzzTargets",
    platforms: [.macOS(.v15)],
    products: [.executable(name: "cryptor-fuzz", targets: ["CryptorFuzz"])],
    dependencies: [.package(name: "CryptorFormat", path: "../..")],
    targets: [
        .systemLibrary(name: "CLibFuzzer"),
        .executableTarget(
            name: "CryptorFuzz",
            dependencies: ["CLibFuzzer", .product(name: "CryptorFiles", package: "CryptorFormat")]),
    ],
    swiftLanguageModes: [.v6]
)
