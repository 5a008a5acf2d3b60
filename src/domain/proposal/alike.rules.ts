/**
 * Groups of alike proposals ([proposals#alike]): same proposer, action, folder and shape of the diff. A group can be decided as one once
 * the members that are not like the others, its outliers, were looked at. Pure: the same proposals give the same groups.
 */
export type AlikeChange = { type: string; additions: number; deletions: number }
export type AlikeSubject = {
  id: string
  agent: string | null
  source: string
  action: string
  target: { type: string; path: string }
  changes: readonly AlikeChange[]
  citations: number
  tainted: boolean
}

/** How many lines a group's changes are about. */
export const SIZES = ['small', 'medium', 'large'] as const
export type Size = (typeof SIZES)[number]
const UP_TO: Record<Size, number> = { small: 10, medium: 100, large: Number.POSITIVE_INFINITY }

/** Why a member is not like the others. */
export const OUTLIER_REASONS = ['tainted', 'deletes', 'other_target', 'ungrounded', 'much_larger'] as const
export type OutlierReason = (typeof OUTLIER_REASONS)[number]

/** Fewer are decided one by one. */
export const LEAST_ALIKE = 3
/** Much larger: so many times the median, and at least so many lines more. */
const LARGER = { times: 3, lines: 5 } as const

export type AlikeMember<S extends AlikeSubject> = { subject: S; outlier: readonly OutlierReason[] }
export type AlikeGroup<S extends AlikeSubject> = {
  key: string
  agent: string | null
  source: string
  action: string
  folder: string
  /** The kinds of changes, in order of the alphabet. */
  kinds: readonly string[]
  size: Size
  /** Outliers first; else in the order in which they were given. */
  members: readonly AlikeMember<S>[]
}

const sum = (changes: readonly AlikeChange[], of: 'additions' | 'deletions'): number =>
  changes.reduce((total, change) => total + change[of], 0)
const linesOf = ({ changes }: AlikeSubject): number => sum(changes, 'additions') + sum(changes, 'deletions')
const kindsOf = ({ changes }: AlikeSubject): string[] => [...new Set(changes.map(({ type }) => type))].sort()

/** The space of a target and the first folder in it: `notes/Beds`, `agents/gardener`; `notes` for what lies at the top. */
export const folderOf = (path: string): string => path.split('/').slice(0, -1).slice(0, 2).join('/')

export function sizeOf(lines: number): Size {
  return SIZES.find((size) => lines <= UP_TO[size]) ?? 'large'
}

/** What two proposals share when they are alike. */
export const alikeKey = (s: AlikeSubject): string =>
  [s.agent ?? s.source, s.action, folderOf(s.target.path), kindsOf(s).join('+'), sizeOf(linesOf(s))].join('|')

/** The groups of at least `LEAST_ALIKE`, the largest first; of equal ones the one that begins earlier. */
export function groupAlike<S extends AlikeSubject>(subjects: readonly S[]): AlikeGroup<S>[] {
  const byKey = new Map<string, [S, ...S[]]>()
  for (const subject of subjects) {
    const group = byKey.get(alikeKey(subject))
    if (group) group.push(subject)
    else byKey.set(alikeKey(subject), [subject])
  }
  return [...byKey]
    .filter(([, members]) => members.length >= LEAST_ALIKE)
    .map(([key, members]) => groupOf(key, members))
    .sort((a, b) => b.members.length - a.members.length)
}

function groupOf<S extends AlikeSubject>(key: string, subjects: readonly [S, ...S[]]): AlikeGroup<S> {
  const [first] = subjects
  const typical = typicalOf(subjects)
  const members = subjects.map((subject) => ({ subject, outlier: outlierReasons(subject, typical) }))
  return {
    key,
    agent: first.agent,
    source: first.source,
    action: first.action,
    folder: folderOf(first.target.path),
    kinds: kindsOf(first),
    size: sizeOf(linesOf(first)),
    members: [...members.filter(isOutlier), ...members.filter((member) => !isOutlier(member))],
  }
}

const isOutlier = ({ outlier }: { outlier: readonly OutlierReason[] }): boolean => outlier.length > 0

type Typical = { lines: number; removes: boolean; cites: boolean; type: string }

/** What at least half of the group have in common. */
function typicalOf(subjects: readonly AlikeSubject[]): Typical {
  const most = (has: (subject: AlikeSubject) => boolean) => subjects.filter(has).length * 2 >= subjects.length
  return {
    lines: median(subjects.map(linesOf)),
    removes: most(({ changes }) => sum(changes, 'deletions') > 0),
    cites: most(({ citations }) => citations > 0),
    type: mostCommon(subjects.map(({ target }) => target.type)),
  }
}

/** A file that is deleted and text that cannot be trusted are always looked at, whatever the others do. */
function outlierReasons(subject: AlikeSubject, typical: Typical): OutlierReason[] {
  const { changes, citations, tainted, target } = subject
  const lines = linesOf(subject)
  const is: Record<OutlierReason, boolean> = {
    tainted,
    deletes:
      changes.some(({ type }) => type === 'delete') || (!typical.removes && sum(changes, 'deletions') > 0),
    other_target: target.type !== typical.type,
    ungrounded: typical.cites && citations === 0,
    much_larger: lines > typical.lines * LARGER.times && lines >= typical.lines + LARGER.lines,
  }
  return OUTLIER_REASONS.filter((reason) => is[reason])
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? 0

function mostCommon(values: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts].reduce((best, one) => (one[1] > best[1] ? one : best), ['', 0])[0]
}
