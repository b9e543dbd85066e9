import CLinux

/// Gives memory back that a daemon at rest does not use.
package enum ResidentMemory {
  /// Returns free heap, and the code and constants that only starting or a take needed.
  ///
  /// The kernel maps a program's file 64 kB at a time, so that most of it is resident after the start.
  /// What is dropped here comes back from the page cache at its next use, for about a microsecond a
  /// piece. For the moment at which the daemon comes to rest, never on the way of a reading.
  package static func trim() { clinux_trim() }
}
