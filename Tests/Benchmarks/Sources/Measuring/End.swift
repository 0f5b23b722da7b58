import Glibc

/// Ends the process as a measurement that failed.
package func end(_ message: String) -> Never {
    let line = Array("\(message)\n".utf8)
    write(STDERR_FILENO, line, line.count)
    exit(1)
}
