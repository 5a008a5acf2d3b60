/** A small review queue behind the page: what is decided leaves it, what is undone comes back. */
import { auditHistory } from '#contracts/audit.contract.ts'
import {
  type ChangeRequestView,
  changeRequestView,
  requestChangesAnswer,
} from '#contracts/change-request.contract.ts'
import {
  type ProposalItem,
  type ProposalView,
  proposalCounts,
  proposalPage,
  proposalView,
} from '#contracts/proposal.contract.ts'
import { type AlikeGroups, alikeGroups } from '#contracts/proposal-batch.contract.ts'
import {
  commandAnswer,
  type EditInput,
  editAnswer,
  type Override,
  successorAnswer,
} from '#contracts/proposal-commands.contract.ts'
import { type ConflictView, conflictView } from '#contracts/proposal-conflict.contract.ts'
import { trackRecord } from '#contracts/track-record.contract.ts'
import { Refused } from '#domain/kernel/errors.ts'
import { isInConflict } from '#domain/proposal/standing.rules.ts'
import { mutation, query, router } from '#lib/testing/procedures.ts'
import { batchProcedures, NO_ALIKE } from './batch-procedures.ts'
import { noRequest } from './change-requests.ts'
import { noConflict } from './conflicts.ts'
import { aProposal } from './proposals.ts'

type Id = { proposal_id: string }
type Listed = { status: readonly string[]; sort?: string; cursor?: string }
type Approval = Id & { review_digest?: string; force?: Override }
type Force = Id & Override
type Snooze = Id & { until: string }
type Rejection = Id & { decision_note: string; reason_code?: string }

/** The number of the proposal that a rebase makes. */
export const CHILD = 90
const HOLD_MS = 30_000

const held = () => {
  const [decided_at = '', apply_not_before = ''] = [0, HOLD_MS].map((ms) =>
    new Date(Date.now() + ms).toISOString(),
  )
  return { status: 'APPROVED', decided_at, apply_not_before } as const
}

