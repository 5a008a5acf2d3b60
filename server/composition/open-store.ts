import path from 'node:path'
import { openDirectoryStore } from '#server/adapters/object-store/directory.ts'
import type { Env } from '#server/env.ts'
import type { ObjectStore } from '#server/ports/object-store.ts'

type StoreEnv = Pick<
  Env,
  'BLOOM_HOME' | 'MINIO_ENDPOINT' | 'MINIO_ACCESS_KEY' | 'MINIO_SECRET_KEY' | 'MINIO_BUCKET'
>

/**
 * The object store that the environment names: S3 when `MINIO_ENDPOINT` is given, a directory otherwise. A missing bucket is made,
 * which fails while the store is away; with `bucket: 'expect'` nothing is asked of the store before its first use. `together` is for a process that
 * creates many small objects at the same time.
 */
export async function openStore(
  env: StoreEnv,
  { bucket = 'make', together = false }: { bucket?: 'make' | 'expect'; together?: boolean } = {},
): Promise<ObjectStore> {
  if (!env.MINIO_ENDPOINT) return openDirectoryStore(path.join(env.BLOOM_HOME, 'objects'), { together })
  const s3 = {
    endpoint: env.MINIO_ENDPOINT,
    bucket: env.MINIO_BUCKET as string,
    accessKey: env.MINIO_ACCESS_KEY as string,
    secretKey: env.MINIO_SECRET_KEY as string,
  }
  // The client is large, and a directory needs none of it.
  const { ensureBucket, openS3Store } = await import('#server/adapters/object-store/s3.ts')
  if (bucket === 'make') await ensureBucket(s3)
  return openS3Store(s3)
}
