/**
 * The floors ([approval-rules#floors]): what no rule approves, whatever it says. They stand in code, so that no configuration, no edit of
 * the ledger's rules and no new field of a condition reaches below them. What is not known to be harmless is under a floor.
 */
import { isNotePath } from '../garden/garden-path.ts'
import type { RuleSubject } from './rule-subject.ts'

export const FLOORS = ['logic', 'tainted', 'agents', 'reserved', 'delete', 'memory', 'successor'] as const
export type Floor = (typeof FLOORS)[number]

const spaceOf = (address: string): string => (address.split('/')[0] ?? '').normalize('NFC').toLowerCase()

/** Files beside the notes that a proposal about a note or an artifact writes. */
const BESIDE_NOTES = ['_bloom/comments/', '_bloom/summaries/', '_bloom/annotations/']

const isOfLogic = ({ action, target, changes }: RuleSubject): boolean =>
  action.toLowerCase().startsWith('logic') ||
  target.type === 'logic' ||
  spaceOf(target.path) === 'logic' ||
  changes.some((change) => spaceOf(change.path) === 'logic')

const isOfAgents = ({ target, changes }: RuleSubject): boolean =>
  target.type === 'agent' ||
  spaceOf(target.path) === 'agents' ||
  changes.some((change) => spaceOf(change.path) === 'agents')

const isMemory = ({ action, target }: RuleSubject): boolean =>
  action === 'memory-update' || target.type === 'memory' || spaceOf(target.path) === 'memory'

/** Settings of the garden, records, and whatever has no place among notes, artifacts and memory. */
function isReserved(subject: RuleSubject): boolean {
  if (!['notes', 'artifacts', 'memory'].includes(spaceOf(subject.target.path))) return true
  if (isMemory(subject)) return false
  return subject.changes.some(
    ({ path }) => !isNotePath(path) && !BESIDE_NOTES.some((folder) => path.startsWith(folder)),
  )
}

/** The first floor that the proposal stands under, or null. A proposal without changes says nothing of what it would do: reserved. */
export function floorOf(subject: RuleSubject): Floor | null {
  if (isOfLogic(subject)) return 'logic'
  if (subject.tainted) return 'tainted'
  if (isOfAgents(subject)) return 'agents'
  if (subject.changes.length === 0 || isReserved(subject)) return 'reserved'
  if (subject.changes.some((change) => change.type === 'delete')) return 'delete'
  if (isMemory(subject) && !isSmallMemory(subject)) return 'memory'
  return subject.successor ? 'successor' : null
}

const isSmallMemory = ({ priority, changes }: RuleSubject): boolean =>
  priority === 'normal' && changes.every((change) => change.unusuallyLarge === false)
