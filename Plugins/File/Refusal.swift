import CAV

/// Why a file cannot be played: what the host is answered, and one sentence for a person.
struct Refusal: Error {
  /// What the file is found to be; the README lists the wire errors they become.
  enum Cause {
    /// No such file, or one that this user may not read.
    case missing(Int32)
    /// There, but nothing that decodes to sound.
    case notAudio
    /// An option has a value that makes no sense.
    case badOption
    /// The machine is out of something (descriptors, memory, threads), as a positive errno.
    case resource(Int32)
  }

  let cause: Cause
  let text: String

  /// The negative errno that `start` answers.
  var code: Int32 {
    switch cause {
    case .missing(let code): -code
    case .notAudio: -EILSEQ
    case .badOption: -EINVAL
    case .resource(let code): -code
    }
  }

  static func notAudio(_ text: String) -> Refusal { Refusal(cause: .notAudio, text: text) }
}

/// The calling thread's errno.
var lastError: Int32 { __errno_location().pointee }
