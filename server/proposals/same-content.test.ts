import sql from 'sql-template-tag'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Result } from '#domain/kernel/result.ts'
import { submitEntry } from '#server/inbox/submit-entry.ts'
import { somebodyWaits } from '#server/keys/testing/somebody-waits.ts'
import { callerFor, refusalOfCall } from '#server/trpc/testing.ts'
import { proposalCommands } from './testing/commands.ts'
import { approve, noteOf, OWNER, propose, rowOf } from './testing/garden-kit.ts'
import { type NewKit, newKit } from './testing/new-kit.ts'

/** The same content proposed again while an approval of it is held, and the undo that would make two of them pending. */
let kit: NewKit
beforeAll(async () => {
  kit = await newKit({ holdSeconds: 10 })
})
afterAll(() => kit.end())

const NOTE = 'this is not what we need'
const codeOf = (outcome: Result<unknown>) => (outcome.ok ? 'ok' : outcome.refusal.code)

const note = () => noteOf('Twin.md', 'x\n')

test('is a duplicate while its approval is held; afterwards an undo is refused while it is pending', async () => {
  const row = await propose(kit, note())
  const id = row.proposal_id
  const undo = () => proposalCommands.undo(kit.services, { proposal_id: id }, OWNER)
  await approve(kit, row)
  expect(await submitEntry(kit.services, note(), OWNER)).toMatchObject({
    refusal: { code: 'DUPLICATE_ENTRY', details: { proposal_id: id } },
  })
  expect((await rowOf(kit, id)).seen_again).toBe(1)
  await kit.db.query(sql`UPDATE proposal SET apply_not_before = clock_timestamp() WHERE proposal_id = ${id}`)
  const { proposal_id: twin } = await propose(kit, note())
  expect(await undo()).toMatchObject({
    refusal: { code: 'DUPLICATE_ENTRY', details: { proposal_id: twin } },
  })
  expect((await rowOf(kit, id)).status).toBe('APPROVED')
  await proposalCommands.reject(kit.services, { proposal_id: twin, decision_note: NOTE }, OWNER)
  expect(codeOf(await undo())).toBe('ok')
})

test('submitted in the very moment of an undo: one of them is refused, and none fails', async () => {
  for (let round = 0; round < 5; round++) {
    const same = () => noteOf(`Twin ${round}.md`, 'x\n')
    const row = await propose(kit, same())
    await approve(kit, row)
    await kit.db.query(
      sql`UPDATE proposal SET apply_not_before = clock_timestamp() WHERE proposal_id = ${row.proposal_id}`,
    )
    const outcomes: Result<unknown>[] = await Promise.all([
      submitEntry(kit.services, same(), OWNER),
      proposalCommands.undo(kit.services, { proposal_id: row.proposal_id }, OWNER),
    ])
    expect(outcomes.map(codeOf).sort()).toEqual(['DUPLICATE_ENTRY', 'ok'])
  }
})

test('whose undo waits for such a submission is refused through the gate, too, and stays as it is', async () => {
  const same = () => noteOf('Twin in the gate.md', 'x\n')
  const row = await approve(kit, await propose(kit, same()))
  await kit.db.query(
    sql`UPDATE proposal SET apply_not_before = clock_timestamp() WHERE proposal_id = ${row.proposal_id}`,
  )
  const undone = await kit.db.transaction(async (tx) => {
    expect(codeOf(await submitEntry({ ...kit.services, db: tx }, same(), OWNER))).toBe('ok')
    const asked = callerFor(kit.services, OWNER).proposals.undo({ proposal_id: row.proposal_id })
    const refused = refusalOfCall(asked)
    await somebodyWaits(kit.db)
    return () => refused
  })
  expect(await undone()).toMatchObject({ code: 'DUPLICATE_ENTRY' })
  expect((await rowOf(kit, row.proposal_id)).status).toBe('APPROVED')
})
