/**
 * Does the work for every item, at most `limit` at a time, and gives the results in the order of the items. After a failure nothing more is
 * begun; it is thrown once all that was under way has ended, so that the caller can clear up.
 */
export async function mapConcurrently<T, R>(
  items: readonly T[],
  limit: number,
  work: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  const results: R[] = new Array(items.length)
  const failures: unknown[] = []
  let next = 0
  const lane = async () => {
    while (next < items.length && failures.length === 0) {
      const index = next++
      try {
        results[index] = await work(items[index] as T, index)
      } catch (error) {
        failures.push(error)
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, lane))
  if (failures.length > 0) throw failures[0]
  return results
}
