import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { signingKeyOf } from '#server/audit/signing-key.ts'
import { listKeys } from '#server/audit/trusted-keys.ts'
import { loadEnv } from '#server/env.ts'
import { openStore } from './open-store.ts'

let home: string
beforeAll(() => {
  home = fs.mkdtempSync(path.join(os.tmpdir(), 'bloom-rotate-'))
})
afterAll(() => fs.rmSync(home, { recursive: true, force: true }))

const variables = () => ({ BLOOM_HOME: home, DATABASE_URL: 'postgresql://bloom@127.0.0.1:1/bloom' })
const rotate = (more: Record<string, string> = {}) =>
  spawnSync(process.execPath, ['server/composition/rotate-audit-key.ts'], {
    env: { ...variables(), ...more, NODE_ENV: 'test' },
    encoding: 'utf8',
  })

it('gives the home a new key, which states the keys it follows', async () => {
  const first = signingKeyOf(loadEnv(variables()))
  expect(rotate()).toMatchObject({ status: 0, stdout: expect.stringContaining(first.keyId) })
  const second = signingKeyOf(loadEnv(variables()))
  expect(second.keyId).not.toBe(first.keyId)
  expect(rotate().status).toBe(0)
  const env = loadEnv(variables())
  const { key_id, retired } = await listKeys({ env, store: await openStore(env) })
  expect([key_id, ...retired.map((key) => key.key_id)]).toEqual([
    signingKeyOf(env).keyId,
    second.keyId,
    first.keyId,
  ])
  expect(fs.statSync(path.join(home, 'secrets.json')).mode & 0o777).toBe(0o600)
})

it('leaves a key that the environment gives alone', () => {
  const refused = rotate({ AUDIT_SIGNING_KEY: 'k'.repeat(40) })
  expect(refused).toMatchObject({ status: 1, stderr: expect.stringContaining('given by the environment') })
})
