// swift-tools-version: 6.0

import PackageDescription

let package = Package(
    name: "StaticLinking",
    dependencies: [.package(name: "Larkspur", path: "../..")],
    targets: [
        .executableTarget(
            name: "Probe",
            dependencies: [
                .product(name: "LarkspurImages", package: "Larkspur"),
                .product(name: "LarkspurTransport", package: "Larkspur"),
                .product(name: "LarkspurTesting", package: "Larkspur"),
                // The program is built beside this one.
                .product(name: "larkspur", package: "Larkspur"),
            ],
            path: "Probe"
        )
    ],
    swiftLanguageModes: [.v6]
)
