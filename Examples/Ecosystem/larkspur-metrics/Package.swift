// swift-tools-version: 6.0

import PackageDescription

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "larkspur-metrics",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [.library(name: "LarkspurMetrics", targets: ["LarkspurMetrics"])],
    dependencies: [
        .package(name: "Larkspur", path: "../../.."),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    ],
    targets: [
        .target(
            name: "LarkspurMetrics",
            dependencies: [
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Larkspur", package: "Larkspur"),
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "LarkspurMetricsTests",
            dependencies: [
                "LarkspurMetrics",
                .product(name: "Larkspur", package: "Larkspur"),
                .product(name: "LarkspurTesting", package: "Larkspur"),
                .product(name: "MetricsTestKit", package: "swift-metrics"),
            ],
            swiftSettings: strict
        ),
    ],
    swiftLanguageModes: [.v6]
)
