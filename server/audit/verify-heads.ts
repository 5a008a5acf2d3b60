/** Signed heads against the chain, and the rows that say which heads there must be [audit#verification]. */
import sql from 'sql-template-tag'
import type { Db } from '#server/ledger/database.ts'
import type { Row } from '#server/ledger/rows.ts'
import { sha256Hex } from '#server/ports/object-store.ts'
import type { Services } from '#server/services.ts'
import { declaredLosses } from './declared-losses.ts'
import { type OpenFault, open } from './dsse.ts'
import { HEAD_TYPE, HEADS, headKey, type SignedHead, signedHead } from './sign-head.ts'
import { trustedKeys } from './trusted-keys.ts'
import type { Fault, StageStep, VerificationRow } from './verification-row.ts'

const HEADS_A_STEP = 200

type Parts = Pick<Services, 'db' | 'store' | 'env'>
/** Digests that the next head may name: of the one before it, and of the last that has its row. A signer that died left one without. */
type Before = { last: string; recorded: string }
type Known = { sha256: string | null; hash: Buffer | null; end: number }
type Losses = Awaited<ReturnType<typeof declaredLosses>>

const PROBLEMS: Record<OpenFault, Fault['problem']> = {
  unreadable: 'signed_head_altered',
  bad_signature: 'signed_head_altered',
  unknown_key: 'signed_head_unknown_key',
}

/** Goes through the stored heads after `position`: a key, and what the head after it may name. */
export async function verifyHeads({ db, store, env }: Parts, row: VerificationRow): Promise<StageStep> {
  const [after = '', last = '', recorded = ''] = row.position.split('|')
  let before: Before = { last, recorded }
  const { keys, next } = await store.list(HEADS, { ...(after && { after }), limit: HEADS_A_STEP })
  const trusted = await trustedKeys({ env, store })
  const losses = await declaredLosses({ db, store, env })
  for (const [checked, key] of keys.entries()) {
    const stored = await store.get(key)
    // One that is gone since it was listed is missed by its row.
    if (!stored) continue
    const opened = open(HEAD_TYPE, stored.bytes, trusted)
    const said = opened.ok ? signedHead.safeParse(opened.payload) : null
    if (!opened.ok || !said?.success || key !== headKey(said.data.seq)) {
      const problem = opened.ok ? 'signed_head_altered' : PROBLEMS[opened.fault]
      return { position: null, checked, fault: { problem, key } }
    }
    const sha256 = sha256Hex(stored.bytes)
    const known = await knownOf(db, said.data.seq)
    const problem = problemIn(said.data, { sha256, before, known, losses })
    if (problem) return { position: null, checked, fault: { problem, seq: said.data.seq, key } }
    before = { last: sha256, recorded: known.sha256 === null ? before.recorded : sha256 }
  }
  const position = next ? [keys.at(-1), before.last, before.recorded].join('|') : null
  return { position, checked: keys.length, fault: null }
}

function problemIn(
  head: SignedHead,
  { sha256, before, known, losses }: { sha256: string; before: Before; known: Known; losses: Losses },
): Fault['problem'] | null {
  if (known.sha256 !== null && known.sha256 !== sha256) return 'signed_head_altered'
  if (head.seq > known.end) return 'signed_beyond_end'
  if (!agrees(head, known.hash, losses)) return 'signed_head_contradicts'
  const previous = head.previous ?? ''
  return previous === before.last || previous === before.recorded ? null : 'signed_head_missing'
}

/** With the event of its number; where that is lost, with what the chain went on from. Between two lost events there is nothing to compare with. */
function agrees(head: SignedHead, hash: Buffer | null, losses: Losses): boolean {
  if (hash) return hash.toString('hex') === head.hash
  for (const { from, to, before } of losses.values())
    if (from <= head.seq && head.seq <= to) return head.seq < to || head.hash === before
  return false
}

async function knownOf(db: Db, seq: number): Promise<Known> {
  const { rows } =
    await db.query<Known>(sql`SELECT h.seq AS end, (SELECT a.sha256 FROM audit_head a WHERE a.seq = ${seq}) AS sha256,
    (SELECT s.hash FROM event_seal s WHERE s.seq = ${seq}) AS hash FROM event_head h`)
  return rows[0] ?? { sha256: null, hash: null, end: 0 }
}

/** Goes through the rows after `position`, a number: each has its object. */
export async function verifyHeadRows({ db, store }: Parts, row: VerificationRow): Promise<StageStep> {
  const { rows } = await db.query<Row<'audit_head', 'seq'>>(
    sql`SELECT seq FROM audit_head WHERE seq > ${Number(row.position || 0)} ORDER BY seq LIMIT ${HEADS_A_STEP}`,
  )
  for (const { seq } of rows) {
    if (!(await store.head(headKey(seq))))
      return { position: null, checked: 0, fault: { problem: 'signed_head_missing', seq, key: headKey(seq) } }
  }
  const last = rows.at(-1)?.seq
  return { position: rows.length === HEADS_A_STEP ? String(last) : null, checked: 0, fault: null }
}
