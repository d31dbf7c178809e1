// The threads behind parallel_for. A call is over when its items are done, not when every thread of a team has shown up:
// the caller works on while the others wake, so that a thread that a busy machine does not run delays nobody. Idle threads
// look for work for some microseconds, for calls come in rows, and then sleep.
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "core/parallel.hpp"

namespace lanatus::detail {
namespace {

constexpr int looks_before_sleep = 2000;

inline void pause() noexcept {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

// Waits until `value` is no longer `old`: looking first, then asleep.
void wait_for_change(const std::atomic<std::uint32_t>& value, std::uint32_t old) noexcept {
    for (int look = 0; look < looks_before_sleep; ++look) {
        if (value.load(std::memory_order_acquire) != old) return;
        pause();
    }
    value.wait(old, std::memory_order_acquire);
}

thread_local bool is_inside = false;

struct Job {
    Call call;
    const void* body;
    std::uint32_t count;
    int seats;  // for threads other than the caller; under the pool's mutex
    std::atomic<std::uint32_t> next{0}, done{0};
    std::atomic<bool> failed{false};
    std::exception_ptr error;

    void work() noexcept {
        for (std::uint32_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < count;) {
            if (!failed.load(std::memory_order_relaxed)) try {
                    call(body, i);
                } catch (...) {
                    if (!failed.exchange(true)) error = std::current_exception();
                }
            if (done.fetch_add(1, std::memory_order_acq_rel) + 1 == count) done.notify_all();
        }
    }
    bool has_work() const noexcept { return next.load(std::memory_order_relaxed) < count; }
};

class Pool {
  public:
    void run(std::size_t count, int team, Call call, const void* body) {
        // A thread may still look at a job whose items are all taken, long after the caller has gone.
        auto job = std::make_shared<Job>(call, body, static_cast<std::uint32_t>(count), team - 1);
        {
            const std::lock_guard lock(mutex_);
            try {
                for (; n_threads_ < team - 1; ++n_threads_) std::thread([this] { serve(); }).detach();
            } catch (const std::system_error&) {
                // The system gives no more threads: those there are will do.
            }
            jobs_.push_back(job);
        }
        calls_.fetch_add(1, std::memory_order_release);
        calls_.notify_all();
        is_inside = true;
        job->work();
        is_inside = false;
        for (std::uint32_t done; (done = job->done.load(std::memory_order_acquire)) < job->count;)
            wait_for_change(job->done, done);
        {
            const std::lock_guard lock(mutex_);
            std::erase(jobs_, job);
        }
        if (job->error) std::rethrow_exception(job->error);
    }

  private:
    void serve() noexcept {
        is_inside = true;
        while (true) {
            const std::uint32_t seen = calls_.load(std::memory_order_acquire);
            while (const auto job = taken()) job->work();
            wait_for_change(calls_, seen);
        }
    }
    // A job that can use one more thread, or none.
    std::shared_ptr<Job> taken() noexcept {
        const std::lock_guard lock(mutex_);
        for (const auto& job : jobs_)
            if (job->seats > 0 && job->has_work()) {
                --job->seats;
                return job;
            }
        return nullptr;
    }

    std::mutex mutex_;
    std::vector<std::shared_ptr<Job>> jobs_;
    int n_threads_ = 0;
    std::atomic<std::uint32_t> calls_{0};
};

// Never destroyed: its threads may outlive the end of main. A forked child has none of them and begins anew.
std::atomic<Pool*> pool{nullptr};

Pool& the_pool() {
    Pool* found = pool.load(std::memory_order_acquire);
    if (found != nullptr) return *found;
    static std::once_flag watch_forks;
    std::call_once(watch_forks,
                   [] { pthread_atfork(nullptr, nullptr, [] { pool.store(nullptr), is_inside = false; }); });
    auto made = std::make_unique<Pool>();
    if (pool.compare_exchange_strong(found, made.get())) return *made.release();
    return *found;
}

}  // namespace

void run(std::size_t count, int n_threads, Call call, const void* body) {
    const int team = static_cast<int>(std::min<std::size_t>(count, static_cast<std::size_t>(std::max(n_threads, 1))));
    if (team > 1 && !is_inside) return the_pool().run(count, team, call, body);
    for (std::size_t i = 0; i < count; ++i) call(body, i);
}

}  // namespace lanatus::detail
