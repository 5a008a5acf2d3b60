/** A garden in which everything has happened that a ledger records: for the comparison of a rebuilt ledger with the lost one. */
import sql from 'sql-template-tag'
import { NLM_BACKEND, ORCHESTRATION_LAYER } from '#domain/authority/caller.ts'
import { changeAgentStatus } from '#server/agents/change-agent-status.ts'
import { syncAgents } from '#server/agents/sync-agents.ts'
import { applyDue } from '#server/apply/apply-due.ts'
import { commitAnswers, storeArtifact } from '#server/artifacts/write-artifact.ts'
import { expireEntries, receiveEntry } from '#server/inbox/entry-transitions.ts'
import { resubmitProposal } from '#server/inbox/resubmit-proposal.ts'
import { revertProposal } from '#server/inbox/revert-proposal.ts'
import { submitJob } from '#server/jobs/submit-job.ts'
import type { Row } from '#server/ledger/rows.ts'
import { transition } from '#server/ledger/transition.ts'
import { casKey, sha256Hex } from '#server/ports/object-store.ts'
import { expireProposals } from '#server/proposals/close-proposal.ts'
import { approveProposal, rejectProposal, undoApproval } from '#server/proposals/decide-proposal.ts'
import {
  archiveProposal,
  extendProposal,
  markSeen,
  unarchiveProposal,
} from '#server/proposals/flag-proposal.ts'
import type { ProposalRow } from '#server/proposals/proposal-row.ts'
import { forceApply } from '#server/proposals/reapply-proposal.ts'
import {
  approve,
  digestNow,
  editOf,
  humanCommit,
  type Kit,
  noteOf,
  OWNER,
  propose,
  rowOf,
} from '#server/proposals/testing/garden-kit.ts'
import { decideRemovals } from '#server/retention/remove-artifacts.ts'
import { rerunRun } from '#server/runs/rerun-run.ts'
import { ask, type Harness, status, until } from '#server/runs/testing/harness.ts'
import { askAndPropose, outputOf } from '#server/runs/testing/run-kit.ts'

/** What somebody pasted into a reason by mistake. */
export const SECRET = 'Zm9vYmFyYmF6cXV4MTIzNDU2'
const NOTE = `A reason that is long enough, with Bearer ${SECRET}`

export async function live(h: Harness, kit: Kit): Promise<void> {
  await syncAgents({ db: kit.db, garden: kit.garden })
  await proposals(kit)
  await entries(kit)
  await runs(h)
  await tags(kit)
  await commands(kit)
  await retention(h, kit)
}

/** An artifact that got a tag, and two of which one was taken away again. */
async function tags(kit: Kit): Promise<void> {
  const { rows } = await kit.db.query<Row<'artifact', 'artifact_id'>>(
    sql`SELECT artifact_id FROM artifact LIMIT 1`,
  )
  const change = async (payload: Record<string, string[]>) => {
    const target = `artifacts/${rows[0]?.artifact_id}`
    await approve(kit, await propose(kit, { intent: { action: 'propose-tag', target, payload } }))
    await applyDue(kit.engine())
  }
  await change({ add: ['domain:execution', 'status:draft'] })
  await change({ add: [], remove: ['status:draft'] })
}

/** An artifact that nothing cites and whose document retention has removed. */
async function retention(h: Harness, kit: Kit): Promise<void> {
  const payload = { query: 'What is kept?' }
  const job = await submitJob(kit.db, { job_type: 'RESEARCH', agent_slug: 'scout', payload }, OWNER)
  if (!job.ok) throw new Error(job.refusal.message)
  await answer(h, job.value.job_id)
  const now = new Date(Date.now() + 2 * 86_400_000)
  if ((await decideRemovals(kit.worker.db, { days: 1, now, limit: 1 })) !== 1)
    throw new Error('nothing was removed')
}

