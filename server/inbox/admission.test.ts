/** What the admission checks keep out that would only come to light when it is applied, or never. Real PostgreSQL, real git, the real Apply Engine. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { SubmitEntryInput } from '#contracts/inbox.contract.ts'
import { applyDue } from '#server/apply/apply-due.ts'
import { rejectProposal } from '#server/proposals/decide-proposal.ts'
import {
  AGENT,
  approve,
  editOf,
  humanCommit,
  NOTES,
  noteOf,
  OWNER,
  propose,
  rowOf,
} from '#server/proposals/testing/garden-kit.ts'
import { type NewKit, newKit } from '#server/proposals/testing/new-kit.ts'
import { resolvePending } from './resolve-pending.ts'
import { resubmitProposal } from './resubmit-proposal.ts'
import { revertProposal } from './revert-proposal.ts'
import { submitEntry } from './submit-entry.ts'

let kit: NewKit
beforeAll(async () => {
  kit = await newKit({ notes: { ...NOTES, 'Paths/Long/East.md': '# East\n' } })
  await withLink('Elsewhere')
})
afterAll(() => kit.end())

/** Somebody pushes a symbolic link, which the garden keeps and does not show. */
async function withLink(name: string): Promise<void> {
  const git = async (args: string[], input = '') => {
    const asked = promisify(execFile)('git', ['--git-dir', kit.gitdir, ...args], {
      env: { ...process.env, ...WHO },
    })
    asked.child.stdin?.end(input)
    return (await asked).stdout
  }
  const head = await kit.garden.head()
  const link = (await git(['hash-object', '-w', '--stdin'], 'Beds')).trim()
  const root = await git(['ls-tree', head])
  const tree = (await git(['mktree'], `${root}120000 blob ${link}\t${name}\n`)).trim()
  const commit = (await git(['commit-tree', tree, '-p', head, '-m', 'A link'])).trim()
  if (!(await kit.garden.updateBranch(head, commit))) throw new Error('the branch moved')
}
const WHO = {
  ...{ GIT_AUTHOR_NAME: 'Owner', GIT_AUTHOR_EMAIL: 'owner@garden.example' },
  ...{ GIT_COMMITTER_NAME: 'Owner', GIT_COMMITTER_EMAIL: 'owner@garden.example' },
}

const proposals = async () => (await kit.db.query(sql`SELECT 1 FROM proposal`)).rows.length
const codeOf = (answer: { ok: boolean } | { ok: false; refusal: { code: string } }) =>
  'refusal' in answer ? answer.refusal.code : 'ok'
const commentOf = (payload: object, target = 'notes/Beds/West.md'): SubmitEntryInput => ({
  intent: { action: 'propose-comment', target, payload: { text: '# West\n', summary: 'West', ...payload } },
})
const creating = (...paths: string[]) => ({
  changes: [
    { path: 'Beds/North.md', diff: { type: 'append', position: 'end', text: 'Mulched.' } },
    ...paths.map((path) => ({ path, diff: { type: 'create', text: '# New\n' } })),
  ],
})
const discarded = async (id: string) =>
  rejectProposal(kit.services, { proposal_id: id, decision_note: 'this is not what we need' }, OWNER)

describe('an action is what its name says', () => {
  test('a comment of an agent makes no file, whatever kind it claims to be', async () => {
    const before = await proposals()
    const origin = { safeOutputs: ['propose-comment'] }
    const answer = await submitEntry(kit.services, commentOf({ kind: 'note' }), AGENT, origin)
    expect(codeOf(answer)).toBe('VALIDATION_FAILED')
    expect(await proposals()).toBe(before)
    const comment = commentOf({ kind: 'comment' }, 'notes/Beds/North.md')
    expect(await propose(kit, comment, AGENT, origin)).toMatchObject({ target_type: 'comment' })
  })

  test('one that waits since before and claims so is rejected, and keeps nothing behind it waiting', async () => {
    const waiting = (id: string, n: number, payload: object) =>
      kit.db.query(sql`INSERT INTO inbox_entry (inbox_id, source_type, source_identity, action, target, payload, body_digest, correlation_id,
          received_at, expires_at) VALUES (${id}, 'ui', 'owner', 'propose-comment', 'notes/Beds/North.md', ${JSON.stringify(payload)}, 'd', ${id},
          clock_timestamp() + ${n} * interval '1 ms', clock_timestamp() + interval '1 hour')`)
    await waiting('inbox_2026-01-01_aaaaaa', 1, { kind: 'note', text: 'x\n', summary: 'x' })
    await waiting('inbox_2026-01-01_bbbbbb', 2, { text: 'Nice.\n', summary: 'Nice' })
    expect(await resolvePending(kit.worker)).toBe(2)
    const { rows } = await kit.db.query(sql`SELECT status, reason_code FROM inbox_entry
      WHERE inbox_id LIKE 'inbox_2026-01-01_%' ORDER BY inbox_id`)
    expect(rows).toEqual([
      { status: 'rejected', reason_code: 'VALIDATION_FAILED' },
      { status: 'processed', reason_code: null },
    ])
  })

  test('an edit makes no note of its target, and may make another file beside it', async () => {
    const before = await proposals()
    const origin = { safeOutputs: ['propose-edit'] }
    const input = editOf('notes/Beds/West.md', { diff: { type: 'create', text: '# West\n' } })
    expect(codeOf(await submitEntry(kit.services, input, AGENT, origin))).toBe('TARGET_NOT_FOUND')
    expect(await proposals()).toBe(before)
    const made = await propose(kit, editOf('notes/Beds/North.md', creating('Beds/East.md')), AGENT, origin)
    expect(made.changes.map(({ type }) => type)).toEqual(['append', 'create'])
  })
})

