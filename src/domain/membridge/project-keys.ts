/** Keys of a project's objects in the store ([membridge#objects]). */
const DIGEST = /^[0-9a-f]{64}$/

export const projectKeys = (canonicalId: string) => {
  const folder = `projects/${canonicalId}`
  return {
    folder: `${folder}/`,
    /** Which snapshot counts, and the term that fences pushes. */
    pointer: `${folder}/sqlite/manifest.json`,
    lock: `${folder}/locks/active.lock`,
    lease: `${folder}/leadership/lease.json`,
    audits: `${folder}/leadership/audit/`,
    snapshots: `${folder}/db/`,
    /** A snapshot and its digest as text, both under the digest. */
    snapshot: (sha256: string) => `${folder}/db/${digest(sha256)}.db`,
    snapshotSha: (sha256: string) => `${folder}/db/${digest(sha256)}.sha256`,
    /** The copy for nodes of today, and its digest as text. */
    mirror: `${folder}/sqlite/claude-mem.db`,
    mirrorSha: `${folder}/sqlite/claude-mem.db.sha256`,
  }
}

function digest(sha256: string): string {
  if (!DIGEST.test(sha256)) throw new TypeError('a snapshot is named by 64 lower-case hex digits')
  return sha256
}

/** The text of the objects that hold a digest, as `sha256sum` prints it. */
export const digestLine = (sha256: string): string => `${sha256}  claude-mem.db\n`

/** The digest that such a text names; `null` where it names none. */
export const digestOfLine = (text: string): string | null => /^[0-9a-f]{64}(?=\s|$)/.exec(text)?.[0] ?? null