/** An agent that is paused and goes on. */
async function commands(kit: Kit): Promise<void> {
  for (const command of ['pause', 'resume'] as const) {
    const changed = await changeAgentStatus(kit, { slug: 'reader', command, reason: NOTE }, OWNER)
    if (!changed.ok) throw new Error(changed.refusal.message)
  }
}

/** Every way of a proposal, and commands that change no state. */
async function proposals(kit: Kit): Promise<void> {
  const of = async (name: string) => propose(kit, noteOf(`Lived/${name}.md`, `# ${name}\n`))
  const apply = () => applyDue(kit.engine())
  const id = ({ proposal_id }: { proposal_id: string }) => ({ proposal_id })
  const reject = async (row: { proposal_id: string }) =>
    rejectProposal(kit, { ...id(row), decision_note: NOTE, reason_code: 'style' }, OWNER)

  await of('waits')
  const seen = await of('is seen and repeated')
  await markSeen(kit, id(seen))
  await of('is seen and repeated').catch(() => {})

  const undone = await approve(kit, await of('is approved and taken back'))
  await undoApproval(kit, id(undone), OWNER)
  await extendProposal(kit, { ...id(undone), hours: 12, reason: NOTE }, OWNER)
  await approve(kit, await rowOf(kit, undone.proposal_id))

  const brief = { ...noteOf('Lived/late.md', '# Late\n'), metadata: { ttl_hours: 1 } }
  const late = await approve(kit, await propose(kit, brief))
  await undoApproval(kit, id(late), OWNER)

  const applied = await approve(kit, await of('is applied'))
  await apply()
  await archiveProposal(kit, id(applied), OWNER)
  await unarchiveProposal(kit, id(applied), OWNER)
  await archiveProposal(kit, id(applied), OWNER)
  const inverse = await revertProposal(kit, id(applied), OWNER)
  if (!inverse.ok) throw new Error(inverse.refusal.message)

  const rejected = await of('is rejected')
  await reject(rejected)
  const successor = await resubmitProposal(kit, id(rejected), OWNER)
  if (!successor.ok) throw new Error(successor.refusal.message)

  const expired = await of('expires')
  await kit.worker.db.query(
    sql`UPDATE proposal SET expires_at = clock_timestamp() WHERE proposal_id = ${expired.proposal_id}`,
  )
  await expireProposals(kit.worker)
  await conflicts(kit, apply, reject)
}

async function conflicts(
  kit: Kit,
  apply: () => Promise<unknown>,
  reject: (row: { proposal_id: string }) => Promise<unknown>,
): Promise<void> {
  const edit = (text: string) => editOf('notes/Beds/North.md', { diff: { type: 'replace', text } })
  for (const [text, end] of [
    ['# Forced\n', 'force'],
    ['# Refused\n', 'reject'],
    ['# Failed\n', 'leave'],
  ] as const) {
    const row = await approve(kit, await propose(kit, edit(text)))
    await humanCommit(kit, 'Beds/North.md', `# By hand before ${text}\n`)
    await apply()
    const failed = await rowOf(kit, row.proposal_id)
    if (failed.error?.code !== 'conflict') throw new Error(`no conflict: ${failed.status}`)
    if (end === 'reject') await reject(row)
    if (end !== 'force') continue
    const over_hash = failed.error.current_hash ?? ''
    const input = { proposal_id: row.proposal_id, over_hash, reason: NOTE }
    const forced = await forceApply(kit, input, OWNER, { steppedUp: true })
    if (!forced.ok) throw new Error(forced.refusal.message)
    await apply()
  }
  await approvedByForce(kit, await propose(kit, edit('# Forced while it was pending\n')))
  await apply()
}

async function approvedByForce(kit: Kit, row: ProposalRow): Promise<void> {
  await humanCommit(kit, 'Beds/North.md', '# By hand before an approval\n')
  const { proposal_id } = row
  const over_hash = (await kit.garden.read('Beds/North.md'))?.sha256 ?? ''
  const input = { proposal_id, review_digest: await digestNow(kit, row), force: { over_hash, reason: NOTE } }
  const forced = await approveProposal(kit, input, OWNER, { steppedUp: true })
  if (!forced.ok) throw new Error(forced.refusal.message)
}

