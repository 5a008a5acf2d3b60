/**
 * What must never be in the history of a project's lease and pointer, judged from the writes that the store accepted. Which write came upon
 * which is told by their conditions, so no clock is asked. Only a program of ours is judged: each of its writes carries a condition.
 */
import type { AcceptedWrite } from './recording-proxy.ts'

export type Fault = { kind: FaultKind; at: string }
export type FaultKind =
  | 'write without a condition'
  | 'two writes upon one version'
  | 'epoch not raised'
  | 'term regression'
  | 'two holders of one term'
  | 'term raised without a new holder'
  | 'stale push accepted'

type Fields = {
  issued_by?: string
  nonce?: string
  node_id?: string
  epoch?: number
  term?: number
  primary_node_id?: string
  push_id?: string
  sha256?: string | null
}
export type Version = { write: AcceptedWrite; fields: Fields }

/** The versions of one object from its first to its last, and what is wrong with their order. */
export function chainOf(writes: readonly AcceptedWrite[]): { chain: Version[]; faults: Fault[] } {
  const faults: Fault[] = []
  const next = new Map<string | null, AcceptedWrite>()
  for (const write of writes) {
    if (write.upon === undefined) faults.push({ kind: 'write without a condition', at: write.key })
    else if (next.has(write.upon)) faults.push({ kind: 'two writes upon one version', at: write.key })
    else next.set(write.upon, write)
  }
  const chain: Version[] = []
  for (let at = next.get(null); at; at = next.get(at.etag)) {
    next.delete(at.upon ?? null)
    chain.push({ write: at, fields: JSON.parse(at.body) })
  }
  return { chain, faults }
}

/** Faults of a project's lease and pointer. */
export function judge(writes: readonly AcceptedWrite[]): Fault[] {
  const lease = chainOf(writes.filter(({ key }) => key.endsWith('/lease.json')))
  const pointer = chainOf(writes.filter(({ key }) => key.endsWith('/manifest.json')))
  return [...lease.faults, ...pointer.faults, ...ofLease(lease.chain), ...ofPointer(pointer.chain)]
}

function ofLease(chain: readonly Version[]): Fault[] {
  const holders = new Map<number, string>()
  return chain.flatMap(({ write: { key }, fields: now }, n) => {
    const before = chain[n - 1]?.fields
    const found: FaultKind[] = []
    const { epoch = 0, term = 0, primary_node_id: holder = '' } = now
    if (before && epoch <= (before.epoch ?? 0)) found.push('epoch not raised')
    if (before && term < (before.term ?? 0)) found.push('term regression')
    if (before && term > (before.term ?? 0) && holder === before.primary_node_id)
      found.push('term raised without a new holder')
    if ((holders.get(term) ?? holder) !== holder) found.push('two holders of one term')
    holders.set(term, holder)
    return found.map((kind) => ({ kind, at: `${key} epoch ${epoch}` }))
  })
}

function ofPointer(chain: readonly Version[]): Fault[] {
  let highest = 0
  return chain.flatMap(({ write: { key }, fields: now }, n) => {
    const before = chain[n - 1]?.fields
    const term = now.term ?? 0
    const isPush = now.push_id !== undefined && now.push_id !== before?.push_id
    const kind: FaultKind | null = term >= highest ? null : isPush ? 'stale push accepted' : 'term regression'
    highest = Math.max(highest, term)
    return kind ? [{ kind, at: `${key} term ${term} after ${highest}` }] : []
  })
}

/** The pushes of a project in their order: who committed what. */
export const pushesOf = (writes: readonly AcceptedWrite[]) => {
  const { chain } = chainOf(writes.filter(({ key }) => key.endsWith('/manifest.json')))
  return chain.filter(({ fields }, n) => fields.push_id && fields.push_id !== chain[n - 1]?.fields.push_id)
}
