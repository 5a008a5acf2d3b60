/** Small things that the browser keeps for the console: for this tab (`session`) or for good (`local`). Where it keeps nothing, nothing is lost. */
type Where = 'session' | 'local'

const storeOf = (where: Where): Storage => (where === 'session' ? window.sessionStorage : window.localStorage)

/** What was kept under the key, whatever shape it has by now; null when there is nothing. */
export function readFrom<T>(where: Where, key: string): T | null {
  try {
    return JSON.parse(storeOf(where).getItem(key) ?? 'null')
  } catch {
    return null
  }
}

export function keepIn(where: Where, key: string, value: unknown): void {
  try {
    storeOf(where).setItem(key, JSON.stringify(value))
  } catch {}
}
