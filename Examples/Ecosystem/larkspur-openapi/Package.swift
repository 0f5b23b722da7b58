// swift-tools-version: 6.0

import PackageDescription

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "larkspur-openapi",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [.library(name: "LarkspurOpenAPI", targets: ["LarkspurOpenAPI"])],
    dependencies: [
        .package(name: "Larkspur", path: "../../.."),
        .package(path: "../larkspur-http-types"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    ],
    targets: [
        .target(
            name: "LarkspurOpenAPI",
            dependencies: [
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "HTTPTypesFoundation", package: "swift-http-types"),
                .product(name: "Larkspur", package: "Larkspur"),
                .product(name: "LarkspurHTTPTypes", package: "larkspur-http-types"),
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "LarkspurOpenAPITests",
            dependencies: [
                "LarkspurOpenAPI",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Larkspur", package: "Larkspur"),
                .product(name: "LarkspurTesting", package: "Larkspur"),
            ],
            swiftSettings: strict
        ),
    ],
    swiftLanguageModes: [.v6]
)
