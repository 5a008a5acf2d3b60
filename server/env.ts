/**
 * The environment, read once and validated whole [composition#environment].
 *
 * Fields carry the names of their variables. An empty variable counts as not given. Secrets come from the environment
 * or from `BLOOM_HOME/secrets.json`, which is generated at first start. Every fault is one line that names the variable
 * and the rule it breaks, never its value; all faults are reported at once and nothing starts.
 */
import path from 'node:path'
import { z } from 'zod'
import { ALERT_LANGUAGES } from '#domain/alert/alert-words.ts'
import { ensureSecrets, PROGRAM_SECRETS } from './launch/secrets.mjs'
import { isAddressList } from './outbound/address-rules.ts'
import { parseRemoteAddress, secretsOf } from './ports/remote-address.ts'
import { protectSecrets } from './redaction/redact.ts'

/** Keys below 256 bits are refused. */
const MIN_KEY_BYTES = 32

const LOOPBACK = ['127.0.0.1', '::1', 'localhost']

const port = (byDefault: number) =>
  z.coerce
    .number('must be a port number')
    .int()
    .min(1, 'must be a port number')
    .max(65_535, 'must be at most 65535')
    .default(byDefault)
const wholeNumber = (byDefault: number, min: number, max: number) =>
  z.coerce
    .number('must be a number')
    .int('must be a whole number')
    .min(min, `must be at least ${min}`)
    .max(max, `must be at most ${max}`)
    .default(byDefault)
const wholeDays = z.coerce
  .number('must be a number of days')
  .int('must be a whole number of days')
  .min(1, 'must be at least 1 day')
  .max(36_500, 'must be at most 36500 days')
const rate = (byDefault: number) => wholeNumber(byDefault, 1, 1_000_000)
const flag = z
  .enum(['0', '1'], 'must be 0 or 1')
  .default('0')
  .transform((value) => value === '1')
const webUrl = z
  .url({ protocol: /^https?$/, error: 'must be an http or https address' })
  .transform((value) => value.replace(/\/+$/, ''))
const key = z
  .string()
  .refine((value) => Buffer.byteLength(value) >= MIN_KEY_BYTES, `must have at least ${MIN_KEY_BYTES} bytes`)
const list = z
  .string()
  .default('')
  .transform((value) => value.split(/[\s,]+/).filter(Boolean))
/** Origins as browsers send them: exact, none by default. */
const origins = list.refine((all) => all.every(isOrigin), 'must list origins such as https://host:port')
const directory = z.string().transform((value) => path.resolve(value))
function isOrigin(text: string): boolean {
  return /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text
}
const databaseUrl = z.url({
  protocol: /^postgres(ql)?$/,
  error: 'must be a postgresql:// address (npm start brings up a PostgreSQL of its own and sets it)',
})

