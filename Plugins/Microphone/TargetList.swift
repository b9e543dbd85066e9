import CPipeWire
import CVoiced

extension Microphone {
  func target(_ index: UInt32, _ out: inout voiced_target) -> Int32 { -ENOENT }
}
