// swift-tools-version: 6.0

import PackageDescription

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    // The closures of a caller run on the caller's actor, as in the proposal.
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    // Readers, writers and buffers need not be copyable.
    .enableExperimentalFeature("SuppressedAssociatedTypes"),
    .enableExperimentalFeature("Lifetimes"),
]

let package = Package(
    name: "larkspur-http-api",
    platforms: [.macOS("26.0"), .iOS("26.0"), .tvOS("26.0"), .watchOS("26.0"), .visionOS("26.0")],
    products: [.library(name: "LarkspurHTTPAPI", targets: ["LarkspurHTTPAPI"])],
    dependencies: [
        .package(name: "Larkspur", path: "../../.."),
        .package(path: "../larkspur-http-types"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    ],
    targets: [
        .target(
            name: "LarkspurHTTPAPI",
            dependencies: [
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "HTTPTypesFoundation", package: "swift-http-types"),
                .product(name: "Larkspur", package: "Larkspur"),
                .product(name: "LarkspurHTTPTypes", package: "larkspur-http-types"),
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "LarkspurHTTPAPITests",
            dependencies: [
                "LarkspurHTTPAPI",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Larkspur", package: "Larkspur"),
                .product(name: "LarkspurTesting", package: "Larkspur"),
            ],
            swiftSettings: strict
        ),
    ],
    swiftLanguageModes: [.v6]
)
