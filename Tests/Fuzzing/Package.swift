// swift-tools-version: 6.0

// The parsers of Larkspur are internal, and a fuzzer needs code that is compiled with instructions that record the
// covered branches. So this package compiles Larkspur's sources once more, in a folder of its own. Use run.sh, which
// passes the path of libFuzzer to the linker.

import PackageDescription

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

// Without optimization, all modules compile within minutes. With it, they run several times as fast.
let optimization = Context.environment["LARKSPUR_FUZZING_OPTIMIZED"] == "1" ? "-O" : "-Onone"

let instrumented: [SwiftSetting] = [
    .unsafeFlags([
        "-sanitize=fuzzer,address", "-enable-testing", "-gline-tables-only", optimization, "-whole-module-optimization",
    ])
]

func code(_ name: String) -> Target {
    .target(
        name: name,
        path: "Larkspur/\(name)",
        cSettings: [.unsafeFlags(["-fsanitize=fuzzer-no-link,address", "-g1"])]
    )
}

func module(_ name: String, _ dependencies: [Target.Dependency], _ settings: [SwiftSetting] = []) -> Target {
    .target(
        name: name,
        dependencies: dependencies,
        path: "Larkspur/\(name)",
        swiftSettings: strict + instrumented + settings
    )
}

let package = Package(
    name: "Fuzzing",
    targets: [
        code("CDynamicLibrary"),
        .target(
            name: "CFuzz",
            cSettings: [
                .headerSearchPath("../../Larkspur/CNetlink/include"),
                .unsafeFlags(["-fsanitize=fuzzer-no-link,address", "-g1"]),
            ]
        ),
        module("HTTPSyntax", []),
        module("JSONSyntax", ["HTTPSyntax"]),
        module("LarkspurTransport", ["CCodings", "CEventPoll", "CLibcurl", "HTTPSyntax"]),
        module("Larkspur", ["HTTPSyntax", "JSONSyntax", "LarkspurTransport"]),
        module("LarkspurActivity", ["Larkspur"]),
        module("LarkspurCredentials", ["CSignatures", "HTTPSyntax", "JSONSyntax", "Larkspur"]),
        module("LarkspurCurlCommands", ["HTTPSyntax", "Larkspur"]),
        module("LarkspurImages", ["CImages", "Larkspur"]),
        module("LarkspurXML", ["HTTPSyntax", "Larkspur"]),
        module(
            "LarkspurTesting",
            ["CLoopbackTLS", "HTTPSyntax", "JSONSyntax", "Larkspur", "LarkspurTransport"]
        ),
        // A library here: the function `main` gets another name, because the program has its own.
        module(
            "LarkspurCommand",
            ["HTTPSyntax", "JSONSyntax", "Larkspur", "LarkspurActivity", "LarkspurCredentials"],
            [.unsafeFlags(["-Xfrontend", "-entry-point-function-name", "-Xfrontend", "larkspur_main"])]
        ),
        .executableTarget(
            name: "Fuzz",
            dependencies: [
                "CCodings", "CFuzz", "CLibcurl", "CLoopbackTLS", "HTTPSyntax", "JSONSyntax", "Larkspur",
                "LarkspurCommand", "LarkspurCurlCommands", "LarkspurImages", "LarkspurTesting", "LarkspurTransport",
                "LarkspurXML",
            ],
            swiftSettings: instrumented,
            linkerSettings: [.unsafeFlags(["-sanitize=address"]), .linkedLibrary("stdc++")]
        ),
    ]
        + ["CCodings", "CEventPoll", "CImages", "CLibcurl", "CLoopbackTLS", "CSignatures"].map { name in
            let target = code(name)
            if name != "CEventPoll" { target.dependencies = ["CDynamicLibrary"] }
            return target
        },
    swiftLanguageModes: [.v6]
)
