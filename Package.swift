// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("ExistentialAny"),
    // Swift 6.2 knows `@_lifetime` only with this.
    .enableExperimentalFeature("Lifetimes"),
]

/// The compiler checks the library and the command for unsafe constructs, except CryptorPrimitives,
/// which owns the C pointers. CI turns the warnings into errors.
let safe: [SwiftSetting] = strict + [.strictMemorySafety()]

/// A dependent that has another COpenSSL gives ours another name (`moduleAliases`). SwiftPM does
/// that to the targets of a product, and to those that they depend on directly, so each of them
/// does.
let openSSL = Target.Dependency.target(name: "COpenSSL")

/// The package's own cryptography, which is neither built nor linked without its trait.
let lanes = Target.Dependency.target(name: "CPBKDF2Lanes", condition: .when(traits: ["Lanes"]))

let package = Package(
    name: "CryptorFormat",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "CryptorFormat", targets: ["CryptorFormat"]),
        .library(name: "CryptorFiles", targets: ["CryptorFiles"]),
        .library(name: "CryptorAsync", targets: ["CryptorAsync"]),
        .library(name: "RNCryptorCompat", targets: ["RNCryptorCompat"]),
        .executable(name: "rncryptor", targets: ["CryptorCommand"]),
    ],
    traits: [
        .default(enabledTraits: ["Foundation", "Lanes"]),
        .trait(
            name: "Foundation",
            description: "Data, URL and NSError, over FoundationEssentials where there is one."),
        .trait(
            name: "Lanes",
            description: "PBKDF2 by C of this package, several times as fast as by OpenSSL."),
    ],
    targets: [
        .systemLibrary(
            name: "CCryptorLibcrypto",
            pkgConfig: "libcrypto",
            providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]
        ),
        .target(
            name: "COpenSSL", dependencies: ["CCryptorLibcrypto"],
            linkerSettings: [.linkedLibrary("crypto")]),
        .target(name: "CPBKDF2Lanes", cSettings: [.enableWarning("all"), .enableWarning("extra")]),
        .target(
            name: "CCryptorSystem", cSettings: [.enableWarning("all"), .enableWarning("extra")]),
        .target(name: "CryptorSystem", dependencies: ["CCryptorSystem"], swiftSettings: strict),
        .target(
            name: "CryptorPrimitives",
            dependencies: ["CCryptorSystem", openSSL, lanes, "CryptorSystem"],
            swiftSettings: strict),
        .target(
            name: "CryptorFormat", dependencies: [openSSL, "CryptorPrimitives", "CryptorSystem"],
            swiftSettings: safe),
        .target(
            name: "CryptorFiles",
            dependencies: [openSSL, "CryptorFormat", "CryptorPrimitives", "CryptorSystem"],
            swiftSettings: safe),
        .target(
            name: "CryptorAsync",
            dependencies: [
                openSSL, "CryptorFiles", "CryptorFormat", "CryptorPrimitives", "CryptorSystem",
            ],
            swiftSettings: safe),
        .target(
            name: "RNCryptorCompat", dependencies: [openSSL, "CryptorFormat", "CryptorPrimitives"],
            swiftSettings: safe),
        .target(
            name: "CCryptorProcess", cSettings: [.enableWarning("all"), .enableWarning("extra")]),
        .target(
            name: "CryptorDiagnosis",
            dependencies: [openSSL, "CryptorFiles", "CryptorFormat", "CryptorPrimitives"],
            swiftSettings: safe),
        .executableTarget(
            name: "CryptorCommand",
            dependencies: [
                "CCryptorProcess", "CryptorDiagnosis", "CryptorFiles", "CryptorSystem",
            ],
            swiftSettings: safe),
        .target(
            name: "CCryptorProbe", dependencies: ["COpenSSL", lanes], path: "Tests/CCryptorProbe"),
        .executableTarget(
            name: "CryptorProbe",
            dependencies: [
                "CCryptorProbe", "CryptorAsync", "CryptorFiles", "CryptorFormat",
                "CryptorPrimitives", "CryptorSystem",
            ],
            path: "Tests/CryptorProbe", swiftSettings: strict),
        .target(
            name: "CryptorTestSupport",
            dependencies: [
                "CCryptorProbe", "CCryptorSystem", "COpenSSL", "CryptorFiles", "CryptorFormat",
                "CryptorPrimitives",
                "CryptorSystem",
            ],
            path: "Tests/CryptorTestSupport"),
        .testTarget(
            name: "CryptorPrimitivesTests",
            dependencies: [
                lanes, "CCryptorProbe", "CryptorPrimitives", "CryptorSystem", "CryptorTestSupport",
            ]),
        .testTarget(
            name: "CryptorFormatTests",
            dependencies: [
                "CryptorAsync", "CryptorFiles", "CryptorFormat", "CryptorPrimitives",
                "CryptorSystem", "CryptorProbe",
                "CCryptorProbe", "CryptorTestSupport",
            ]),
        .testTarget(
            name: "RNCryptorCompatTests",
            dependencies: [
                "RNCryptorCompat", "CryptorFormat", "CryptorPrimitives", "CryptorTestSupport",
            ]),
        .testTarget(
            name: "CryptorDiagnosisTests",
            dependencies: [
                "CryptorDiagnosis", "CryptorFiles", "CryptorFormat", "CryptorTestSupport",
            ]),
        .target(name: "CCryptorTerminal", path: "Tests/CCryptorTerminal"),
        .testTarget(
            name: "CryptorCommandTests",
            dependencies: [
                "CryptorCommand", "CryptorDiagnosis", "CryptorFiles", "CryptorFormat",
                "CryptorPrimitives", "CryptorSystem",
                "CCryptorTerminal", "CryptorTestSupport",
            ], exclude: ["Scripts"]),
    ],
    swiftLanguageModes: [.v6]
)
