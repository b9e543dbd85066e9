import CLinux
import Glibc
import Testing
import VoiceIO
import VoiceTestKit

@Suite("Children")
struct ChildrenTests {
  let loop: EventLoop
  let children: Children

  init() throws {
    loop = try EventLoop()
    children = try Children(loop: loop, adoptsStrays: false)
  }

  private func shell(_ script: String) -> ChildCommand {
    ChildCommand(path: "/bin/sh", arguments: ["-c", script])
  }

  @Test(
    "how a child ended is told once", arguments: [(0, "exit 0"), (3, "exit 3"), (255, "exit 255")])
  func status(code: Int32, script: String) throws {
    var told: [VoiceIO.ExitStatus] = []
    let child = try children.spawn(shell(script)) { told.append($0) }
    #expect(child.isRunning && children.running.count == 1)
    #expect(loop.turn(within: 5) { !told.isEmpty })
    #expect(told == [.exited(code)] && !child.isRunning && children.running.isEmpty)
    #expect(told[0].text == "ended with status \(code)")
  }

  @Test("a child that a signal ended says which")
  func signalled() throws {
    var told: VoiceIO.ExitStatus?
    _ = try children.spawn(shell("kill -SEGV $$")) { told = $0 }
    #expect(loop.turn(within: 5) { told != nil })
    #expect(told == .signalled(SIGSEGV))
    #expect(told?.text == "was ended by signal 11 (Segmentation fault)")
  }

  @Test("a child starts with no signal blocked or ignored, whatever this thread does")
  func cleanSignals() throws {
    var set = sigset_t()
    sigfillset(&set)
    pthread_sigmask(SIG_BLOCK, &set, nil)
    signal(SIGPIPE, SIG_IGN)
    let tool = try runTool("cat", ["/proc/self/status"])
    let lines = tool.text.split(separator: "\n").filter {
      $0.hasPrefix("SigBlk") || $0.hasPrefix("SigIgn")
    }
    // Ignored are 32 and 33 alone, which are the C library's own.
    #expect(lines == ["SigBlk:\t0000000000000000", "SigIgn:\t0000000180000000"])
  }

  @Test("a child gets the descriptors it is given and no other, and no terminal")
  func cleanDescriptors() throws {
    let leak = fcntl(0, F_DUPFD, 40)
    defer { close(leak) }
    let pipe = try Pipe()
    // The listing's own descriptor of the folder is the lowest free one.
    let command = ChildCommand(
      path: "ls", arguments: ["-l", "/proc/self/fd"],
      descriptors: [(parent: pipe.writer, child: 1), (parent: pipe.writer, child: 6)])
    var isOver = false
    _ = try children.spawn(command) { _ in isOver = true }
    #expect(loop.turn(within: 5) { isOver })
    let lines = (pipe.read() ?? "").split(separator: "\n").filter { $0.contains(" -> ") }
    let numbers = lines.compactMap { line in
      line.split(separator: " ").dropLast(2).last.flatMap { Int($0) }
    }
    #expect(numbers == [0, 1, 2, 3, 6])
    #expect(lines.first?.hasSuffix("0 -> /dev/null") == true)
  }

  @Test("descriptors may change numbers with each other on the way")
  func exchange() throws {
    let files = ["one", "two"].map { text in
      let file = clinux_memfd_create("file", 1)
      write(file, text, 3)
      return file
    }
    defer { for file in files { close(file) } }
    let pipe = try Pipe()
    let command = ChildCommand(
      path: "cat", arguments: ["/dev/fd/\(files[0])", "/dev/fd/\(files[1])"],
      descriptors: [(files[0], files[1]), (files[1], files[0]), (pipe.writer, 1)])
    var told: VoiceIO.ExitStatus?
    _ = try children.spawn(command) { told = $0 }
    #expect(loop.turn(within: 5) { told == .exited(0) })
    #expect(pipe.read() == "twoone")
  }

  @Test("a child has the environment it is given and its own process group")
  func environment() throws {
    let tool = try runTool("/usr/bin/env", [], environment: ["A": "1 = 2", "B": ""])
    #expect(Set(tool.text.split(separator: "\n")) == ["A=1 = 2", "B="])
    var isOver = false
    let child = try children.spawn(shell("sleep 60")) { _ in isOver = true }
    #expect(getpgid(child.pid) == child.pid)
    child.signal(SIGKILL)
    #expect(loop.turn(within: 5) { isOver })
  }

