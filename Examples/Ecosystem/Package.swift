// swift-tools-version: 6.0

import PackageDescription

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "Ecosystem",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "Larkspur", path: "../.."),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        .target(
            name: "HTTPTypesAdapter",
            dependencies: [
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "HTTPTypesFoundation", package: "swift-http-types"),
                .product(name: "Larkspur", package: "Larkspur"),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "LifecycleAdapter",
            dependencies: [
                .product(name: "Larkspur", package: "Larkspur"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "LoggingAdapter",
            dependencies: [
                .product(name: "Larkspur", package: "Larkspur"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "MetricsAdapter",
            dependencies: [
                .product(name: "Larkspur", package: "Larkspur"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "OpenAPIAdapter",
            dependencies: [
                "HTTPTypesAdapter",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "HTTPTypesFoundation", package: "swift-http-types"),
                .product(name: "Larkspur", package: "Larkspur"),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "TracingAdapter",
            dependencies: [
                .product(name: "Larkspur", package: "Larkspur"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ],
            swiftSettings: strict
        ),
        // A program that uses two of the adapters.
        .target(
            name: "TracedServer",
            dependencies: [
                "LifecycleAdapter", "TracingAdapter",
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Larkspur", package: "Larkspur"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "EcosystemTests",
            dependencies: [
                "HTTPTypesAdapter", "LifecycleAdapter", "LoggingAdapter", "MetricsAdapter", "OpenAPIAdapter",
                "TracedServer", "TracingAdapter",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "InMemoryLogging", package: "swift-log"),
                .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
                .product(name: "Larkspur", package: "Larkspur"),
                .product(name: "LarkspurTesting", package: "Larkspur"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "MetricsTestKit", package: "swift-metrics"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ],
            swiftSettings: strict
        ),
    ],
    swiftLanguageModes: [.v6]
)
