// swift-tools-version: 6.2
import PackageDescription

// A separate package, so that packages that depend on the library neither resolve nor build it. It builds only with the
// flags of build.sh, because the library has to be instrumented, too.
let package = Package(
    name: "FuzzTargets",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "cryptor-fuzz", targets: ["CryptorFuzz"])
    ],
    dependencies: [
        .package(name: "CryptorFormat", path: "../..")
    ],
    targets: [
        .target(name: "CFuzzDriver", cSettings: [.enableWarning("all"), .enableWarning("extra")]),
        .executableTarget(
            name: "CryptorFuzz",
            dependencies: [
                "CFuzzDriver", .product(name: "CryptorFiles", package: "CryptorFormat"),
            ],
            swiftSettings: [
                .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("MemberImportVisibility"),
                .enableUpcomingFeature("ExistentialAny"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
