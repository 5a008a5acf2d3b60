import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { checkEnv, EnvFault, loadEnv, secretValues } from './env.ts'
import { PROGRAM_SECRETS, SECRET_NAMES } from './launch/secrets.mjs'

const DATABASE_URL = 'postgresql://bloom:database-password@127.0.0.1:5432/bloom'
const SECRET_FILE = 'secrets.json'
let home: string

beforeEach(() => {
  home = fs.mkdtempSync(path.join(os.tmpdir(), 'bloom-env-'))
})
afterEach(() => fs.rmSync(home, { recursive: true, force: true }))

const load = (more: Record<string, string | undefined> = {}) =>
  loadEnv({ BLOOM_HOME: home, DATABASE_URL, ...more })

function faultsOf(more: Record<string, string>): readonly string[] {
  try {
    load(more)
  } catch (error) {
    if (error instanceof EnvFault) return error.faults
    throw error
  }
  return []
}

describe('checkEnv', () => {
  test('says the same of what is given, and touches nothing', () => {
    const untouched = path.join(home, 'none')
    expect(checkEnv({ BLOOM_HOME: untouched, DATABASE_URL, PORT: '4100' })).toMatchObject({ PORT: 4100 })
    expect(() => checkEnv({ BLOOM_HOME: untouched, DATABASE_URL, PORT: 'many' })).toThrow('PORT: must be a')
    expect(() => checkEnv({ BLOOM_HOME: untouched, DATABASE_URL, BLOOM_SESSION_KEY: 'short' })).toThrow(
      'BLOOM_SESSION_KEY',
    )
    expect(fs.existsSync(untouched)).toBe(false)
  })
})

