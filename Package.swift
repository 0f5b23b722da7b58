// swift-tools-version: 6.0

import PackageDescription

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "Larkspur",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "Larkspur", targets: ["Larkspur"]),
        .library(name: "LarkspurImages", targets: ["LarkspurImages"]),
        .library(name: "LarkspurXML", targets: ["LarkspurXML"]),
        .library(name: "LarkspurActivity", targets: ["LarkspurActivity"]),
        .library(name: "LarkspurReachability", targets: ["LarkspurReachability"]),
        .library(name: "LarkspurCredentials", targets: ["LarkspurCredentials"]),
        .library(name: "LarkspurCurlCommands", targets: ["LarkspurCurlCommands"]),
        .library(name: "LarkspurTransport", targets: ["LarkspurTransport"]),
        .library(name: "LarkspurTesting", targets: ["LarkspurTesting"]),
        .library(name: "LarkspurStatic", targets: ["CLibcurlStatic"]),
        .executable(name: "larkspur", targets: ["LarkspurCommand"]),
    ],
    targets: [
        .target(name: "CDynamicLibrary"),
        .target(name: "CLibcurl", dependencies: ["CDynamicLibrary"]),
        .target(name: "CCodings", dependencies: ["CDynamicLibrary"]),
        // Only programs that depend on the product LarkspurStatic are linked with these libraries.
        .target(
            name: "CLibcurlStatic",
            dependencies: ["CDynamicLibrary"],
            linkerSettings: ["curl", "nghttp2", "ssl", "crypto", "brotlidec", "brotlicommon", "zstd", "z"].map {
                .linkedLibrary($0, .when(platforms: [.linux]))
            }
        ),
        .target(name: "CEventPoll"),
        .target(name: "CLoopbackTLS", dependencies: ["CDynamicLibrary"]),
        .target(name: "CImages", dependencies: ["CDynamicLibrary"]),
        .target(name: "CSignatures", dependencies: ["CDynamicLibrary"]),
        .target(name: "CNetlink"),
        .target(name: "HTTPSyntax", swiftSettings: strict),
        .target(name: "JSONSyntax", dependencies: ["HTTPSyntax"], swiftSettings: strict),
        .target(
            name: "LarkspurTransport",
            dependencies: ["CCodings", "CEventPoll", "CLibcurl", "HTTPSyntax"],
            swiftSettings: strict
        ),
        .target(
            name: "Larkspur",
            dependencies: ["HTTPSyntax", "JSONSyntax", "LarkspurTransport"],
            swiftSettings: strict
        ),
        .target(name: "LarkspurActivity", dependencies: ["Larkspur"], swiftSettings: strict),
        .target(
            name: "LarkspurReachability",
            dependencies: ["CNetlink", "HTTPSyntax", "Larkspur"],
            swiftSettings: strict
        ),
        .target(
            name: "LarkspurCredentials",
            dependencies: ["CSignatures", "HTTPSyntax", "JSONSyntax", "Larkspur"],
            swiftSettings: strict
        ),
        .target(name: "LarkspurCurlCommands", dependencies: ["HTTPSyntax", "Larkspur"], swiftSettings: strict),
        .target(name: "LarkspurImages", dependencies: ["CImages", "HTTPSyntax", "Larkspur"], swiftSettings: strict),
        .target(name: "LarkspurXML", dependencies: ["HTTPSyntax", "Larkspur"], swiftSettings: strict),
        .target(
            name: "LarkspurTesting",
            dependencies: ["CLoopbackTLS", "HTTPSyntax", "JSONSyntax", "Larkspur", "LarkspurTransport"],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "LarkspurCommand",
            dependencies: ["HTTPSyntax", "JSONSyntax", "Larkspur", "LarkspurActivity", "LarkspurCredentials"],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "QuickStart",
            dependencies: ["Larkspur", "LarkspurActivity", "LarkspurTesting"],
            path: "Examples/QuickStart",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "Downloader",
            dependencies: ["Larkspur", "LarkspurActivity", "LarkspurTesting"],
            path: "Examples/Downloader",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "ImageGallery",
            dependencies: ["LarkspurActivity", "LarkspurImages", "LarkspurTesting"],
            path: "Examples/ImageGallery",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "Upload",
            dependencies: ["Larkspur", "LarkspurActivity", "LarkspurTesting"],
            path: "Examples/Upload",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "Chat",
            dependencies: ["Larkspur", "LarkspurTesting"],
            path: "Examples/Chat",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "WebSocketChat",
            dependencies: ["Larkspur", "LarkspurTesting"],
            path: "Examples/WebSocketChat",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "Dialogue",
            dependencies: ["Larkspur"],
            path: "Examples/Dialogue",
            swiftSettings: strict
        ),
        // A client of an API as a library of its own, a program that uses it, and its tests.
        .target(name: "Shelf", dependencies: ["Larkspur"], path: "Examples/APIClient/Client", swiftSettings: strict),
        .executableTarget(
            name: "APIClient",
            dependencies: ["Larkspur", "LarkspurTesting", "Shelf"],
            path: "Examples/APIClient/Program",
            swiftSettings: strict
        ),
        .testTarget(
            name: "APIClientTests",
            dependencies: ["Larkspur", "LarkspurTesting", "Shelf"],
            path: "Examples/APIClient/Tests",
            swiftSettings: strict
        ),
        // Code that is given a session and knows nothing of LarkspurTransport.
        .target(name: "SessionClients", path: "Tests/SessionClients", swiftSettings: strict),
        // Support that needs nothing of Larkspur, so that the tests of LarkspurTransport do without it too.
        .target(
            name: "TestSupport",
            dependencies: ["CTestParallelism"],
            path: "Tests/Support",
            swiftSettings: strict
        ),
        .target(name: "CTestParallelism", path: "Tests/Parallelism"),
        // Support that the tests of Larkspur and those of LarkspurImages share.
        .target(
            name: "LarkspurTestSupport",
            dependencies: ["Larkspur", "LarkspurTesting", "TestSupport"],
            path: "Tests/LarkspurSupport",
            swiftSettings: strict
        ),
        // A process that shares files with others.
        .executableTarget(
            name: "StoreWorker",
            dependencies: ["Larkspur"],
            path: "Tests/SharedStores/Worker",
            swiftSettings: strict
        ),
        .testTarget(
            name: "LarkspurTests",
            dependencies: [
                "Chat", "Dialogue", "HTTPSyntax", "JSONSyntax", "Larkspur", "LarkspurActivity", "LarkspurCredentials",
                "LarkspurCurlCommands", "LarkspurReachability", "LarkspurTesting", "LarkspurTestSupport",
                "LarkspurTransport", "LarkspurXML", "StoreWorker", "TestSupport",
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "LarkspurCredentialsTests",
            dependencies: [
                "HTTPSyntax", "LarkspurCredentials", "LarkspurTesting", "LarkspurTestSupport", "TestSupport",
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "LarkspurImagesTests",
            dependencies: ["ImageGallery", "LarkspurImages", "LarkspurTesting", "LarkspurTestSupport", "TestSupport"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "LarkspurTransportTests",
            dependencies: [
                "CDynamicLibrary", "CLibcurl", "HTTPSyntax", "LarkspurTransport", "LarkspurTesting", "SessionClients",
                "TestSupport",
            ],
            exclude: ["Cache/Rules.md", "Differences.md"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "LarkspurCommandTests",
            dependencies: ["JSONSyntax", "Larkspur", "LarkspurCommand", "LarkspurTesting", "TestSupport"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "LarkspurTestingTests",
            dependencies: ["HTTPSyntax", "JSONSyntax", "Larkspur", "LarkspurTesting", "TestSupport"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "InteropTests",
            dependencies: [
                "Downloader", "HTTPSyntax", "ImageGallery", "Larkspur", "LarkspurCurlCommands", "LarkspurImages",
                "LarkspurReachability", "LarkspurTesting", "LarkspurTransport", "TestSupport", "Upload",
            ],
            path: "Tests/Interop",
            exclude: [
                "Attacks/README.md", "Daemons", "HTTPie.md", "LibcurlVersions.md", "ReachabilityEvents.md", "Scripts",
                "attacks.sh", "autobahn.sh", "exits.sh", "libcurls.sh", "liveness.sh", "load.sh", "network.sh",
                "reachability.sh", "servers.sh",
            ],
            swiftSettings: strict
        ),
    ],
    swiftLanguageModes: [.v6]
)
