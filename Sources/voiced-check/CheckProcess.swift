import CCheck
import CVoiced
import Glibc

/// The process of one check: does it, leaves the verdict on the shared page, and is gone.
func runCheck(_ name: String, path: String, id: String, _ options: Options) {
  guard let page = check_page_map(Runner.pageDescriptor) else { exit(2) }
  let subject = Subject(path: path, id: id, target: options.target)
  if name == Runner.listing {
    say(page, names(subject))
    check_exit()
  }
  guard let check = Check.named(name) else { exit(2) }
  check_limit_memory(Runner.memoryLimit)
  let found: Finding
  do throws(Finding) {
    switch check.body {
    case .library(let body), .source(let body): found = try body(subject)
    }
  } catch {
    found = error
  }
  say(page, found)
  check_exit()
}

private func say(_ page: UnsafeMutablePointer<check_page>, _ found: Finding) {
  check_page_say(page, found.verdict.rawValue, found.text)
}

/// The ids that can be asked for, one a line, each once.
private func names(_ subject: Subject) -> Finding {
  do throws(Finding) {
    guard try subject.load().pointee.abi == 1 else { return .fail("") }
    var ids: [String] = []
    for info in try subject.infos() {
      guard let raw = info.pointee.id else { continue }
      let id = String(cString: raw)
      if !ids.contains(id) { ids.append(id) }
    }
    return .pass(ids.prefix(32).joined(separator: "\n"))
  } catch {
    return error
  }
}