describe('loadEnv', () => {
  test('fills in what the contract gives as defaults', () => {
    expect(load()).toMatchObject({
      PORT: 3000,
      NLM_PORT: 8080,
      HOST: '127.0.0.1',
      PUBLIC_URL: 'http://localhost:3000',
      NLM_URL: 'http://127.0.0.1:8080',
      GATEWAY_URL: 'http://127.0.0.1:3000',
      MEMBRIDGE_PORT: 8000,
      MEMBRIDGE_HOST: '127.0.0.1',
      MEMBRIDGE_URL: 'http://127.0.0.1:8000',
      MEMBRIDGE_DEV: false,
      APPLY_HOLD_SECONDS: 10,
      ALLOW_INSECURE_LAN: false,
      NODE_ENV: 'production',
    })
  })

  test('a remote that is none is named without what it holds', () => {
    expect(load({ GARDEN_REMOTE: 'git@forge.example:me/garden.git' }).GARDEN_REMOTE).toContain('forge')
    const faults = faultsOf({ GARDEN_REMOTE: 'ssh://me:s3cret@forge.example/garden.git' })
    expect(faults).toEqual([expect.stringMatching(/^GARDEN_REMOTE: must be an https, http or ssh address/)])
    expect(faults.join()).not.toContain('s3cret')
  })

  test('derives addresses from the ports and makes paths absolute', () => {
    const env = load({ PORT: '4100', NLM_PORT: '4180', GARDEN_DIR: 'some/garden' })
    expect(env).toMatchObject({ PUBLIC_URL: 'http://localhost:4100', NLM_URL: 'http://127.0.0.1:4180' })
    expect(load({ MEMBRIDGE_PORT: '8100' }).MEMBRIDGE_URL).toBe('http://127.0.0.1:8100')
    const given = { MEMBRIDGE_PORT: '8100', MEMBRIDGE_URL: 'https://membridge.example/' }
    expect(load(given).MEMBRIDGE_URL).toBe('https://membridge.example')
    expect(env.GARDEN_DIR).toBe(path.resolve('some/garden'))
  })

  test.each([
    [{}, 'http://127.0.0.1:8000'],
    [{ MEMBRIDGE_HOST: 'localhost' }, 'http://127.0.0.1:8000'],
    [{ MEMBRIDGE_HOST: '::1' }, 'http://[::1]:8000'],
    [{ MEMBRIDGE_HOST: '127.0.0.2', ALLOW_INSECURE_LAN: '1' }, 'http://127.0.0.2:8000'],
    [{ MEMBRIDGE_HOST: '0.0.0.0', ALLOW_INSECURE_LAN: '1' }, 'http://127.0.0.1:8000'],
    [{ MEMBRIDGE_HOST: '::', ALLOW_INSECURE_LAN: '1' }, 'http://127.0.0.1:8000'],
    [{ MEMBRIDGE_HOST: '10.0.0.5', ALLOW_INSECURE_LAN: '1' }, 'http://10.0.0.5:8000'],
    [{ MEMBRIDGE_HOST: 'fd00::5', ALLOW_INSECURE_LAN: '1' }, 'http://[fd00::5]:8000'],
  ])('finds the control plane where it listens: %o', (variables, url) => {
    expect(load(variables).MEMBRIDGE_URL).toBe(url)
  })

  test.each([
    [{}, 'http://127.0.0.1:8000'],
    [{ MEMBRIDGE_URL: 'https://membridge.example/below' }, 'https://membridge.example/below'],
    [{ NLM_CALLBACK_ORIGIN: 'http://127.0.0.1:3000/' }, 'http://127.0.0.1:3000/api/v1'],
    [{ NLM_CALLBACK_ORIGIN: 'https://elsewhere.example' }, 'http://127.0.0.1:8000'],
    [
      { NLM_URL: 'https://nlm.example', GATEWAY_URL: 'https://garden.example' },
      'https://garden.example/api/v1',
    ],
    [
      { NLM_URL: 'https://nlm.example', MEMBRIDGE_URL: 'https://membridge.example' },
      'https://membridge.example',
    ],
    [
      { NLM_URL: 'https://nlm.example', NLM_CALLBACK_ORIGIN: 'http://127.0.0.1:8000' },
      'http://127.0.0.1:8000',
    ],
    [{ NLM_URL: 'https://nlm.example', NLM_CALLBACK_URL: 'https://x.example/y/' }, 'https://x.example/y'],
  ])('has callbacks come where the NotebookLM Backend may send them: %o', (variables, url) => {
    expect(load(variables).NLM_CALLBACK_URL).toBe(url)
  })

  test('takes an empty variable as not given', () => {
    expect(load({ PORT: '', MINIO_ENDPOINT: '', GARDEN_DIR: '' })).toMatchObject({ PORT: 3000 })
  })

  test.each([
    [{ PORT: '99999' }, 'PORT: must be at most 65535'],
    [{ PORT: 'many' }, 'PORT: must be a port number'],
    [{ NLM_PORT: '0' }, 'NLM_PORT: must be a port number'],
    [{ APPLY_HOLD_SECONDS: '-1' }, 'APPLY_HOLD_SECONDS: must be at least 0'],
    [{ APPLY_HOLD_SECONDS: '1.5' }, 'APPLY_HOLD_SECONDS: must be a whole number'],
    [{ WORKER_JOBS: '0' }, 'WORKER_JOBS: must be at least 1'],
    [{ ALLOW_INSECURE_LAN: 'yes' }, 'ALLOW_INSECURE_LAN: must be 0 or 1'],
    [{ PUBLIC_URL: 'ftp://somewhere' }, 'PUBLIC_URL: must be an http or https address'],
    [{ BLOOM_OWNER_PASSWORD: 'short' }, 'BLOOM_OWNER_PASSWORD: must have at least 12 characters'],
    [
      { MINIO_ENDPOINT: 'http://127.0.0.1:9000' },
      'MINIO_ENDPOINT: needs MINIO_ACCESS_KEY, MINIO_SECRET_KEY and MINIO_BUCKET beside it',
    ],
    [
      { MINIO_BUCKET: 'bloom' },
      'MINIO_ENDPOINT: needs MINIO_ACCESS_KEY, MINIO_SECRET_KEY and MINIO_BUCKET beside it',
    ],
    [
      { HOST: '0.0.0.0' },
      'HOST: opens the console to the network: give an https PUBLIC_URL, or set ALLOW_INSECURE_LAN=1',
    ],
    [
      { MEMBRIDGE_HOST: '0.0.0.0' },
      'MEMBRIDGE_HOST: opens the control plane to the network: name the proxy that ends TLS in TRUSTED_PROXIES, or set ALLOW_INSECURE_LAN=1',
    ],
    [
      { MEMBRIDGE_DEV: '1' },
      'MEMBRIDGE_DEV: turns the keys of the control plane off and is refused in production',
    ],
    [{ MEMBRIDGE_URL: 'membridge.example' }, 'MEMBRIDGE_URL: must be an http or https address'],
    [{ LOG_LEVEL: 'loud' }, 'LOG_LEVEL: must be fatal, error, warn, info, debug or silent'],
    [{ AUDIT_HEAD_MINUTES: '116' }, 'AUDIT_HEAD_MINUTES: must be at most 115'],
  ])('says in one line what is wrong with %o', (variables, line) => {
    expect(faultsOf(variables)).toEqual([line])
  })

  test.each([
    [
      { ALERT_WEBHOOK_URL: 'https://hooks.example.org/x' },
      /^ALERT_WEBHOOK_URL: goes together with ALERT_WEBHOOK_SECRET$/,
    ],
    [
      { ALERT_WEBHOOK_URL: 'https://user:pass@hooks.example.org' },
      /^ALERT_WEBHOOK_URL: must not hold credentials$/,
    ],
    [{ ALERT_WEBHOOK_SECRET: 's'.repeat(32) }, /^ALERT_WEBHOOK_URL: goes together/],
    [{ SMTP_URL: 'smtp://mail.example.org' }, /^SMTP_URL: goes together with ALERT_EMAIL_TO$/],
    [{ SMTP_URL: 'http://mail.example.org', ALERT_EMAIL_TO: 'a@example.org' }, /^SMTP_URL: must be an smtp/],
    [
      { SMTP_URL: 'smtp://mail.example.org', ALERT_EMAIL_TO: 'nobody' },
      /^ALERT_EMAIL_TO: must list e-mail addresses$/,
    ],
    [{ ALERT_LANGUAGE: 'de' }, /^ALERT_LANGUAGE: must be en or uk$/],
    [{ ALERT_ADDRESSES: 'hooks.example.org' }, /^ALERT_ADDRESSES: must list addresses/],
  ])('says what is wrong with the channels of alerts: %j', (given, fault) => {
    expect(faultsOf(given)).toEqual(expect.arrayContaining([expect.stringMatching(fault)]))
  })

  test('tells all faults at once', () => {
    expect(faultsOf({ PORT: '-3', NLM_PORT: 'x', APPLY_HOLD_SECONDS: 'soon' })).toHaveLength(3)
  })

  test('asks for a database instead of guessing one', () => {
    expect(faultsOf({ DATABASE_URL: '' })).toEqual([
      expect.stringMatching(/^DATABASE_URL: must be a postgresql:/),
    ])
    expect(faultsOf({ DATABASE_URL: 'mysql://x/y' })).toHaveLength(1)
    expect(faultsOf({ DATABASE_URL_WEB: 'bloom_web', DATABASE_URL_WORKER: 'http://x' })).toEqual([
      expect.stringMatching(/^DATABASE_URL_WEB: must be a postgresql:/),
      expect.stringMatching(/^DATABASE_URL_WORKER: must be a postgresql:/),
    ])
  })

  test.each([{ ALLOW_INSECURE_LAN: '1' }, { PUBLIC_URL: 'https://garden.example/' }])(
    'opens to the network with %o',
    (allowed) => {
      expect(load({ HOST: '0.0.0.0', ...allowed }).HOST).toBe('0.0.0.0')
    },
  )

  test.each([{ ALLOW_INSECURE_LAN: '1' }, { TRUSTED_PROXIES: '10.0.0.2' }])(
    'opens the control plane to the network with %o',
    (allowed) => {
      expect(load({ MEMBRIDGE_HOST: '0.0.0.0', ...allowed }).MEMBRIDGE_HOST).toBe('0.0.0.0')
    },
  )

  test('lets development go without the keys of the control plane', () => {
    expect(load({ NODE_ENV: 'development', MEMBRIDGE_DEV: '1' }).MEMBRIDGE_DEV).toBe(true)
  })

  test('hashes addresses alike wherever the session key is the same', () => {
    const key = 's'.repeat(40)
    const [one, other] = [load({ BLOOM_SESSION_KEY: key }), load({ BLOOM_SESSION_KEY: key })]
    expect(one.BLOOM_ADDRESS_KEY).toBe(other.BLOOM_ADDRESS_KEY)
    expect(one.BLOOM_ADDRESS_KEY).not.toContain(key)
    expect(load().BLOOM_ADDRESS_KEY).not.toBe(one.BLOOM_ADDRESS_KEY)
  })

  test.each(PROGRAM_SECRETS)('refuses a weak %s without repeating it', (name) => {
    const weak = 'thirty-one-bytes-are-too-short!'
    expect(Buffer.byteLength(weak)).toBe(31)
    expect(faultsOf({ [name]: weak })).toEqual([`${name}: must have at least 32 bytes`])
    expect(load({ [name]: `${weak}+` })).toMatchObject({ [name]: `${weak}+` })
  })
})

