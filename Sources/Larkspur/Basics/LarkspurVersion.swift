/// The version of Larkspur, by semantic versioning. `Docs/Changelog.md` begins with the same version.
package enum LarkspurVersion {
    package static let current = "1.0.0"
}
