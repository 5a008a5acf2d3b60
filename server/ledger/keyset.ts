/** A place in a list that is ordered by a date and an id: opaque to the caller, the same at any depth. */
export type Place = { at: Date; id: string }

export const placeToCursor = ({ at, id }: Place): string =>
  Buffer.from(`${at.getTime()} ${id}`).toString('base64url')

/** The place, or null for anything that is no cursor of ours: the list then begins at its head. */
export function cursorToPlace(cursor: string | undefined, idPattern: RegExp): Place | null {
  const [ms, id] = Buffer.from(cursor ?? '', 'base64url')
    .toString('utf8')
    .split(' ')
  if (!ms || !id || !/^\d{1,15}$/.test(ms) || !idPattern.test(id)) return null
  return { at: new Date(Number(ms)), id }
}
