/**
 * `npm start` under the product's own Node: from installed packages to a console that answers. `npm run dev` is the same
 * with reload: no pages are built, and every program follows the sources.
 *
 * The environment and the ports are checked before anything slow happens, and before anything is written. Then: secrets,
 * PostgreSQL (unless DATABASE_URL names one), roles and migrations, database client and programs, with the first garden and the pages beside them; the web process, which loads
 * beside all this where its pages are built, and once it answers the NotebookLM Backend, the Membridge Control Plane and the worker. The address is printed then, with the
 * owner's one-time link while nobody has signed in. A signal stops everything backwards (see instance.mjs), at whatever point the start has reached.
 */
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import './collect-once.mjs'
import { LATER, openAhead } from './ahead.mjs'
import { buildWeb, isWebStale } from './build.mjs'
import { endRunning, mustRun } from './child.mjs'
import { onStopRequest } from './continue.mjs'
import { untilHealthy, warmUp } from './health.mjs'
import { openInstance } from './instance.mjs'
import { choosePort, needDistinctPorts, needPort } from './ports.mjs'
import { prepareLedger, programEnv } from './prepare.mjs'
import { productPrograms } from './product.mjs'
import { buildPrograms, PROGRAMS } from './programs.mjs'
import { logStep, print, printError, say } from './progress.mjs'
import { writeAddresses } from './running.mjs'

/** How long the web process is started alone. */
const HEAD_START_MS = 5_000
/** How long the console can do with what a worker found that has ended: less than a minute by the time that it is asked. */
const WORKER_COUNTS_MS = 40_000

const reload = process.argv.includes('--reload')
const mode = reload ? 'development' : 'production'

const { checkEnv, loadEnv } = await import('../env.ts')

let stopping = false
/** @type {import('./instance.mjs').Instance | undefined} */
let instance

onStopRequest(async () => {
  stopping = true
  say('Stopping …')
  await endRunning()
  await instance?.stop()
  say('Stopped.')
  process.exit(0)
})

try {
  await start()
} catch (error) {
  if (!stopping) {
    printError(error)
    await endRunning()
    await instance?.stop()
    process.exit(1)
  }
}

async function start() {
  const home = path.resolve(process.env.BLOOM_HOME || '.bloom')
  const given = checkEnv({
    ...process.env,
    BLOOM_HOME: home,
    DATABASE_URL: process.env.DATABASE_URL || LATER,
    NODE_ENV: mode,
  })
  // With an address given, the NotebookLM Backend is somebody else's to run.
  const ownNlm = !process.env.NLM_URL
  const { nlmPort, membridgePort } = await choosePorts(given, ownNlm)
  instance = openInstance({ home, avoid: [given.PORT, nlmPort, membridgePort] })
  const envOf = (/** @type {string} */ address) =>
    loadEnv({
      ...process.env,
      BLOOM_HOME: home,
      DATABASE_URL: address,
      NODE_ENV: mode,
      NLM_PORT: String(nlmPort),
      MEMBRIDGE_PORT: String(membridgePort),
    })
  const early = { env: envOf(LATER), variables: programEnv(envOf(LATER), mode) }
  const ahead = openAhead(instance, early)
  const isStale = !reload && isWebStale()
  const address = `http://${reachable(early.env.HOST)}:${early.env.PORT}/health`
  if (!reload && !isStale) {
    ahead.start('web', PROGRAMS)
    void warmUp(address, () => stopping)
  }
  const needsWorker = !workerWasHere(home)
  const startAhead = async (/** @type {string[]} */ names) => {
    if (!needsWorker || !ahead.has('web')) return
    const files = await built
    for (const name of names) ahead.start(name, files)
  }
  const ledger = prepareLedger(instance, home)
  // While the server starts.
  const built = reload ? PROGRAMS : buildPrograms()
  const seeded = seedOnce(home, {
    ledger,
    built,
    env: early.variables,
    beside: () => startAhead(ownNlm ? ['nlm', 'membridge'] : ['membridge']),
  })
  const pages = isStale ? buildPages(built) : undefined
  const ready = Promise.all([ledger, built, seeded, pages, startAhead(['worker'])])
  ready.catch(ahead.giveUp)
  const [{ urls }, files] = await ready
  const env = envOf(urls.web)
  if (stopping) return
  const programs = productPrograms(env, programEnv(env, mode), { urls, files, reload })
  const first = needsWorker ? ['web', 'worker'] : ['web']
  const others = programs.filter(
    ({ name }) => !first.includes(name) && !ahead.has(name) && (name !== 'nlm' || ownNlm),
  )
  ahead.handOver(programs)
  for (const program of programs)
    if (first.includes(program.name) && !ahead.has(program.name)) instance.add(program)
  const link = signInLink(env)
  const answered = Promise.withResolvers()
  const healthy = untilHealthy(address, () => stopping, answered.resolve)
  // What works behind the console would take the processor from it, but does not depend on it.
  await Promise.race([answered.promise, healthy, pause(HEAD_START_MS)])
  for (const program of others) instance.add(program)
  await healthy
  if (stopping) return
  writeAddresses(home, env)
  announce(env, await link)
}

