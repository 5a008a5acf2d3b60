import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Env } from '../env.ts'
import { fileArgument } from './arguments.mjs'
import { ROOT } from './checkout.mjs'
import { finalCounts, playwrightCounts, vitestCounts } from './counts.mjs'
import { withDiagrams } from './docs.mjs'
import { programEnv } from './prepare.mjs'
import { productPrograms } from './product.mjs'
import { forTerminal } from './program.mjs'
import { PROGRAMS } from './programs.mjs'
import { PROGRAM_SECRETS } from './secrets.mjs'
import { waitUntil } from './testing/wait-until.ts'

describe('fileArgument', () => {
  const read = (...args: string[]) => fileArgument(['quietly'], 'npm run thing -- <file>', args)

  test('is one file, from where npm was called, with flags that are known', () => {
    vi.stubEnv('INIT_CWD', '/somewhere')
    onTestFinished(() => void vi.unstubAllEnvs())
    expect(read('a.tar.gz', '--quietly')).toEqual({
      file: path.resolve('/somewhere/a.tar.gz'),
      flags: { quietly: true },
    })
    expect(read('/b').file).toBe(path.resolve('/b'))
  })

  test.each([[[]], [['a', 'b']], [['a', '--loudly']], [['a', '--quietly=x']]])(
    '%j shows the usage',
    (args) => {
      expect(() => read(...args)).toThrow('Name one file: npm run thing -- <file>')
    },
  )
})

describe('forTerminal', () => {
  test.each([
    ['Hello', 'Hello'],
    ['   ', ''],
    ['- Local:   http://localhost:3000', ''],
    ['{"level":30,"msg":"a job was picked up"}', ''],
    ['{"level":40,"msg":"the store is slow"}', 'the store is slow'],
    ['{"level":"INFO","msg":"a job was picked up"}', ''],
    ['{"level":"WARN","msg":"the store is slow"}', 'the store is slow'],
    ['{"level":50,"msg":"apply failed","err":{"message":"disk full"}}', 'apply failed: disk full'],
    [
      '{"level":"WARNING","msg":"request","method":"GET","route":"/api/v1/jobs","status":500}',
      'request: GET /api/v1/jobs, status 500',
    ],
    ['{"not":"a log line"}', '{"not":"a log line"}'],
    ['{broken', '{broken'],
  ])('%s is shown as «%s»', (line, shown) => {
    expect(forTerminal(line, /^- Local/)).toBe(shown)
  })
})

