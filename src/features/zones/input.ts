import type { ReadingList } from '#contracts/zone-reading.contract.ts'

export const READING_FILTERS = ['guest'] as const

/** What the list of readings is asked for, from the URL; the server and the browser build it alike. */
export function readingsInput(
  zoneId: string,
  { guest }: Readonly<Record<string, string | null | undefined>>,
): Omit<ReadingList, 'limit'> {
  const number = /^[1-9]\d{0,8}$/.test(guest ?? '') ? Number(guest) : undefined
  return { zone_id: zoneId, ...(number === undefined ? {} : { guest: number }) }
}
