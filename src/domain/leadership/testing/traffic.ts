/** What happened in a run. A run in which too little happened proves nothing. */
export type Traffic = Record<
  | 'rounds'
  | 'pushes'
  | 'pushed'
  | 'up_to_date'
  | 'refused'
  | 'stale_term'
  | 'blocked'
  | 'failed'
  | 'unknown'
  | 'mirror_incomplete'
  | 'bootstrap'
  | 'renew'
  | 'take_over'
  | 'select'
  | 'force_select'
  | 'fence'
  | 'steal'
  | 'override'
  | 'EPOCH_STALE'
  | 'PUSH_IN_FLIGHT'
  | 'LEASE_UNKNOWN'
  | 'unavailable'
  | 'ambiguous'
  | 'late_applied'
  | 'pauses'
  | 'kills'
  | 'resolved'
  | 'today_writes'
  | 'incidents',
  number
>

export const noTraffic = (): Traffic => ({
  rounds: 0,
  pushes: 0,
  pushed: 0,
  up_to_date: 0,
  refused: 0,
  stale_term: 0,
  blocked: 0,
  failed: 0,
  unknown: 0,
  mirror_incomplete: 0,
  bootstrap: 0,
  renew: 0,
  take_over: 0,
  select: 0,
  force_select: 0,
  fence: 0,
  steal: 0,
  override: 0,
  EPOCH_STALE: 0,
  PUSH_IN_FLIGHT: 0,
  LEASE_UNKNOWN: 0,
  unavailable: 0,
  ambiguous: 0,
  late_applied: 0,
  pauses: 0,
  kills: 0,
  resolved: 0,
  today_writes: 0,
  incidents: 0,
})

/** The least of each in a round, on average. */
const REQUIRED: Partial<Record<keyof Traffic, number>> = {
  pushes: 5,
  pushed: 1,
  up_to_date: 0.02,
  stale_term: 0.05,
  take_over: 0.05,
  select: 0.5,
  renew: 0.5,
  fence: 0.3,
  steal: 0.01,
  EPOCH_STALE: 0.02,
  PUSH_IN_FLIGHT: 0.02,
  unavailable: 2,
  ambiguous: 0.5,
  late_applied: 0.02,
  pauses: 2,
  kills: 0.3,
  incidents: 0.02,
}

/** What there was too little of: the run is invalid, not green, when anything is named here. */
export const tooLittle = (traffic: Traffic): string[] =>
  Object.entries(REQUIRED).flatMap(([name, share]) => {
    const [seen, needed] = [traffic[name as keyof Traffic], share * Math.max(1, traffic.rounds)]
    return seen < needed ? [`${name}: ${seen} of at least ${Math.ceil(needed)}`] : []
  })
