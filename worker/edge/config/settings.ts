import fs from 'node:fs'
import { isIP } from 'node:net'
import path from 'node:path'
import { z } from 'zod'
import { keyIdOf } from '#domain/machine-key/key-form.rules.ts'
import { isNodeId, NODE_ID_FORM } from '#domain/membridge/identity.rules.ts'
import { EdgeFault, ERROR_LABEL } from '../fault.ts'
import type { Host } from '../host.ts'
import { parseConfigFile } from './config-file.ts'

/**
 * The settings of a node: command line, then environment, then `config.env`, then default [edge#settings].
 *
 * An empty value counts as not given. A fault names the variable and what it wants, never the value, which may be a secret.
 */
const flag = z.enum(['0', '1'], 'must be 0 or 1').transform((text) => text === '1')
const whole = (unit: string, { min = 0, max = Number.MAX_SAFE_INTEGER } = {}) =>
  z
    .string()
    .regex(/^\d{1,16}$/, `must be a whole number of ${unit}`)
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be between ${min} and ${max}`)
const address = (protocols: string[]) =>
  z.string().refine((text) => URL.canParse(text) && protocols.includes(new URL(text).protocol), {
    error: `must be an address that begins with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`,
  })
const text = z.string()
const name = z
  .string()
  .max(128, 'must be 1 to 128 characters')
  .regex(/^[^\p{Cc}]+$/u, 'must not hold control characters')

const SETTINGS = z.object({
  MINIO_ENDPOINT: address(['http:', 'https:', 'file:']).optional(),
  MINIO_ACCESS_KEY: text.optional(),
  MINIO_SECRET_KEY: text.optional(),
  MINIO_BUCKET: text.optional(),
  MINIO_REGION: text.default('us-east-1'),
  CLAUDE_PROJECT_ID: name.optional(),
  CLAUDE_MEM_DB: text.optional(),
  CLAUDE_MEM_WORKER_PORT: whole('digits', { min: 1, max: 65_535 }).optional(),
  MEMBRIDGE_NODE_ID: text.refine(isNodeId, NODE_ID_FORM).optional(),
  PRIMARY_NODE_ID: name.optional(),
  LEADERSHIP_ENABLED: flag.default(true),
  LEADERSHIP_LEASE_SECONDS: whole('seconds', { min: 60, max: 604_800 }).default(3600),
  LOCK_TTL_SECONDS: whole('seconds', { min: 1 }).default(7200),
  STALE_LOCK_GRACE_SECONDS: whole('seconds').default(60),
  ALLOW_SECONDARY_PUSH: flag.default(false),
  ALLOW_PRIMARY_PULL_OVERRIDE: flag.default(false),
  FORCE_PUSH: flag.default(false),
  PULL_BACKUP_MAX_DAYS: whole('days').default(14),
  PULL_BACKUP_MAX_COUNT: whole('backups').default(50),
  MEMBRIDGE_NO_RESTART_WORKER: flag.default(false),
  MEMBRIDGE_SERVER_URL: address(['http:', 'https:']).default('http://127.0.0.1:8000'),
  MEMBRIDGE_SERVER_ADMIN_KEY: text.optional(),
  MEMBRIDGE_ADMIN_KEY: text.optional(),
  MEMBRIDGE_AGENT_KEY: text.optional(),
  /** This node's own machine key, which the control plane takes in place of the admin key. */
  MEMBRIDGE_NODE_KEY: z
    .string()
    .refine((key) => keyIdOf(key) !== null, 'must have the form gbk_<id>_<secret>')
    .optional(),
  MEMBRIDGE_MAX_DB_BYTES: whole('bytes', { min: 1 }).default(2 * 1024 ** 3),
  MEMBRIDGE_REQUIRE_GRANT: flag.default(false),
  MEMBRIDGE_PROJECTS_FILE: text.optional(),
  MEMBRIDGE_AGENT_HOST: text.default('127.0.0.1'),
  MEMBRIDGE_AGENT_PORT: whole('digits', { max: 65_535 }).default(8001),
  MEMBRIDGE_AGENT_DRYRUN: flag.default(false),
  MEMBRIDGE_ALLOW_PROCESS_CONTROL: flag.default(false),
  MEMBRIDGE_HEARTBEAT_INTERVAL_SECONDS: whole('seconds', { min: 1, max: 3600 }).default(10),
  MEMBRIDGE_HOOKS_BIN: text.optional(),
  /** Where the gateway is that has the LLM Tasks. */
  BLOOM_RUNTIME_URL: address(['http:', 'https:']).optional(),
  /** The key of BLOOM Runtime, where this node has none of its own; the second and third are older names. */
  RUNTIME_API_KEY: text.optional(),
  BLOOM_WORKER_KEY: text.optional(),
  BLOOM_API_KEY: text.optional(),
  /** Whether the agent runs LLM Tasks: fetched by it, or when it is called. */
  MEMBRIDGE_WORK: z.enum(['off', 'pull', 'push'], 'must be off, pull or push').default('off'),
  /** Where the runtime calls this agent; by its host name and port when not given. */
  MEMBRIDGE_AGENT_URL: address(['http:', 'https:']).optional(),
  CLAUDE_BIN: text.default('claude'),
  MEMBRIDGE_WORK_CONCURRENCY: whole('tasks', { min: 1, max: 32 }).default(1),
  MEMBRIDGE_WORK_LABELS: text.default('').transform((list) => list.split(/[\s,]+/).filter(Boolean)),
  ALLOW_INSECURE_LAN: flag.default(false),
  /** Addresses of proxies whose word is taken that they ended TLS. */
  TRUSTED_PROXIES: text
    .default('')
    .transform((list) => list.split(/[\s,]+/).filter(Boolean))
    .refine((list) => list.every((entry) => isIP(entry) !== 0), 'must be a list of IP addresses'),
})

export type Settings = z.infer<typeof SETTINGS>
export type SettingName = keyof Settings & string

export type LoadedSettings = {
  values: Settings
  /** The file that was looked for; `found` is false when there is none at the default place. */
  file: { path: string; found: boolean; skipped: number[]; openToOthers: boolean }
}

/** Where `config.env` lies unless it is named. */
const DEFAULT_FILE = '.claude-mem-minio/config.env'

/** Reads and checks all settings; throws `EdgeFault` with one line for each fault. */
export function loadSettings(host: Host, given: { project?: string; config?: string } = {}): LoadedSettings {
  const file = readFile(host, given.config)
  const names = Object.keys(SETTINGS.shape)
  const merged = names.map((key) => [key, host.env[key] || file.values[key] || undefined])
  const raw = {
    ...Object.fromEntries(merged),
    ...(given.project ? { CLAUDE_PROJECT_ID: given.project } : {}),
  }
  const values = checkSettings(raw)
  for (const key of ['CLAUDE_MEM_DB', 'MEMBRIDGE_PROJECTS_FILE', 'MEMBRIDGE_HOOKS_BIN'] as const) {
    if (values[key] !== undefined) values[key] = absolute(host, values[key])
  }
  return { values, file: file.about }
}

/** The settings as values that the table admits; throws `EdgeFault` with one line for each fault. */
export function checkSettings(raw: Readonly<Record<string, string | undefined>>): Settings {
  const parsed = SETTINGS.safeParse(raw)
  if (parsed.success) return parsed.data
  const lines = parsed.error.issues.map((issue) => `${String(issue.path[0])} ${issue.message}`)
  throw new EdgeFault([...new Set(lines)].join(`\n${ERROR_LABEL}`))
}

/** A path as a person writes it: `~` is the home folder, anything relative stands where the command was typed. */
export const absolute = (host: Host, given: string): string =>
  path.resolve(
    host.cwd,
    given.replace(/^~(?=\/|$)/, () => host.home),
  )

/** Where `config.env` lies, and whether a person named the place. */
export function configPlace(host: Host, config: string | undefined): { place: string; named: boolean } {
  const named = config || host.env.MEMBRIDGE_CONFIG_ENV
  return { place: named ? absolute(host, named) : path.join(host.home, DEFAULT_FILE), named: Boolean(named) }
}

function readFile(host: Host, config: string | undefined) {
  const { place, named } = configPlace(host, config)
  try {
    const content = fs.readFileSync(place, 'utf8')
    const { values, skipped } = parseConfigFile(content, host.home)
    const openToOthers = (fs.statSync(place).mode & 0o077) !== 0
    return { values, about: { path: place, found: true, skipped, openToOthers } }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' && !named)
      return { values: {}, about: { path: place, found: false, skipped: [], openToOthers: false } }
    const why = code === 'ENOENT' ? 'not found' : `cannot be read (${code})`
    throw new EdgeFault(`config file ${place} ${why}`)
  }
}

/** The value of a setting that a command cannot do without; `EdgeFault` "… not set" otherwise. */
export function required<K extends SettingName>(settings: Settings, key: K): NonNullable<Settings[K]> {
  const value = settings[key]
  if (value === undefined || value === null) throw new EdgeFault(`${key} not set`)
  return value
}
