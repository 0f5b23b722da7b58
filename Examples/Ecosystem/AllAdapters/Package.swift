// swift-tools-version: 6.0

import PackageDescription

let package = Package(
    name: "AllAdapters",
    platforms: [.macOS("26.0")],
    dependencies: [
        .package(name: "Larkspur", path: "../../.."),
        .package(path: "../larkspur-http-api"),
        .package(path: "../larkspur-http-types"),
        .package(path: "../larkspur-lifecycle"),
        .package(path: "../larkspur-log"),
        .package(path: "../larkspur-metrics"),
        .package(path: "../larkspur-openapi"),
        .package(path: "../larkspur-redis"),
        .package(path: "../larkspur-tracing"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        .executableTarget(
            name: "AllAdapters",
            dependencies: [
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "InMemoryLogging", package: "swift-log"),
                .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
                .product(name: "Larkspur", package: "Larkspur"),
                .product(name: "LarkspurHTTPAPI", package: "larkspur-http-api"),
                .product(name: "LarkspurHTTPTypes", package: "larkspur-http-types"),
                .product(name: "LarkspurLifecycle", package: "larkspur-lifecycle"),
                .product(name: "LarkspurLogging", package: "larkspur-log"),
                .product(name: "LarkspurMetrics", package: "larkspur-metrics"),
                .product(name: "LarkspurOpenAPI", package: "larkspur-openapi"),
                .product(name: "LarkspurRedis", package: "larkspur-redis"),
                .product(name: "LarkspurTesting", package: "Larkspur"),
                .product(name: "LarkspurTracing", package: "larkspur-tracing"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "MetricsTestKit", package: "swift-metrics"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ]
        )
    ],
    swiftLanguageModes: [.v6]
)
