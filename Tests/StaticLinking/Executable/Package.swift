// swift-tools-version: 6.0

import PackageDescription

let package = Package(
    name: "Executable",
    dependencies: [.package(name: "Larkspur", path: "../../..")],
    targets: [
        .executableTarget(
            name: "Client",
            dependencies: [
                .product(name: "Larkspur", package: "Larkspur"),
                .product(name: "LarkspurStatic", package: "Larkspur"),
            ],
            path: "Client"
        )
    ],
    swiftLanguageModes: [.v6]
)