describe('programs', () => {
  const env = {
    HOST: '127.0.0.1',
    PORT: 3000,
    PUBLIC_URL: 'http://localhost:3000',
    GATEWAY_URL: 'http://127.0.0.1:3000',
    MEMBRIDGE_URL: 'https://membridge.example/below',
    NLM_CALLBACK_URL: 'https://membridge.example/below',
  } as Env
  const secrets = {
    NODE_ENV: 'production' as const,
    DATABASE_URL: 'postgresql://x',
    NOTEBOOKLM_API_KEY: 'key',
  }
  const urls = {
    owner: 'postgresql://owner@x',
    web: 'postgresql://web@x',
    worker: 'postgresql://worker@x',
    control_plane: 'postgresql://control@x',
  }
  const argsOf = (reload: boolean) =>
    productPrograms(env, secrets, { urls, files: PROGRAMS, reload }).map(
      ({ name, args }) => `${name}: ${args.join(' ')}`,
    )

  test('are built pages and plain programs', () => {
    expect(argsOf(false)).toEqual([
      'web: --max-semi-space-size=8 --heap-growing-percent=50 server/http/start-web.ts --hostname 127.0.0.1 --port 3000',
      'nlm: --max-semi-space-size=1 --heap-growing-percent=20 --optimize-for-size server/nlm-backend/main.ts',
      'membridge: --max-semi-space-size=1 --heap-growing-percent=20 --optimize-for-size server/control-plane/main.ts',
      'worker: --max-semi-space-size=8 --heap-growing-percent=50 worker/main.ts',
    ])
  })

  test('follow the sources with reload', () => {
    expect(argsOf(true)).toEqual([
      'web: node_modules/next/dist/bin/next dev --hostname 127.0.0.1 --port 3000',
      'nlm: --watch --watch-preserve-output server/nlm-backend/main.ts',
      'membridge: --watch --watch-preserve-output server/control-plane/main.ts',
      'worker: --watch --watch-preserve-output worker/main.ts',
    ])
  })

  test.each([
    ['nlm', ['MEMBRIDGE_CALLBACK_SIGNING_KEY', 'MEMBRIDGE_CALLBACK_TOKEN', 'NOTEBOOKLM_API_KEY']],
    [
      'membridge',
      [
        'BLOOM_ADDRESS_KEY',
        'DATABASE_URL',
        'MEMBRIDGE_ADMIN_KEY',
        'MEMBRIDGE_AGENT_KEY',
        'MEMBRIDGE_CALLBACK_SIGNING_KEY',
        'MEMBRIDGE_CALLBACK_TOKEN',
        'MINIO_ACCESS_KEY',
        'MINIO_SECRET_KEY',
      ],
    ],
  ])('tell %s no secret that it does not need', (program, known) => {
    const others = ['DATABASE_URL', 'BLOOM_ADDRESS_KEY', 'BLOOM_OWNER_PASSWORD', 'GARDEN_REMOTE']
    const more = ['MINIO_ACCESS_KEY', 'MINIO_SECRET_KEY', 'ALERT_WEBHOOK_SECRET', 'SMTP_URL']
    const older = ['BLOOM_API_KEY', 'BLOOM_WORKER_KEY']
    const all = Object.fromEntries(
      [...PROGRAM_SECRETS, ...others, ...more, ...older].map((name) => [name, 'secret']),
    )
    for (const reload of [true, false]) {
      const plan = productPrograms(
        env,
        { ...all, NODE_ENV: 'production', PORT: '3000' },
        { urls, files: PROGRAMS, reload },
      ).find(({ name }) => name === program)
      expect(
        Object.keys(plan?.env ?? {})
          .filter((name) => name in all)
          .sort(),
      ).toEqual(known)
      expect(plan?.env).toMatchObject({ PORT: '3000' })
    }
  })

  test('tell the NotebookLM Backend that callbacks go to the control plane', () => {
    const [, nlm] = productPrograms(env, secrets, { urls, files: PROGRAMS })
    expect(nlm?.env).toMatchObject({
      ARTIFACT_API_URL: 'http://127.0.0.1:3000/api/v1',
      NLM_ALLOWED_ORIGINS: 'http://127.0.0.1:3000 https://membridge.example',
      NLM_CALLBACK_ORIGIN: 'https://membridge.example',
    })
  })

  test('tell the NotebookLM Backend what its owner lists beside our own origins, and where jobs say to report', () => {
    const own = {
      NLM_ALLOWED_ORIGINS: 'https://papers.example, http://127.0.0.1:3000',
      NLM_CALLBACK_ORIGIN: 'https://elsewhere.example',
    }
    const [, nlm] = productPrograms(env, { ...secrets, ...own }, { urls, files: PROGRAMS })
    expect(nlm?.env).toMatchObject({
      NLM_ALLOWED_ORIGINS: 'https://papers.example http://127.0.0.1:3000 https://membridge.example',
      NLM_CALLBACK_ORIGIN: 'https://membridge.example',
    })
  })

  test('are told nothing that is the launcher’s own', () => {
    onTestFinished(() => void vi.unstubAllEnvs())
    const own = {
      BLOOM_POSTGRES_PASSWORD: 'a',
      BLOOM_POSTGRES_OWNER_PASSWORD: 'b',
      BLOOM_POSTGRES_WEB_PASSWORD: 'c',
      BLOOM_POSTGRES_WORKER_PASSWORD: 'd',
      BLOOM_POSTGRES_CONTROL_PLANE_PASSWORD: 'e',
      DATABASE_URL_WEB: 'postgresql://web',
    }
    for (const [name, value] of Object.entries(own)) vi.stubEnv(name, value)
    const variables = programEnv({ ...env, DATABASE_URL_WORKER: 'postgresql://worker' } as Env)
    const names = Object.keys(variables).filter((name) => /BLOOM_POSTGRES_|DATABASE_URL_/.test(name))
    expect(names).toEqual([])
    expect(variables).toMatchObject({ PORT: '3000', PUBLIC_URL: 'http://localhost:3000' })
  })

  test('give back the memory that they freed, unless the environment says how', () => {
    const settings = { MALLOC_ARENA_MAX: '2', MALLOC_TRIM_THRESHOLD_: '131072' }
    const given = { MALLOC_ARENA_MAX: '4' }
    const environments = (variables: NodeJS.ProcessEnv) =>
      productPrograms(env, variables, { urls, files: PROGRAMS }).map(({ env: own }) => own)
    for (const own of environments(secrets)) expect(own).toMatchObject(settings)
    for (const own of environments({ ...secrets, ...given }))
      expect(own).toMatchObject({ ...settings, ...given })
  })

  test('know the address of their own database role alone', () => {
    const addresses = productPrograms(env, secrets, { urls, files: PROGRAMS }).map(
      ({ name, env: variables }) => [name, variables.DATABASE_URL],
    )
    expect(addresses).toEqual([
      ['web', urls.web],
      ['nlm', undefined],
      ['membridge', urls.control_plane],
      ['worker', urls.worker],
    ])
  })

  test('give a worker more threads for files, unless the environment says how many', () => {
    const threadsOf = (variables: NodeJS.ProcessEnv) =>
      productPrograms(env, variables, { urls, files: PROGRAMS }).find(({ name }) => name === 'worker')?.env
        .UV_THREADPOOL_SIZE
    expect(threadsOf(secrets)).toBe('24')
    expect(threadsOf({ ...secrets, UV_THREADPOOL_SIZE: '8' })).toBe('8')
  })

  test.each([
    [' GET /jobs 200 in 12ms', ''],
    [' GET /jobs 500 in 12ms', ' GET /jobs 500 in 12ms'],
    [' ○ Compiling /jobs ...', ' ○ Compiling /jobs ...'],
  ])('of development show of «%s» «%s»', (line, shown) => {
    const web = productPrograms(env, secrets, { urls, files: PROGRAMS, reload: true }).find(
      ({ name }) => name === 'web',
    )
    expect(forTerminal(line, web?.quiet)).toBe(shown)
  })
})

