import type { NeedsAnswer, NeedView } from '#contracts/needs.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { inOrderOfUrgency, type Need } from '#domain/inbox/needs.rules.ts'
import { ledgerNow } from '#server/ledger/clock.ts'
import type { Services } from '#server/services.ts'
import { countNeeds } from './count-needs.ts'
import { currentDigest } from './current-digest.query.ts'
import { findNeeds } from './find-needs.ts'

type Parts = Pick<Services, 'db' | 'reads' | 'garden' | 'executors'>

/** What waits for a person of the caller's role, the most urgent first ([needs#order]), and the digest of its account. */
export async function listNeeds(
  parts: Parts,
  { role, accountId }: Pick<Caller, 'role' | 'accountId'>,
): Promise<NeedsAnswer> {
  const [found, { count, proposals }, now, digest] = await Promise.all([
    findNeeds(parts, role),
    countNeeds(parts.db, role),
    ledgerNow(parts.db),
    currentDigest(parts.db, accountId),
  ])
  const dated = found.map((need) => ({ kind: need.kind, ...timesOf(need), need }))
  const items = inOrderOfUrgency(dated, now).map(({ need }) => need)
  const listed = items.filter(({ kind }) => kind === 'proposal').length
  return { items, count, more_proposals: Math.max(0, proposals - listed), digest: count > 0 ? digest : null }
}

const date = (iso: string | null): Date | null => (iso === null ? null : new Date(iso))

function timesOf(need: NeedView): Pick<Need, 'since' | 'expires'> {
  if (need.kind === 'proposal')
    return { since: date(need.proposal.created_at), expires: date(need.proposal.expires_at) }
  if (need.kind === 'question')
    return { since: date(need.question.asked_at), expires: date(need.question.expires_at) }
  return { since: date(sinceOf(need)), expires: null }
}

function sinceOf(need: Exclude<NeedView, { kind: 'proposal' | 'question' }>): string | null {
  if (need.kind === 'failed_proposal') return need.proposal.updated_at
  if (need.kind === 'dead_jobs') return need.newest.since
  if (need.kind === 'alert') return need.alert.opened_at
  return need.kind === 'agent' ? null : need.since
}
