import type { Redactor } from '#domain/secret/redact.rules.ts'

/** The log of the agent: one JSON value a line, without secrets and without stacks [edge#agent]. */
export type AgentLog = (level: LogLevel, msg: string, fields?: Record<string, unknown>) => void
export type LogLevel = 'INFO' | 'WARNING' | 'ERROR'

const MAX_TEXT = 1_000

type LogTarget = { say: (line: string) => void; node: string; redactor: Redactor }

export function createAgentLog({ say, node, redactor }: LogTarget): AgentLog {
  return (level, msg, fields = {}) => {
    const line = { ts: new Date().toISOString(), level, service: 'membridge-agent', node, msg, ...fields }
    // Masked before it is cut: half a key is found by nobody.
    const short = Object.entries(redactor.value(line) as typeof line).map(([name, value]) => [
      name,
      typeof value === 'string' && value.length > MAX_TEXT ? `${value.slice(0, MAX_TEXT)}…` : value,
    ])
    say(JSON.stringify(Object.fromEntries(short)))
  }
}

const MINUTE_MS = 60_000
const MAX_KINDS = 1_000

/**
 * Lets one line of a kind through in a minute and counts the others: what comes with every beat or request must not fill a small disk.
 * `now` is in milliseconds and never goes back.
 */
export function createLineLimit(now: () => number = () => performance.now()) {
  const kinds = new Map<string, { since: number; suppressed: number }>()
  return {
    /** How many lines of the kind were suppressed since the last one, or null when this one is suppressed, too. */
    admit(kind: string): number | null {
      const known = kinds.get(kind)
      if (known && now() - known.since < MINUTE_MS) {
        known.suppressed += 1
        return null
      }
      if (kinds.size >= MAX_KINDS) kinds.clear()
      kinds.set(kind, { since: now(), suppressed: 0 })
      return known?.suppressed ?? 0
    },
    /** The next line of the kind is let through. */
    forget: (kind: string): boolean => kinds.delete(kind),
  }
}
export type LineLimit = ReturnType<typeof createLineLimit>
