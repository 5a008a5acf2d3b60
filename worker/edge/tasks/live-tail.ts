/**
 * What a program has said since the last beat, without secrets [edge#work].
 *
 * A secret of which one half went with one beat and the other with the next is found by nobody. So a line waits for its end: until the next beat, if nothing
 * more of it comes meanwhile, and no longer than a line may be.
 */
const KEPT_CHARACTERS = 16 * 1024
const TAIL_BYTES = 4 * 1024
const LINE_CHARACTERS = 1024
/** Of a line that is longer, so much waits; no secret is longer. */
const WAITING_CHARACTERS = 512

export type LiveTail = {
  say(text: string): void
  /** The end of what can be shown, at most 4 KiB in whole characters; it is given once. */
  take(): string
}

export function liveTail(mask: (text: string) => string): LiveTail {
  let pending = ''
  let waiting: string | null = null
  return {
    say(text) {
      pending = (pending + text).slice(-KEPT_CHARACTERS)
    },
    take() {
      const ended = Math.max(pending.lastIndexOf('\n'), pending.lastIndexOf('\r')) + 1
      const line = pending.slice(ended)
      const stands = line === waiting
      const isLong = line.length > LINE_CHARACTERS
      const shown = stands ? pending.length : isLong ? pending.length - WAITING_CHARACTERS : ended
      const text = pending.slice(0, shown)
      pending = pending.slice(shown)
      waiting = pending
      return endOf(mask(text))
    },
  }
}

function endOf(text: string): string {
  const bytes = Buffer.from(text.replaceAll('\0', ''))
  return bytes
    .subarray(-TAIL_BYTES)
    .toString('utf8')
    .replace(/^\uFFFD+/, '')
}
