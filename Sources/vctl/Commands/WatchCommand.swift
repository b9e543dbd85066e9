import Glibc
import VoiceIO

/// `vctl watch`: the recorder live, as a meter or as lines.
enum WatchCommand {
  static func run(_ line: Invocation, isUTF8: Bool) throws(Failure) -> ExitCode {
    let glyphs = isUTF8 && !line.has("ascii") ? Glyphs.blocks : .ascii
    let cells = Int(try line.number("bars", in: 0...64) ?? 10)
    let possible = TerminalMeter.isPossible(on: STDOUT_FILENO)
    let format = line.options["format"] ?? (possible ? "meter" : "plain")
    if format == "meter", !possible {
      throw Failure(
        .usage, "The meter needs a terminal; --format json, waybar or plain prints lines.")
    }
    let daemon = try Daemon()
    let watcher: any Watcher =
      switch format {
      case "meter": try WatchMeter(daemon, glyphs: glyphs)
      case "json": try WatchJson(daemon)
      // Bars read UTF-8 in every locale.
      case "waybar":
        try WatchBar(
          daemon, style: .waybar, cells: cells, glyphs: line.has("ascii") ? .ascii : .blocks)
      default: try WatchBar(daemon, style: .plain, cells: cells, glyphs: glyphs)
      }
    let follower = RecorderFollower(daemon) { watcher.take($0) }
    (watcher as? WatchMeter)?.peaks = { [weak follower] in follower?.peaks(from: $0, then: $1) }
    daemon.bus.onDisconnect = {
      follower.goOffline()
      daemon.loop.stop(ExitCode.unreachable.rawValue)
    }
    let signals = try Self.signals(daemon.loop) { watcher.handle($0) }
    follower.start()
    let status = withExtendedLifetime((follower, signals)) { daemon.loop.run() }
    watcher.close()
    if status == ExitCode.unreachable.rawValue {
      throw Failure(.unreachable, "The session bus is gone.")
    }
    return ExitCode(rawValue: status) ?? .file
  }

  /// Hears the signals that end a watching program, and those of its terminal.
  ///
  /// `handle` answers whether it has dealt with one; what it has not ends the loop with status 0.
  static func signals(
    _ loop: EventLoop, handle: @escaping (Int32) -> Bool
  ) throws(Failure) -> Signals {
    let numbers = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH, SIGTSTP, SIGCONT]
    do throws(IOError) {
      return try Signals(loop: loop, numbers) { number in
        if !handle(number), ![SIGWINCH, SIGCONT].contains(number) { loop.stop(0) }
      }
    } catch { throw Failure(.file, error.sentence) }
  }
}

extension EventLoop {
  /// Ends the program whose output is gone: quietly when its reader left, else with the reason.
  func end(_ failure: Failure?) {
    if let failure { Standard.complain(failure.text) }
    stop((failure?.status ?? .done).rawValue)
  }
}

/// Shows the events of the recorder in one way.
protocol Watcher: AnyObject {
  func take(_ event: RecorderEvent)
  /// Deals with a signal; `false` for one that it does not know.
  func handle(_ signal: Int32) -> Bool
  func close()
}

extension Watcher {
  /// Ctrl-Z stops programs that have no terminal to give back, as it always does.
  func handle(_ signal: Int32) -> Bool {
    guard signal == SIGTSTP else { return false }
    kill(getpid(), SIGSTOP)
    return true
  }
  func close() {}
}
