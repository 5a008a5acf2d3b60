/** Whether a node is there, by the server's clock and by what it was heard; a node's own clock says nothing about it ([membridge#liveness]). */
export const ONLINE_SECONDS = 60

export const isOnline = (lastSeen: Date, now: Date): boolean =>
  now.getTime() - lastSeen.getTime() < ONLINE_SECONDS * 1_000

/** Whether a node is there; `waiting`: it is known, but was never heard. */
export const NODE_STATES = ['online', 'offline', 'waiting'] as const
export type NodeState = (typeof NODE_STATES)[number]

export function nodeState(lastSeen: Date | null, now: Date): NodeState {
  if (!lastSeen) return 'waiting'
  return isOnline(lastSeen, now) ? 'online' : 'offline'
}

/** The status of a registered agent: what its registration said until it is heard for the first time. */
export function agentStatus(reported: string, lastSeen: Date | null, now: Date): string {
  if (!lastSeen) return reported
  return isOnline(lastSeen, now) ? 'online' : 'offline'
}
