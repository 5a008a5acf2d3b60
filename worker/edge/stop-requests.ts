/**
 * How this process is asked to end, and when it is ended by force [edge#stopping].
 *
 * Asked once, a command takes no more and puts things in order, for 30 s at most; tasks that it runs are paid for, so that time begins when the last
 * of them is over. Asked again, tasks are given up, which their runtime is told; without tasks it changes nothing, since a service manager, an agent
 * and a hook may each ask, and a push needs its time to release the lock.
 */
export type RunningTasks = {
  /** Aborted when the process is asked again to stop: what runs is stopped, and reported. */
  givenUp: AbortSignal
  /** The process is not ended by force before this has settled. */
  hold(task: Promise<unknown>): void
}

/** Of a command that runs within another program. */
export const UNASKED: RunningTasks = { givenUp: new AbortController().signal, hold: () => {} }

const GRACE_MS = 30_000
/** A key of the terminal goes to the whole group, and npm passes it on: signals that come together are one. */
const TOGETHER_MS = 500

export function stopRequests(exit: (code: number) => void) {
  const stopped = new AbortController()
  const givenUp = new AbortController()
  const running = new Set<Promise<unknown>>()
  let askedAt = 0
  let interrupts = 0

  async function endByForce(): Promise<void> {
    do {
      await Promise.allSettled(running)
      await new Promise((resolve) => setTimeout(resolve, GRACE_MS).unref())
    } while (running.size > 0)
    exit(130)
  }
  function stop(): void {
    if (stopped.signal.aborted) return
    askedAt = performance.now()
    stopped.abort()
    void endByForce()
  }
  function terminate(): void {
    const now = performance.now()
    if (!stopped.signal.aborted) stop()
    else if (now - askedAt >= TOGETHER_MS) giveUp(now)
  }
  function giveUp(now: number): void {
    askedAt = now
    // A person who asks a third time does not want to wait for reports.
    if (givenUp.signal.aborted && interrupts > 2) exit(130)
    givenUp.abort()
  }
  return {
    stopped: stopped.signal,
    tasks: {
      givenUp: givenUp.signal,
      hold(task: Promise<unknown>) {
        const settled: Promise<unknown> = Promise.allSettled([task]).then(() => running.delete(settled))
        running.add(settled)
      },
    },
    /** The program that started this one wants it to end, or is gone. */
    stop,
    /** SIGTERM. */
    terminate,
    /** SIGINT: a person who presses Ctrl-C twice does not want to wait, unless tasks run. */
    interrupt() {
      interrupts++
      if (interrupts > 1 && running.size === 0) exit(130)
      else terminate()
    },
  }
}