  @Test("what cannot be started is an error that says why")
  func cannotStart() {
    let error = #expect(throws: IOError.self) {
      try children.spawn(ChildCommand(path: "/nowhere/at-all")) { _ in }
    }
    #expect(error?.text == "start /nowhere/at-all: No such file or directory")
    let closed = #expect(throws: IOError.self) {
      try children.spawn(ChildCommand(path: "true", descriptors: [(9999, 3)])) { _ in }
    }
    #expect(closed?.code == EBADF)
  }

  @Test("a child that ignores the request to end is killed when the grace is over")
  func grace() throws {
    let pipe = try Pipe()
    var command = shell("trap '' TERM; echo; while :; do sleep 1; done")
    command.descriptors = [(pipe.writer, 1)]
    var told: VoiceIO.ExitStatus?
    let child = try children.spawn(command) { told = $0 }
    #expect(loop.turn(within: 5) { pipe.read() != nil })
    let start = EventLoop.now
    child.end(grace: 0.1)
    child.end(grace: 60)
    #expect(loop.turn(within: 5) { told == .signalled(SIGKILL) })
    #expect(EventLoop.now - start >= 100_000_000)
  }

  @Test("a stopped child hears the request to end")
  func stopped() throws {
    var told: VoiceIO.ExitStatus?
    let child = try children.spawn(shell("sleep 60")) { told = $0 }
    child.signal(SIGSTOP)
    child.end(grace: 5)
    #expect(loop.turn(within: 3) { told == .signalled(SIGTERM) })
    // Its pid may be another's by now.
    child.signal(SIGKILL)
    child.end(grace: 0)
  }

  @Test("what a child leaves in its process group ends with it")
  func group() throws {
    let pipe = try Pipe()
    var command = shell("sleep 60 & echo $!")
    command.descriptors = [(pipe.writer, 1)]
    var isOver = false
    _ = try children.spawn(command) { _ in isOver = true }
    #expect(loop.turn(within: 5) { isOver })
    let pid = try #require(Int32((pipe.read() ?? "").dropLast()))
    #expect(waitUntil(5) { !ProcessFacts(pid).isAlive })
  }

  @Test("strays become children, are killed when asked, with their own, and leave no zombie")
  func strays() async {
    // In a process of its own: this reaps every child there is.
    await #expect(processExitsWith: .success) {
      let loop = try EventLoop()
      let children = try Children(loop: loop)
      // The daemon has one thread. Here the main thread takes the signal and throws it away, so it
      // is sent again to the one that serves.
      let nudge = loop.timer { pthread_kill(pthread_self(), SIGCHLD) }
      nudge.repeat(every: 0.01)
      let pipe = try Pipe()
      // Two that leave the child's group and session, one of them with a child of its own; the
      // other ends by itself.
      let script = """
        setsid sh -c 'setsid sleep 60 & echo $$ $!; exec sleep 60' &
        setsid sh -c 'echo $$; exec true' &
        wait $!
        while [ ! -e "$1" ]; do sleep 0.01; done
        """
      let folder = try TemporaryFolder()
      let flag = folder.path + "/go"
      var told: VoiceIO.ExitStatus?
      let command = ChildCommand(
        path: "/bin/sh", arguments: ["-c", script, "sh", flag],
        descriptors: [(pipe.writer, 1)])
      _ = try children.spawn(command) { told = $0 }
      var text = ""
      _ = loop.turn(within: 5) {
        text += pipe.read() ?? ""
        return text.split { $0 == "\n" || $0 == " " }.count == 3
      }
      let pids = text.split { $0 == "\n" || $0 == " " }.compactMap { Int32($0) }
      try #require(pids.count == 3)
      try TextFile.write(flag, "")
      try #require(loop.turn(within: 5) { told == .exited(0) })
      try #require(pids.filter { ProcessFacts($0).isAlive }.count == 2)
      children.killStrays()
      // Not even a zombie is left of them.
      let isClean = loop.turn(within: 5) { pids.allSatisfy { kill($0, 0) != 0 } }
      folder.remove()
      exit(isClean ? 0 : 1)
    }
  }
}
