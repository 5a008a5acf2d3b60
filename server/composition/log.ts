import pino, { type DestinationStream, type Logger, type LoggerOptions } from 'pino'
import type { Env } from '#server/env.ts'

const SECRET_PATHS = [
  '*.password',
  '*.token',
  '*.secret',
  '*.authorization',
  '*.cookie',
  '*.code',
  '*.key',
  'headers.authorization',
  'headers.cookie',
]

/** Lines wait here while standard output takes none; what is more is dropped. */
const MAX_WAITING_BYTES = 1024 * 1024

/** Standard output, which may lie on a full disk or lead to nobody: a log that cannot be written ends no process. */
function standardOutput(): DestinationStream {
  const stream = pino.destination({ dest: 1, sync: true, maxLength: MAX_WAITING_BYTES })
  stream.on('error', () => {})
  return stream
}

/** JSON lines on standard output [composition#logs]; secrets are masked. */
export function createLog(env: Pick<Env, 'LOG_LEVEL'>, service: string): Logger {
  const options: LoggerOptions = {
    level: env.LOG_LEVEL,
    base: { service },
    messageKey: 'msg',
    timestamp: () => `,"ts":"${new Date().toISOString()}"`,
    formatters: { level: (label) => ({ level: label === 'warn' ? 'WARNING' : label.toUpperCase() }) },
    redact: { paths: SECRET_PATHS, censor: '****' },
  }
  return pino(options, standardOutput())
}