describe('the keys of machines on /api/runtime', () => {
  const [newer, older, workers] = ['n'.repeat(40), 'o'.repeat(40), 'w'.repeat(40)]

  test('go by older names, too; the newer one wins', () => {
    expect(load({ BLOOM_API_KEY: older }).RUNTIME_API_KEY).toBe(older)
    expect(load({ BLOOM_API_KEY: older, RUNTIME_API_KEY: newer }).RUNTIME_API_KEY).toBe(newer)
    expect(load().BLOOM_WORKER_KEY).toBeUndefined()
  })

  test('are no weak ones, and not one and the same', () => {
    expect(faultsOf({ BLOOM_WORKER_KEY: 'short' })).toEqual(['BLOOM_WORKER_KEY: must have at least 32 bytes'])
    expect(faultsOf({ BLOOM_API_KEY: 'short' })).toContain('BLOOM_API_KEY: must have at least 32 bytes')
    expect(faultsOf({ BLOOM_WORKER_KEY: newer, RUNTIME_API_KEY: newer })).toEqual([
      'BLOOM_WORKER_KEY: must be another key than RUNTIME_API_KEY, which may do more',
    ])
  })

  test('are masked in whatever is written', () => {
    const env = load({ BLOOM_API_KEY: older, BLOOM_WORKER_KEY: workers })
    expect(secretValues(env)).toEqual(expect.arrayContaining([older, workers]))
  })
})

