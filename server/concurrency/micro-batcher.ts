/**
 * Batches what many callers want to do into shared statements [ledger#transitions] or shared flushes: while one batch is on its way the next one
 * fills, so a busy process shares commits and an idle one waits for nobody. Each item keeps its own guard; the batch only shares the commit.
 *
 * A batch that fails as a whole fails every caller in it: callers treat that like any lost answer.
 */
export type MicroBatcher<I, O> = (item: I) => Promise<O>

type Waiting<I, O> = { item: I; resolve(outcome: O): void; reject(error: unknown): void }

/** `run` answers with one outcome an item, in the order of the items; at most `max` items share one call. */
export function microBatcher<I, O>(run: (items: I[]) => Promise<O[]>, max = 256): MicroBatcher<I, O> {
  let waiting: Waiting<I, O>[] = []
  let busy = false

  const drain = async () => {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, max)
      waiting = waiting.slice(max)
      await runBatch(run, batch)
    }
    busy = false
  }
  return (item) =>
    new Promise<O>((resolve, reject) => {
      waiting.push({ item, resolve, reject })
      if (busy) return
      busy = true
      setImmediate(drain)
    })
}

async function runBatch<I, O>(run: (items: I[]) => Promise<O[]>, batch: Waiting<I, O>[]): Promise<void> {
  try {
    const outcomes = await run(batch.map((w) => w.item))
    batch.forEach((w, n) => {
      w.resolve(outcomes[n] as O)
    })
  } catch (error) {
    for (const w of batch) w.reject(error)
  }
}
