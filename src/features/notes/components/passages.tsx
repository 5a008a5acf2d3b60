'use client'
import type { ReactNode } from 'react'
import type { NoteHit, NoteRow } from '#contracts/note.contract.ts'
import { Link } from '#ui/link.tsx'
import { hitHref } from '../arrival.ts'

/** The places of a note that a search found, each a link to it. */
export function Passages({ note }: { note: NoteRow }) {
  const hits = note.hit ? [note.hit, ...note.other_hits] : []
  return (
    <ul className="space-y-1 py-1.5">
      {hits.map((hit) => (
        <li key={`${hit.from} ${hit.line}`}>
          {/* Above the link of the whole row, which leads to the best place. */}
          <Link
            quiet
            href={hitHref(note.path, hit)}
            className="relative z-[1] line-clamp-2 whitespace-normal break-words text-sm text-ink-2"
          >
            <Marked hit={hit} />
          </Link>
        </li>
      ))}
    </ul>
  )
}

function Marked({ hit: { excerpt, marks } }: { hit: NoteHit }) {
  const parts: ReactNode[] = []
  let at = 0
  for (const [from, to] of marks) {
    parts.push(excerpt.slice(at, from))
    parts.push(
      <mark key={from} className="rounded-[3px] bg-waiting-soft font-medium text-ink">
        {excerpt.slice(from, to)}
      </mark>,
    )
    at = to
  }
  return (
    <>
      {parts}
      {excerpt.slice(at)}
    </>
  )
}
