// swift-tools-version: 6.0

import PackageDescription

let package = Package(
    name: "SharedStores",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "Larkspur", path: "../.."),
        .package(path: "../../Examples/Ecosystem/larkspur-redis"),
    ],
    targets: [
        .executableTarget(
            name: "SharedStoreWorker",
            dependencies: [
                .product(name: "Larkspur", package: "Larkspur"),
                .product(name: "LarkspurRedis", package: "larkspur-redis"),
            ],
            swiftSettings: [
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("MemberImportVisibility"),
            ]
        )
    ],
    swiftLanguageModes: [.v6]
)