describe('secrets', () => {
  test('are generated once, of 256 bits, different, readable by their owner only', () => {
    const first = load()
    const second = load()
    for (const name of PROGRAM_SECRETS) expect(second[name]).toBe(first[name])
    const stored = JSON.parse(fs.readFileSync(path.join(home, SECRET_FILE), 'utf8'))
    expect(Object.keys(stored).sort()).toEqual([...SECRET_NAMES].sort())
    expect(new Set(Object.values(stored)).size).toBe(SECRET_NAMES.length)
    for (const value of Object.values<string>(stored))
      expect(Buffer.from(value, 'base64url')).toHaveLength(32)
    expect(fs.statSync(path.join(home, SECRET_FILE)).mode & 0o777).toBe(0o600)
  })

  test('a given one wins over the stored one', () => {
    const mine = 'x'.repeat(40)
    expect(load().NOTEBOOKLM_API_KEY).not.toBe(mine)
    expect(load({ NOTEBOOKLM_API_KEY: mine }).NOTEBOOKLM_API_KEY).toBe(mine)
  })

  test('one that a newer version wants is added, the others stay', () => {
    const before = load()
    const file = path.join(home, SECRET_FILE)
    const { BLOOM_ZONE_KEY: removed, ...rest } = JSON.parse(fs.readFileSync(file, 'utf8'))
    fs.writeFileSync(file, JSON.stringify(rest))
    const after = load()
    expect(after.BLOOM_SESSION_KEY).toBe(before.BLOOM_SESSION_KEY)
    expect(after.BLOOM_ZONE_KEY).not.toBe(removed)
  })

  test.each(['not json', '[1, 2]', '{"BLOOM_SESSION_KEY": 5}'])(
    'a damaged file (%s) stops the start and is left alone',
    (text) => {
      const file = path.join(home, SECRET_FILE)
      fs.writeFileSync(file, text, { mode: 0o600 })
      expect(faultsOf({})).toEqual([expect.stringContaining('is not a JSON object of strings')])
      expect(fs.readFileSync(file, 'utf8')).toBe(text)
    },
  )

  test('a file that others may read stops the start', () => {
    load()
    fs.chmodSync(path.join(home, SECRET_FILE), 0o644)
    expect(faultsOf({})).toEqual([expect.stringContaining('open to other users')])
  })

  test('all given: nothing is written', () => {
    const all = Object.fromEntries(SECRET_NAMES.map((name) => [name, name.padEnd(32, '-')]))
    load(all)
    expect(fs.readdirSync(home)).toEqual([])
  })

  test('are known to the redaction filter', () => {
    const env = load({
      BLOOM_OWNER_PASSWORD: 'correct horse battery',
      ALERT_WEBHOOK_URL: 'https://hooks.example.org/services/T01-secret',
      ALERT_WEBHOOK_SECRET: 'w'.repeat(32),
      SMTP_URL: 'smtps://mailer:sword%20fish@mail.example.org',
      ALERT_EMAIL_TO: 'ops@example.org',
      GARDEN_REMOTE: 'https://me:push%20here@forge.example/garden.git',
    })
    expect(secretValues(env)).toEqual(
      expect.arrayContaining([
        env.BLOOM_SESSION_KEY,
        env.NOTEBOOKLM_API_KEY,
        'correct horse battery',
        'database-password',
        '/services/T01-secret',
        'w'.repeat(32),
        'sword fish',
        'push%20here',
        'push here',
      ]),
    )
  })
})
