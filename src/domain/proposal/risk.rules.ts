/**
 * How much harm approving a proposal could do, as a sum of points that are each named ([proposals#risk]). Nothing is learned and nothing is
 * hidden: the same facts give the same score, and the reasons add up to it. It orders and warns; it decides nothing.
 */
export type RiskFacts = {
  action: string
  /** Paths of the garden that change. */
  paths: readonly string[]
  additions: number
  deletions: number
  /** Files that are removed. */
  removedFiles: number
  /** How the files stand against the base. */
  base: 'clean' | 'mergeable' | 'conflict'
  /** Proposed by an agent: what follows is about it, else nothing of it counts. */
  agent: null | {
    /** The share of citations that their sources do not bear out, 0 to 1; 1 where there are none. */
    ungrounded: number
    /** No proposal of this version has been applied. */
    newVersion: boolean
    /** Rejections of this agent at this target in the last 90 days. */
    rejections: number
  }
  tainted: boolean
}

export const RISK_REASONS = [
  'logic',
  'memory',
  'definition',
  'removes_file',
  'deletions',
  'size',
  'files',
  'conflict',
  'drift',
  'tainted',
  'ungrounded',
  'new_version',
  'rejected_before',
] as const
export type RiskReason = (typeof RISK_REASONS)[number]
export const RISK_LEVELS = ['high', 'medium', 'low'] as const
export type RiskLevel = (typeof RISK_LEVELS)[number]

/** `count` is what the reason speaks of: lines, files, per cent, rejections. */
export type Risk = { score: number; reasons: { code: RiskReason; points: number; count: number }[] }

const MAX_SCORE = 100
const FROM: Record<Exclude<RiskLevel, 'low'>, number> = { high: 60, medium: 30 }

export const riskLevel = ({ score }: Pick<Risk, 'score'>): RiskLevel =>
  score >= FROM.high ? 'high' : score >= FROM.medium ? 'medium' : 'low'

/** Points by the first limit that the number is above; 0 below all of them. */
const above = (n: number, steps: readonly (readonly [limit: number, points: number])[]): number =>
  steps.find(([limit]) => n > limit)?.[1] ?? 0

/** The score, at most 100, and its reasons, the weightiest first. Pure. */
export function assessRisk(facts: RiskFacts): Risk {
  const { action, paths, additions, deletions, removedFiles, base, agent, tainted } = facts
  const lines = additions + deletions
  const definitions = paths.filter((path) => path.startsWith('agents/')).length
  const percent = Math.round((agent?.ungrounded ?? 0) * 100)
  const rejections = agent?.rejections ?? 0
  const points: Record<RiskReason, readonly [points: number, count: number]> = {
    logic: [action.startsWith('logic-') ? 40 : 0, 1],
    memory: [action === 'memory-update' ? 10 : 0, 1],
    definition: [definitions > 0 ? 40 : 0, definitions],
    removes_file: [removedFiles > 0 ? 30 : 0, removedFiles],
    deletions: [removedFiles > 0 ? 0 : above(deletions, DELETED_LINES), deletions],
    size: [above(lines, CHANGED_LINES), lines],
    files: [above(paths.length, FILES), paths.length],
    conflict: [base === 'conflict' ? 25 : 0, 1],
    drift: [base === 'mergeable' ? 10 : 0, 1],
    tainted: [tainted ? 30 : 0, 1],
    ungrounded: [Math.round(percent / 5), percent],
    new_version: [agent?.newVersion ? 10 : 0, 1],
    rejected_before: [Math.min(30, rejections * 10), rejections],
  }
  const reasons = RISK_REASONS.map((code) => ({ code, points: points[code][0], count: points[code][1] }))
    .filter((reason) => reason.points > 0)
    .sort((a, b) => b.points - a.points)
  return {
    score: Math.min(
      MAX_SCORE,
      reasons.reduce((sum, reason) => sum + reason.points, 0),
    ),
    reasons,
  }
}

const DELETED_LINES = [
  [100, 20],
  [20, 10],
  [0, 5],
] as const
const CHANGED_LINES = [
  [500, 20],
  [100, 10],
] as const
const FILES = [[5, 10]] as const
