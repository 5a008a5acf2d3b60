/** What `npm run doctor` looks at without a ledger: Node, environment, the home, its secrets and disk, the ports. */
import fs from 'node:fs'
import path from 'node:path'
import { readIdentity } from './identity.mjs'
import { RESTORING } from './instance.mjs'
import { whyTaken } from './ports.mjs'
import { SECRET_NAMES } from './secrets.mjs'

/** Stands in for the embedded server's address while the other variables are checked. */
const LATER = 'postgresql://bloom@127.0.0.1/bloom'
const OLDEST_NODE = 20
const OWN_NODE = 24
const LOW_BYTES = 64 * 1024 * 1024
const MUCH_USED = 0.8
const PATIENCE_MS = 5_000

/** @type {(text: string) => import('./examine-home.mjs').Found} */
const ok = (text) => ({ state: 'ok', text })
/** @type {(text: string, remedy: string) => import('./examine-home.mjs').Found} */
const warn = (text, remedy) => ({ state: 'warn', text, remedy })
/** @type {(text: string, remedy: string) => import('./examine-home.mjs').Found} */
const fail = (text, remedy) => ({ state: 'FAIL', text, remedy })

const majorOf = (/** @type {string} */ version) => Number(version.replace('v', '').split('.')[0])

/** @type {import('./examine-home.mjs').Check[]} */
export const HOME_CHECKS = [
  {
    name: 'node',
    check({ startedBy }) {
      if (majorOf(startedBy) < OLDEST_NODE)
        return fail(`npm runs Node ${startedBy}`, `install Node ${OLDEST_NODE} or newer`)
      if (majorOf(process.version) < OWN_NODE)
        return fail(`the product runs under Node ${process.version}`, 'remove node_modules and run npm start')
      return ok(`${startedBy}, and ${process.version} for the product`)
    },
  },
  {
    name: 'environment',
    async check(of) {
      const { checkEnv } = await import('../env.ts')
      const url = process.env.DATABASE_URL || LATER
      const env = checkEnv({ ...process.env, BLOOM_HOME: of.home, DATABASE_URL: url })
      of.env = env
      return ok(`${env.PUBLIC_URL}, ${process.env.DATABASE_URL ? 'an outside' : 'the embedded'} PostgreSQL`)
    },
  },
  { name: 'home', needs: ['env'], check: checkHome },
  { name: 'secrets', needs: ['env'], check: checkSecrets },
  { name: 'disk', needs: ['env'], check: checkDisk },
  { name: 'ports', needs: ['env'], check: checkPorts },
]

/** Without a home that was started nothing else can be examined. */
function checkHome(of) {
  const { home } = of
  const remedy = 'npm start makes it, or BLOOM_HOME names another'
  const nothing = (/** @type {string} */ text, /** @type {string} */ what) => {
    of.env = undefined
    return fail(text, what)
  }
  if (!fs.existsSync(home)) return nothing(`${home} is not there`, remedy)
  if (fs.existsSync(path.join(home, RESTORING)))
    return nothing(`a restore into ${home} was not completed`, 'npm run restore -- <file> again')
  const identity = readIdentity(home)
  if (!identity) return nothing(`${home} is no home of Garden Bloom`, remedy)
  const place = fs.realpathSync(home)
  if (identity.place !== place && readIdentity(identity.place)?.home_id === identity.home_id)
    return warn(`${home} is a copy of ${identity.place}`, 'npm start makes it an installation of its own')
  return ok(`${home}, ${of.running ? 'running' : 'not running'}`)
}

function checkSecrets({ home }) {
  const file = path.join(home, 'secrets.json')
  if (!fs.existsSync(file)) return warn('none yet', 'npm start makes them')
  if (process.platform !== 'win32' && fs.statSync(file).mode & 0o077)
    return fail(`${file} is open to other users`, `chmod 600 ${file}`)
  let known
  try {
    known = JSON.parse(fs.readFileSync(file, 'utf8'))
  } catch {
    return fail(`${file} is not JSON`, 'restore it from a backup, or remove it to start with new secrets')
  }
  const missing = SECRET_NAMES.filter((name) => !known[name] && !process.env[name])
  if (missing.length > 0) return warn(`without ${missing.join(', ')}`, 'npm start makes them')
  return ok(`${file}, readable by its owner alone`)
}

function checkDisk({ home }) {
  const { bavail, bfree, blocks, bsize } = fs.statfsSync(home)
  const left = bavail * bsize
  const used = (blocks - bfree) / Math.max(1, blocks - bfree + bavail)
  const text = `${(left / 1024 ** 3).toFixed(1)} GiB free, ${Math.round(used * 100)} % used`
  const remedy = 'make space, or stop the instance and move BLOOM_HOME'
  if (left < LOW_BYTES) return fail(text, remedy)
  return used > MUCH_USED ? warn(text, remedy) : ok(text)
}

async function checkPorts({ env, running }) {
  const { HOST, PORT, NLM_PORT, MEMBRIDGE_HOST, MEMBRIDGE_PORT } = env
  const reached = HOST === '0.0.0.0' || HOST === '::' ? '127.0.0.1' : HOST
  if (running) {
    const address = `http://${reached.includes(':') ? `[${reached}]` : reached}:${PORT}/health`
    const answer = await fetch(address, { signal: AbortSignal.timeout(PATIENCE_MS) }).catch(() => null)
    if (answer?.status === 200) return ok(`${address} answers`)
    return answer
      ? fail(`${address} answers ${answer.status}`, 'the other lines and Settings → Health say why')
      : fail(`${address} does not answer`, 'look into logs/web.log of the home')
  }
  /** @type {Record<string, number>} */
  const wanted = { PORT, MEMBRIDGE_PORT, ...(process.env.NLM_URL ? {} : { NLM_PORT }) }
  /** @type {Record<string, string>} */
  const hosts = { PORT: HOST, MEMBRIDGE_PORT: MEMBRIDGE_HOST }
  const taken = []
  for (const [name, port] of Object.entries(wanted)) {
    const code = await whyTaken(port, hosts[name])
    if (code && (name === 'PORT' || process.env[name]))
      return warn(`${name} ${port} cannot be had (${code})`, `give another ${name}`)
    if (code) taken.push(name)
  }
  const free = Object.keys(wanted).filter((name) => !taken.includes(name))
  const others = taken.length > 0 ? `; npm start takes another ${taken.join(' and ')}` : ''
  return ok(`${free.map((name) => wanted[name]).join(', ')} can be had${others}`)
}
