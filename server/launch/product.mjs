/** The programs of the product in the order they are started, which begins with what a person waits for; each gets only what it may know. */
import { PROGRAM_SECRETS, PUSH_KEY } from './secrets.mjs'

/** Secrets beside those that the product makes for itself, and what leads to the ledger and the garden. */
const OTHER_SECRETS = /** @type {const} */ ([
  'DATABASE_URL',
  'BLOOM_ADDRESS_KEY',
  'BLOOM_OWNER_PASSWORD',
  'BLOOM_API_KEY',
  'BLOOM_WORKER_KEY',
  'GARDEN_REMOTE',
  'MINIO_ACCESS_KEY',
  'MINIO_SECRET_KEY',
  'ALERT_WEBHOOK_URL',
  'ALERT_WEBHOOK_SECRET',
  'SMTP_URL',
  PUSH_KEY,
])

/** The NotebookLM Backend holds no store and no ledger. @type {readonly string[]} */
const OF_NLM = ['NOTEBOOKLM_API_KEY', 'MEMBRIDGE_CALLBACK_TOKEN', 'MEMBRIDGE_CALLBACK_SIGNING_KEY']

/** The control plane vouches for no session and opens no zone. @type {readonly string[]} */
const OF_CONTROL_PLANE = [
  'DATABASE_URL',
  'BLOOM_ADDRESS_KEY',
  'MINIO_ACCESS_KEY',
  'MINIO_SECRET_KEY',
  'MEMBRIDGE_ADMIN_KEY',
  'MEMBRIDGE_AGENT_KEY',
  'MEMBRIDGE_CALLBACK_TOKEN',
  'MEMBRIDGE_CALLBACK_SIGNING_KEY',
]

/** The web process sends nothing to devices. @type {readonly string[]} */
const OF_WEB = [...PROGRAM_SECRETS, ...OTHER_SECRETS].filter((name) => name !== PUSH_KEY)

/** The variables with these secrets and no other. */
const withSecrets = (/** @type {NodeJS.ProcessEnv} */ variables, /** @type {readonly string[]} */ kept) => {
  const withheld = new Set([...PROGRAM_SECRETS, ...OTHER_SECRETS].filter((name) => !kept.includes(name)))
  return Object.fromEntries(
    Object.entries(variables).filter(([name]) => !withheld.has(/** @type {any} */ (name))),
  )
}

/**
 * How far V8 lets the heaps of the web process and the worker grow before it collects, so that they hold little more than what lives; neither gives memory back
 * that it once took. Young objects: to several times 8 MB at most, where the default takes over a hundred megabytes under load, for a twentieth
 * less processor time. The rest: to half more than what lived after the last collection. With the gigabytes that a machine
 * has, the default is four times as much: 80 MB that live became a heap of 320.
 */
const SPARING = ['--max-semi-space-size=8', '--heap-growing-percent=50']

/** The backends answer small questions beside everything else on the machine and stay small themselves, the control plane with ten thousand nodes too. */
const SMALL = ['--max-semi-space-size=1', '--heap-growing-percent=20', '--optimize-for-size']

/**
 * The same for what lies outside of V8's heap, with the allocator of glibc: fewer places that it takes from, each given back from 128 kB on. By default it
 * has eight for each core and keeps up to 64 MB of what was freed: 35 MB of the web process and as much of the worker.
 */
const SPARING_MALLOC = { MALLOC_ARENA_MAX: '2', MALLOC_TRIM_THRESHOLD_: '131072' }

/**
 * A worker makes ten files durable for a job, and a thread that flushes one only waits: by turns on one virtual machine, 4 · 8 · 16 · 24 · 32 threads did
 * 228 · 240 · 277 · 291 · 290 jobs a second.
 */
const FILE_THREADS = { UV_THREADPOOL_SIZE: '24' }

/** How a worker is started, that of an instance and one more beside it: arguments of Node, and what its environment holds unless it says otherwise. */
export const WORKER = { args: SPARING, env: { ...SPARING_MALLOC, ...FILE_THREADS } }

const withOrigins = (/** @type {string | undefined} */ given, /** @type {string[]} */ ours) =>
  [...new Set([...(given ?? '').split(/[\s,]+/).filter(Boolean), ...ours])].join(' ')

const WEB_BANNER = /^\s*(▲|- (Local|Network|Environments|Experiments)|✓ (Starting|Ready|Running)|> )/
/** The development server tells every request; those that went well say nothing to the reader. */
const WEB_TALK = /^\s*(▲|- |· |✓ (Starting|Ready|Running)|> |[A-Z]+ \S+ [23]\d\d in )/

/**
 * With `reload`, the pages come from the development server and the other programs start again when one of their files
 * changes: those have to be the sources then.
 * @param {import('../env.ts').Env} env
 * @param {NodeJS.ProcessEnv} variables
 * @param {{ urls: import('./database.mjs').LedgerUrls, files: import('./programs.mjs').ProgramFiles, reload?: boolean }} options each process gets the address of its own role
 * @returns {import('./program.mjs').ProgramPlan[]}
 */
export function productPrograms(env, variables, { urls, files, reload = false }) {
  const { origin } = new URL(env.GATEWAY_URL)
  const callbacks = new URL(env.NLM_CALLBACK_URL).origin
  const nlm = {
    ...withSecrets(variables, OF_NLM),
    ARTIFACT_API_URL: variables.ARTIFACT_API_URL ?? `${env.GATEWAY_URL}/api/v1`,
    // Artifacts go to the gateway, callbacks where the jobs say: both stay reachable, whatever else is listed.
    NLM_ALLOWED_ORIGINS: withOrigins(variables.NLM_ALLOWED_ORIGINS, [origin, callbacks]),
    NLM_CALLBACK_ORIGIN: callbacks,
  }
  const web = {
    ...withSecrets(variables, OF_WEB),
    DATABASE_URL: urls.web,
    NEXT_TELEMETRY_DISABLED: '1',
    NEXTAUTH_URL: env.PUBLIC_URL,
    // The product ends its web process itself (server/http/stop-web.ts); the development server has more to end than we know.
    ...(reload ? {} : { NEXT_MANUAL_SIG_HANDLE: 'true' }),
  }
  const next = [
    ...(reload ? ['node_modules/next/dist/bin/next', 'dev'] : [...SPARING, 'server/http/start-web.ts']),
    '--hostname',
    env.HOST,
    '--port',
    String(env.PORT),
  ]
  const of = (/** @type {NodeJS.ProcessEnv} */ known) => ({ ...SPARING_MALLOC, ...known })
  const watch = reload ? ['--watch', '--watch-preserve-output'] : []
  return [
    { name: 'web', args: next, env: of(web), quiet: reload ? WEB_TALK : WEB_BANNER },
    { name: 'nlm', args: [...watch, ...(reload ? [] : SMALL), files['nlm-backend']], env: of(nlm) },
    {
      name: 'membridge',
      args: [...watch, ...(reload ? [] : SMALL), files['control-plane']],
      env: of({ ...withSecrets(variables, OF_CONTROL_PLANE), DATABASE_URL: urls.control_plane }),
    },
    {
      name: 'worker',
      args: [...watch, ...(reload ? [] : WORKER.args), files.worker],
      env: { ...WORKER.env, ...variables, DATABASE_URL: urls.worker },
    },
  ]
}
