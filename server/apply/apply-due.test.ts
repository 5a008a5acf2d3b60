import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import sql from 'sql-template-tag'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Db } from '#server/ledger/database.ts'
import { approve, gardenWith, noteOf, propose } from '#server/proposals/testing/garden-kit.ts'
import { type NewKit, newKit } from '#server/proposals/testing/new-kit.ts'
import { applyDue } from './apply-due.ts'

let kit: NewKit
beforeEach(async () => {
  kit = await newKit()
})
afterEach(() => kit.end())

async function approved(count: number): Promise<void> {
  for (let n = 0; n < count; n++) await approve(kit, await propose(kit, noteOf(`N${n}.md`, `${n}\n`)))
}

describe('a batch of proposals that are due', () => {
  test('asks for what waits before it and behind it, however many there are', async () => {
    await approved(4)
    const engine = kit.engine()
    let asked = 0
    const query: Db['query'] = (statement) => {
      if (statement.sql.includes('min(coalesce(o.apply_not_before')) asked++
      return engine.db.query(statement)
    }
    const counted = { ...engine, db: { ...engine.db, query } }
    expect(await applyDue(counted)).toEqual({ handled: 4, nextInMs: null })
    expect(asked).toBe(2)
    expect(await applyDue(counted)).toEqual({ handled: 0, nextInMs: null })
    expect(asked).toBe(3)
  })

  test('leaves the repository alone while every hold lasts', async () => {
    await approved(1)
    await kit.db.query(sql`UPDATE proposal SET apply_not_before = clock_timestamp() + interval '1 hour'`)
    const head = () => Promise.reject(new Error('nobody looks'))
    const { handled, nextInMs } = await applyDue({
      ...kit.engine(),
      garden: gardenWith(kit.garden, { head }),
    })
    expect(handled).toBe(0)
    expect(nextInMs).toBeGreaterThan(0)
  })

  test('takes what was decided while it was under way', async () => {
    await approved(1)
    let late: Promise<unknown> | null = null
    const engine = kit.engine({
      onApplied: async () => {
        late ??= propose(kit, noteOf('Late.md', 'Late.\n')).then((row) => approve(kit, row))
        await late
      },
    })
    expect(await applyDue(engine)).toMatchObject({ handled: 2 })
  })

  test('ends where the branch loses what was applied, and takes no more', async () => {
    await approved(3)
    const start = await kit.garden.head()
    const git = (...args: string[]) => promisify(execFile)('git', ['--git-dir', kit.gitdir, ...args])
    let applied = 0
    const engine = kit.engine({
      onApplied: async () => {
        if (++applied === 2) await git('update-ref', 'refs/heads/main', start)
      },
    })
    // A third waits; what says so would have the loop ask again at once, for as long as the branch is not mended.
    expect(await applyDue(engine)).toEqual({ handled: 2, nextInMs: null })
    expect(await kit.garden.head()).toBe(start)
  })
})