/** One entry that waited in vain, one that was refused. */
async function entries(kit: Kit): Promise<void> {
  await propose(kit, editOf('notes/Nowhere.md', { diff: { type: 'replace', text: 'x\n' } })).catch(() => {})
  const entry = {
    inboxId: 'inbox_2026-01-01_waited000000',
    sourceType: 'ui',
    sourceIdentity: 'owner',
    action: 'propose-note' as const,
    target: 'notes/Waited.md',
    payload: { kind: 'note', text: 'x\n' },
    bodyDigest: 'd',
    correlationId: 'waited',
    priority: 'high' as const,
    ttlHours: 1,
    runId: null,
  }
  await kit.db.transaction((tx) => receiveEntry(tx, entry, OWNER))
  await kit.worker.db.query(
    sql`UPDATE inbox_entry SET expires_at = received_at WHERE inbox_id = ${entry.inboxId}`,
  )
  await expireEntries(kit.worker)
}

/** Runs that ended well, were replayed, failed, were cancelled, and one that waits for its job; with artifacts of jobs. */
async function runs(h: Harness): Promise<void> {
  const jobs = (jobId: string) => answer(h, jobId)
  const worker = await h.worker({
    execute: async (input) => {
      if (input.params.fail) throw new Error('The executor broke')
      return input.params.plain ? outputOf() : askAndPropose(input)
    },
  })
  const first = await ask(h.kit, 'scout', { tag: 'a' })
  await until(worker, first, status('completed'), { jobs })
  const replay = await rerunRun(h.kit, { run_id: first, from_step: 3, reason: 'one more look' }, OWNER)
  if (replay.ok) await until(worker, replay.value.run_id, status('completed'))
  await until(worker, await ask(h.kit, 'scout', { fail: 'yes' }), status('failed'))
  await until(worker, await ask(h.kit, 'scout', { plain: 'yes' }), status('completed'))
  await until(worker, await ask(h.kit, 'scout', { fail: 'again' }), status('failed'))
  for (let n = 0; n < 3; n++)
    await until(worker, await ask(h.kit, 'broken', { fail: `${n}` }), status('failed'))
  await h.retire(worker)
}

/** As the backend and the orchestration answer a job: the object, then artifact and COMPLETE in one transaction. */
async function answer({ kit }: Harness, jobId: string): Promise<void> {
  const said = {
    engine: { id: 'extractive' },
    grounding: { status: 'grounded' },
    tags: ['bed'],
    entity_refs: ['north'],
  }
  const content = { title: 'A brief', job: jobId }
  const document = { ...said, agent_slug: 'scout', version: 1, content, sources: [{ ref: 'Beds/North.md' }] }
  const bytes = new TextEncoder().encode(JSON.stringify(document))
  const sha256 = sha256Hex(bytes)
  const at = { machine: 'job' as const, actor: ORCHESTRATION_LAYER, where: sql`o.job_id = ${jobId}` }
  await kit.db.transaction(async (tx) => {
    await transition(tx, { ...at, event: 'admit' })
    const lease = sql`fence = t.fence + 1, lease_holder = ${NLM_BACKEND.identity}, lease_expires_at = clock_timestamp() + interval '60 s'`
    await transition(tx, { ...at, event: 'pick_up', set: lease })
    await transition(tx, { ...at, event: 'context_ready' })
  })
  const artifact = {
    artifact_id: '',
    type: 'RESEARCH_BRIEF',
    title: 'A brief',
    object_key: casKey(sha256),
    sha256,
    ...said,
    source_paths: ['Beds/North.md'],
  }
  await storeArtifact(kit, { ...artifact, bytes })
  await commitAnswers(kit, [{ job_id: jobId, fence: 1, artifact: { ...artifact, bytes: bytes.byteLength } }])
}
