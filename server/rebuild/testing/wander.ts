/** Proposals on any legal path of their machine: whatever a state allows, in any order. What it does not allow is refused and recorded. */
import fc from 'fast-check'
import sql from 'sql-template-tag'
import { APPLY_ENGINE } from '#domain/authority/caller.ts'
import { applyDue } from '#server/apply/apply-due.ts'
import { takeProposal } from '#server/apply/take-proposal.ts'
import { resubmitProposal } from '#server/inbox/resubmit-proposal.ts'
import { revertProposal } from '#server/inbox/revert-proposal.ts'
import { supersedeProposal } from '#server/inbox/supersede-proposal.ts'
import { json } from '#server/ledger/event-fields.ts'
import { transition } from '#server/ledger/transition.ts'
import { discardProposal, expireProposals } from '#server/proposals/close-proposal.ts'
import { rejectProposal, undoApproval } from '#server/proposals/decide-proposal.ts'
import { archiveProposal, extendProposal, unarchiveProposal } from '#server/proposals/flag-proposal.ts'
import { retryApply } from '#server/proposals/reapply-proposal.ts'
import { approve, type Kit, noteOf, OWNER, propose, rowOf } from '#server/proposals/testing/garden-kit.ts'

const NOTE = 'A reason that is long enough'
const FAULT = { code: 'timeout', message: 'Applying took longer than 60 seconds.' }

type Way = (kit: Kit, proposal: { proposal_id: string }) => Promise<unknown>

/** An engine that takes what is due, and gives up. */
async function fail(kit: Kit): Promise<void> {
  const taken = await takeProposal(kit.worker.db, 'wanderer')
  if (!taken) return
  await transition(kit.worker.db, {
    machine: 'proposal',
    event: 'fail',
    actor: APPLY_ENGINE,
    where: sql`o.proposal_id = ${taken.proposal_id}`,
    set: sql`error = ${json(FAULT)}, lease_holder = NULL, lease_expires_at = NULL, version = t.version + 1`,
    details: FAULT,
  })
}

async function expire(kit: Kit, { proposal_id: id }: { proposal_id: string }): Promise<void> {
  await kit.worker.db.query(
    sql`UPDATE proposal SET expires_at = clock_timestamp() WHERE proposal_id = ${id} AND status = 'PENDING'`,
  )
  await expireProposals(kit.worker)
}

/** Another content in its place. */
async function supersede(kit: Kit, { proposal_id: id }: { proposal_id: string }): Promise<unknown> {
  const old = await rowOf(kit, id)
  const drafts = () =>
    old.changes.map(({ path }) => ({ path, diff: { type: 'create', text: `edited ${id}\n` } as const }))
  return supersedeProposal(kit.services, { old, command: 'edit', request: id, drafts }, OWNER)
}

const WAYS: Record<string, Way> = {
  approve: async (kit, { proposal_id: id }) => approve(kit, await rowOf(kit, id)),
  reject: (kit, id) => rejectProposal(kit, { ...id, decision_note: NOTE }, OWNER),
  undo: (kit, id) => undoApproval(kit, id, OWNER),
  extend: (kit, id) => extendProposal(kit, { ...id, hours: 3, reason: NOTE }, OWNER),
  expire,
  fail,
  apply: (kit) => applyDue(kit.engine()),
  retry: (kit, id) => retryApply(kit, id, OWNER),
  discard: (kit, id) => discardProposal(kit, id, OWNER),
  archive: (kit, id) => archiveProposal(kit, id, OWNER),
  unarchive: (kit, id) => unarchiveProposal(kit, id, OWNER),
  resubmit: (kit, id) => resubmitProposal(kit, id, OWNER),
  revert: (kit, id) => revertProposal(kit, id, OWNER),
  edit: supersede,
}
const path = fc.array(fc.constantFrom('approve', 'approve', ...Object.keys(WAYS)), {
  minLength: 4,
  maxLength: 9,
})

/** Sends so many proposals on their ways; `seed` makes a failure repeatable. */
export async function wander(kit: Kit, count: number, seed: number): Promise<void> {
  for (const [n, ways] of fc.sample(path, { numRuns: count, seed }).entries()) {
    const { proposal_id } = await propose(kit, noteOf(`Wandering/${n}.md`, `# ${n}\n`))
    for (const way of ways) await WAYS[way]?.(kit, { proposal_id }).catch(() => {})
  }
}
