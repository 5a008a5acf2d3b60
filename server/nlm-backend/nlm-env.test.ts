import { spawn } from 'node:child_process'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { loadNlmEnv } from './nlm-env.ts'
import { CALLBACK_TOKEN, KEY, SIGNING_KEY } from './testing/fake-gateway.ts'

const GOOD = {
  NOTEBOOKLM_API_KEY: KEY,
  MEMBRIDGE_CALLBACK_TOKEN: CALLBACK_TOKEN,
  MEMBRIDGE_CALLBACK_SIGNING_KEY: SIGNING_KEY,
  ARTIFACT_API_URL: 'http://127.0.0.1:3000/api/v1',
  NLM_ALLOWED_ORIGINS: 'http://127.0.0.1:3000, https://garden.example',
}

describe('the environment of the backend', () => {
  it('has defaults, and the callback goes where the artifacts go', () => {
    expect(loadNlmEnv(GOOD)).toMatchObject({
      NLM_PORT: 8080,
      NLM_HOST: '127.0.0.1',
      NLM_CALLBACK_ORIGIN: 'http://127.0.0.1:3000',
      NLM_ALLOWED_ORIGINS: ['http://127.0.0.1:3000', 'https://garden.example'],
      ALLOWED_ORIGINS: [],
    })
    expect(
      loadNlmEnv({ ...GOOD, ARTIFACT_API_URL: 'http://127.0.0.1:3000/api/v1/artifacts/' }).ARTIFACT_API_URL,
    ).toBe('http://127.0.0.1:3000/api/v1')
  })

  it.each(Object.keys(GOOD))('names %s when it is missing', (name) => {
    expect(() => loadNlmEnv({ ...GOOD, [name]: '' })).toThrow(new RegExp(`^  ${name}: `, 'mu'))
  })

  it.each([
    ['NOTEBOOKLM_API_KEY', 'short-secret'],
    ['NLM_PORT', '70000'],
    ['ARTIFACT_API_URL', 'file:///x'],
    ['ARTIFACT_API_URL', 'http://elsewhere.example/api'],
    ['NLM_ALLOWED_ORIGINS', 'http://a.example/path'],
    ['NLM_ALLOWED_ADDRESSES', 'garden.example'],
    ['NLM_CALLBACK_ORIGIN', 'https://other.example'],
    ['ALLOWED_ORIGINS', '*'],
  ])('refuses %s = %s without telling the value', (name, value) => {
    expect(() => loadNlmEnv({ ...GOOD, [name]: value })).toThrow(name)
    expect(() => loadNlmEnv({ ...GOOD, [name]: value })).not.toThrow(value)
  })
})

describe('the process', () => {
  const run = (env: Record<string, string>) => {
    const child = spawn(process.execPath, [path.join(import.meta.dirname, 'main.ts')], {
      env: { ...env } as unknown as NodeJS.ProcessEnv,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let text = ''
    const ready = Promise.withResolvers<void>()
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (part) => {
        text += part
        if (text.includes('"ready"')) ready.resolve()
      })
    }
    const ended = new Promise<number | null>((resolve) => child.on('close', (code) => resolve(code)))
    return { child, ready: ready.promise, ended, text: () => text }
  }

  it('stops at once when a secret is missing, and names the variable', async () => {
    const { MEMBRIDGE_CALLBACK_TOKEN: _, ...rest } = GOOD
    const started = run(rest)
    expect(await started.ended).toBe(1)
    expect(started.text()).toContain('MEMBRIDGE_CALLBACK_TOKEN: is missing')
    expect(started.text()).not.toContain(KEY)
  })

  it('serves until it is stopped, and then ends well', async () => {
    const started = run({ ...GOOD, NLM_PORT: '0' })
    await Promise.race([started.ready, started.ended])
    started.child.kill('SIGTERM')
    expect([await started.ended, started.text()]).toEqual([0, expect.stringContaining('"stopped"')])
  })
})
