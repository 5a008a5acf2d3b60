import { describe, expect, test } from 'vitest'
import { Refused } from '#domain/kernel/errors.ts'
import { openDatabase } from '#server/ledger/database.ts'
import { ArtifactCorrupt, StorageUnavailable } from '#server/ports/object-store.ts'
import { refusalOf } from './refusal-of.ts'

const failedWith = (code: string) => Object.assign(new Error('of the driver'), { code })

describe('a thrown value as a refusal', () => {
  test.each([
    ['NOT_FOUND', true, new Refused('NOT_FOUND', 'There is none.')],
    ['STORAGE_UNAVAILABLE', false, new StorageUnavailable('the branch could not be read')],
    ['ARTIFACT_CORRUPT', true, new ArtifactCorrupt('k', 'a', 'b')],
    ['VALIDATION_FAILED', true, failedWith('22P05')],
    ['CONCURRENT_MODIFICATION', true, failedWith('40001')],
    ['STORAGE_UNAVAILABLE', false, failedWith('53100')],
    ['STORAGE_UNAVAILABLE', false, failedWith('57P02')],
    ['STORAGE_UNAVAILABLE', false, failedWith('25P03')],
    [
      'STORAGE_UNAVAILABLE',
      false,
      new Error('Client has encountered a connection error and is not queryable'),
    ],
    ['STORAGE_UNAVAILABLE', false, new Error('wrapped', { cause: failedWith('ECONNREFUSED') })],
    ['STORAGE_UNAVAILABLE', false, new Error('Connection terminated unexpectedly')],
    ['INTERNAL_ERROR', false, failedWith('42703')],
    ['INTERNAL_ERROR', false, Object.assign(new Error('x'), { refusal: { code: 'toString' } })],
    ['INTERNAL_ERROR', false, null],
  ])('is %s (expected: %s)', (code, expected, thrown) => {
    expect(refusalOf(thrown)).toMatchObject({ refusal: { code }, expected })
  })

  test('of a ledger that is not there', async () => {
    const away = openDatabase('postgresql://nobody:x@127.0.0.1:1/none')
    const thrown = await away.pool.query('SELECT 1').catch((error: unknown) => error)
    await away.close()
    expect(refusalOf(thrown).refusal.code).toBe('STORAGE_UNAVAILABLE')
  })
})
