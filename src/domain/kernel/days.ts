/** Days in UTC, as addresses and filters name them: `2026-03-02`. */
const FORM = /^\d{4}-\d{2}-\d{2}$/
const DAY_MS = 86_400_000

/** When the day begins, some days later; null for what names no day. */
export function startOfDay(text: string | null | undefined, later = 0): Date | null {
  const at = FORM.test(text ?? '') ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  return Number.isNaN(at) ? null : new Date(at + later * DAY_MS)
}

export const isDay = (text: string): boolean => startOfDay(text) !== null

/** The day of an instant. */
export const dayOf = (at: Date): string => at.toISOString().slice(0, 10)