/** The procedures over these proposals, and what was asked of them, in order. */
export function reviewQueue(
  proposals: readonly ProposalView[],
  {
    alike = NO_ALIKE,
    conflictOf = noConflict,
    changeRequestOf = noRequest,
    nextPage,
    needsPassword = () => false,
  }: {
    alike?: AlikeGroups
    conflictOf?: (id: string) => ConflictView
    changeRequestOf?: (id: string) => ChangeRequestView
    /** The page below the first; without it there is none. */
    nextPage?: () => readonly ProposalView[]
    /** Whether what overwrites a file asks for the password first. */
    needsPassword?: () => boolean
  } = {},
) {
  const all = new Map(proposals.map((p) => [p.proposal_id, p]))
  const asked: { command: string; input: unknown }[] = []
  /** What was sent and refused here; the page is to send nothing that it knows to be outdated. */
  const refused: typeof asked = []
  const refuse = (command: string, input: unknown, refusal: Refused) => {
    refused.push({ command, input })
    throw refusal
  }
  const get = ({ proposal_id }: Id): ProposalView => {
    const found = all.get(proposal_id)
    if (!found) throw new Refused('NOT_FOUND', proposal_id)
    return found
  }
  const change = (command: string, input: Id, more: Partial<ProposalItem>) => {
    asked.push({ command, input })
    all.set(input.proposal_id, { ...get(input), ...more })
    return { unchanged: false, proposal: get(input) }
  }
  const waiting = () => [...all.values()].filter((p) => p.status === 'PENDING' && !p.snoozed_until)
  const snoozed = () => [...all.values()].filter((p) => p.status === 'PENDING' && p.snoozed_until)
  const overwrite = (command: string, input: Id, { over_hash }: Override) => {
    if (needsPassword()) refuse(command, input, new Refused('STEP_UP_REQUIRED', 'the password, please'))
    if (over_hash !== get(input).freshness?.current_hash)
      refuse(command, input, new Refused('TARGET_CHANGED', 'the target has changed'))
  }
  const approve = (input: Approval) => {
    const { freshness } = get(input)
    if (input.force && freshness && !isInConflict(freshness))
      refuse('approve', input, new Refused('VALIDATION_FAILED', 'it needs no force'))
    if (input.force) overwrite('approve', input, input.force)
    if (input.review_digest !== get(input).review_digest)
      throw new Refused('STALE_REVIEW', 'the content has changed')
    return change('approve', input, { ...held(), commands: ['undo'] })
  }
  let answers = Promise.resolve()
  /** Approvals, undos and snoozes are answered once what this gives is called. */
  const holdAnswers = () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    answers = promise
    return resolve
  }
  const become = (id: string, more: Partial<ProposalItem>) => {
    const proposal = all.get(id)
    if (proposal) all.set(id, { ...proposal, ...more })
  }
  const batches = batchProcedures({ all, asked, become, held })
  const procedures = {
    proposals: router({
      ...batches,
      alike: query(alikeGroups, () => alike),
      list: query(proposalPage, ({ status, sort, cursor }: Listed) => {
        if (cursor) return { items: [...(nextPage?.() ?? [])], next_cursor: null }
        const items = [...all.values()].filter((p) => status.includes(p.status) && belongs(p, sort))
        return { items, next_cursor: nextPage && sort ? 'below' : null }
      }),
      get: query(proposalView, get),
      counts: query(proposalCounts, () => ({
        ...NO_COUNTS,
        waiting: waiting().length,
        snoozed: snoozed().length,
      })),
      trackRecord: query(trackRecord, ({ agent }: { agent: string }) => ({ ...RECORD, agent })),
      changeRequest: query(changeRequestView, ({ proposal_id }: Id) => changeRequestOf(proposal_id)),
      requestChanges: mutation(requestChangesAnswer, (input: Id) => ({
        ...change('requestChanges', input, {
          awaiting_changes_since: '2026-03-02T10:00:00.000Z',
          commands: ['reject', 'extend'],
        }),
        run_id: 'run_2026-03-02_100000_abcdef',
        inbox_id: 'inbox-3',
      })),
      markSeen: mutation(commandAnswer, (input: Id) => change('markSeen', input, { seen: true })),
      approve: mutation(commandAnswer, async (input: Approval) => {
        await answers
        return approve(input)
      }),
      edit: mutation(editAnswer, (input: EditInput) => {
        if (input.review_digest !== get(input).review_digest)
          throw new Refused('STALE_REVIEW', 'the content has changed')
        change('edit', input, { status: 'DISCARDED', commands: [] })
        const id = input.proposal_id.replace(/^prop_/, 'prop_1')
        const proposal = { ...get(input), ...held(), id, proposal_id: id, commands: ['undo' as const] }
        all.set(id, proposal)
        return { unchanged: false, proposal, inbox_id: 'inbox-1', remainder: null }
      }),
      undo: mutation(commandAnswer, async (input: Id) => {
        await answers
        if (get(input).status !== 'APPROVED')
          refuse('undo', input, new Refused('INVALID_TRANSITION', 'the Apply Engine has it'))
        return change('undo', input, undone(get(input)))
      }),
      force: mutation(commandAnswer, (input: Force) => {
        overwrite('force', input, input)
        return change('force', input, { ...held(), commands: ['undo'] })
      }),
      conflict: query(conflictView, ({ proposal_id }: Id) => conflictOf(proposal_id)),
      rebase: mutation(successorAnswer, (input: Id & { current_hash: string }) => {
        if (input.current_hash !== conflictOf(input.proposal_id).freshness.current_hash)
          refuse('rebase', input, new Refused('TARGET_CHANGED', 'the target has changed again'))
        asked.push({ command: 'rebase', input })
        all.set(input.proposal_id, { ...get(input), status: 'DISCARDED', commands: [] })
        const child = aProposal(CHILD, { summary: 'The rebased one' })
        all.set(child.proposal_id, child)
        return { unchanged: false, proposal: child, inbox_id: 'inbox-2' }
      }),
      retry: mutation(commandAnswer, (input: Id) =>
        change('retry', input, { status: 'APPROVED', commands: [] }),
      ),
      snooze: mutation(commandAnswer, async (input: Snooze) => {
        await answers
        if (get(input).status !== 'PENDING')
          refuse('snooze', input, new Refused('INVALID_TRANSITION', 'it is decided'))
        const commands: ProposalItem['commands'] = ['approve', 'reject', 'unsnooze']
        return change('snooze', input, { snoozed_until: input.until, commands })
      }),
      unsnooze: mutation(commandAnswer, (input: Id) =>
        change('unsnooze', input, { snoozed_until: null, commands: ['approve', 'reject', 'snooze'] }),
      ),
      discard: mutation(commandAnswer, (input: Id) =>
        change('discard', input, { status: 'DISCARDED', commands: [] }),
      ),
      reject: mutation(commandAnswer, (input: Rejection) =>
        change('reject', input, { status: 'REJECTED', commands: [] }),
      ),
    }),
    audit: router({ history: query(auditHistory, () => ({ items: [] })) }),
  }
  const replace = (proposal: ProposalView) => void all.set(proposal.proposal_id, proposal)
  /** The list is in this order from now on. */
  const replaceAll = (proposals: readonly ProposalView[]) => {
    all.clear()
    for (const proposal of proposals) replace(proposal)
  }
  return { procedures, asked, refused, replace, replaceAll, holdAnswers }
}

const RECORD = {
  last_20_days: { approved: 8, decided: 9 },
  last_90_days: { approved: 34, decided: 40 },
  latest: [true, false, true].map((approved, n) => ({
    proposal_id: `prop_2026-02-01_00000000000${n}`,
    summary: `Decided ${n}`,
    decided_at: '2026-02-01T09:00:00.000Z',
    approved,
  })),
}

/** Snoozed proposals are in a list of their own. */
const belongs = (p: ProposalView, sort: string | undefined) =>
  sort === 'snoozed' ? p.snoozed_until !== null : sort !== 'to_decide' || p.snoozed_until === null

const undone = ({ freshness }: ProposalView): Partial<ProposalItem> => ({
  status: 'PENDING',
  commands: freshness && isInConflict(freshness) ? ['reject', 'rebase'] : ['approve', 'reject'],
  apply_not_before: null,
})

const NO_COUNTS = {
  waiting: 0,
  expiring_today: 0,
  high_priority: 0,
  unseen: 0,
  snoozed: 0,
  awaiting_changes: 0,
  in_conflict: { count: 0, exact: true },
  applying: 0,
  failed: 0,
}
