import type { ReactNode } from 'react'

/** Of a longer text nobody sees where its first line ends. */
const MOST_CHARS = 300

/** A name or an address without spaces, which may go on in the next line after each of these marks: of words that underscores join, by default. */
export function breakable(text: string, after = /(?<=_)/): ReactNode {
  if (text.length > MOST_CHARS) return text
  const [first, ...more] = text.split(after)
  return more.reduce<ReactNode>(
    (before, part) => (
      <>
        {before}
        <wbr />
        {part}
      </>
    ),
    first,
  )
}
