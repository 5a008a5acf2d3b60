import { randomUUID } from 'node:crypto'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { artifactListInput } from '#contracts/artifact.contract.ts'
import { applyDue } from '#server/apply/apply-due.ts'
import { resubmitProposal } from '#server/inbox/resubmit-proposal.ts'
import { submitEntry } from '#server/inbox/submit-entry.ts'
import { rejectProposal } from '#server/proposals/decide-proposal.ts'
import { AGENT, approve, humanCommit, OWNER, propose } from '#server/proposals/testing/garden-kit.ts'
import { type NewKit, newKit } from '#server/proposals/testing/new-kit.ts'
import { listArtifacts } from './list-artifacts.query.ts'
import { projectLabels } from './project-labels.ts'

const ENGINE = '{"id":"extractive","model":"extractive","version":"1"}'
const GROUNDING = '{"status":"grounded","claims":1,"grounded_claims":1}'
let kit: NewKit
let leeks: string
let garlic: string

beforeAll(async () => {
  kit = await newKit()
  leeks = await artifact('About leeks', ['domain:beds'])
  garlic = await artifact('About garlic', [])
})
afterAll(() => kit.end())

async function artifact(title: string, tags: string[]): Promise<string> {
  const id = `art-${randomUUID()}`
  await kit.db.query(sql`INSERT INTO artifact (engine, grounding, artifact_id, agent_slug, type, title, object_key, content_sha256, bytes, tags)
    VALUES (${ENGINE}::jsonb, ${GROUNDING}::jsonb, ${id}, 'gardener', 'BRIEF', ${title}, ${`k/${id}`}, ${'0'.repeat(64)}, 10, ${tags})`)
  return id
}

const tagOf = (id: string, payload: { add?: string[]; remove?: string[] }) => ({
  intent: { action: 'propose-tag' as const, target: `artifacts/${id}`, payload },
})
const fileOf = async (id: string) => {
  const file = await kit.garden.read(`_bloom/annotations/artifacts/${id}/tags.json`)
  return JSON.parse(file?.text ?? 'null') as unknown
}
const found = async (filter: object) => {
  const { items } = await listArtifacts(kit.services, artifactListInput.parse(filter), OWNER)
  return items.map((item) => [item.title, item.tags, item.added_tags.map(({ tag }) => tag)])
}
const BESIDE = ['About leeks', ['domain:beds'], ['domain:execution', 'status:draft']]

describe('tags that are added to an artifact', () => {
  test('keep who, when and by which proposal, and it is found by both kinds', async () => {
    const row = await propose(kit, tagOf(leeks, { add: ['domain:execution', 'status:draft'] }))
    await approve(kit, row)
    await applyDue(kit.engine())
    const from = { by: 'owner', at: expect.stringMatching(/^20.+Z$/), proposal_id: row.proposal_id }
    expect(await fileOf(leeks)).toEqual({
      artifact_id: leeks,
      added: [
        { tag: 'domain:execution', ...from },
        { tag: 'status:draft', ...from },
      ],
    })
    for (const filter of [
      { tag: 'domain:execution' },
      { tag: '#domain:beds' },
      { q: 'EXECUTION' },
      { q: 'leek' },
    ])
      expect(await found(filter)).toEqual([BESIDE])
    expect(await found({ tag: 'domain' })).toEqual([])
    expect(await found({ q: 'garlic', tag: 'domain:beds' })).toEqual([])
  })

  test('are the only ones that can be removed', async () => {
    for (const remove of [['domain:beds'], ['unknown'], ['status:draft', 'domain:beds']])
      expect(await submitEntry(kit.services, tagOf(leeks, { remove }), OWNER)).toMatchObject({
        refusal: { code: 'DIFF_INVALID' },
      })
    expect(await submitEntry(kit.services, tagOf(garlic, { remove: ['x'] }), OWNER)).toMatchObject({
      ok: false,
    })
    await approve(kit, await propose(kit, tagOf(leeks, { remove: ['status:draft'] })))
    await applyDue(kit.engine())
    expect(await found({ tag: 'status:draft' })).toEqual([])
    expect(await found({ tag: 'domain:execution' })).toHaveLength(1)
  })

  test('merge, also when both proposals would make the file', async () => {
    const rows = [
      await propose(kit, tagOf(garlic, { add: ['one'] })),
      await propose(kit, tagOf(garlic, { add: ['two'] })),
    ]
    for (const row of rows) {
      await approve(kit, row)
      await applyDue(kit.engine())
    }
    expect(await found({ tag: 'two' })).toEqual([['About garlic', [], ['one', 'two']]])
  })

  test('count as the same content, whoever proposes them anew', async () => {
    const input = tagOf(garlic, { add: ['three'] })
    const row = await propose(kit, input)
    expect(await submitEntry(kit.services, input, OWNER)).toMatchObject({
      refusal: { code: 'DUPLICATE_ENTRY', details: { proposal_id: row.proposal_id } },
    })
    const note = 'not in this form, please'
    await rejectProposal(kit, { proposal_id: row.proposal_id, decision_note: note }, OWNER)
    const again = await resubmitProposal(kit, { proposal_id: row.proposal_id }, OWNER)
    if (!again.ok) throw new Error(again.refusal.message)
    await approve(kit, again.value.row)
    await applyDue(kit.engine())
    const ids = ((await fileOf(garlic)) as { added: { proposal_id: string }[] }).added.map(
      (a) => a.proposal_id,
    )
    expect(ids.at(-1)).toBe(again.value.row.proposal_id)
  })

  test('of an earlier version or a push are read, and go with the file', async () => {
    const path = `_bloom/annotations/artifacts/${garlic}/tags.json`
    const head = await humanCommit(
      kit,
      path,
      `${JSON.stringify({ artifact_id: garlic, tags: ['old:form'] })}\n`,
    )
    expect(await projectLabels(kit.worker.db, kit.garden, head)).toEqual([garlic])
    expect(await projectLabels(kit.worker.db, kit.garden, head)).toEqual([])
    expect(await found({ tag: 'old:form' })).toEqual([['About garlic', [], ['old:form']]])
    await approve(
      kit,
      await propose(kit, tagOf(garlic, { add: ['new'] }), AGENT, { safeOutputs: ['propose-tag'] }),
    )
    await applyDue(kit.engine())
    expect(await fileOf(garlic)).toMatchObject({
      added: [
        { tag: 'old:form', by: null, proposal_id: null },
        { tag: 'new', by: 'agent:gardener' },
      ],
    })
    await projectLabels(kit.worker.db, kit.garden, await humanCommit(kit, path, null))
    expect(await found({ q: 'garlic' })).toEqual([['About garlic', [], []]])
  })

  test('are found by an index, however many artifacts there are', async () => {
    await kit.db.transaction(async (tx) => {
      await tx.query(sql`SET LOCAL enable_seqscan = off`)
      const plan = await tx.query<{ 'QUERY PLAN': string }>(
        sql`EXPLAIN SELECT artifact_id FROM artifact_labels WHERE tags @> ARRAY['x'] OR words ILIKE '%beds%'`,
      )
      const text = plan.rows.map((row) => row['QUERY PLAN']).join('\n')
      expect(text).toMatch(/artifact_labels_tags[\s\S]*artifact_labels_words/)
    })
  })
})
