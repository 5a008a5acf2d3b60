import { expect, test } from 'vitest'
import { makeNodeHome } from '../testing/node-home.ts'
import { loadSettings, required } from './settings.ts'

const FILE = '.claude-mem-minio/config.env'
const CANARY = 'canary-7f3a'

test('the command line wins over the environment, that over the file, that over the default', () => {
  const node = makeNodeHome({ CLAUDE_PROJECT_ID: 'from-environment', MINIO_BUCKET: 'from-environment' })
  node.write(FILE, 'CLAUDE_PROJECT_ID=from-file\nMINIO_BUCKET=from-file\nMINIO_REGION=from-file\n')
  const { values } = loadSettings(node.host, { project: 'from-line' })
  expect(values).toMatchObject({
    CLAUDE_PROJECT_ID: 'from-line',
    MINIO_BUCKET: 'from-environment',
    MINIO_REGION: 'from-file',
    LOCK_TTL_SECONDS: 7200,
  })
})

test('an empty value of the environment does not hide the file', () => {
  const node = makeNodeHome({ MINIO_BUCKET: '' })
  node.write(FILE, 'MINIO_BUCKET=b')
  expect(loadSettings(node.host).values.MINIO_BUCKET).toBe('b')
})

test('has every default of the contract', () => {
  const node = makeNodeHome()
  expect(loadSettings(node.host).values).toEqual({
    MINIO_REGION: 'us-east-1',
    LEADERSHIP_ENABLED: true,
    LEADERSHIP_LEASE_SECONDS: 3600,
    LOCK_TTL_SECONDS: 7200,
    STALE_LOCK_GRACE_SECONDS: 60,
    ALLOW_SECONDARY_PUSH: false,
    ALLOW_PRIMARY_PULL_OVERRIDE: false,
    FORCE_PUSH: false,
    PULL_BACKUP_MAX_DAYS: 14,
    PULL_BACKUP_MAX_COUNT: 50,
    MEMBRIDGE_NO_RESTART_WORKER: false,
    MEMBRIDGE_SERVER_URL: 'http://127.0.0.1:8000',
    MEMBRIDGE_MAX_DB_BYTES: 2_147_483_648,
    MEMBRIDGE_REQUIRE_GRANT: false,
    MEMBRIDGE_AGENT_HOST: '127.0.0.1',
    MEMBRIDGE_AGENT_PORT: 8001,
    MEMBRIDGE_AGENT_DRYRUN: false,
    MEMBRIDGE_ALLOW_PROCESS_CONTROL: false,
    MEMBRIDGE_HEARTBEAT_INTERVAL_SECONDS: 10,
    MEMBRIDGE_WORK: 'off',
    CLAUDE_BIN: 'claude',
    MEMBRIDGE_WORK_CONCURRENCY: 1,
    MEMBRIDGE_WORK_LABELS: [],
    ALLOW_INSECURE_LAN: false,
    TRUSTED_PROXIES: [],
  })
})

test('the file is named by the command line, else by the environment; a named file must be there', () => {
  const node = makeNodeHome({ MEMBRIDGE_CONFIG_ENV: '~/by-environment.env' })
  node.write('by-environment.env', 'MINIO_BUCKET=e')
  node.write('by-line.env', 'MINIO_BUCKET=l')
  expect(loadSettings(node.host).values.MINIO_BUCKET).toBe('e')
  expect(loadSettings(node.host, { config: 'by-line.env' }).values.MINIO_BUCKET).toBe('l')
  expect(() => loadSettings(node.host, { config: 'gone.env' })).toThrow(
    `config file ${node.path('gone.env')} not found`,
  )
})

test('a folder in the place of the file is one clear line', () => {
  const node = makeNodeHome()
  expect(() => loadSettings(node.host, { config: '.' })).toThrow(/^config file .* cannot be read \(EISDIR\)$/)
})

test('says whether others may read the file, and which lines it skipped', () => {
  const node = makeNodeHome()
  node.write(FILE, 'MINIO_BUCKET=b\nset -a\n', 0o644)
  expect(loadSettings(node.host).file).toEqual({
    path: node.path(FILE),
    found: true,
    skipped: [2],
    openToOthers: true,
  })
})

test.each([
  ['MINIO_ENDPOINT', `ftp://${CANARY}`, /^MINIO_ENDPOINT must be an address that begins with http:\/\/ or/],
  ['LOCK_TTL_SECONDS', CANARY, /^LOCK_TTL_SECONDS must be a whole number of seconds$/],
  ['LEADERSHIP_LEASE_SECONDS', '5', /^LEADERSHIP_LEASE_SECONDS must be between 60 and 604800$/],
  ['FORCE_PUSH', 'yes', /^FORCE_PUSH must be 0 or 1$/],
  ['CLAUDE_MEM_WORKER_PORT', '70000', /^CLAUDE_MEM_WORKER_PORT must be between 1 and 65535$/],
  [
    'MEMBRIDGE_NODE_ID',
    'a\u0000b',
    /^MEMBRIDGE_NODE_ID must be one line of 1 to 128 characters without "\.\."$/,
  ],
  ['MEMBRIDGE_NODE_ID', `../${CANARY}`, /^MEMBRIDGE_NODE_ID must be one line of 1 to 128/],
  ['PRIMARY_NODE_ID', 'a\u0000b', /^PRIMARY_NODE_ID must not hold control characters$/],
  ['TRUSTED_PROXIES', `10.0.0.1, ${CANARY}/8`, /^TRUSTED_PROXIES must be a list of IP addresses$/],
  ['MEMBRIDGE_NODE_KEY', CANARY, /^MEMBRIDGE_NODE_KEY must have the form gbk_<id>_<secret>$/],
])('%s=%j is refused in one line without its value', (key, given, line) => {
  const node = makeNodeHome({ [key]: given })
  const refused = () => loadSettings(node.host)
  expect(refused).toThrow(line)
  expect(refused).not.toThrow(CANARY)
})

test('what a command cannot do without is named', () => {
  const node = makeNodeHome()
  expect(() => required(loadSettings(node.host).values, 'MINIO_ENDPOINT')).toThrow('MINIO_ENDPOINT not set')
})
