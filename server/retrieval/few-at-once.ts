/** Files that are read at once, by threads of the runtime. */
export const AT_ONCE = 8

/** The answer to each item, in their order; only a few are asked for at once, however many there are. */
export async function fewAtOnce<T, U>(items: readonly T[], ask: (item: T) => Promise<U>): Promise<U[]> {
  const answers: U[] = []
  for (let at = 0; at < items.length; at += AT_ONCE)
    answers.push(...(await Promise.all(items.slice(at, at + AT_ONCE).map(ask))))
  return answers
}
