/**
 * From the end of the hold to the commit in the ledger: DECISIONS (20) proposals, approved one after another. Nobody asks meanwhile; the parts
 * are read afterwards from what each step leaves: the ledger's events, the times of the commit's own file (written, then named) and of the
 * branch, and the seal.
 */
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { waitUntil } from '#server/launch/testing/wait-until.ts'
import type { Api } from '../fixtures/api.ts'
import { inLedger } from '../fixtures/ledger.ts'
import { proposeNote } from '../fixtures/work.ts'
import { withConsole } from './console.ts'
import type { Figures } from './figures.ts'
import { median, percentile } from './statistics.ts'

const DECISIONS = Number(process.env.DECISIONS ?? 20)
const HOLD_SECONDS = 2
/** Long enough for what follows a commit, too; who looks earlier takes part in what is measured. */
const REST_MS = 500

type Applied = { due: number; taken: number; applied: number; sealed: number; commit: string }
type Parts = Record<'take' | 'look' | 'write' | 'move' | 'record' | 'publish', number>

/** Approves one and waits until it is sealed; `moved` is when the branch was. */
async function decide(home: string, api: Api, n: number): Promise<Applied & { moved: number }> {
  const id = await proposeNote(api, `bench/decision ${n}.md`, `Decision ${n}`)
  const { body } = await api.get<{ review_digest: string }>(`/proposals/${id}`)
  await api.post(`/proposals/${id}/approve`, { review_digest: body.review_digest })
  await pause(HOLD_SECONDS * 1_000 + REST_MS)
  const applied = await waitUntil(() => appliedOf(home, id), { what: `${id} applied` })
  return { ...applied, moved: fs.statSync(path.join(home, 'garden.git/refs/heads/main')).ctimeMs }
}

async function appliedOf(home: string, id: string): Promise<Applied | null> {
  const ms = (time: string) => `(extract(epoch FROM ${time}) * 1000)::float8`
  const { rows } = await inLedger(
    home,
    `SELECT ${ms('p.apply_not_before')} AS due, ${ms('t.ts')} AS taken, ${ms('a.ts')} AS applied, ${ms('s.sealed_at')} AS sealed, p.git_commit AS commit
     FROM proposal p JOIN event t ON t.resource_type = 'proposal' AND t.resource_id = p.proposal_id AND t.to_status = 'APPLYING'
     JOIN event a ON a.resource_type = 'proposal' AND a.resource_id = p.proposal_id AND a.to_status = 'APPLIED'
     JOIN event_seal s ON s.event = a.id WHERE p.proposal_id = $1`,
    [id],
  )
  return rows[0] ?? null
}

function partsOf(home: string, one: Applied & { moved: number }): Parts {
  const { due, taken, applied, sealed, commit, moved } = one
  const file = path.join(home, 'garden.git/objects', commit.slice(0, 2), commit.slice(2))
  const { mtimeMs: written, ctimeMs: named } = fs.statSync(file)
  return {
    take: taken - due,
    look: written - taken,
    write: named - written,
    move: moved - named,
    record: applied - moved,
    publish: sealed - applied,
  }
}

export async function benchDecisionToCommit(figures: Figures): Promise<void> {
  await withConsole({ APPLY_HOLD_SECONDS: String(HOLD_SECONDS) }, async ({ home, api }) => {
    const decided: (Applied & { moved: number })[] = []
    for (let n = 0; n < DECISIONS; n++) decided.push(await decide(home, api, n))
    const waits = decided.map(({ due, applied }) => applied - due)
    const all = decided.map((one) => partsOf(home, one))
    const middle = (part: keyof Parts) => median(all.map((parts) => parts[part]))
    const parts = Object.fromEntries(
      (['take', 'look', 'write', 'move', 'record', 'publish'] as const).map((part) => [part, middle(part)]),
    )
    const breakdown = { unit: 'ms', parts }
    const aims = { p50: { most: 20 }, p95: { most: 50 } }
    figures.add('decision → commit, p50', percentile(waits, 0.5), { unit: 'ms', aim: aims.p50, breakdown })
    figures.add('decision → commit, p95', percentile(waits, 0.95), { unit: 'ms', aim: aims.p95 })
  })
}