describe('a file that git could not make is refused where it is proposed', () => {
  test.each([
    ['a file where a folder is', 'Paths/Long', 'TARGET_EXISTS'],
    ['one where a folder of the top is', 'Beds', 'TARGET_EXISTS'],
    ['a file below a file', 'Beds/North.md/x.md', 'PATH_NOT_ALLOWED'],
    ['one far below a file', 'Beds/North.md/a/b/c.md', 'PATH_NOT_ALLOWED'],
    ['a file over a link', 'Elsewhere', 'TARGET_EXISTS'],
    ['a file below a link', 'Elsewhere/x.md', 'PATH_NOT_ALLOWED'],
    ['a twin of a link', 'elsewhere', 'PATH_NOT_ALLOWED'],
    ['a twin of a folder', 'paths/New.md', 'PATH_NOT_ALLOWED'],
  ])('%s', async (_, path, code) => {
    const before = await proposals()
    expect(codeOf(await submitEntry(kit.services, noteOf(path, '# New\n'), OWNER))).toBe(code)
    expect(await proposals()).toBe(before)
  })

  test.each([
    ['two that differ in case', ['Twin.md', 'twin.md']],
    ['two below folders that do', ['New/One.md', 'new/Two.md']],
    ['a file and one below it', ['New/One.md', 'New/One.md/Two.md']],
    ['a file and its folder', ['New/One/Two.md', 'New/One']],
  ])('of one proposal: %s', async (_, paths) => {
    const input = editOf('notes/Beds/North.md', creating(...paths))
    expect(['PATH_NOT_ALLOWED', 'TARGET_EXISTS']).toContain(
      codeOf(await submitEntry(kit.services, input, OWNER)),
    )
  })

  test('what nothing is in the way of is applied, deep folders included', async () => {
    const paths = ['Rows/One.md', 'Rows/Two.md', 'Rows/Deep/Er/Three.md']
    const row = await propose(kit, editOf('notes/Beds/North.md', creating(...paths)))
    await approve(kit, row)
    await applyDue(kit.engine())
    expect(await rowOf(kit, row.proposal_id)).toMatchObject({ status: 'APPLIED', error: null })
  })

  test('proposed again after something came in its way', async () => {
    const row = await propose(kit, noteOf('Later', '# Later\n'))
    await discarded(row.proposal_id)
    await humanCommit(kit, 'Later/Here.md', '# Here\n')
    expect(codeOf(await resubmitProposal(kit.services, row, OWNER))).toBe('TARGET_EXISTS')
  })
})

describe('a text that is cut', () => {
  const applied = async (input: SubmitEntryInput) => {
    const row = await propose(kit, input)
    await approve(kit, row)
    await applyDue(kit.engine())
    return row
  }

  test('ends with a whole character: the summary of a revert', async () => {
    const input = editOf('notes/Beds/North.md', {
      diff: { type: 'append', position: 'end', text: 'Sown.' },
      summary: `${'s'.repeat(191)}🌱 is sown`.slice(0, 200),
    })
    const reverted = await revertProposal(kit.services, await applied(input), OWNER)
    expect(reverted).toMatchObject({ value: { row: { summary: `Revert: ${'s'.repeat(191)}` } } })
  })

  const tagged = (target: string, add: string[]): SubmitEntryInput => ({
    intent: { action: 'propose-tag', target, payload: { add } },
  })

  test('the summary of tags', async () => {
    const add = Array.from({ length: 4 }, (_, n) => `${'𝔸'.repeat(40)}${n}`)
    expect((await propose(kit, tagged('notes/Beds/North.md', add))).summary).toMatch(/𝔸$/u)
  })

  test('the target in the audit', async () => {
    const far = tagged(`notes/${'n'.repeat(1017)}🌱.md`, ['sunny'])
    expect(codeOf(await submitEntry(kit.services, far, OWNER))).toBe('PATH_NOT_ALLOWED')
  })
})
