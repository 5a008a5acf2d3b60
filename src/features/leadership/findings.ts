import type { ProjectLeadership } from '#contracts/leadership-console.contract.ts'
import type { Preflight } from '#domain/membridge/promotion.rules.ts'
import type { Tone } from '#ui/tone.ts'
import type { messages } from './messages.ts'

type Text = keyof (typeof messages.en)['found']
export type FindingValues = { node?: string; count?: number; ageSeconds?: number; leaseEnds?: true }
/** One thing to know before a promotion: what it says, and below it what follows or what to do. */
export type Finding = { id: string; tone: Tone; text: Text; more?: Text; values: FindingValues }

/** All that a promotion finds, losses first. */
export function findingsOf(project: ProjectLeadership, preflight: Preflight): Finding[] {
  return [
    ...lossFindings(project, preflight),
    ...forceFindings(project, preflight),
    ...roleFindings(project, preflight),
    ...targetFindings(project, preflight),
  ]
}

const finding = (tone: Tone, text: Text, more: Text | null, values: FindingValues = {}): Finding => ({
  ...{ id: `${text} ${values.node ?? ''}`, tone, text, values },
  ...(more === null ? {} : { more }),
})

const UNKNOWN = {
  primary: ['unknownPrimary', 'unknownPrimaryText'],
  target: ['unknownTarget', 'unknownTargetText'],
  pointer: ['unknownPointer', 'unknownPointerText'],
  holder: ['unknownHolder', 'unknownHolderText'],
} as const

function lossFindings({ primary_node_id }: ProjectLeadership, preflight: Preflight): Finding[] {
  const { target, unpushed, missing, unknown, isPrimaryAlready } = preflight
  if (isPrimaryAlready) return []
  const primary = primary_node_id ?? ''
  const found = unknown.map((which) => {
    const [text, more] = UNKNOWN[which]
    return finding('failed', text, more, { node: which === 'primary' ? primary : target })
  })
  if (unpushed > 0)
    found.push(finding('failed', 'unpushed', 'unpushedText', { node: primary, count: unpushed }))
  if (missing > 0) found.push(finding('failed', 'missing', 'missingText', { node: target, count: missing }))
  return found.length > 0 ? found : [finding('done', 'nothing', 'nothingText', { node: target })]
}

function forceFindings({ lock }: ProjectLeadership, { force }: Preflight): Finding[] {
  if (force === null) return []
  const values: FindingValues =
    force === 'push_in_flight'
      ? { ...(lock.node_id === null ? {} : { node: lock.node_id }), ageSeconds: lock.age_seconds ?? 0 }
      : {}
  return [finding('failed', force, `${force}_text`, values)]
}

function roleFindings(
  project: ProjectLeadership,
  { outgoing, isPrimaryAlready, target }: Preflight,
): Finding[] {
  if (isPrimaryAlready) return [finding('held', 'isPrimary', 'isPrimaryText', { node: target })]
  if (project.lease_state === 'absent') return [finding('held', 'absentLease', null)]
  if (outgoing === null) return []
  const node = outgoing.node_id
  const lease =
    project.lease_state === 'valid'
      ? finding('waiting', 'validLease', 'validLeaseText', { node, leaseEnds: true })
      : finding('held', 'expiredLease', null, { node })
  return outgoing.online
    ? [lease]
    : [lease, finding('held', 'outgoingOffline', 'outgoingOfflineText', { node })]
}

function targetFindings({ nodes }: ProjectLeadership, preflight: Preflight): Finding[] {
  const { target, isTargetKnown, isTargetOnline, fuller } = preflight
  const off = nodes.some(({ node_id, leadership_enabled }) => node_id === target && !leadership_enabled)
  const known = isTargetOnline
    ? []
    : [finding('waiting', 'targetOffline', 'targetOfflineText', { node: target })]
  // What the outgoing primary holds beyond the last push is told as a loss.
  const [fullest] = fuller.filter(({ node_id }) => node_id !== preflight.outgoing?.node_id)
  return [
    ...(isTargetKnown ? known : [finding('waiting', 'targetUnknown', null, { node: target })]),
    ...(off ? [finding('waiting', 'leadershipOff', 'leadershipOffText', { node: target })] : []),
    ...(fullest
      ? [finding('waiting', 'fuller', 'fullerText', { node: fullest.node_id, count: fullest.obs_count })]
      : []),
  ]
}
