/**
 * JSON lines on standard output [composition#logs]. Every line passes one filter before it is written: what has the name or the form
 * of a secret, or is a configured one, is masked wherever it stands, message and stack included.
 */
import { hostname } from 'node:os'
import pino, { type DestinationStream, type Logger, type LoggerOptions } from 'pino'
import type { Env } from '#server/env.ts'
import { redact } from '#server/redaction/redact.ts'

const LINE_BYTES = 16 * 1024
const LEVELS: Record<string, string> = { warn: 'WARNING', fatal: 'ERROR', trace: 'DEBUG' }

/** Lines wait here while standard output takes none; what is more is dropped. */
const MAX_WAITING_BYTES = 1024 * 1024

/** Standard output, which may lie on a full disk or lead to nobody: a log that cannot be written ends no process. */
function standardOutput(): DestinationStream {
  const stream = pino.destination({ dest: 1, sync: true, maxLength: MAX_WAITING_BYTES })
  stream.on('error', () => {})
  return stream
}

/** The log of a process; to standard output when no destination is given. */
export function createLog(
  env: Pick<Env, 'LOG_LEVEL'>,
  service: string,
  destination: DestinationStream = standardOutput(),
): Logger {
  const options: LoggerOptions = {
    level: env.LOG_LEVEL,
    base: { service, node: hostname() },
    messageKey: 'msg',
    timestamp: () => `,"ts":"${new Date().toISOString()}"`,
    formatters: { level: (label) => ({ level: LEVELS[label] ?? label.toUpperCase() }) },
    serializers: { err: errorFields },
    hooks: { streamWrite: safeLine },
  }
  return pino(options, destination)
}

/** `{code, message, stack}`: drivers hang rows and whole requests on their errors. Causes are in message and stack. */
function errorFields(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const { message, stack, code } = pino.stdSerializers.err(error) as unknown as Record<string, unknown>
  return { ...(code === undefined ? {} : { code }), message, stack }
}

/** The line without secrets and of at most 16 KB; what was shortened says so. */
function safeLine(line: string): string {
  const fields = redact(JSON.parse(line) as Record<string, unknown>)
  const whole = `${JSON.stringify(fields)}\n`
  return Buffer.byteLength(whole) <= LINE_BYTES ? whole : shortened(fields)
}

function shortened(fields: Record<string, unknown>): string {
  for (const length of [4_096, 1_024, 256]) {
    const line = `${JSON.stringify({ ...(cut(fields, length) as object), truncated: true })}\n`
    if (Buffer.byteLength(line) <= LINE_BYTES) return line
  }
  const { level, ts, service, node, msg } = fields
  return `${JSON.stringify({ level, ts, service, node, msg: cut(msg, 1_024), truncated: true })}\n`
}

const MAX_ITEMS = 20

function cut(value: unknown, length: number): unknown {
  if (typeof value === 'string') return value.length > length ? `${value.slice(0, length)}…` : value
  if (Array.isArray(value)) return value.slice(0, MAX_ITEMS).map((item) => cut(item, length))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, cut(item, length)]))
}
