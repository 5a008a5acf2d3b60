import { rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { z } from 'zod'
import type { Host } from '../host.ts'
import { type JsonRead, readJsonFile, writeJsonFile } from './json-file.ts'
import { syncStateFile } from './sync-state.ts'

/** A push whose write of the pointer was not answered, until the next push finds out what came of it [edge#push]. */
const PENDING_PUSH = z.object({
  push_id: z.string(),
  base_push_id: z.string().nullable(),
  base_etag: z.string().nullable(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  content_sha256: z.string().regex(/^[0-9a-f]{64}$/),
  /** Epoch seconds by this node's clock, for people. */
  at: z.number(),
})

export type PendingPushState = z.infer<typeof PENDING_PUSH>

function pendingPushFile(host: Pick<Host, 'home'>, canonicalId: string): string {
  const state = syncStateFile(host, canonicalId)
  return join(dirname(state), 'pending', basename(state))
}

export const readPendingPush = (
  host: Pick<Host, 'home'>,
  canonicalId: string,
): Promise<JsonRead<PendingPushState>> => readJsonFile(pendingPushFile(host, canonicalId), PENDING_PUSH)

export async function keepPendingPush(
  host: Pick<Host, 'home'>,
  canonicalId: string,
  pending: PendingPushState,
): Promise<void> {
  await writeJsonFile(pendingPushFile(host, canonicalId), pending)
}

export const dropPendingPush = (host: Pick<Host, 'home'>, canonicalId: string): Promise<void> =>
  rm(pendingPushFile(host, canonicalId), { force: true })
