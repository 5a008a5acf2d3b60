/** A file ends with a line break. */
export const closed = (text: string) => (text.endsWith('\n') ? text : `${text}\n`)
