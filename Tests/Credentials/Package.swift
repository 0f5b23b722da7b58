// swift-tools-version: 6.0

import PackageDescription

/// The programs of the folder Programs, each of which is one file, and the products that they use.
let programs = [
    "BrowserLogin": ["LarkspurCredentials"],
    "ClientCredentials": ["LarkspurCredentials"],
    "DeviceLogin": ["LarkspurCredentials"],
    "LargeObject": ["LarkspurCredentials"],
    "ObjectStorage": ["LarkspurCredentials", "LarkspurXML"],
    "RegistryPull": ["LarkspurCredentials"],
    "StoredLogin": ["LarkspurCredentials"],
    "TemporaryKeys": ["LarkspurCredentials", "LarkspurXML"],
    "WebDAVFile": ["Larkspur"],
]

let package = Package(
    name: "Credentials",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Larkspur", path: "../..")],
    targets: programs.map { name, products in
        .executableTarget(
            name: name,
            dependencies: products.map { .product(name: $0, package: "Larkspur") },
            path: "Programs",
            exclude: programs.keys.filter { $0 != name }.map { "\($0).swift" },
            sources: ["\(name).swift"]
        )
    },
    swiftLanguageModes: [.v6]
)
