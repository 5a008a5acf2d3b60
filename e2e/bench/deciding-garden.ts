/** Proposals that wait for a person: with conflicts and near expiries among them, and thousands more behind. */
import { setTimeout as sleep } from 'node:timers/promises'
import { waitUntil } from '#server/launch/testing/wait-until.ts'
import type { Api } from '../fixtures/api.ts'
import { inLedger } from '../fixtures/ledger.ts'
import { proposeNote } from '../fixtures/work.ts'

/** What one may change is counted over a minute. */
export const RATE_WINDOW_MS = 61_000
const CHANGES_IN_WINDOW = 50
const CONFLICTS = 3
const EXPIRING = 2

/** So many proposals; the last few edit notes that are edited by others afterwards, two expire today. */
export async function seed(api: Api, home: string, count: number): Promise<void> {
  for (let n = 0; n < count - CONFLICTS; n++) await proposeNote(api, `deciding/${n}.md`, `Note ${n}`)
  for (let n = 0; n < CONFLICTS; n++) {
    const target = `notes/deciding/conflict ${n}.md`
    await approved(api, home, await proposeNote(api, `deciding/conflict ${n}.md`, `Conflict ${n}`))
    await proposeEdit(api, target, `One of two for ${n}`)
    await approved(api, home, await proposeEdit(api, target, `Two of two for ${n}`))
  }
  await inLedger(
    home,
    `UPDATE proposal SET expires_at = now() + interval '6 hours' WHERE proposal_id IN
       (SELECT proposal_id FROM proposal WHERE status = 'PENDING' AND summary LIKE 'Note %' ORDER BY created_at DESC LIMIT $1)`,
    [EXPIRING],
  )
}

async function proposeEdit(api: Api, target: string, summary: string): Promise<string> {
  const payload = { diff: { type: 'replace', text: `# ${summary}\n\nOtherwise.\n` }, summary }
  const { body } = await api.post<{ resolution: { id: string } }>('/inbox', {
    intent: { action: 'propose-edit', target, payload },
  })
  return body.resolution.id
}

async function approved(api: Api, home: string, id: string): Promise<void> {
  const { body } = await api.get<{ review_digest: string }>(`/proposals/${id}`)
  await api.post(`/proposals/${id}/approve`, { review_digest: body.review_digest })
  await untilEnded(home, [id])
}

/** Until each is applied or has failed; asked of the ledger, since a person's reads are counted, too. */
export async function untilEnded(home: string, ids: readonly string[]): Promise<void> {
  const ended = async () => {
    const { rows } = await inLedger(
      home,
      `SELECT count(*) AS n FROM proposal WHERE proposal_id = ANY($1) AND status IN ('APPLIED', 'FAILED')`,
      [ids],
    )
    return Number(rows[0]?.n) === ids.length
  }
  await waitUntil(ended, { what: `${ids.length} proposals applied` })
}

/** What is decided in front of the many: older than they, and with a text of its own each. Waits out the limit of changes. */
export async function proposeMany(api: Api, count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    if (n > 0 && n % CHANGES_IN_WINDOW === 0) await sleep(RATE_WINDOW_MS)
    await proposeNote(api, `again/${n}.md`, `Note ${n} again`)
  }
}

/** Copies of the newest proposal, each of a note of its own. Rows alone: they are there to be listed and read. */
export const fill = (home: string, count: number) =>
  inLedger(
    home,
    `WITH one AS (SELECT * FROM proposal WHERE status = 'PENDING' ORDER BY created_at DESC LIMIT 1)
     INSERT INTO proposal SELECT (jsonb_populate_record(NULL::proposal, to_jsonb(one) || jsonb_build_object(
       'proposal_id', 'prop_2026-01-01_' || lpad(to_hex(n), 12, '0'), 'summary', 'Note of many ' || n,
       'target_path', 'notes/many/' || n || '.md', 'target_key', one.target_key || '/many/' || n,
       'content_digest', encode(sha256(n::text::bytea), 'hex'), 'created_at', now(),
       'changes', jsonb_build_array((one.changes->0) || jsonb_build_object('path', 'many/' || n || '.md'))))).*
     FROM one, generate_series(1, $1::int) AS n`,
    [count],
  )
