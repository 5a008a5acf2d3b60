/** Codes of a disk that takes no more: of the system, of a quota, and PostgreSQL's SQLSTATE. */
const FULL = ['ENOSPC', 'EDQUOT', '53100']
const MAX_CAUSES = 5

/** True when a full disk is behind this fault, whoever wrapped it. */
export function isDiskFull(error: unknown): boolean {
  let at = error
  for (let depth = 0; depth < MAX_CAUSES && at instanceof Error; depth++) {
    if (FULL.includes(String((at as { code?: unknown }).code))) return true
    at = at.cause
  }
  return false
}