const schema = z
  .object({
    NODE_ENV: z
      .enum(['development', 'production', 'test'], 'must be development, production or test')
      .default('production'),
    /** All state of the embedded default. */
    BLOOM_HOME: directory.default(() => path.resolve('.bloom')),
    /** A folder of notes to start from; it is imported, never written. The demo garden when not given. */
    GARDEN_DIR: directory.optional(),
    /** A git remote that follows the garden's branch [apply#remote]. */
    GARDEN_REMOTE: z
      .string()
      .max(1_024, 'must have at most 1024 characters')
      .refine(
        (text) => parseRemoteAddress(text) !== null,
        'must be an https, http or ssh address of a git repository (ssh without a password), or the absolute path of a bare one',
      )
      .optional(),
    DATABASE_URL: databaseUrl,
    /** Of roles that somebody made by hand; the launcher gives each process its own as DATABASE_URL. */
    DATABASE_URL_WEB: databaseUrl.optional(),
    DATABASE_URL_WORKER: databaseUrl.optional(),
    HOST: z.string().default('127.0.0.1'),
    PORT: port(3000),
    /** How browsers reach the console; decides about Secure cookies and the links that are printed. */
    PUBLIC_URL: webUrl.optional(),
    NLM_PORT: port(8080),
    /** Where the Orchestration Layer calls the NotebookLM Backend. */
    NLM_URL: webUrl.optional(),
    /** Where the NotebookLM Backend reaches the gateway (artifacts, callback). */
    GATEWAY_URL: webUrl.optional(),
    MINIO_ENDPOINT: webUrl.optional(),
    MINIO_ACCESS_KEY: z.string().optional(),
    MINIO_SECRET_KEY: z.string().optional(),
    MINIO_BUCKET: z.string().optional(),
    BLOOM_OWNER_PASSWORD: z
      .string()
      .min(12, 'must have at least 12 characters')
      .max(128, 'must have at most 128 characters')
      .optional(),
    BLOOM_SESSION_KEY: key,
    BLOOM_ZONE_KEY: key,
    BLOOM_JOB_TOKEN_KEY: key,
    NOTEBOOKLM_API_KEY: key,
    MEMBRIDGE_CALLBACK_TOKEN: key,
    MEMBRIDGE_CALLBACK_SIGNING_KEY: key,
    AUDIT_SIGNING_KEY: key,
    /** Of the control plane, its nodes and the runtime: kept from the first start on, for when they are there. */
    MEMBRIDGE_ADMIN_KEY: key,
    MEMBRIDGE_AGENT_KEY: key,
    RUNTIME_API_KEY: key,
    MEMBRIDGE_PORT: port(8000),
    /** The bearer under which Prometheus reads `/metrics`. */
    METRICS_TOKEN: key,
    /** Seconds between an approval and the earliest moment it is applied, in which it can be undone. */
    APPLY_HOLD_SECONDS: wholeNumber(10, 0, 3600),
    /** How old the newest signed head of the audit may be before what came after it is signed. */
    AUDIT_HEAD_MINUTES: wholeNumber(60, 1, 1440),
    /** Jobs and runs that one worker advances at a time. */
    WORKER_JOBS: wholeNumber(16, 1, 256),
    WORKER_RUNS: wholeNumber(10, 1, 100),
    /** Runs that are running in all, and runs of one agent that may wait ([runs#queue]). */
    RUNS_MAX_RUNNING: wholeNumber(10, 1, 1_000),
    RUNS_QUEUE_DEPTH: wholeNumber(5, 1, 1_000),
    /** Days after which documents of artifacts are removed ([retention]); never when not given. */
    RETENTION_ARTIFACT_DAYS: wholeDays.optional(),
    ALLOW_INSECURE_LAN: flag,
    /** Other origins whose pages may call the API [http#other-origins]. */
    ALLOWED_ORIGINS: origins,
    /** Callbacks that carry no signature are taken by their bearer alone: for a NotebookLM Backend that cannot sign. */
    CALLBACK_ALLOW_UNSIGNED: flag,
    /** Requests in a sliding minute [auth#rate-limits]; sign-ins and zone codes in a quarter of an hour. */
    RATE_OWNER_CHANGES: rate(60),
    RATE_OWNER_READS: rate(600),
    RATE_OPERATOR_CHANGES: rate(60),
    RATE_OPERATOR_READS: rate(600),
    RATE_GUEST_READS: rate(30),
    RATE_ANONYMOUS_CHANGES: rate(10),
    RATE_ANONYMOUS_READS: rate(30),
    RATE_AGENT_CHANGES: rate(20),
    RATE_SIGN_INS: rate(5),
    /** Addresses of reverse proxies whose X-Forwarded-For is believed, separated by commas. */
    TRUSTED_PROXIES: list,
    /** Where alerts are sent [alerts#delivery]: a webhook with the secret that signs it, and e-mail over an SMTP server. */
    ALERT_WEBHOOK_URL: z
      .url({ protocol: /^https?$/, error: 'must be an http or https address' })
      .refine((url) => !new URL(url).username, 'must not hold credentials')
      .optional(),
    ALERT_WEBHOOK_SECRET: key.optional(),
    SMTP_URL: z.url({ protocol: /^smtps?$/, error: 'must be an smtp:// or smtps:// address' }).optional(),
    ALERT_EMAIL_TO: list.refine(
      (all) => all.every((one) => z.email().safeParse(one).success),
      'must list e-mail addresses',
    ),
    ALERT_EMAIL_FROM: z.email('must be an e-mail address').optional(),
    /** The language of e-mails: who reads them has chosen none here. */
    ALERT_LANGUAGE: z.enum(ALERT_LANGUAGES, 'must be en or uk').default('en'),
    /** Private addresses and networks that the names of the webhook and the SMTP server may lead to. */
    ALERT_ADDRESSES: list.refine(isAddressList, 'must list addresses or networks such as 10.1.0.0/16'),
    LOG_LEVEL: z
      .enum(
        ['fatal', 'error', 'warn', 'info', 'debug', 'silent'],
        'must be fatal, error, warn, info, debug or silent',
      )
      .default('info'),
  })
  .superRefine((env, context) => {
    const fault = (variable: string, message: string) =>
      context.addIssue({ code: 'custom', path: [variable], message })
    const given = [env.MINIO_ENDPOINT, env.MINIO_ACCESS_KEY, env.MINIO_SECRET_KEY, env.MINIO_BUCKET]
    if (given.some(Boolean) && !given.every(Boolean)) {
      fault('MINIO_ENDPOINT', 'needs MINIO_ACCESS_KEY, MINIO_SECRET_KEY and MINIO_BUCKET beside it')
    }
    for (const [one, other] of [
      ['ALERT_WEBHOOK_URL', 'ALERT_WEBHOOK_SECRET'],
      ['SMTP_URL', 'ALERT_EMAIL_TO'],
    ] as const) {
      if (Boolean(env[one]) !== Boolean(env[other]?.length)) fault(one, `goes together with ${other}`)
    }
    const overTls = env.PUBLIC_URL?.startsWith('https:')
    if (!LOOPBACK.includes(env.HOST) && !overTls && !env.ALLOW_INSECURE_LAN) {
      fault('HOST', 'opens the console to the network: give an https PUBLIC_URL, or set ALLOW_INSECURE_LAN=1')
    }
  })
  .transform((env) => ({
    ...env,
    PUBLIC_URL:
      env.PUBLIC_URL ?? `http://${LOOPBACK.includes(env.HOST) ? 'localhost' : env.HOST}:${env.PORT}`,
    NLM_URL: env.NLM_URL ?? `http://127.0.0.1:${env.NLM_PORT}`,
    GATEWAY_URL: env.GATEWAY_URL ?? `http://127.0.0.1:${env.PORT}`,
  }))

