// A level source in C++11 that has no sound: how busy the processors are, ten times a second.
//
// It shows what the template does not: bare levels (VOICED_LEVELS_ONLY), pushed from a thread of
// the source's own, and what to do when that thread fails.
#include "voiced_source.h"

#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>

namespace {

constexpr auto pace = std::chrono::milliseconds(100);

/// Time the processors have spent, in ticks since the machine started.
struct Ticks {
  unsigned long long busy = 0, all = 0;

  /// Reads the first line of /proc/stat; false when there is none.
  bool read() {
    std::FILE *file = std::fopen("/proc/stat", "re");
    if (file == nullptr) return false;
    unsigned long long user, nice, system, idle, waiting, irq, softirq, steal;
    const int count =
        std::fscanf(file, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &user, &nice, &system,
                    &idle, &waiting, &irq, &softirq, &steal);
    std::fclose(file);
    if (count != 8) return false;
    busy = user + nice + system + irq + softirq + steal;
    all = busy + idle + waiting;
    return true;
  }
};

class Load {
 public:
  explicit Load(const voiced_host *host) : host_(host) {
    table_.size = sizeof table_;
    table_.source = this;
    table_.start = [](const voiced_source *s, const char *target, const char *) {
      return mine(s)->start(target);
    };
    table_.stop = [](const voiced_source *s) { mine(s)->stop(); };
    table_.destroy = [](const voiced_source *s) { delete mine(s); };
    table_.on_main = [](const voiced_source *s) { mine(s)->tell_end(); };
    // No targets, no extensions: those pointers stay NULL, as the contract allows.
  }

  const voiced_source *table() const { return &table_; }

 private:
  static Load *mine(const voiced_source *s) { return static_cast<Load *>(s->source); }

  std::int32_t start(const char *target) {
    if (*target != 0) return -ENOENT;
    if (!last_.read()) return -ENODEV;
    quits_ = false;
    failed_ = false;
    try {
      thread_ = std::thread([this] { run(); });
    } catch (const std::system_error &) {
      return -EAGAIN;
    }
    return 0;
  }

  void stop() {
    {
      std::lock_guard<std::mutex> hold(lock_);
      quits_ = true;
    }
    wake_.notify_one();
    thread_.join();
  }

  /// [audio] Pushes a level at each pace until told to quit.
  void run() {
    std::unique_lock<std::mutex> hold(lock_);
    while (!wake_.wait_for(hold, pace, [this] { return quits_; })) {
      Ticks now;
      if (!now.read()) {
        // ended() is not for this thread: ask for the main one.
        failed_ = true;
        host_->call_main(host_);
        return;
      }
      const auto all = now.all - last_.all;
      const auto busy = now.busy - last_.busy;
      last_ = now;
      if (all == 0) continue;
      const float level = busy >= all ? 1.0f : static_cast<float>(busy) / static_cast<float>(all);
      host_->push_level(host_, level, time());
    }
  }

  /// [main]
  void tell_end() {
    if (failed_.exchange(false)) host_->ended(host_, -ENODEV);
  }

  static std::uint64_t time() {
    // steady_clock is CLOCK_MONOTONIC with the C++ libraries of Linux.
    return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                          std::chrono::steady_clock::now().time_since_epoch())
                                          .count());
  }

  voiced_source table_{};
  const voiced_host *host_;
  std::thread thread_;
  std::mutex lock_;
  std::condition_variable wake_;
  bool quits_ = false;
  std::atomic<bool> failed_{false};
  Ticks last_;
};

const voiced_info info = {
    sizeof info, VOICED_LEVELS_ONLY, "load", "Processor load", "voiced", "1.0.0",
    "How busy the processors are, as a level.", "MIT"};

const voiced_library library = {
    sizeof library,
    VOICED_ABI,
    [] { return std::uint32_t(1); },
    [](std::uint32_t index) { return index == 0 ? &info : nullptr; },
    [](const char *id, const voiced_host *host) -> const voiced_source * {
      if (std::strcmp(id, info.id) != 0) return nullptr;
      Load *made = new (std::nothrow) Load(host);
      return made == nullptr ? nullptr : made->table();
    },
};

}  // namespace

const voiced_library *voiced_source_library(std::uint32_t host_abi) {
  return host_abi == VOICED_ABI ? &library : nullptr;
}
