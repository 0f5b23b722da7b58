// swift-tools-version: 6.0

import PackageDescription

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "larkspur-tracing",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [.library(name: "LarkspurTracing", targets: ["LarkspurTracing"])],
    dependencies: [
        .package(name: "Larkspur", path: "../../.."),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
    ],
    targets: [
        .target(
            name: "LarkspurTracing",
            dependencies: [
                .product(name: "Larkspur", package: "Larkspur"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "LarkspurTracingTests",
            dependencies: [
                "LarkspurTracing",
                .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
                .product(name: "Larkspur", package: "Larkspur"),
                .product(name: "LarkspurTesting", package: "Larkspur"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ],
            swiftSettings: strict
        ),
    ],
    swiftLanguageModes: [.v6]
)
