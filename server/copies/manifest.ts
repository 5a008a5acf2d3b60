import { z } from 'zod'

/** The layout of an archive; another layout gets another name. */
export const FORMAT = 'garden-bloom-backup/1'

/** Names of the entries that describe the others; they end the archive. */
export const DIGESTS_ENTRY = 'SHA256SUMS'
export const MANIFEST_ENTRY = 'manifest.json'
export const SECRETS_ENTRY = 'secrets.json'

const sha256 = z.string().regex(/^[0-9a-f]{64}$/)
const count = z.number().int().min(0)
/** Table and column names are quoted into statements; ours are plain. */
const identifier = z.string().regex(/^[a-z_][a-z0-9_]*$/)
const commit = z.string().regex(/^[0-9a-f]{40}$/)

const manifestShape = z.object({
  format: z.literal(FORMAT),
  made_at: z.iso.datetime(),
  product_version: z.string(),
  home_id: z.uuid(),
  postgres_version: z.string(),
  /** What the database was migrated to, oldest first. */
  migrations: z.array(z.object({ name: z.string().regex(/^\w+$/), checksum: sha256 })),
  /** In an order in which no row comes before one that it refers to. */
  tables: z.array(z.object({ name: identifier, columns: z.array(identifier), rows: count })),
  /** Where each consumer of events stood before the first object was read; it continues there. */
  consumers: z.record(z.string(), count),
  garden: z.object({ head: commit, commits: count, files: count }),
  objects: count,
  /** Objects that the ledger names and the store did not have. */
  missing_objects: count,
  has_secrets: z.boolean(),
  /** SHA-256 of the entry that lists the digests of all others. */
  digests_sha256: sha256,
})

/** What an archive says about itself. */
export type Manifest = z.infer<typeof manifestShape>

/** The archive is not one of ours, not whole, or not as it was written. Nothing has been changed. */
export class BackupUnusable extends Error {
  constructor(why: string, options?: { cause?: unknown }) {
    super(`The backup cannot be used: ${why}`, options)
    this.name = 'BackupUnusable'
  }
}

/** Reads a manifest; throws BackupUnusable for anything else. */
export function parseManifest(text: string): Manifest {
  try {
    return manifestShape.parse(JSON.parse(text))
  } catch (cause) {
    throw new BackupUnusable('its manifest is of another format, or damaged', { cause })
  }
}
