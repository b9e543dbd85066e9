import CAV
import Glibc
import VoiceAudio

/// Spools and encodes one take (`voiced-take`, run by the daemon), makes a recording of a spool that a
/// crash left (`--recover`), or prints a file's waveform (`--waveform`).
@main
struct Program {
  /// The socket to the daemon.
  private static let control: Int32 = 3
  /// The memory the source writes its sound to.
  private static let ring: Int32 = 4

  static func main() {
    // The codec libraries write to stderr what the reports say better.
    av_log_set_level(AV_LOG_QUIET)
    Containment.enter(keeping: UInt32(ring))
    do throws(RingError) {
      var loop = TakeLoop(control: control, ring: try SoundRing(descriptor: ring, writable: false))
      loop.run()
    } catch {
      exit(1)
    }
  }
}
