// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("ExistentialAny"),
    // Swift 6.2 knows `@_lifetime` only with this.
    .enableExperimentalFeature("Lifetimes"),
]

/// The compiler checks the library and the command for unsafe constructs, except CryptorPrimitives, which owns the C
/// pointers. CI turns the warnings into errors.
let safe: [SwiftSetting] = strict + [.strictMemorySafety()]

let package = Package(
    name: "CryptorFormat",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "CryptorFormat", targets: ["CryptorFormat"]),
        .library(name: "RNCryptorCompat", targets: ["RNCryptorCompat"]),
        .executable(name: "rncryptor", targets: ["CryptorCommand"]),
    ],
    targets: [
        .systemLibrary(
            name: "COpenSSL",
            pkgConfig: "libcrypto",
            providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]
        ),
        .target(name: "CPBKDF2Lanes", cSettings: [.enableWarning("all"), .enableWarning("extra")]),
        .target(name: "CCryptorSystem", cSettings: [.enableWarning("all"), .enableWarning("extra")]),
        .target(
            name: "CryptorPrimitives", dependencies: ["COpenSSL", "CPBKDF2Lanes", "CCryptorSystem"],
            swiftSettings: strict),
        .target(name: "CryptorFormat", dependencies: ["CryptorPrimitives"], swiftSettings: safe),
        .target(name: "RNCryptorCompat", dependencies: ["CryptorFormat", "CryptorPrimitives"], swiftSettings: safe),
        .target(name: "CCryptorProcess", cSettings: [.enableWarning("all"), .enableWarning("extra")]),
        .executableTarget(
            name: "CryptorCommand", dependencies: ["CCryptorProcess", "CryptorFormat", "CryptorPrimitives"],
            swiftSettings: safe),
        .target(name: "CCryptorProbe", dependencies: ["COpenSSL", "CPBKDF2Lanes"], path: "Tests/CCryptorProbe"),
        .executableTarget(
            name: "CryptorProbe", dependencies: ["CCryptorProbe", "CryptorFormat", "CryptorPrimitives"],
            path: "Tests/CryptorProbe", swiftSettings: strict),
        .target(
            name: "CryptorTestSupport",
            dependencies: [
                "CCryptorProbe", "CryptorFormat", "CryptorPrimitives", "COpenSSL", "CCryptorSanitizers",
                "CCryptorSystem",
            ],
            path: "Tests/CryptorTestSupport"),
        .target(name: "CCryptorSanitizers", path: "Tests/CCryptorSanitizers"),
        .testTarget(
            name: "CryptorPrimitivesTests",
            dependencies: [
                "CPBKDF2Lanes", "CCryptorProbe", "CryptorPrimitives", "CCryptorSanitizers", "CryptorTestSupport",
            ]),
        .testTarget(
            name: "CryptorFormatTests",
            dependencies: ["CryptorFormat", "CryptorPrimitives", "CryptorProbe", "CCryptorProbe", "CryptorTestSupport"]),
        .testTarget(
            name: "RNCryptorCompatTests",
            dependencies: ["RNCryptorCompat", "CryptorFormat", "CryptorPrimitives", "CryptorTestSupport"]),
        .target(name: "CCryptorTerminal", path: "Tests/CCryptorTerminal"),
        .testTarget(
            name: "CryptorCommandTests",
            dependencies: [
                "CryptorCommand", "CryptorFormat", "CryptorPrimitives", "CCryptorTerminal", "CryptorTestSupport",
            ]),
    ],
    swiftLanguageModes: [.v6]
)
