import pino, { type Logger } from 'pino'
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

/** JSON lines on standard output [composition#logs]; secrets are masked. */
export function createLog(env: Pick<Env, 'LOG_LEVEL'>, service: string): Logger {
  return pino({
    level: env.LOG_LEVEL,
    base: { service },
    messageKey: 'msg',
    timestamp: () => `,"ts":"${new Date().toISOString()}"`,
    formatters: { level: (label) => ({ level: label === 'warn' ? 'WARNING' : label.toUpperCase() }) },
    redact: { paths: SECRET_PATHS, censor: '****' },
  })
}
