/** Proposals of the owner, decided and applied by the operations of their rooms. */
import sql from 'sql-template-tag'
import type { SubmitEntryInput } from '#contracts/inbox.contract.ts'
import { applyDue } from '#server/apply/apply-due.ts'
import { createEngine } from '#server/apply/engine.ts'
import { submitEntry } from '#server/inbox/submit-entry.ts'
import { expireProposals } from '#server/proposals/close-proposal.ts'
import { currentContent, standingAgainst } from '#server/proposals/current-content.ts'
import { approveProposal } from '#server/proposals/decide-proposal.ts'
import { reviewDigest } from '#server/proposals/digests.ts'
import { findProposal } from '#server/proposals/proposal-row.ts'
import { type Ground, given, OWNER } from './ground.ts'

const HAND = { name: 'Somebody', email: 'somebody@garden-bloom.local' }

async function submit(ground: Ground, intent: SubmitEntryInput['intent']): Promise<string> {
  const answer = given(await submitEntry(ground, { intent }, OWNER))
  if (!answer.resolution) throw new Error(`the entry ${answer.inbox_id} became nothing`)
  return answer.resolution.id
}

/** A new note that is proposed; the proposal's id. */
export const proposeNote = (ground: Ground, path: string, text: string): Promise<string> =>
  submit(ground, {
    action: 'propose-note',
    target: `notes/${path}`,
    payload: { kind: 'note', text, summary: `New note ${path}` },
  })

/** A note that is proposed with another first paragraph; the proposal's id. */
export async function proposeEdit(ground: Ground, path: string, sentence: string): Promise<string> {
  const note = (await ground.garden.read(path))?.text ?? ''
  const text = note.replace(/^(# .*\n\n)/m, `$1${sentence}\n\n`)
  return submit(ground, {
    action: 'propose-edit',
    target: `notes/${path}`,
    payload: { diff: { type: 'replace', text }, summary: sentence, reasoning: 'It was seen in the beds.' },
  })
}

/** Approves what stands there now; it may be applied after so many seconds. */
export async function approve(ground: Ground, id: string, holdSeconds = 0): Promise<void> {
  const row = await findProposal(ground.db, id)
  if (!row) throw new Error(`there is no proposal ${id}`)
  const standing = await standingAgainst(await currentContent(ground.garden), row.changes)
  const services = { ...ground, env: { ...ground.env, APPLY_HOLD_SECONDS: holdSeconds } }
  given(
    await approveProposal(services, { proposal_id: id, review_digest: reviewDigest(row, standing) }, OWNER),
  )
}

/** Applies everything that is due. */
export const applyAll = (ground: Ground) => applyDue(createEngine(ground))

/** A commit past the console, which an approved proposal then meets. */
export async function commitByHand(ground: Ground, path: string, content: string | null): Promise<void> {
  const parent = await ground.garden.head()
  const person = { ...HAND, at: new Date() }
  const commit = await ground.garden.commit({
    parent,
    changes: [{ path, content }],
    message: `By hand: ${path}\n`,
    author: person,
    committer: person,
  })
  if (!(await ground.garden.updateBranch(parent, commit))) throw new Error('the garden moved meanwhile')
}

/** Lets the time of a proposal pass. */
export async function expire(ground: Ground, id: string): Promise<void> {
  await ground.db.query(sql`UPDATE proposal SET expires_at = clock_timestamp() WHERE proposal_id = ${id}`)
  await expireProposals(ground)
}
