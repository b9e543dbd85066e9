/// A waveform as one chat network wants it.
package enum WaveformExport: String, CaseIterable, Sendable {
  /// Matrix as deployed (MSC1767 and the first MSC3245): whole numbers from 0 to 1024, at most 100.
  case matrix
  /// Matrix as drafted since 2022 (MSC3246): whole numbers from 0 to 256, at most 100.
  case matrix256
  /// Telegram: 100 values of 5 bits, least significant bit first, packed in 63 bytes.
  case telegram
  /// WhatsApp: 64 bytes from 0 to 100.
  case whatsapp
  /// The recording's own waveform, at most 160 numbers from 0 to 1.
  case raw

  /// The name in options and after `--for`.
  package var name: String { rawValue }
  /// The key in the details of `Finished`.
  package var key: String { "waveform-" + rawValue }
  /// Whether the values are the bytes of a packed form, which `--packed` prints as base64.
  package var isBytes: Bool { self == .telegram || self == .whatsapp }
}
