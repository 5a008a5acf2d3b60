import fs from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { ObjectStore } from '#server/ports/object-store.ts'
import { required, type Settings } from '../config/settings.ts'
import { EdgeFault } from '../fault.ts'

/**
 * The object store of a node by its settings: `file:///folder` is a directory, anything else S3 [edge#store].
 *
 * The one place of the edge that picks an adapter. Each is loaded when it is needed: a command that asks no store starts
 * without the S3 client. A directory that is not there is refused instead of made, since it is a folder that was not mounted.
 */
export type StoreLimits = {
  /** Attempts of a call, and time for each in milliseconds. */
  attempts: number
  timeoutMs: number
}

export async function openNodeStore(settings: Settings, limits: StoreLimits): Promise<ObjectStore> {
  const endpoint = new URL(required(settings, 'MINIO_ENDPOINT'))
  if (endpoint.protocol === 'file:') return await openFolder(endpoint)
  const options = {
    endpoint: settings.MINIO_ENDPOINT ?? '',
    accessKey: required(settings, 'MINIO_ACCESS_KEY'),
    secretKey: required(settings, 'MINIO_SECRET_KEY'),
    bucket: required(settings, 'MINIO_BUCKET'),
    region: settings.MINIO_REGION,
  }
  const { openS3Store } = await import('#server/adapters/object-store/s3.ts')
  return openS3Store({ ...options, ...limits })
}

async function openFolder(endpoint: URL): Promise<ObjectStore> {
  const folder = fileURLToPath(endpoint)
  if (!fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new EdgeFault(`MINIO_ENDPOINT names ${folder}, which is not a folder: mount or make it`)
  const { openDirectoryStore } = await import('#server/adapters/object-store/directory.ts')
  return await openDirectoryStore(folder)
}

/** Where the store is, without what an address may carry of secrets; null while none is configured. */
export function storePlace({ MINIO_ENDPOINT, MINIO_BUCKET }: Settings): string | null {
  if (MINIO_ENDPOINT === undefined) return null
  const { protocol, host, pathname } = new URL(MINIO_ENDPOINT)
  return protocol === 'file:' ? `file://${pathname}` : `${protocol}//${host}/${MINIO_BUCKET ?? ''}`
}