/** The validated environment: what is optional in the shell has its default here. */
export type Env = Readonly<z.infer<typeof schema>>

/** The environment cannot be used; `faults` has one line each, free of values. */
export class EnvFault extends Error {
  readonly faults: readonly string[]
  constructor(faults: string[]) {
    super(`The environment is not usable:\n${faults.map((line) => `  ${line}`).join('\n')}`)
    this.name = 'EnvFault'
    this.faults = faults
  }
}

/** Reads and validates the environment; throws an EnvFault. Generates missing secrets in BLOOM_HOME at first start.
 * From then on the secrets are masked in whatever this process writes. */
export function loadEnv(source: Record<string, string | undefined> = process.env): Env {
  const given = Object.fromEntries(
    Object.entries(source).filter(([, value]) => value !== undefined && value !== ''),
  )
  const parsed = schema.safeParse({ ...missingSecrets(given), ...given })
  if (parsed.success) {
    protectSecrets(secretValues(parsed.data))
    return Object.freeze(parsed.data)
  }
  throw new EnvFault(
    parsed.error.issues.map(({ path: [variable], message }) => `${String(variable)}: ${message}`),
  )
}

/** The same without touching the home: secrets that nobody gave count as good, since they will be made. */
export function checkEnv(source: Record<string, string | undefined> = process.env): Env {
  const given = Object.entries(source).filter(([, value]) => value !== undefined && value !== '')
  const later = PROGRAM_SECRETS.map((name) => [name, '-'.repeat(MIN_KEY_BYTES)])
  return loadEnv({ ...Object.fromEntries(later), ...Object.fromEntries(given) })
}

/** Secrets that are all given leave the home untouched, which an outside secret store may want. */
function missingSecrets(given: Record<string, unknown>): Record<string, string> {
  if (PROGRAM_SECRETS.every((name) => name in given)) return {}
  try {
    return ensureSecrets(path.resolve(String(given.BLOOM_HOME ?? '.bloom')))
  } catch (error) {
    throw new EnvFault([`BLOOM_HOME: ${error instanceof Error ? error.message : String(error)}`])
  }
}

const SHORTEST_ACCESS_KEY = 12

/** The values that must never appear in a log, an error or an export. */
export function secretValues(env: Env): string[] {
  const names = [
    ...PROGRAM_SECRETS,
    ...(['MINIO_SECRET_KEY', 'BLOOM_OWNER_PASSWORD', 'ALERT_WEBHOOK_SECRET'] as const),
  ]
  const urls = [env.DATABASE_URL, env.DATABASE_URL_WEB, env.DATABASE_URL_WORKER, env.SMTP_URL].filter(
    (url) => url !== undefined,
  )
  const passwords = urls.flatMap((url) => {
    const { password, searchParams } = new URL(url)
    return [decodeURIComponent(password), searchParams.get('password')]
  })
  const hook = env.ALERT_WEBHOOK_URL ? new URL(env.ALERT_WEBHOOK_URL) : null
  // What stands behind the origin of a webhook is often the secret that lets one post there.
  const path = hook && hook.pathname.length > 8 ? hook.pathname : null
  // A short one (`minio`) is a plain word, and as likely a host's name; the secret beside it is masked all the same.
  const account = (env.MINIO_ACCESS_KEY ?? '').length < SHORTEST_ACCESS_KEY ? undefined : env.MINIO_ACCESS_KEY
  const given = names.map((name) => (env as Record<string, unknown>)[name])
  const remote = env.GARDEN_REMOTE ? secretsOf(env.GARDEN_REMOTE) : []
  return [...given, account, ...passwords, ...remote, path].filter(
    (value): value is string => typeof value === 'string' && value.length > 0,
  )
}
