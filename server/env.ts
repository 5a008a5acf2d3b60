/**
 * The environment, read once and validated whole [composition#environment].
 *
 * Fields carry the names of their variables. An empty variable counts as not given. Secrets come from the environment
 * or from `BLOOM_HOME/secrets.json`, which is generated at first start. Every fault is one line that names the variable
 * and the rule it breaks, never its value; all faults are reported at once and nothing starts.
 */
import { createHmac } from 'node:crypto'
import path from 'node:path'
import { z } from 'zod'
import { alertFaults, alertVariables } from './environment/alert-variables.ts'
import { callbackUrlOf } from './environment/callback-url.ts'
import { EnvFault, givenOf, linesOf } from './environment/env-fault.ts'
import { limitVariables } from './environment/limit-variables.ts'
import { membridgeFaults, membridgeUrl, membridgeVariables } from './environment/membridge-variables.ts'
import { pushVariables } from './environment/push-variables.ts'
import { runtimeFaults, runtimeVariables, withNewerNames } from './environment/runtime-variables.ts'
import { sharedVariables, storeFaults } from './environment/shared-variables.ts'
import {
  databaseUrl,
  directory,
  isLoopbackHost,
  key,
  MIN_KEY_BYTES,
  origins,
  port,
  webUrl,
} from './environment/variables.ts'
import { ensureSecrets, PROGRAM_SECRETS } from './launch/secrets.mjs'
import { parseRemoteAddress, secretsOf } from './ports/remote-address.ts'
import { protectSecrets } from './redaction/redact.ts'

export { EnvFault }

const schema = z
  .object({
    ...sharedVariables,
    ...membridgeVariables,
    ...limitVariables,
    ...alertVariables,
    ...pushVariables,
    ...runtimeVariables,
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
    /** Of roles that somebody made by hand; the launcher gives each process its own as DATABASE_URL. */
    DATABASE_URL_WEB: databaseUrl.optional(),
    DATABASE_URL_WORKER: databaseUrl.optional(),
    DATABASE_URL_CONTROL_PLANE: databaseUrl.optional(),
    HOST: z.string().default('127.0.0.1'),
    PORT: port(3000),
    /** How browsers reach the console; decides about Secure cookies and the links that are printed. */
    PUBLIC_URL: webUrl.optional(),
    NLM_PORT: port(8080),
    /** Where the Orchestration Layer calls the NotebookLM Backend. */
    NLM_URL: webUrl.optional(),
    /** Where the NotebookLM Backend reaches the gateway (artifacts). */
    GATEWAY_URL: webUrl.optional(),
    /** The one origin to which a NotebookLM Backend reports that was configured so. */
    NLM_CALLBACK_ORIGIN: webUrl.transform((value) => new URL(value).origin).optional(),
    BLOOM_OWNER_PASSWORD: z
      .string()
      .min(12, 'must have at least 12 characters')
      .max(128, 'must have at most 128 characters')
      .optional(),
    BLOOM_SESSION_KEY: key,
    /** Under which addresses of clients are hashed; from the session key when not given. */
    BLOOM_ADDRESS_KEY: key.optional(),
    BLOOM_ZONE_KEY: key,
    BLOOM_JOB_TOKEN_KEY: key,
    NOTEBOOKLM_API_KEY: key,
    AUDIT_SIGNING_KEY: key,
    /** The bearer under which Prometheus reads `/metrics`. */
    METRICS_TOKEN: key,
    /** Other origins whose pages may call the API [http#other-origins]. */
    ALLOWED_ORIGINS: origins,
  })
  .superRefine((env, context) => {
    const faults = [...storeFaults(env), ...alertFaults(env), ...membridgeFaults(env), ...runtimeFaults(env)]
    for (const [variable, message] of faults) context.addIssue({ code: 'custom', path: [variable], message })
    const overTls = env.PUBLIC_URL?.startsWith('https:')
    if (!isLoopbackHost(env.HOST) && !overTls && !env.ALLOW_INSECURE_LAN) {
      const message =
        'opens the console to the network: give an https PUBLIC_URL, or set ALLOW_INSECURE_LAN=1'
      context.addIssue({ code: 'custom', path: ['HOST'], message })
    }
  })
  .transform((env) => {
    const own = { gateway: env.GATEWAY_URL ?? `http://127.0.0.1:${env.PORT}`, membridge: membridgeUrl(env) }
    return {
      ...env,
      PUBLIC_URL: env.PUBLIC_URL ?? `http://${isLoopbackHost(env.HOST) ? 'localhost' : env.HOST}:${env.PORT}`,
      NLM_URL: env.NLM_URL ?? `http://127.0.0.1:${env.NLM_PORT}`,
      NLM_CALLBACK_URL: callbackUrlOf(env, own),
      GATEWAY_URL: own.gateway,
      RUNTIME_URL: env.RUNTIME_URL ?? own.gateway,
      MEMBRIDGE_URL: own.membridge,
      BLOOM_ADDRESS_KEY: env.BLOOM_ADDRESS_KEY ?? addressKeyOf(env.BLOOM_SESSION_KEY),
    }
  })

/** Every process hashes an address alike, also one that may not know the session key. */
const addressKeyOf = (sessionKey: string): string =>
  createHmac('sha256', sessionKey).update('addresses').digest('base64url')

/** The validated environment: what is optional in the shell has its default here. */
export type Env = Readonly<z.infer<typeof schema>>

/** Reads and validates the environment; throws an EnvFault. Generates missing secrets in BLOOM_HOME at first start.
 * From then on the secrets are masked in whatever this process writes. */
export function loadEnv(source: Record<string, string | undefined> = process.env): Env {
  const given = withNewerNames(givenOf(source))
  const parsed = schema.safeParse({ ...missingSecrets(given), ...given })
  if (parsed.success) {
    protectSecrets(secretValues(parsed.data))
    return Object.freeze(parsed.data)
  }
  throw new EnvFault(linesOf(parsed.error))
}

/** The same without touching the home: secrets that nobody gave count as good, since they will be made. */
export function checkEnv(source: Record<string, string | undefined> = process.env): Env {
  const later = PROGRAM_SECRETS.map((name) => [name, '-'.repeat(MIN_KEY_BYTES)])
  return loadEnv({ ...Object.fromEntries(later), ...givenOf(source) })
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
export function secretValues(env: Partial<Env>): string[] {
  const names = [
    ...PROGRAM_SECRETS,
    ...([
      ...['MINIO_SECRET_KEY', 'BLOOM_OWNER_PASSWORD', 'ALERT_WEBHOOK_SECRET', 'BLOOM_ADDRESS_KEY'],
      ...['BLOOM_API_KEY', 'BLOOM_WORKER_KEY'],
    ] as const),
  ]
  const { DATABASE_URL_WEB: web, DATABASE_URL_WORKER: worker, DATABASE_URL_CONTROL_PLANE: plane } = env
  const urls = [env.DATABASE_URL, web, worker, plane, env.SMTP_URL].filter((url) => url !== undefined)
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
