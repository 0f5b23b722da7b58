// swift-tools-version: 6.0

import PackageDescription

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

// On Linux the header is in a folder that the compiler searches. Debian's pkg-config file has an option that SwiftPM
// refuses with a warning in each build.
#if os(macOS)
let pkgConfig: String? = "hiredis"
#else
let pkgConfig: String? = nil
#endif

let package = Package(
    name: "larkspur-redis",
    platforms: [.macOS(.v15)],
    products: [.library(name: "LarkspurRedis", targets: ["LarkspurRedis"])],
    dependencies: [
        .package(name: "Larkspur", path: "../../..")
    ],
    targets: [
        .systemLibrary(
            name: "CHiredis",
            pkgConfig: pkgConfig,
            providers: [.apt(["libhiredis-dev"]), .brew(["hiredis"])]
        ),
        .target(
            name: "LarkspurRedis",
            dependencies: ["CHiredis", .product(name: "Larkspur", package: "Larkspur")],
            swiftSettings: strict
        ),
        .testTarget(
            name: "LarkspurRedisTests",
            dependencies: ["LarkspurRedis", .product(name: "Larkspur", package: "Larkspur")],
            swiftSettings: strict
        ),
    ],
    swiftLanguageModes: [.v6]
)
