import { createHash } from 'node:crypto'
import { type ContextSnapshot, contextSnapshot, type ResearchPayload } from '#contracts/research.contract.ts'
import {
  type GuardedFetch,
  OutboundFailed,
  OutboundRefused,
  originOf,
} from '#server/outbound/guarded-fetch.ts'
import type { IndexDocument } from '#server/retrieval/document-lines.ts'
import { WorkFailed } from './work.ts'

/** The digest that an address of a context snapshot must end in: `/contexts/<sha256>` or `…/<sha256>.json`. */
export const digestOf = (url: string): string | null =>
  /\/([0-9a-f]{64})(?:\.json)?$/u.exec(URL.canParse(url) ? new URL(url).pathname : '')?.[1] ?? null

const sha256 = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest('hex')

async function read(guard: GuardedFetch, url: string, signal: AbortSignal): Promise<Buffer> {
  try {
    const answer = await guard.fetch(url, { signal })
    if (answer.status === 200) return answer.body
    throw new WorkFailed('CONTEXT_TIMEOUT', `The address of the context answered ${answer.status}.`)
  } catch (error) {
    if (error instanceof OutboundRefused) {
      const refused = { origin: originOf(url), reason: error.reason }
      throw new WorkFailed('VALIDATION_ERROR', error.message, { refused })
    }
    if (error instanceof OutboundFailed) throw new WorkFailed('CONTEXT_TIMEOUT', error.message)
    throw error
  }
}

/** Reads the snapshot; its bytes must have the digest that its address names. */
export async function fetchSnapshot(
  guard: GuardedFetch,
  url: string,
  signal: AbortSignal,
): Promise<ContextSnapshot> {
  const bytes = await read(guard, url, signal)
  if (sha256(bytes) !== digestOf(url))
    throw new WorkFailed('CONTEXT_TIMEOUT', 'The context does not have the digest that its address names.')
  const parsed = contextSnapshot.safeParse(parseJson(bytes))
  if (!parsed.success) throw new WorkFailed('VALIDATION_ERROR', 'The context is not a context/1 document.')
  return parsed.data
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    return undefined
  }
}

type Texts = Pick<ContextSnapshot, 'sources' | 'fragments'>

/**
 * The texts to answer from: those the payload brings or points to by address, and the snapshot's sources and fragments. Sources that are
 * named by `ref` alone narrow the snapshot to them.
 */
export async function documentsFor(
  payload: ResearchPayload,
  snapshot: Texts,
  guard: GuardedFetch,
  signal: AbortSignal,
): Promise<IndexDocument[]> {
  const own: IndexDocument[] = []
  const named = new Set<string>()
  for (const { ref, text, url } of payload.sources ?? []) {
    const body = text ?? (url === undefined ? undefined : (await read(guard, url, signal)).toString('utf8'))
    if (body === undefined) named.add(ref)
    else own.push({ ref, text: body, revision: sha256(body) })
  }
  const stored = snapshotDocuments(snapshot).filter((d) => named.size === 0 || named.has(d.ref))
  const fromSnapshot = own.length > 0 && named.size === 0 ? [] : stored
  return [...own, ...fromSnapshot.filter((d) => !own.some((o) => o.ref === d.ref))]
}

/** Sources as whole texts; fragments of other notes at their own lines, none twice. */
function snapshotDocuments({ sources, fragments }: Texts): IndexDocument[] {
  const whole = sources.map(({ ref, revision, text }) => ({ ref, revision, text }))
  const known = new Set(whole.map((d) => d.ref))
  const parts = new Map<string, IndexDocument>()
  for (const { ref, revision, text, lines } of fragments) {
    if (known.has(ref)) continue
    parts.set(`${lines?.from ?? 1} ${ref}`, {
      ref,
      revision,
      text,
      ...(lines ? { firstLine: lines.from } : {}),
    })
  }
  return [...whole, ...parts.values()]
}
