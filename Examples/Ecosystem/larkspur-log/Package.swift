// swift-tools-version: 6.0

import PackageDescription

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "larkspur-log",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [.library(name: "LarkspurLogging", targets: ["LarkspurLogging"])],
    dependencies: [
        .package(name: "Larkspur", path: "../../.."),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    ],
    targets: [
        .target(
            name: "LarkspurLogging",
            dependencies: [
                .product(name: "Larkspur", package: "Larkspur"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "LarkspurLoggingTests",
            dependencies: [
                "LarkspurLogging",
                .product(name: "InMemoryLogging", package: "swift-log"),
                .product(name: "Larkspur", package: "Larkspur"),
                .product(name: "LarkspurTesting", package: "Larkspur"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict
        ),
    ],
    swiftLanguageModes: [.v6]
)
