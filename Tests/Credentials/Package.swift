// swift-tools-version: 6.0

import PackageDescription

/// A program of the folder Programs, which is one file.
func program(_ name: String, _ products: String...) -> Target {
    .executableTarget(
        name: name,
        dependencies: products.map { .product(name: $0, package: "Larkspur") },
        path: "Programs",
        sources: ["\(name).swift"]
    )
}

let package = Package(
    name: "Credentials",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Larkspur", path: "../..")],
    targets: [
        program("BrowserLogin", "LarkspurCredentials"),
        program("ClientCredentials", "LarkspurCredentials"),
        program("DeviceLogin", "LarkspurCredentials"),
        program("LargeObject", "LarkspurCredentials"),
        program("ObjectStorage", "LarkspurCredentials", "LarkspurXML"),
        program("RegistryPull", "LarkspurCredentials"),
        program("StoredLogin", "LarkspurCredentials"),
        program("TemporaryKeys", "LarkspurCredentials", "LarkspurXML"),
        program("WebDAVFile", "Larkspur"),
    ],
    swiftLanguageModes: [.v6]
)