/** After the programs, with which it shares the database client; beside all else. */
async function buildPages(built) {
  await built
  if (!stopping) await logStep('Building the pages', buildWeb)
}

/** The owner's one-time link, null for none, or why it could not be made: the product runs without. */
async function signInLink(env) {
  try {
    const { makeSignInLink } = await import('../auth/make-sign-in-link.ts')
    return { link: await makeSignInLink(env) }
  } catch (error) {
    return { link: null, fault: String(error) }
  }
}

/**
 * The console's port must be had; the others give way to it, and to each other, unless they were asked for by name.
 * @param {import('../env.ts').Env} given
 * @param {boolean} ownNlm
 */
async function choosePorts({ HOST, PORT, NLM_PORT, MEMBRIDGE_HOST, MEMBRIDGE_PORT }, ownNlm) {
  const byName = {
    PORT,
    ...(ownNlm && process.env.NLM_PORT ? { NLM_PORT } : {}),
    ...(process.env.MEMBRIDGE_PORT ? { MEMBRIDGE_PORT } : {}),
  }
  needDistinctPorts(byName)
  await needPort('PORT', PORT, HOST)
  const asked = Object.values(byName)
  const nlmPort = ownNlm ? await choosePort('NLM_PORT', NLM_PORT, { avoid: asked }) : NLM_PORT
  const avoid = ownNlm ? [...asked, nlmPort] : asked
  const membridgePort = await choosePort('MEMBRIDGE_PORT', MEMBRIDGE_PORT, { host: MEMBRIDGE_HOST, avoid })
  return { nlmPort, membridgePort }
}

/**
 * The first garden is made once for a database, also when the home or the database is replaced later. Of a new home it is begun beside
 * its own database, whose address it gets when that is there. A home that has a garden waits to see whether the database is another, and for
 * an outside database that may be refused nothing is made before. `beside` begins what loads while the ledger gets its first rows: one statement after another,
 * which leave it a processor.
 */
async function seedOnce(home, { ledger, built, env, beside }) {
  const mark = path.join(home, 'seeded')
  const known = fs.existsSync(mark) ? fs.readFileSync(mark, 'utf8') : null
  if ((process.env.DATABASE_URL || known !== null) && known === (await ledger).identity) return
  const { seed } = await built
  // Made and handed on at once: a ledger that is refused meanwhile is the start's fault to report.
  const input = ledger.then(({ urls }) => urls.owner)
  const seeding = logStep('Making the first garden', () =>
    mustRun('The seed', process.execPath, [seed], { env, input }),
  )
  const [{ identity }, made] = await Promise.all([ledger, seeding, ledger.then(beside)])
  // What begins with a brace is its log.
  for (const line of made.split('\n')) if (line && !line.startsWith('{')) say(line)
  fs.writeFileSync(mark, identity)
}

/**
 * Whether a worker ended here just now. `/health` tells what a worker has found, for a minute: when that is over, or of a new home, the console waits for the
 * next one.
 */
function workerWasHere(home) {
  const log = fs.statSync(path.join(home, 'logs/worker.log'), { throwIfNoEntry: false })
  return log !== undefined && Date.now() - log.mtimeMs < WORKER_COUNTS_MS
}

/** Where this machine itself reaches a server that listens on `host`. */
function reachable(host) {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}

function announce({ PUBLIC_URL, MEMBRIDGE_URL }, { link, fault }) {
  say('Ready')
  print(`\n  Garden Bloom Console   ${PUBLIC_URL}\n`)
  print(`  Membridge              ${MEMBRIDGE_URL}\n`)
  if (fault) print(`  The sign-in link could not be made: ${fault}\n`)
  else if (link) print(`  Sign in (works once)   ${link}\n`)
  print('  Stop with Ctrl-C\n\n')
}
