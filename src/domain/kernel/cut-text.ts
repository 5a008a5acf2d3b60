/** What a cut leaves of a character of two units. */
const HALF = /\p{Surrogate}$/u

/** The beginning of a text, at most `most` units long, that ends with a whole character: half a one is no text that a ledger keeps. */
export const cutText = (text: string, most: number): string => text.slice(0, most).replace(HALF, '')
