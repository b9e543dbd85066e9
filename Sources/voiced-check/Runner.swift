import CCheck
import Glibc
import VoiceIO

/// Runs the checks of a library, each in a process of its own with a deadline, a few at a time.
///
/// One thread and one loop; a check starts when the findings it builds on are there.
final class Runner {
  /// Where a check's process finds the page it leaves its verdict on.
  static let pageDescriptor: Int32 = 3
  /// Not a check: the process that tells the library's ids.
  static let listing = "ids"
  /// Bytes of data a check's process may have, as a source's process has them.
  static let memoryLimit: UInt64 = 256 << 20
  /// Checks at the same time: most of them wait for sound that comes at the pace of real time.
  private static let width = 4

  private struct Job {
    let check: Check
    let id: String
    var key: String { Runner.key(check, id) }
  }

  private struct Result {
    let finding: Finding
    var seconds = 0.0
  }

  private let options: Options
  private let loop: EventLoop
  private let children: Children
  private let launcher: CheckLauncher
  private var results: [String: Result] = [:]
  private var waiting: [Job] = []
  private var running = 0
  private var failure: IOError?

  init(path: String, options: Options) throws(IOError) {
    self.options = options
    loop = try EventLoop()
    children = try Children(loop: loop)
    launcher = try CheckLauncher(path: path, options: options)
  }

  /// Runs what is wanted, and before it what that needs; tells each row of the table, in order, as
  /// soon as it and those before it are known.
  func run(telling tell: @escaping (Report.Row) -> Void) throws(IOError) -> [Report.Row] {
    let ids = try sourceIds()
    var rows: [Report.Row] = []
    var wanted = Check.all.filter(options.wants).flatMap { jobs($0, ids) }[...]
    for job in wanted { enqueue(job, ids) }
    let flush = { [self] in
      while let job = wanted.first, let result = results[job.key] {
        wanted.removeFirst()
        let source = ids.count > 1 && !job.check.isOfLibrary ? job.id : nil
        let row = Report.Row(
          check: job.check, source: source, finding: result.finding, seconds: result.seconds)
        rows.append(row)
        tell(row)
      }
    }
    pump(flush)
    if running > 0 { _ = loop.run() }
    if let failure { throw failure }
    return rows
  }

  /// The ids of the library's sources; none when it cannot be listed.
  private func sourceIds() throws(IOError) -> [String] {
    var found: Finding?
    try launch(Self.listing, id: "", deadline: 5) { [loop] finding, _ in
      found = finding
      loop.stop(0)
    }
    _ = loop.run()
    guard let found, found.verdict == .pass else { return [] }
    return found.text.split(separator: "\n").map(String.init)
  }

  private func jobs(_ check: Check, _ ids: [String]) -> [Job] {
    check.isOfLibrary || ids.isEmpty
      ? [Job(check: check, id: "")] : ids.map { Job(check: check, id: $0) }
  }

  /// Queues a job behind those it builds on.
  private func enqueue(_ job: Job, _ ids: [String]) {
    guard !waiting.contains(where: { $0.key == job.key }) else { return }
    for other in bases(job) { enqueue(other, ids) }
    waiting.append(job)
  }

  private func bases(_ job: Job) -> [Job] {
    (job.check.needs + job.check.after).compactMap(Check.named).map {
      Job(check: $0, id: $0.isOfLibrary ? "" : job.id)
    }
  }

  /// Starts what can be started; ends the loop when nothing runs and nothing waits.
  private func pump(_ flush: @escaping () -> Void) {
    var index = 0
    while index < waiting.count {
      let job = waiting[index]
      guard bases(job).allSatisfy({ results[$0.key] != nil }) else {
        index += 1
        continue
      }
      if let obstacle = obstacle(job) {
        results[job.key] = Result(finding: obstacle)
      } else if running < Self.width {
        start(job, flush)
      } else {
        break
      }
      waiting.remove(at: index)
      // What was passed over may build on what has just become known.
      index = 0
    }
    flush()
    if running == 0 || failure != nil { loop.stop(0) }
  }

  private func start(_ job: Job, _ flush: @escaping () -> Void) {
    running += 1
    do throws(IOError) {
      try launch(job.check.name, id: job.id, deadline: job.check.deadline) {
        [self] finding, seconds in
        running -= 1
        results[job.key] = Result(finding: finding, seconds: seconds)
        pump(flush)
      }
    } catch {
      running -= 1
      failure = error
    }
  }

  /// Why a job cannot be done, as its finding; `nil` when it can.
  private func obstacle(_ job: Job) -> Finding? {
    for base in bases(job) {
      guard let finding = results[base.key]?.finding else { continue }
      switch finding.verdict {
      case .pass, .warn: continue
      case .skip:
        if !job.check.after.contains(base.check.name) { return .skip(finding.text) }
      case .fail, .crash:
        // One fault is told once, where it is.
        return .skip("It builds on \(base.check.name).")
      }
    }
    return !job.check.isOfLibrary && job.id.isEmpty
      ? .skip("The library lists no source.") : nil
  }

  /// Starts the process of one check, and tells its finding from the loop.
  private func launch(
    _ name: String, id: String, deadline: Double,
    then tell: @escaping (Finding, Double) -> Void
  ) throws(IOError) {
    let launch = try launcher.prepare(name, id: id)
    let begun = EventLoop.now
    var isLate = false
    var timer: LoopTimer?
    let child = try children.spawn(launch.command) { [children] status in
      timer?.cancel()
      children.killStrays()
      let seconds = Double(EventLoop.now - begun) / 1e9
      tell(isLate ? launch.late(after: deadline) : launch.finding(status), seconds)
    }
    timer = loop.timer {
      isLate = true
      child.signal(SIGKILL)
    }
    timer?.start(after: deadline)
  }

  private static func key(_ check: Check, _ id: String) -> String { check.name + "\n" + id }
}

extension Check {
  var isOfLibrary: Bool {
    if case .library = body { true } else { false }
  }
}
