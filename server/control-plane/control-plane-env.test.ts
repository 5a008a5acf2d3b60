import { describe, expect, test } from 'vitest'
import { EnvFault } from '#server/environment/env-fault.ts'
import { loadControlPlaneEnv } from './control-plane-env.ts'
import { controlPlaneEnv } from './testing/control-plane-process.ts'

const DATABASE_URL = 'postgresql://plane:pass@127.0.0.1/bloom'
const load = (more: Record<string, string> = {}) =>
  loadControlPlaneEnv(controlPlaneEnv({ DATABASE_URL, ...more }))

function faultsOf(more: Record<string, string>): readonly string[] {
  try {
    load(more)
  } catch (error) {
    if (error instanceof EnvFault) return error.faults
    throw error
  }
  return []
}

describe('the environment of the control plane', () => {
  test('has the defaults of the contract', () => {
    expect(load()).toMatchObject({
      MEMBRIDGE_PORT: 8000,
      MEMBRIDGE_HOST: '127.0.0.1',
      MEMBRIDGE_URL: 'http://127.0.0.1:8000',
      MEMBRIDGE_DEV: false,
      PUBLIC_URL: 'http://localhost:3000',
    })
  })

  test.each<[Record<string, string>, string]>([
    [{ DATABASE_URL: '' }, 'DATABASE_URL: must be a postgresql:// address'],
    [{ MEMBRIDGE_ADMIN_KEY: '' }, 'MEMBRIDGE_ADMIN_KEY: is missing'],
    [{ MEMBRIDGE_CALLBACK_TOKEN: 'short' }, 'MEMBRIDGE_CALLBACK_TOKEN: must have at least 32 bytes'],
    [{ MEMBRIDGE_HOST: '::' }, 'MEMBRIDGE_HOST: opens the control plane to the network'],
    [{ MEMBRIDGE_DEV: '1' }, 'MEMBRIDGE_DEV: turns the keys of the control plane off'],
    [{ MINIO_BUCKET: 'bloom' }, 'MINIO_ENDPOINT: needs'],
    [{ MEMBRIDGE_PORT: '70000' }, 'MEMBRIDGE_PORT: must be at most 65535'],
  ])('says in one line what is wrong with %o', (variables, line) => {
    expect(faultsOf(variables)).toEqual([expect.stringContaining(line)])
  })

  test('alone hashes addresses under a key of its own', () => {
    const alone = load({ BLOOM_ADDRESS_KEY: '' })
    expect(alone.BLOOM_ADDRESS_KEY).not.toBe(load().BLOOM_ADDRESS_KEY)
    expect(alone.BLOOM_ADDRESS_KEY).not.toContain(alone.MEMBRIDGE_ADMIN_KEY)
  })
})
