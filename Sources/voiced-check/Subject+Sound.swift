import CCheck
import CVoiced
import Glibc

extension Subject {
  /// The source's way to render, which one on the host's clock must have.
  func rendering(_ source: Source) throws(Finding) -> UnsafePointer<voiced_render> {
    guard let table = check_extension(source, VOICED_EXT_RENDER) else {
      throw .fail("It has VOICED_HOST_CLOCK and answers NULL for \(VOICED_EXT_RENDER).")
    }
    let render = table.assumingMemoryBound(to: voiced_render.self)
    guard render.pointee.format != nil, render.pointee.render != nil else {
      throw .fail("format or render is NULL in \(VOICED_EXT_RENDER).")
    }
    return render
  }

  /// The format it renders; only what can be rendered at all comes back.
  func format(_ source: Source) throws(Finding) -> voiced_format {
    let render = try rendering(source)
    guard let ask = render.pointee.format else { throw .fail("format is NULL.") }
    let format = ask(source)
    guard format.channels >= 1, format.channels <= VOICED_MAX_CHANNELS,
      format.rate >= VOICED_MIN_RATE, format.rate <= VOICED_MAX_RATE
    else {
      throw .fail("Its format is \(format.rate) Hz, \(format.channels) channels.")
    }
    return format
  }

  /// Renders some seconds of sound as fast as it goes, in calls of these sizes.
  func render(
    _ source: Source, seconds: Double = 0.25, sizes: [UInt32] = [480], flags: UInt32 = 0
  ) throws(Finding) -> check_rendered {
    let format = try format(source)
    var out = check_rendered()
    let total = UInt64(Double(format.rate) * seconds)
    let failed = check_render(
      source, try rendering(source), format, sizes, UInt32(sizes.count), total, flags, &out)
    if failed != 0 { throw .skip("No audio thread here: \(errorText(-failed)).") }
    return out
  }

  /// Lets a started source deliver for some seconds after its first sound, whoever has the clock.
  ///
  /// Throws `skip` when none comes, which for a device that is not there is no fault.
  func hear(_ source: Source, seconds: Double = 0.2) throws(Finding) {
    if isHostClock {
      _ = try render(source, seconds: seconds)
      return
    }
    check_loop(source, 3_000_000_000, 1)
    let seen = check_saw()
    guard seen.pushes + seen.levels > 0 else {
      let why =
        seen.ends > 0
        ? "It ended with \(errorText(seen.ended)) before any sound came"
        : "No sound came within 3 s"
      if target == nil { throw .skip(why + "; say --target to have it judged.") }
      throw .fail(why + ".")
    }
    check_loop(source, UInt64(seconds * 1e9), 0)
  }

  /// One whole life, as a take has it: started, heard where there is sound, stopped, given back.
  ///
  /// What it refuses is left out.
  func live(_ source: Source, options: String = "") throws(Finding) {
    do throws(Finding) {
      try start(source, options: options)
    } catch {
      check_destroy(source)
      if error.verdict == .skip { return }
      throw error
    }
    if isHostClock {
      _ = try render(source, seconds: 0.1)
    } else {
      check_loop(source, 200_000_000, 0)
    }
    check_recording(source, 1)
    check_loop(source, 20_000_000, 0)
    check_recording(source, 0)
    check_stop(source)
    check_destroy(source)
  }
}

/// Fails with the text when the rule was broken.
func require(
  _ rule: check_rule, _ text: (Double) -> String
) throws(Finding) {
  let count = check_broken(rule)
  if count > 0 {
    throw .fail(text(check_figure(rule)) + (count > 1 ? " (\(count) times)" : ""))
  }
}

func milliseconds(_ ns: Double) -> String { "\(Int(ns / 1e6)) ms" }
