import type { Settings } from './settings.ts'

/** The settings that are secrets: none of them leaves the node in a log, an answer or a report. */
const SECRETS = [
  'MINIO_ACCESS_KEY',
  'MINIO_SECRET_KEY',
  'MEMBRIDGE_SERVER_ADMIN_KEY',
  'MEMBRIDGE_ADMIN_KEY',
  'MEMBRIDGE_AGENT_KEY',
  'MEMBRIDGE_NODE_KEY',
  'RUNTIME_API_KEY',
  'BLOOM_WORKER_KEY',
  'BLOOM_API_KEY',
] as const satisfies (keyof Settings)[]

export type SecretSettings = Pick<Settings, (typeof SECRETS)[number]>

/** The values of those that are set, for a redactor. */
export const secretsOf = (values: SecretSettings): string[] => SECRETS.flatMap((name) => values[name] ?? [])
