// swift-tools-version: 6.0

import PackageDescription

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "larkspur-lifecycle",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [.library(name: "LarkspurLifecycle", targets: ["LarkspurLifecycle"])],
    dependencies: [
        .package(name: "Larkspur", path: "../../.."),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        .target(
            name: "LarkspurLifecycle",
            dependencies: [
                .product(name: "Larkspur", package: "Larkspur"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "LarkspurLifecycleTests",
            dependencies: [
                "LarkspurLifecycle",
                .product(name: "Larkspur", package: "Larkspur"),
                .product(name: "LarkspurTesting", package: "Larkspur"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strict
        ),
    ],
    swiftLanguageModes: [.v6]
)
