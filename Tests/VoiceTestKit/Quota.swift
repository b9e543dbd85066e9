import VoiceIO

/// Stands in for a quota on a user's files, which few machines let a test set up: no file takes more
/// than so many bytes, for a program and all that it starts.
///
/// The kernel says it, by a filter of system calls.
package enum Quota {
  private static let source = """
    #include <errno.h>
    #include <linux/filter.h>
    #include <linux/seccomp.h>
    #include <stddef.h>
    #include <sys/prctl.h>
    #include <sys/syscall.h>
    #include <unistd.h>

    int main(int count, char **words) {
      struct sock_filter rules[] = {
          BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
          BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pwrite64, 0, 3),
          BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[3])),
          BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, LIMIT, 0, 1),
          BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EDQUOT),
          BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      };
      struct sock_fprog filter = {6, rules};
      if (count < 2 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
          prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter))
        return 126;
      execv(words[1], words + 1);
      return 127;
    }
    """

  /// Builds the program that starts another one under the quota, and returns its path.
  package static func program(_ folder: TemporaryFolder, bytes: Int) throws -> String {
    let path = folder.path + "/quota"
    try TextFile.write(path + ".c", source)
    let result = try runTool("cc", ["-DLIMIT=\(bytes)", path + ".c", "-o", path], timeout: 60)
    guard result.isSuccess else { throw RigFailure("no quota: \(result.errorText)") }
    return path
  }
}
