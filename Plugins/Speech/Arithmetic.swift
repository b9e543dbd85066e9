// Functions that give the same bits on every machine: nothing but the four operations, which IEEE
// 754 fixes to the last bit. A C library's own sine does not promise that from version to version.

/// Sine of a phase in turns, -1 to 1; exact to about 1e-7.
func sine(turns: Double) -> Double {
  // Into -0.5..<0.5 turns, then folded at the quarters, where the series is short.
  let whole = Double(Int64(turns))
  var phase = turns - whole
  if phase >= 0.5 { phase -= 1 } else if phase < -0.5 { phase += 1 }
  if phase > 0.25 { phase = 0.5 - phase } else if phase < -0.25 { phase = -0.5 - phase }
  let x = phase * 6.283185307179586
  let s = x * x
  // Taylor's series up to the eleventh power.
  let tail = 1.0 / 362_880 - s * (1.0 / 39_916_800)
  return x * (1 - s * (1.0 / 6 - s * (1.0 / 120 - s * (1.0 / 5040 - s * tail))))
}

/// Two to a power between -60 and 60.
func exponential(base2 exponent: Double) -> Double {
  let whole = Int(exponent) - (exponent < 0 ? 1 : 0)
  // The rest is 0 to 1; Taylor's series of e^x for x below ln 2, exact to about 1e-9.
  let x = (exponent - Double(whole)) * 0.6931471805599453
  var sum = 1.0
  var term = 1.0
  for power in 1...10 {
    term = term * x / Double(power)
    sum += term
  }
  var scale = 1.0
  for _ in 0..<(whole < 0 ? -whole : whole) { scale *= whole < 0 ? 0.5 : 2 }
  return sum * scale
}

/// Cube root of a number from 0.001 to 1, by Newton's method from above.
func cubeRoot(_ value: Double) -> Double {
  guard value > 0 else { return 0 }
  var root = 1.0
  for _ in 0..<14 { root -= (root - value / (root * root)) / 3 }
  return root
}

/// A number from 0 to 1 that looks like chance and depends on the two given alone.
func chance(_ seed: UInt64, _ index: UInt64) -> Double {
  // The finaliser of splitmix64: every bit of the input moves half the bits of the output.
  var bits = seed &* 0x9E37_79B9_7F4A_7C15 &+ index &* 0xD1B5_4A32_D192_ED03
  bits = bits &+ 0x632B_E59B_D9B4_E019
  bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
  bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
  bits ^= bits >> 31
  return Double(bits >> 11) * 0x1p-53
}
