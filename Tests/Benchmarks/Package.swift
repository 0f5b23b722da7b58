// swift-tools-version: 6.0

import PackageDescription

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "Benchmarks",
    dependencies: [
        .package(name: "Larkspur", path: "../.."),
        .package(url: "https://github.com/swift-server/async-http-client", exact: "1.37.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.100.0"),
    ],
    // One program for each library, so that a measurement holds no other library's memory.
    targets: [
        .executableTarget(
            name: "BenchCurlURLSession",
            dependencies: [
                "Measuring", "URLSessionClients",
                .product(name: "LarkspurTransport", package: "Larkspur"),
            ],
            swiftSettings: strict
        ),
        .target(name: "Measuring", swiftSettings: strict),
        .target(name: "URLSessionClients", dependencies: ["Measuring"], swiftSettings: strict),
        .executableTarget(
            name: "BenchFoundationNetworking",
            dependencies: ["Measuring", "URLSessionClients"],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "BenchSessionManager",
            dependencies: ["Measuring", .product(name: "Larkspur", package: "Larkspur")],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "BenchWebSocket",
            dependencies: ["Measuring", .product(name: "LarkspurTransport", package: "Larkspur")],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "BenchAsyncHTTPClient",
            dependencies: [
                "Measuring",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ],
            swiftSettings: strict
        ),
        .executableTarget(name: "BenchLibcurl"),
        .executableTarget(name: "BenchProcess"),
        .executableTarget(name: "BenchServer"),
        .executableTarget(
            name: "BenchMultipart",
            dependencies: ["Measuring", .product(name: "Larkspur", package: "Larkspur")],
            swiftSettings: strict
        ),
        // The smallest programs that send one GET. Tests/Benchmarks/Scripts/programs.py lists them too.
        .executableTarget(
            name: "OneGetSessionManager",
            dependencies: [.product(name: "Larkspur", package: "Larkspur")]
        ),
        .executableTarget(
            name: "OneGetCurlURLSession",
            dependencies: [.product(name: "LarkspurTransport", package: "Larkspur")]
        ),
        .executableTarget(name: "OneGetFoundationNetworking"),
        .executableTarget(
            name: "OneGetAsyncHTTPClient",
            dependencies: [
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
            ]
        ),
        .executableTarget(name: "OneGetLibcurl"),
    ],
    swiftLanguageModes: [.v6]
)
