import { createHmac } from 'node:crypto'

/**
 * The key under which the control plane calls a joined node (`X-MEMBRIDGE-AGENT`): HMAC-SHA-256 of `node:<node id>` under `MEMBRIDGE_AGENT_KEY`, in
 * base64url. Both sides can have it though the ledger keeps no secret in clear: the dialog that joins a node shows it once, the control plane derives
 * it at every call. From it neither the main key nor the key of another node is found ([keys#calls-to-nodes]).
 */
export const nodeCallKey = (agentKey: string, nodeId: string): string =>
  createHmac('sha256', agentKey).update(`node:${nodeId}`).digest('base64url')
