/** The programs of the product in the order they are started; each gets only what it may know. */

/** The NotebookLM Backend holds no store and no ledger, so it gets neither address nor key of them. */
const NOT_FOR_NLM = [
  'DATABASE_URL',
  'BLOOM_SESSION_KEY',
  'BLOOM_ZONE_KEY',
  'BLOOM_JOB_TOKEN_KEY',
  'BLOOM_OWNER_PASSWORD',
  'AUDIT_SIGNING_KEY',
  'METRICS_TOKEN',
  'GARDEN_REMOTE',
  'MINIO_ACCESS_KEY',
  'MINIO_SECRET_KEY',
]

/**
 * How far V8 lets the heap of the web process grow before it collects, so that it holds little more than what lives; neither gives memory back
 * that it once took. Young objects: to several times 8 MB at most, where the default takes over a hundred megabytes under load, for a twentieth
 * less processor time. The rest: to half more than what lived after the last collection. With the gigabytes that a machine
 * has, the default is four times as much: 80 MB that live became a heap of 320.
 */
const SPARING = ['--max-semi-space-size=8', '--heap-growing-percent=50']

const WEB_BANNER = /^\s*(▲|- (Local|Network|Environments|Experiments)|✓ (Starting|Ready|Running)|> )/
/** The development server tells every request; those that went well say nothing to the reader. */
const WEB_TALK = /^\s*(▲|- |· |✓ (Starting|Ready|Running)|> |[A-Z]+ \S+ [23]\d\d in )/

/**
 * With `reload`, the pages come from the development server and the other programs start again when one of their files
 * changes.
 * @param {import('../env.ts').Env} env
 * @param {NodeJS.ProcessEnv} variables
 * @param {{ urls: import('./database.mjs').LedgerUrls, reload?: boolean }} options web and worker get the address of their own role
 * @returns {import('./program.mjs').ProgramPlan[]}
 */
export function productPrograms(env, variables, { urls, reload = false }) {
  const origin = env.GATEWAY_URL
  const nlm = {
    ...Object.fromEntries(Object.entries(variables).filter(([name]) => !NOT_FOR_NLM.includes(name))),
    ARTIFACT_API_URL: variables.ARTIFACT_API_URL ?? `${origin}/api/v1`,
    NLM_ALLOWED_ORIGINS: variables.NLM_ALLOWED_ORIGINS ?? origin,
  }
  const web = {
    ...variables,
    DATABASE_URL: urls.web,
    NEXT_TELEMETRY_DISABLED: '1',
    NEXTAUTH_URL: env.PUBLIC_URL,
    // The product ends its web process itself (server/http/stop-web.ts); the development server has more to end than we know.
    ...(reload ? {} : { NEXT_MANUAL_SIG_HANDLE: 'true' }),
  }
  const next = [
    ...(reload ? [] : SPARING),
    'node_modules/next/dist/bin/next',
    reload ? 'dev' : 'start',
    '--hostname',
    env.HOST,
    '--port',
    String(env.PORT),
  ]
  const watch = reload ? ['--watch', '--watch-preserve-output'] : []
  return [
    { name: 'nlm', args: [...watch, 'server/nlm-backend/main.ts'], env: nlm },
    { name: 'web', args: next, env: web, quiet: reload ? WEB_TALK : WEB_BANNER },
    { name: 'worker', args: [...watch, 'worker/main.ts'], env: { ...variables, DATABASE_URL: urls.worker } },
  ]
}
