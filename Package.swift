// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("ExistentialAny"),
    // Swift 6.2 knows `@_lifetime` only with this.
    .enableExperimentalFeature("Lifetimes"),
]

/// Everything but the room that owns the C pointers is checked for unsafe constructs by the compiler;
/// CI turns the warnings into errors.
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
        .target(name: "CSystem", cSettings: [.enableWarning("all"), .enableWarning("extra")]),
        .target(
            name: "CryptorPrimitives", dependencies: ["COpenSSL", "CPBKDF2Lanes", "CSystem"], swiftSettings: strict),
        .target(name: "CryptorFormat", dependencies: ["CryptorPrimitives"], swiftSettings: safe),
        .target(name: "RNCryptorCompat", dependencies: ["CryptorFormat", "CryptorPrimitives"], swiftSettings: safe),
        .target(name: "CProcess", cSettings: [.enableWarning("all"), .enableWarning("extra")]),
        .executableTarget(name: "CryptorCommand", dependencies: ["CProcess", "CryptorFormat"], swiftSettings: safe),
        .target(name: "CProbe", dependencies: ["COpenSSL", "CPBKDF2Lanes"], path: "Tests/CProbe"),
        .executableTarget(
            name: "CryptorProbe", dependencies: ["CProbe", "CryptorFormat", "CryptorPrimitives"],
            path: "Tests/CryptorProbe", swiftSettings: strict),
        .target(
            name: "TestSupport",
            dependencies: ["CProbe", "CryptorFormat", "CryptorPrimitives", "COpenSSL", "CSanitizers", "CSystem"],
            path: "Tests/TestSupport"),
        .target(name: "CSanitizers", path: "Tests/CSanitizers"),
        .testTarget(
            name: "CryptorPrimitivesTests",
            dependencies: ["CPBKDF2Lanes", "CProbe", "CryptorPrimitives", "CSanitizers", "TestSupport"]),
        .testTarget(
            name: "CryptorFormatTests",
            dependencies: ["CryptorFormat", "CryptorPrimitives", "CryptorProbe", "CProbe", "TestSupport"]),
        .testTarget(
            name: "RNCryptorCompatTests",
            dependencies: ["RNCryptorCompat", "CryptorFormat", "CryptorPrimitives", "TestSupport"]),
        .target(name: "CTerminal", path: "Tests/CTerminal"),
        .testTarget(
            name: "CryptorCommandTests",
            dependencies: ["CryptorCommand", "CryptorFormat", "CryptorPrimitives", "CTerminal", "TestSupport"]),
    ],
    swiftLanguageModes: [.v6]
)
