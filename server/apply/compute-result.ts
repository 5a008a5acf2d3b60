import type { ApplyErrorCode } from '#contracts/proposal.contract.ts'
import { toNoteText } from '#domain/garden/note-text.rules.ts'
import type { ErrorCode, Refusal } from '#domain/kernel/errors.ts'
import { ok, type Result } from '#domain/kernel/result.ts'
import { ABSENT, applyDecision } from '#domain/proposal/conflict.rules.ts'
import { type Standing, standingOf } from '#domain/proposal/standing.rules.ts'
import { fileFault } from '#server/garden/file-fault.ts'
import type { GitFile, GitRepository } from '#server/ports/git-repository.ts'
import { overHash } from '#server/proposals/current-content.ts'
import { hashOfText, resultOfChange } from '#server/proposals/normal-form.ts'
import {
  type ApplyError,
  changeBase,
  type ProposalRow,
  type StoredChange,
} from '#server/proposals/proposal-row.ts'

export type FileChange = { path: string; content: string | null }
export type Computed =
  | { ok: true; files: FileChange[]; rebased: boolean; forcedOver: string | null }
  | { ok: false; error: ApplyError }

const CODES: Partial<Record<ErrorCode, ApplyErrorCode>> = {
  DIFF_INVALID: 'diff_invalid',
  TARGET_NOT_FOUND: 'target_missing',
  TARGET_EXISTS: 'target_exists',
  LIMIT_EXCEEDED: 'limit_exceeded',
}
const failure = (code: ApplyErrorCode, message: string, current_hash?: string): Computed => ({
  ok: false,
  error: { code, message, ...(current_hash ? { current_hash } : {}) },
})

/**
 * What the commit will hold ([apply#steps] 3 and 4): the reviewed bytes where the target is as it was, the
 * same commutative change on the content as it is now, or, forced, the proposal's full result over exactly the stated content.
 */
export async function computeResult(
  garden: GitRepository,
  head: string,
  row: ProposalRow,
): Promise<Computed> {
  const current = await Promise.all(row.changes.map((change) => garden.read(change.path, head)))
  const standing = standingOf(
    row.changes.map((change, i) => ({ ...changeBase(change), currentHash: current[i]?.sha256 ?? ABSENT })),
  )
  const now = overHash(standing, row.changes)
  if (row.force_over_hash) {
    return row.force_over_hash === now
      ? forced(garden, row, current, now)
      : failure('conflict', 'The target changed after the override was confirmed.', now)
  }
  const decision = applyDecision(standing)
  if (!decision.apply) return failure(decision.fault, 'The target is no longer what was reviewed.', now)
  return asReviewed(row, current, standing, decision.rebased)
}

function asReviewed(
  row: ProposalRow,
  current: (GitFile | null)[],
  standing: Standing,
  rebased: boolean,
): Computed {
  const files: FileChange[] = []
  for (const [i, change] of row.changes.entries()) {
    const result = resultOf(change, current[i]?.text ?? null)
    if (!result.ok) return refused(result.refusal)
    if (standing.changes[i]?.state === 'clean' && hashOfText(result.value) !== change.result_hash)
      return failure('validation_failed', `${change.path} would not become what was reviewed.`)
    files.push({ path: change.path, content: result.value })
  }
  return { ok: true, files, rebased, forcedOver: null }
}

async function forced(
  garden: GitRepository,
  row: ProposalRow,
  current: (GitFile | null)[],
  over: string,
): Promise<Computed> {
  const files: FileChange[] = []
  for (const [i, change] of row.changes.entries()) {
    const base = await garden.read(change.path, row.base_revision)
    const result = resultOf(change, base?.text ?? null)
    if (!result.ok) return refused(result.refusal)
    // What an edited approval left out was not made on its base revision.
    if (hashOfText(result.value) !== change.result_hash)
      return failure('validation_failed', `${change.path} would not become what was proposed.`)
    if (result.value !== null || current[i]) files.push({ path: change.path, content: result.value })
  }
  return { ok: true, files, rebased: false, forcedOver: over }
}

function resultOf(change: StoredChange, text: string | null): Result<string | null> {
  const result = resultOfChange(change, text === null ? null : toNoteText(text))
  if (!result.ok || result.value === null) return result
  const fault = fileFault(change.path, result.value)
  return fault ? { ok: false, refusal: fault } : ok(result.value)
}

const refused = ({ code, message }: Refusal): Computed => failure(CODES[code] ?? 'validation_failed', message)