describe('counts', () => {
  const report = (content: unknown) => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'bloom-counts-'))
    onTestFinished(() => fs.rmSync(folder, { recursive: true }))
    const file = path.join(folder, 'report.json')
    fs.writeFileSync(file, JSON.stringify(content))
    return file
  }

  test('of vitest include files that failed before their first test', () => {
    const failed = {
      status: 'failed',
      fullName: 'it falls',
      failureMessages: ['\u001b[31mError: not so\u001b[0m\n at x'],
    }
    const testResults = [
      { name: `${ROOT}/a.test.ts`, status: 'failed', assertionResults: [], message: 'no such module' },
      { name: `${ROOT}/b.test.ts`, status: 'failed', assertionResults: [failed] },
      { name: `${ROOT}/c.test.ts`, status: 'passed', assertionResults: [{ status: 'passed' }] },
    ]
    const file = report({ numPassedTests: 7, numFailedTests: 1, numPendingTests: 2, testResults })
    const faults = ['a.test.ts › no such module', 'b.test.ts › it falls › Error: not so']
    expect(vitestCounts(file)).toEqual({ passed: 7, failed: 2, skipped: 2, flaky: 0, faults })
  })

  test('of Playwright count a test that passed at another try as passed, and say so', () => {
    const fallen = { ok: false, tests: [{ results: [{ error: { message: 'Error: not so\n at x' } }] }] }
    const spec = (title: string, more: object) => ({ file: 'a.spec.ts', title, ok: true, tests: [], ...more })
    const suites = [{ specs: [spec('it stands', {})], suites: [{ specs: [spec('it falls', fallen)] }] }]
    const file = report({ stats: { expected: 5, unexpected: 1, flaky: 1, skipped: 3 }, errors: [], suites })
    const faults = ['a.spec.ts › it falls › Error: not so']
    expect(playwrightCounts(file)).toEqual({ passed: 6, failed: 1, skipped: 3, flaky: 1, faults })
  })

  test.each([
    ['nothing ran', { passed: 0, failed: 0 }, 0, 1],
    ['no report', { passed: 0, failed: 0 }, 1, 1],
    ['the runner failed beside its tests', { passed: 3, failed: 0 }, 1, 1],
    ['two tests failed', { passed: 3, failed: 2 }, 1, 2],
    ['all is well', { passed: 3, failed: 0 }, 0, 0],
  ])('never call it a success when %s', (_, counts, exitCode, failed) => {
    expect(finalCounts({ ...counts, skipped: 0, flaky: 0 }, exitCode).failed).toBe(failed)
  })

  test('are zero without a report', () => {
    expect(vitestCounts('/nowhere.json')).toMatchObject({ passed: 0, failed: 0 })
    expect(playwrightCounts('/nowhere.json')).toMatchObject({ passed: 0, failed: 0 })
  })
})

describe('waitUntil', () => {
  test('gives the first truthy value, past errors', async () => {
    const answers = [() => null, () => raise('not yet'), () => 'there']
    expect(await waitUntil(() => answers.shift()?.())).toBe('there')
  })

  test('says what it waited for, and why', async () => {
    const wait = waitUntil(() => raise('still closed'), { timeoutMs: 0, what: 'the gate' })
    await expect(wait).rejects.toThrow('in vain for the gate')
    await expect(wait).rejects.toMatchObject({ cause: new Error('still closed') })
  })
})

describe('diagrams', () => {
  test('replace what is between the markers and nothing else', async () => {
    const text = 'before\n<!-- machines: generated by `npm run docs` -->\nold\n<!-- /machines -->\nafter\n'
    const written = await withDiagrams(text)
    expect(written).toMatch(/^before\n/)
    expect(written).toMatch(/\nafter\n$/)
    expect(written).not.toContain('\nold\n')
    expect(written).toContain('QUEUED --> CONTEXT_ASSEMBLY: pick_up')
    expect(await withDiagrams(written)).toBe(written)
  })

  test('want their markers', async () => {
    await expect(withDiagrams('nothing here')).rejects.toThrow('markers')
  })
})

function raise(message: string): never {
  throw new Error(message)
}
