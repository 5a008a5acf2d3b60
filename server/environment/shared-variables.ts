/** What every process of the product reads: its mode, where the state lies, the object store, proxies, the log. */
import path from 'node:path'
import { z } from 'zod'
import { databaseUrl, directory, flag, list, webUrl } from './variables.ts'

export const sharedVariables = {
  NODE_ENV: z
    .enum(['development', 'production', 'test'], 'must be development, production or test')
    .default('production'),
  /** All state of the embedded default. */
  BLOOM_HOME: directory.default(() => path.resolve('.bloom')),
  DATABASE_URL: databaseUrl,
  MINIO_ENDPOINT: webUrl.optional(),
  MINIO_ACCESS_KEY: z.string().optional(),
  MINIO_SECRET_KEY: z.string().optional(),
  MINIO_BUCKET: z.string().optional(),
  ALLOW_INSECURE_LAN: flag,
  /** Callbacks that carry no signature are taken by their bearer alone: for a NotebookLM Backend that cannot sign. */
  CALLBACK_ALLOW_UNSIGNED: flag,
  /** Addresses of reverse proxies whose X-Forwarded-For is believed, separated by commas. */
  TRUSTED_PROXIES: list,
  LOG_LEVEL: z
    .enum(
      ['fatal', 'error', 'warn', 'info', 'debug', 'silent'],
      'must be fatal, error, warn, info, debug or silent',
    )
    .default('info'),
}

type Minio = Partial<
  Record<'MINIO_ENDPOINT' | 'MINIO_ACCESS_KEY' | 'MINIO_SECRET_KEY' | 'MINIO_BUCKET', string | undefined>
>

/** What is wrong between the variables of the object store, by variable. */
export function storeFaults(env: Minio): [variable: string, message: string][] {
  const given = [env.MINIO_ENDPOINT, env.MINIO_ACCESS_KEY, env.MINIO_SECRET_KEY, env.MINIO_BUCKET]
  if (!given.some(Boolean) || given.every(Boolean)) return []
  return [['MINIO_ENDPOINT', 'needs MINIO_ACCESS_KEY, MINIO_SECRET_KEY and MINIO_BUCKET beside it']]
}
